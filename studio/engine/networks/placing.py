"""Places for new nodes of a drawn network, for those that lack one, and for all nodes again.

Functions from one description to the next. A place is the upper left corner of a node.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from studio.engine.networks import edits
from studio.engine.networks.blocks import BLOCKS
from studio.engine.networks.edits import CLASSES, FARTHEST, Position, Wire, wires_of
from studio.engine.networks.layout import RANK_GAP, Direction, lay_out
from studio.engine.networks.spec import INPUT, LayerNode, NetworkSpec

NODE_SIZE: Final = (184.0, 48.0)
BLOCK_MARGIN: Final = 12.0
BLOCK_HEADER: Final = 26.0


def keys_of(spec: NetworkSpec) -> list[str]:
    """Return the keys of all nodes: input, layers, output."""
    return [INPUT, *(node.id for node in spec.nodes), CLASSES]


def placed(spec: NetworkSpec, direction: Direction) -> NetworkSpec:
    """Return the network with positions for nodes without one, or a new layout.

    Args:
        spec: The network.
        direction: Direction of the wires.
    """
    keys = keys_of(spec)
    missing = [key for key in keys if not _is_sane(spec.positions.get(key))]
    if not missing:
        return spec
    positions = {key: at for key, at in spec.positions.items() if key not in missing}
    if not set(positions) & {node.id for node in spec.nodes}:
        return laid_out(spec, direction)
    inputs = {node.id: node.inputs for node in spec.nodes} | {CLASSES: (spec.output,)}
    readers: dict[str, str] = {source: node.id for node in spec.nodes for source in node.inputs}
    for key in missing:
        source = next((other for other in inputs.get(key, ()) if other in positions), "")
        reader = readers.get(key, "")
        positions[key] = _beside(positions, source, reader, direction)
    return edits.move(spec, positions)


def _is_sane(at: Position | None) -> bool:
    """Return True if a position can be shown; foreign files may contain any number."""
    return at is not None and all(abs(side) < FARTHEST for side in at)


def _beside(
    positions: Mapping[str, Position], source: str, reader: str, direction: Direction
) -> Position:
    """Return a free position after a source, before a reader, or at the end."""
    size = NODE_SIZE
    step = (0.0, size[1] + 28) if direction == "down" else (size[0] + 28, 0.0)
    if source:
        x, y = positions[source]
        x, y = x + step[0], y + step[1]
    elif reader in positions:
        x, y = positions[reader]
        x, y = x - step[0], y - step[1]
    else:
        x, y = (0.0, max(at[1] for at in positions.values()) + step[1])
    while any(abs(x - a) < size[0] and abs(y - b) < size[1] for a, b in positions.values()):
        x, y = (x + size[0] + 28, y) if direction == "down" else (x, y + size[1] + 28)
    return x, y


def laid_out(spec: NetworkSpec, direction: Direction) -> NetworkSpec:
    """Return the network with a new layout.

    Args:
        spec: The network.
        direction: Direction of the wires.
    """
    sizes = dict.fromkeys(keys_of(spec), NODE_SIZE)
    blocks = {node.id: node.block for node in spec.nodes if node.block}
    positions = lay_out(sizes, wires_of(spec), blocks, direction)
    return edits.move(spec, positions)


def direction_of(spec: NetworkSpec) -> Direction:
    """Return the main direction of the wires."""
    right = down = 0.0
    for source, target in wires_of(spec):
        if source in spec.positions and target in spec.positions:
            (x, y), (to_x, to_y) = spec.positions[source], spec.positions[target]
            right += abs(to_x - x)
            down += abs(to_y - y)
    return "right" if right > 2 * down else "down"


BLOCK_CHOICE: Final = "block:"
"""Before the name of a block where it is named beside layers."""
_LOOSE: Final = "@loose"
"""Stands for the source of a block that is not wired yet; no id of a layer."""


def added(
    spec: NetworkSpec, name: str, position: Position, into: Wire | None, direction: Direction
) -> tuple[NetworkSpec, list[str]]:
    """Add a layer or a block.

    Args:
        spec: The drawing, in which everything has a place.
        name: Name of a layer, or `BLOCK_CHOICE` and that of a block.
        position: Center of the new layer if it is not inserted into a connection.
        into: Wire that it goes into; what comes after moves on to make room.
        direction: Direction of the wires.

    Returns:
        The drawing, and the ids of what was added.

    Raises:
        StudioError: There is no such layer.
    """
    source = into[0] if into else _LOOSE
    nodes = _nodes(spec, name, source)
    ids = [node.id for node in nodes]
    wires = [(start, node.id) for node in nodes for start in node.inputs]
    local = lay_out(dict.fromkeys([source, *ids], NODE_SIZE), wires, None, direction)
    del local[source]
    local = _shifted(
        local, (-min(x for x, _ in local.values()), -min(y for _, y in local.values()))
    )
    loose = tuple(
        node.model_copy(
            update={"inputs": tuple(start for start in node.inputs if start != _LOOSE)}
        )
        for node in nodes
    )
    if into is None:
        middle = _middle(local)
        shift = (position[0] - middle[0], position[1] - middle[1])
        return edits.with_nodes(spec, loose, _shifted(local, shift)), ids
    around = _common_block(spec, into)
    if around and len(loose) == 1:
        loose = (loose[0].model_copy(update={"block": around}),)
    spec, positions = _with_room(spec, local, into, direction, loose[0].block)
    spec = edits.with_nodes(spec, loose, positions)
    return _routed_through(spec, into, ids[-1]), ids


def _nodes(spec: NetworkSpec, name: str, source: str) -> tuple[LayerNode, ...]:
    taken = edits.ids_of(spec)
    if not name.startswith(BLOCK_CHOICE):
        return (edits.made(name, edits.free_id(name, taken), (source,)),)
    block = BLOCKS[name.removeprefix(BLOCK_CHOICE)]
    number = 1
    while any(key.startswith(f"{block.name}_{number}_") for key in taken) or (
        f"{block.name}_{number}" in taken | set(edits.blocks_of(spec))
    ):
        number += 1
    return block.nodes(f"{block.name}_{number}", source, block.parameters())


def _routed_through(spec: NetworkSpec, into: Wire, last: str) -> NetworkSpec:
    """Connect the target of a wire to an added layer instead of the source."""
    source, target = into
    if target == CLASSES:
        return edits.wire(spec, last, CLASSES)
    node = spec.node(target)
    inputs = tuple(last if start == source else start for start in node.inputs)
    return edits.replaced(spec, {target: node.model_copy(update={"inputs": inputs})})


def _with_room(
    spec: NetworkSpec,
    local: dict[str, Position],
    into: Wire,
    direction: Direction,
    block: str,
) -> tuple[NetworkSpec, dict[str, Position]]:
    """Move the layers after a wire to make room, and return the positions of the new layers."""
    along, across = (1, 0) if direction == "down" else (0, 1)
    start, end = (spec.positions[key] for key in into)
    source, target = (_block(spec, key) for key in into)
    before, after = _frame_room(source, block), _frame_room(block, target)
    begin = start[along] + NODE_SIZE[along] + RANK_GAP + before
    length = max(at[along] for at in local.values()) + NODE_SIZE[along] + RANK_GAP + after
    push = max(0.0, begin + length - end[along])
    if push and end[along] > start[along]:
        moved = {
            key: _moved(at, along, push)
            for key, at in spec.positions.items()
            if at[along] >= end[along]
        }
        spec = edits.move(spec, moved)
    else:
        push = 0.0
    spare = max(0.0, end[along] + push - begin - length)
    middle = _middle(local)
    shift = [0.0, 0.0]
    shift[along] = begin + spare / 2
    shift[across] = start[across] + NODE_SIZE[across] / 2 - middle[across]
    return spec, _shifted(local, (shift[0], shift[1]))


def _block(spec: NetworkSpec, key: str) -> str:
    return next((node.block for node in spec.nodes if node.id == key), "")


def _common_block(spec: NetworkSpec, into: Wire) -> str:
    """Return the block that contains both ends of a wire; empty for none."""
    source, target = (_block(spec, key) for key in into)
    return source if source == target else ""


def _frame_room(above: str, below: str) -> float:
    """Return the room for frames between two boxes, in addition to the usual gap."""
    if above == below:
        return 0.0
    return (BLOCK_MARGIN if above else 0.0) + (BLOCK_MARGIN + BLOCK_HEADER if below else 0.0)


def _moved(at: Position, along: int, by: float) -> Position:
    return (at[0], at[1] + by) if along else (at[0] + by, at[1])


def _shifted(positions: dict[str, Position], by: Position) -> dict[str, Position]:
    return {key: (round(x + by[0]), round(y + by[1])) for key, (x, y) in positions.items()}


def _middle(positions: dict[str, Position]) -> Position:
    xs = [x for x, _ in positions.values()]
    ys = [y for _, y in positions.values()]
    return (min(xs) + max(xs) + NODE_SIZE[0]) / 2, (min(ys) + max(ys) + NODE_SIZE[1]) / 2
