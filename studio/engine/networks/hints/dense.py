"""Hints about dense layers that hold most of a network."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import prod

from studio.engine.networks.hints.hint import (
    Drawing,
    Hint,
    Rule,
    amount,
    complete,
    new_id,
    replaced,
)
from studio.engine.networks.layers.core import DenseParameters
from studio.engine.networks.report import LayerReport
from studio.engine.networks.spec import HEAD, LayerNode, NetworkSpec

_MOST = 0.5
_MANY = 100_000
"""Weights from which on a dense layer that is most of its network is worth a hint."""

_FEWEST_CHANNELS = 16
"""Fewer channels are pixels or close to them; their means say too little of an image."""

_DROPOUT = 0.5
_GRID_AXES = 3
_DROPPING = ("dropout", "spatial_dropout")


def _huge(drawing: Drawing) -> Iterator[tuple[LayerNode, DenseParameters, LayerReport]]:
    for node, dense, found in drawing.nodes("dense", DenseParameters):
        if found.parameters >= max(_MANY, _MOST * drawing.parameters):
            yield node, dense, found


def _pooling(drawing: Drawing) -> Iterator[Hint]:
    for node, dense, found in _huge(drawing):
        flat = next((n for n in drawing.spec.nodes if n.id == node.inputs[0]), None)
        if flat is None or flat.layer != "flatten" or flat.id not in drawing.layers:
            continue
        grid = drawing.layers[flat.id].input_shapes[0]
        if len(grid) != _GRID_AXES or None in grid or len(drawing.readers[flat.id]) > 1:
            continue
        height, width, channels = (side or 0 for side in grid)
        after = channels * dense.units + dense.units * dense.use_bias
        if height * width == 1 or channels < _FEWEST_CHANNELS:
            continue
        yield Hint(
            "global_pooling",
            (flat.id, node.id),
            f"{node.id} holds {amount(found.parameters)} of {amount(drawing.parameters)} weights "
            f"({found.parameters / drawing.parameters:.0%}), one for each of "
            f"{height}x{width}x{channels} values. The mean of every channel instead of "
            f"{flat.id} leaves {amount(after)}.",
            found.parameters,
            after,
            partial(_pooled, flat=flat),
        )


def _pooled(spec: NetworkSpec, flat: LayerNode) -> NetworkSpec:
    layer = "global_average_pool"
    pool = flat.model_copy(update={"layer": layer, "parameters": complete(layer)})
    return replaced(spec, flat.id, pool)


def _dropouts(drawing: Drawing) -> Iterator[Hint]:
    for node, _, found in _huge(drawing):
        around = [n for n in drawing.spec.nodes if n.id in node.inputs]
        around += drawing.readers.get(node.id, ())
        around += [r for n in around for r in drawing.readers.get(n.id, ())]
        if any(near.layer in _DROPPING for near in around):
            continue
        inputs = prod(side or 1 for side in found.input_shapes[0])
        place = "before" if node.id in (HEAD, drawing.spec.output) else "after"
        yield Hint(
            "dropout",
            (node.id,),
            f"{node.id} has {amount(found.parameters)} weights on {inputs:,} values, "
            f"{found.parameters / drawing.parameters:.0%} of the network, and no dropout near: it "
            f"can learn images by heart. Set {_DROPOUT:.0%} of the values {place} it to zero in "
            "training.",
            found.parameters,
            found.parameters,
            partial(_dropped, node=node, before=place == "before"),
        )


def _dropped(spec: NetworkSpec, node: LayerNode, *, before: bool) -> NetworkSpec:
    name = new_id(spec, f"{node.id}_dropout")
    current = spec.node(node.id)
    dropout = node.model_copy(
        update={
            "id": name,
            "layer": "dropout",
            "parameters": complete("dropout", rate=_DROPOUT),
            "inputs": current.inputs if before else (node.id,),
        }
    )
    if before:
        return replaced(spec, node.id, dropout, current.model_copy(update={"inputs": (name,)}))
    nodes: list[LayerNode] = []
    for each in spec.nodes:
        inputs = tuple(name if source == node.id else source for source in each.inputs)
        nodes.append(each.model_copy(update={"inputs": inputs}))
        if each.id == node.id:
            nodes.append(dropout)
    return spec.model_copy(update={"nodes": tuple(nodes)})


GLOBAL_POOLING = Rule("global_pooling", "Global pooling", _pooling)
DROPOUT = Rule("dropout", "Dropout", _dropouts)
