"""Every change of a drawn network, as a function from one description to the next.

A place is the top left corner of a node, in units of the drawing. What cannot be done raises a
`StudioError` that says why; what changes nothing gives the same description back.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final, Literal

from pydantic import Field

from studio.engine.errors import StudioError
from studio.engine.messages import as_message, message
from studio.engine.networks.fitting import fitted
from studio.engine.networks.layers import LAYERS
from studio.engine.networks.spec import (
    HEAD_BLOCK,
    INPUT,
    AuxiliaryHead,
    Comment,
    InputShape,
    LayerNode,
    NetworkSpec,
    ancestors,
    is_id,
)
from studio.engine.plans import Plan

CLASSES: Final = "@classes"
"""End of the drawing: a wire to it makes its source the output. No node can have this id."""

Wire = tuple[str, str]


def wires_of(spec: NetworkSpec) -> list[tuple[str, str]]:
    """Return all wires as (source, target), the one to the classes last."""
    known = ids_of(spec)
    found = [(source, node.id) for node in spec.nodes for source in node.inputs if source in known]
    return [*found, (spec.output, CLASSES)] if spec.output in known else found


def wire(spec: NetworkSpec, source: str, target: str) -> NetworkSpec:
    """Connect the output of a node to another; a layer with one input drops its previous one.

    Args:
        spec: The network.
        source: Id of the node that the wire comes from.
        target: Id of the node that it leads to, or `CLASSES`.

    Raises:
        StudioError: The wire would create a cycle, or leads nowhere.
    """
    reason = refusal(spec, source, target)
    if reason:
        raise StudioError(reason, "Draw the wire somewhere else.", target)
    if target == CLASSES:
        return spec.model_copy(update={"output": source})
    node = spec.node(target)
    if source in node.inputs:
        return spec
    inputs = (*node.inputs, source) if takes_several(node) else (source,)
    return replaced(spec, {target: node.model_copy(update={"inputs": inputs})})


def refusal(spec: NetworkSpec, source: str, target: str) -> str:
    """Return the reason why a wire is not allowed; empty if it is.

    Args:
        spec: The network.
        source: Id of the node that the wire comes from.
        target: Id of the node that it leads to, or `CLASSES`.
    """
    known = ids_of(spec)
    if source not in known or (target not in known and target != CLASSES) or target == INPUT:
        return message(
            'No wire can run from "{source}" to "{target}".', source=source, target=target
        )
    if target == CLASSES:
        return "A network needs at least one layer." if source == INPUT else ""
    if target in ancestors(spec, source):
        return message(
            'A wire from "{source}" to "{target}" would create a cycle.',
            source=source,
            target=target,
        )
    return ""


def targets(spec: NetworkSpec, source: str) -> set[str]:
    """Return the ids of the nodes that a node can be connected to.

    Args:
        spec: The network.
        source: Id of the node that the wire comes from.
    """
    if source == INPUT:
        return {node.id for node in spec.nodes}
    if source not in ids_of(spec):
        return set()
    return (ids_of(spec) | {CLASSES}) - ancestors(spec, source) - {INPUT}


def takes_several(node: LayerNode) -> bool:
    """Return True if a node accepts several inputs."""
    return node.layer in LAYERS and LAYERS[node.layer].joins


def unwire(spec: NetworkSpec, source: str, target: str) -> NetworkSpec:
    """Remove a wire; the one to the classes stays, because a network needs an output.

    Args:
        spec: The network.
        source: Id of the node that the wire comes from.
        target: Id of the node that it leads to, or `CLASSES`.
    """
    if target == CLASSES or target not in ids_of(spec) - {INPUT}:
        return spec
    node = spec.node(target)
    inputs = tuple(other for other in node.inputs if other != source)
    return replaced(spec, {target: node.model_copy(update={"inputs": inputs})})


Position = tuple[float, float]
FARTHEST: Final = 1e6
"""Largest coordinate of a position that can be shown."""


def made(
    layer: str,
    node_id: str,
    inputs: tuple[str, ...] = (),
    *,
    block: str = "",
    values: Mapping[str, object] | None = None,
) -> LayerNode:
    """Return a node with explicit values of all its parameters.

    Args:
        layer: Name of the kind of layer.
        node_id: Its id.
        inputs: Ids of its sources.
        block: Name of the block.
        values: Its settings; the others have their defaults.
    """
    complete = LAYERS[layer].parameters.parse(dict(values or {})).model_dump()
    return LayerNode(id=node_id, layer=layer, parameters=complete, inputs=inputs, block=block)


def free_id(preferred: str, taken: Collection[str]) -> str:
    """Return a name with the first free number: `conv2d_2` for `conv2d` or `conv2d_1`.

    Args:
        preferred: An id, perhaps with a number.
        taken: Ids in use.
    """
    stem = re.sub(r"_\d+$", "", preferred) or "layer"
    number = 1
    while f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"


def ids_of(spec: NetworkSpec) -> set[str]:
    """Return the ids in use."""
    return {INPUT, *(node.id for node in spec.nodes)}


def with_nodes(
    spec: NetworkSpec, nodes: Iterable[LayerNode], positions: Mapping[str, Position]
) -> NetworkSpec:
    """Add nodes whose ids are free.

    Args:
        spec: The network.
        nodes: The nodes.
        positions: Upper left corners by id.
    """
    changes: dict[str, object] = {"nodes": (*spec.nodes, *nodes)}
    if positions:
        changes["positions"] = {**spec.positions, **positions}
    return spec.model_copy(update=changes)


def remove(spec: NetworkSpec, ids: Collection[str]) -> NetworkSpec:
    """Remove nodes. The source of a removed node with one input replaces it in the wires.

    Args:
        spec: The network.
        ids: Ids of the nodes.
    """
    gone = set(ids) & (ids_of(spec) - {INPUT})
    if not gone:
        return spec
    instead: dict[str, str] = {}
    for node in spec.nodes:
        if node.id in gone and len(node.inputs) == 1:
            instead[node.id] = node.inputs[0]
    remaining = []
    for node in spec.nodes:
        if node.id not in gone:
            inputs = node.inputs
            if gone & set(inputs):
                found = (_survivor(source, gone, instead) for source in inputs)
                inputs = tuple(dict.fromkeys(source for source in found if source))
            remaining.append(
                node if inputs == node.inputs else node.model_copy(update={"inputs": inputs})
            )
    output = _survivor(spec.output, gone, instead)
    if output in ("", INPUT):
        output = remaining[-1].id if remaining else spec.output
    return spec.model_copy(
        update={
            "nodes": tuple(remaining),
            "output": output,
            "auxiliary": tuple(head for head in spec.auxiliary if head.node not in gone),
            "positions": {key: at for key, at in spec.positions.items() if key not in gone},
        }
    )


def _survivor(node_id: str, gone: set[str], instead: Mapping[str, str]) -> str:
    """Return the node that replaces a removed one; empty for none."""
    seen: set[str] = set()
    while node_id in gone:
        if node_id in seen or node_id not in instead:
            return ""
        seen.add(node_id)
        node_id = instead[node_id]
    return node_id


def rename(spec: NetworkSpec, old: str, new: str) -> NetworkSpec:
    """Change the id of a node and all references to it.

    Args:
        spec: The network.
        old: Id of the node.
        new: Its new id.

    Raises:
        StudioError: The id is taken, or cannot be one.
    """
    new = new.strip()
    if new == old:
        return spec
    if not is_id(new):
        raise StudioError(
            'A layer cannot be called "{name}".',
            "Use a letter, then letters, digits and underscores.",
            old,
            name=new,
        )
    if new in ids_of(spec):
        raise StudioError('"{name}" is taken.', "Choose another name.", old, name=new)

    def now(node_id: str) -> str:
        return new if node_id == old else node_id

    nodes = tuple(
        node.model_copy(
            update={"id": now(node.id), "inputs": tuple(now(source) for source in node.inputs)}
        )
        if node.id == old or old in node.inputs
        else node
        for node in spec.nodes
    )
    auxiliary = tuple(
        AuxiliaryHead(node=now(head.node), weight=head.weight) for head in spec.auxiliary
    )
    return spec.model_copy(
        update={
            "nodes": nodes,
            "output": now(spec.output),
            "auxiliary": auxiliary,
            "positions": {now(key): at for key, at in spec.positions.items()},
        }
    )


def replaced(spec: NetworkSpec, nodes: Mapping[str, LayerNode]) -> NetworkSpec:
    """Replace the nodes with the same ids.

    Args:
        spec: The network.
        nodes: The nodes.
    """
    if not nodes:
        return spec
    after = tuple(nodes.get(node.id, node) for node in spec.nodes)
    return spec if after == spec.nodes else spec.model_copy(update={"nodes": after})


def change(spec: NetworkSpec, ids: Collection[str], **changes: object) -> NetworkSpec:
    """Set fields of several nodes: `frozen`, `rate`, `block`, `parameters`.

    Args:
        spec: The network.
        ids: Ids of the nodes.
        changes: New values of their fields.
    """
    chosen = set(ids)
    return replaced(
        spec,
        {node.id: node.model_copy(update=changes) for node in spec.nodes if node.id in chosen},
    )


def move(spec: NetworkSpec, positions: Mapping[str, Position]) -> NetworkSpec:
    """Move nodes, the input or the output.

    Args:
        spec: The network.
        positions: Upper left corners by id.
    """
    if all(spec.positions.get(key) == at for key, at in positions.items()):
        return spec
    return spec.model_copy(update={"positions": {**spec.positions, **positions}})


def set_sizes(spec: NetworkSpec, shape: InputShape, classes: int) -> NetworkSpec:
    """Set the input size and the number of classes, and adapt the head if possible.

    Args:
        spec: The network.
        shape: Size of the input.
        classes: Number of outputs.
    """
    try:
        return fitted(spec, (shape.height, shape.width, shape.channels), classes)
    except StudioError:  # an unfinished drawing has no head yet that could follow
        return spec.model_copy(update={"input": shape, "classes": classes})


def set_comments(spec: NetworkSpec, comments: Iterable[Comment]) -> NetworkSpec:
    """Replace the notes in the drawing.

    Args:
        spec: The network.
        comments: The notes.
    """
    return spec.model_copy(update={"comments": tuple(comments)})


def members(spec: NetworkSpec, block: str) -> list[str]:
    """Return the ids of the layers of a block, in order.

    Args:
        spec: The network.
        block: Name of the block.
    """
    return [node.id for node in spec.nodes if node.block == block]


def blocks_of(spec: NetworkSpec) -> list[str]:
    """Return the names of the blocks, in the order of their first layers."""
    return list(dict.fromkeys(node.block for node in spec.nodes if node.block))


# Part of a drawing as text, for the clipboard; what is read back is not trusted.

LONGEST: Final = 4_000_000
"""Characters; DenseNet-121, with its 430 layers, takes about 250,000."""
MAX_NODES: Final = 2000
PASTE_STEP: Final = 24.0


class Fragment(Plan):
    """Layers that were copied, with the wires among them and their places.

    Attributes:
        studio: Marker that tells it from other text.
        nodes: The layers; inputs from other layers may be among theirs.
        positions: Their places.
    """

    studio: Literal["network layers"] = "network layers"
    nodes: tuple[LayerNode, ...] = Field(max_length=MAX_NODES)
    positions: dict[str, tuple[float, float]] = Field(default_factory=dict)


def copied(spec: NetworkSpec, ids: Collection[str]) -> str:
    """Return layers as text; empty for none.

    Args:
        spec: The network.
        ids: Ids of the nodes.
    """
    nodes = tuple(node for node in spec.nodes if node.id in set(ids))
    if not nodes:
        return ""
    positions = {node.id: spec.positions[node.id] for node in nodes if node.id in spec.positions}
    return Fragment(nodes=nodes, positions=positions).to_json()


def read_fragment(text: str) -> Fragment:
    """Read copied layers, or all layers of a network, from a text.

    Raises:
        StudioError: It holds neither, or layers that do not exist or do not check.
    """
    if len(text) > LONGEST:
        raise _not_layers("it is too long")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise _not_layers("it is not JSON") from None
    if not isinstance(data, dict):
        raise _not_layers("it is not a JSON object")
    if "studio" not in data and "output" in data:
        spec = NetworkSpec.parse(data)
        fragment = Fragment(nodes=spec.nodes, positions=spec.positions)
    else:
        fragment = Fragment.parse(data)
    _refuse_unusable(fragment)
    return fragment


def pasted(
    spec: NetworkSpec, fragment: Fragment, at: Position | None
) -> tuple[NetworkSpec, list[str]]:
    """Add copied layers, and return the network and the new ids.

    Wires among them and from the images are kept, those from other layers are not: an id of
    another drawing may mean something else here. Blocks get a separate name.

    Args:
        spec: The drawing.
        fragment: The copied layers.
        at: Position of the upper left corner; None for a place next to the originals.
    """
    taken = ids_of(spec)
    names: dict[str, str] = {}
    for node in fragment.nodes:
        names[node.id] = free_id(node.id, taken) if node.id in taken else node.id
        taken.add(names[node.id])
    blocks = _block_names(spec, fragment)
    nodes = [
        node.model_copy(
            update={
                "id": names[node.id],
                "block": blocks.get(node.block, node.block),
                "inputs": tuple(
                    names.get(source, source)
                    for source in node.inputs
                    if source in names or source == INPUT
                ),
            }
        )
        for node in fragment.nodes
    ]
    locations = _positions(fragment, at)
    moved = {names[key]: position for key, position in locations.items()}
    return with_nodes(spec, nodes, moved), [node.id for node in nodes]


def _positions(fragment: Fragment, at: Position | None) -> dict[str, Position]:
    ids = {node.id for node in fragment.nodes}
    positions = {
        key: position
        for key, position in fragment.positions.items()
        if key in ids and all(math.isfinite(side) and abs(side) < FARTHEST for side in position)
    }
    if not positions:
        return {}
    left = min(x for x, _ in positions.values())
    top = min(y for _, y in positions.values())
    to_x, to_y = at or (left + PASTE_STEP, top + PASTE_STEP)
    return {key: (x - left + to_x, y - top + to_y) for key, (x, y) in positions.items()}


def _block_names(spec: NetworkSpec, fragment: Fragment) -> dict[str, str]:
    """Return new names for existing blocks, except the head."""
    taken = set(blocks_of(spec))
    names: dict[str, str] = {}
    for node in fragment.nodes:
        if node.block in taken and node.block not in names and node.block != HEAD_BLOCK:
            names[node.block] = free_id(node.block, taken | set(names.values()))
    return names


def _refuse_unusable(fragment: Fragment) -> None:
    ids = [node.id for node in fragment.nodes]
    if len(set(ids)) < len(ids) or INPUT in ids:
        raise _not_layers("several layers have the same id")
    for node in fragment.nodes:
        if not is_id(node.id):
            raise _not_layers(message('"{id}" is not the id of a layer', id=node.id[:40]))
        LAYERS[node.layer].parameters.parse(node.parameters)


def _not_layers(reason: str) -> StudioError:
    return StudioError(
        "The content of the clipboard cannot be pasted: {reason}.",
        "Copy layers in a designer of Studio, or the JSON of a network.",
        reason=as_message(reason),
    )
