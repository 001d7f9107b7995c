"""What Keras says of one node, without making its weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import keras

from studio.engine.compute.cost import layer_multiply_adds
from studio.engine.compute.fields import Field, field_of, joined
from studio.engine.compute.graph import IMAGES, calls_of, functional
from studio.engine.compute.layers import (
    REFUSALS,
    call_layer,
    grow_backbone,
    make_layer,
    without_weights,
)
from studio.engine.networks.layers.backbone import BackboneParameters
from studio.engine.networks.parts import INNER
from studio.engine.networks.report import Shape
from studio.engine.networks.spec import LayerNode
from studio.engine.plans import Plan


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """What Keras says of one layer; its field of view counts from what comes into the node."""

    inner: str
    type: str
    received: tuple[Shape, ...]
    given: Shape
    parameters: int
    trainable: int
    multiply_adds: int
    field: Field


Said = tuple[LayerFacts, ...] | str
"""The layers of a node, the last gives its output; or what Keras says against it."""


def look(node: LayerNode, parameters: Plan, shapes: tuple[Shape, ...]) -> Said:
    """Ask Keras about a node on tensors of some shapes, without the batch."""
    try:
        with without_weights():
            incoming = [keras.Input(shape, dtype="float32") for shape in shapes]
            if isinstance(parameters, BackboneParameters):
                return _look_inside(node.id, parameters, incoming[0])
            layer = make_layer(node.layer, parameters, "layer")
            call_layer(layer, incoming)
            return (_said_of(layer, "", field_of(layer)),)
    except REFUSALS as error:
        return str(error) or type(error).__name__


def _look_inside(
    node_id: str, parameters: BackboneParameters, incoming: keras.KerasTensor
) -> tuple[LayerFacts, ...]:
    layers, output = grow_backbone(node_id, parameters, incoming)
    calls, _ = calls_of([incoming], [output])
    fields: list[Field] = []
    by_tensor: dict[int, Field] = {}
    for call in calls:
        sources = [Field() if at == IMAGES else fields[at] for at in call.sources]
        fields.append(joined(sources).then(field_of(call.layer)))
        by_tensor[id(call.tensor)] = fields[-1]
    return tuple(
        _said_of(layer, layer.name.partition(INNER)[2], by_tensor[id(_end_of(layer))])
        for layer in layers
    )


def _end_of(layer: keras.Layer) -> keras.KerasTensor:
    """What comes out of a layer; of a model inside the backbone, out of its last layer."""
    return functional(layer).outputs[0] if isinstance(layer, keras.Model) else layer.output


def _said_of(layer: keras.Layer, inner: str, seen: Field) -> LayerFacts:
    received = layer.input if isinstance(layer.input, list) else [layer.input]
    return LayerFacts(
        inner=inner,
        type=type(layer).__name__,
        received=tuple(tuple(tensor.shape[1:]) for tensor in received),
        given=tuple(layer.output.shape[1:]),
        parameters=layer.count_params(),
        trainable=sum(math.prod(weight.shape) for weight in layer.trainable_weights),
        multiply_adds=layer_multiply_adds(layer),
        field=seen,
    )
