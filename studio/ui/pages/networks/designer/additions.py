"""Adding layers and whole blocks to a drawing, with room made for them. Free of Qt."""

from __future__ import annotations

from typing import Final

from studio.engine.networks.blocks import BLOCKS
from studio.engine.networks.spec import LayerNode, NetworkSpec
from studio.ui.pages.networks.designer import edits, wiring
from studio.ui.pages.networks.designer.edits import Place
from studio.ui.pages.networks.designer.layout import RANK_GAP, Direction, lay_out
from studio.ui.pages.networks.designer.picture import (
    BLOCK_HEADER,
    BLOCK_MARGIN,
    NODE_SIZE,
    NOTE_PREFIX,
)
from studio.ui.pages.networks.designer.wiring import CLASSES, Wire

BLOCK_CHOICE: Final = "block:"
"""Before the name of a block where it is named beside layers."""
_LOOSE: Final = NOTE_PREFIX
"""Stands for the source of a block that is not wired yet; no id of a layer."""


def added(
    spec: NetworkSpec, name: str, place: Place, into: Wire | None, direction: Direction
) -> tuple[NetworkSpec, list[str]]:
    """Add a layer or a block.

    Args:
        spec: The drawing, in which everything has a place.
        name: Of a layer, or `BLOCK_CHOICE` and that of a block.
        place: Where its middle goes, when it goes into no wire.
        into: Wire that it goes into; what comes after moves on to make room.
        direction: Where the wires lead.

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
        shift = (place[0] - middle[0], place[1] - middle[1])
        return edits.with_nodes(spec, loose, _shifted(local, shift)), ids
    around = _common_block(spec, into)
    if around and len(loose) == 1:
        loose = (loose[0].model_copy(update={"block": around}),)
    spec, places = _with_room(spec, local, into, direction, loose[0].block)
    spec = edits.with_nodes(spec, loose, places)
    return _led_through(spec, into, ids[-1]), ids


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


def _led_through(spec: NetworkSpec, into: Wire, last: str) -> NetworkSpec:
    """The target of a wire takes what was added instead of the source."""
    source, target = into
    if target == CLASSES:
        return wiring.wire(spec, last, CLASSES)
    node = spec.node(target)
    inputs = tuple(last if start == source else start for start in node.inputs)
    return edits.replaced(spec, {target: node.model_copy(update={"inputs": inputs})})


def _with_room(
    spec: NetworkSpec,
    local: dict[str, Place],
    into: Wire,
    direction: Direction,
    block: str,
) -> tuple[NetworkSpec, dict[str, Place]]:
    """Move what comes after a wire on, and give the new nodes their places between."""
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
    """The block that both ends of a wire are in; empty for none."""
    source, target = (_block(spec, key) for key in into)
    return source if source == target else ""


def _frame_room(above: str, below: str) -> float:
    """Room for frames between two boxes, besides the usual gap."""
    if above == below:
        return 0.0
    return (BLOCK_MARGIN if above else 0.0) + (BLOCK_MARGIN + BLOCK_HEADER if below else 0.0)


def _moved(at: Place, along: int, by: float) -> Place:
    return (at[0], at[1] + by) if along else (at[0] + by, at[1])


def _shifted(places: dict[str, Place], by: Place) -> dict[str, Place]:
    return {key: (round(x + by[0]), round(y + by[1])) for key, (x, y) in places.items()}


def _middle(places: dict[str, Place]) -> Place:
    xs = [x for x, _ in places.values()]
    ys = [y for _, y in places.values()]
    return (min(xs) + max(xs) + NODE_SIZE[0]) / 2, (min(ys) + max(ys) + NODE_SIZE[1]) / 2
