"""Hints about layers that do nothing where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from studio.engine.networks.hints.hint import (
    Drawing,
    Hint,
    Rule,
    amount,
    complete,
    new_id,
    replaced,
)
from studio.engine.networks.layers.convolution import ConvolutionParameters, DepthwiseParameters
from studio.engine.networks.layers.core import DenseParameters
from studio.engine.networks.layers.layer import WeightsParameters
from studio.engine.networks.layers.normalization import BatchNormalizationParameters
from studio.engine.networks.spec import LayerNode, NetworkSpec

_WEIGHTED: tuple[tuple[str, type[WeightsParameters]], ...] = (
    ("conv2d", ConvolutionParameters),
    ("depthwise_conv2d", DepthwiseParameters),
    ("dense", DenseParameters),
)
_LINEAR = frozenset(
    {
        "batch_normalization",
        "dropout",
        "spatial_dropout",
        "average_pool",
        "global_average_pool",
        "zero_padding",
        "cropping",
        "flatten",
        "reshape",
    }
)
"""Layers that do not bend: a weighted sum of weighted sums stays one through them."""


def _biases(drawing: Drawing) -> Iterator[Hint]:
    for layer, plan in _WEIGHTED:
        for node, values, found in drawing.nodes(layer, plan):
            readers = drawing.readers.get(node.id, ())
            if not values.use_bias or values.activation != "linear" or not readers:
                continue
            if not all(_has_own_bias(reader) for reader in readers):
                continue
            count = found.output_shape[-1] or 0
            yield Hint(
                "bias_before_norm",
                (node.id, readers[0].id),
                f"The {amount(count)} biases of {node.id} do nothing: {readers[0].id} behind it "
                "takes the mean away and has an offset of its own.",
                found.parameters,
                found.parameters - count,
                partial(_without_bias, node_id=node.id),
            )


def _has_own_bias(node: LayerNode) -> bool:
    if node.layer != "batch_normalization":
        return False
    values, _ = BatchNormalizationParameters.check(node.parameters)
    return values is not None and values.center


def _without_bias(spec: NetworkSpec, node_id: str) -> NetworkSpec:
    node = spec.node(node_id)
    values = {**node.parameters, "use_bias": False}
    return replaced(spec, node_id, node.model_copy(update={"parameters": values}))


def _missing(drawing: Drawing) -> Iterator[Hint]:
    for node, values, found in drawing.nodes("conv2d", ConvolutionParameters):
        # A 1x1 convolution without activation is meant so: MobileNetV2's linear bottleneck.
        if values.activation != "linear" or values.kernel == 1 == (values.kernel_width or 1):
            continue
        reader = _next_weighted(drawing, node)
        if reader is None or reader.id not in drawing.layers:
            continue
        both = found.parameters + drawing.layers[reader.id].parameters
        yield Hint(
            "missing_activation",
            (reader.id, node.id),
            f"Nothing bends between {node.id} and {reader.id}: with {amount(both)} weights "
            f"they do no more than one layer could{_as_one(values, reader)}. Put a ReLU between.",
            both,
            both,
            partial(_activated, node_id=reader.id),
        )


def _next_weighted(drawing: Drawing, node: LayerNode) -> LayerNode | None:
    """The next layer with a kernel, if only linear layers stand between and nothing branches."""
    for _ in drawing.spec.nodes:
        readers = drawing.readers.get(node.id, ())
        if len(readers) != 1:
            return None
        (node,) = readers
        if node.layer in ("conv2d", "dense"):
            return node
        if node.layer not in _LINEAR:
            return None
    return None


def _as_one(values: ConvolutionParameters, reader: LayerNode) -> str:
    """How large the window of the one convolution would be."""
    next_values, _ = ConvolutionParameters.check(reader.parameters)
    if reader.layer != "conv2d" or next_values is None or values.stride > 1:
        return ""
    height = values.kernel + next_values.kernel - 1
    width = (values.kernel_width or values.kernel) - 1
    width += next_values.kernel_width or next_values.kernel
    return f" with a window of {height}x{width}"


def _activated(spec: NetworkSpec, node_id: str) -> NetworkSpec:
    node = spec.node(node_id)
    name = new_id(spec, f"{node_id}_relu")
    relu = node.model_copy(
        update={
            "id": name,
            "layer": "activation",
            "parameters": complete("activation", activation="relu"),
        }
    )
    return replaced(spec, node_id, relu, node.model_copy(update={"inputs": (name,)}))


BIAS_BEFORE_NORM = Rule("bias_before_norm", "Bias that does nothing", _biases, mistake=True)
MISSING_ACTIVATION = Rule("missing_activation", "Missing activation", _missing, mistake=True)
