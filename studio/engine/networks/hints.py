"""Hints: what would make a drawn network better, with its own figures. Never imports Keras.

Pure functions over a network and what Keras found out about it.

To add a rule: 1. write a function that yields `Hint`s; 2. list a `Rule` with it in `HINTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import TypeVar

from studio.engine.messages import joined, message
from studio.engine.networks.edits import free_id, ids_of, rename
from studio.engine.networks.layers import LAYERS, convolution
from studio.engine.networks.layers.core import BatchNormalizationParameters, DenseParameters
from studio.engine.networks.layers.layer import WeightsParameters
from studio.engine.networks.layers.shape import BOX_HEAD, class_maps
from studio.engine.networks.spec import (
    HEAD,
    JsonValue,
    LayerNode,
    LayerReport,
    NetworkReport,
    NetworkSpec,
)
from studio.engine.plans import Plan
from studio.engine.registry import Registry

# Hints, and the facts that rules use to find them.

P = TypeVar("P", bound=Plan)


@dataclass(frozen=True, slots=True)
class Hint:
    """One way to make a network better.

    Attributes:
        rule: Name of the rule that found it.
        nodes: Ids of the layers that it is about; the first is the one that changes.
        text: Suggested change and its effect, with the figures of this network.
        before: Weights of the layers that change.
        after: Weights of what comes in their place.
        change: Does it, see `apply`; None for a hint that has to be followed by hand.
    """

    rule: str
    nodes: tuple[str, ...]
    text: str
    before: int
    after: int
    change: Callable[[NetworkSpec], NetworkSpec] | None

    @property
    def saved(self) -> int:
        """Weights saved; negative where more are added."""
        return self.before - self.after

    def apply(self, spec: NetworkSpec) -> NetworkSpec:
        """Return a copy of the network with the hint applied.

        Raises:
                KeyError: The layers no longer exist; search for hints again after every change.
        TypeError: The hint has to be followed by hand.
        """
        if self.change is None:
            raise TypeError(f"{self.rule} has no change")
        return self.change(spec)


@dataclass(frozen=True, slots=True)
class ExaminedNetwork:
    """A network and what Keras found out about it.

    Attributes:
        spec: The network.
        layers: Reports by id of the node, without invalid nodes.
        readers: The nodes that take the output of each node.
        parameters: Weights of the whole network.
        multiply_adds: Multiply-adds of the whole network for one image.
    """

    spec: NetworkSpec
    layers: Mapping[str, LayerReport]
    readers: Mapping[str, tuple[LayerNode, ...]]
    parameters: int
    multiply_adds: int

    @classmethod
    def of(cls, spec: NetworkSpec, report: NetworkReport) -> ExaminedNetwork:
        """Combine a network and its report.

        Args:
            spec: The network.
            report: Shapes, parameters and costs of its layers.
        """
        readers: dict[str, tuple[LayerNode, ...]] = {}
        for node in spec.nodes:
            for source in set(node.inputs):
                readers[source] = (*readers.get(source, ()), node)
        layers = {layer.node: layer for layer in report.layers if layer.name == layer.node}
        return cls(spec, layers, readers, report.parameters, report.multiply_adds)

    def nodes(self, layer: str, parameters: type[P]) -> Iterable[tuple[LayerNode, P, LayerReport]]:
        """Yield the valid, unfrozen nodes of one kind: node, parameters and report.

        Frozen nodes are skipped, since a change would discard their weights.

        Args:
            layer: Name of the kind of layer.
            parameters: Class of its parameters.
        """
        for node in self.spec.nodes:
            found = self.layers.get(node.id)
            if node.layer != layer or node.frozen:
                continue
            if found is not None and found.used:
                values, _ = parameters.check(node.parameters)
                if values is not None:
                    yield node, values, found

    def share(self, found: LayerReport) -> float:
        """Return one layer's fraction of the network's weights or operations, 0 to 1."""
        return max(
            found.parameters / max(1, self.parameters),
            found.multiply_adds / max(1, self.multiply_adds),
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of hint.

    Attributes:
        name: Stable name.
        label: Shown name.
        find: Finds its hints in a network.
        mistake: True if it finds a probable mistake; such hints come first.
    """

    name: str
    label: str
    find: Callable[[ExaminedNetwork], Iterable[Hint]]
    mistake: bool = False


def complete(layer: str, **values: JsonValue) -> dict[str, JsonValue]:
    """Return all parameters of a layer, including defaults.

    Args:
        layer: Name of the kind of layer.
        **values: Parameters that differ from their defaults.
    """
    return LAYERS[layer].parameters.parse(values).model_dump()


def replaced(spec: NetworkSpec, node_id: str, *nodes: LayerNode) -> NetworkSpec:
    """Return the network with one node replaced by others.

    Args:
        spec: The network.
        node_id: Id of the replaced node.
        *nodes: The new nodes.

    Raises:
        KeyError: There is no such node.
    """
    spec.node(node_id)
    remaining: list[LayerNode] = []
    for node in spec.nodes:
        remaining.extend(nodes if node.id == node_id else (node,))
    return spec.model_copy(update={"nodes": tuple(remaining)})


def new_id(spec: NetworkSpec, preferred: str) -> str:
    """Return an unused node id: the wanted one, or one with a number appended.

    Args:
        spec: The network.
        preferred: Returned unchanged if it is free.
    """
    taken = {node.id for node in spec.nodes}
    number, name = 1, preferred
    while name in taken:
        number += 1
        name = f"{preferred}_{number}"
    return name


def chain(
    spec: NetworkSpec, node: LayerNode, layers: Iterable[tuple[str, dict[str, JsonValue]]]
) -> NetworkSpec:
    """Return the network with a chain of layers in the place of one.

    The last keeps its id, so that what reads it continues to do so; all keep its block and rate.

    Args:
        spec: The network.
        node: The node whose place is taken.
        layers: Layer and parameters of each, in order.
    """
    links = list(layers)
    made: list[LayerNode] = []
    inputs = spec.node(node.id).inputs
    for index, (layer, parameters) in enumerate(links, start=1):
        is_last = index == len(links)
        name = node.id if is_last else new_id(spec, f"{node.id}_part{index}")
        made.append(
            node.model_copy(
                update={"id": name, "layer": layer, "parameters": parameters, "inputs": inputs}
            )
        )
        inputs = (name,)
    return replaced(spec, node.id, *made)


def amount(count: int) -> str:
    """Return a number of weights for a sentence: `1,728`, `82.9 thousand`, `102.8 million`."""
    if count >= 1_000_000:
        return message("{number:,.1f} million", number=count / 1_000_000)
    if count >= 10_000:
        return message("{number:,.1f} thousand", number=count / 1000)
    return message("{number:,}", number=count)


# Hints about dense layers that hold most of a network.

_MOST = 0.5
_MANY = 100_000
"""Weights from which on a dense layer that is most of its network is worth a hint."""

_FEWEST_IN_HEAD = 16
"""Fewer channels are pixels or close to them; their means say too little of an image."""

_DROPOUT = 0.5
_GRID_AXES = 3
_DROPPING = ("dropout", "spatial_dropout")


def _huge(drawing: ExaminedNetwork) -> Iterator[tuple[LayerNode, DenseParameters, LayerReport]]:
    for node, dense, found in drawing.nodes("dense", DenseParameters):
        if found.parameters >= max(_MANY, _MOST * drawing.parameters):
            yield node, dense, found


def _pooling(drawing: ExaminedNetwork) -> Iterator[Hint]:
    for node, dense, found in _huge(drawing):
        flat = next((n for n in drawing.spec.nodes if n.id == node.inputs[0]), None)
        if flat is None or flat.layer != "flatten" or flat.id not in drawing.layers:
            continue
        grid = drawing.layers[flat.id].input_shapes[0]
        if len(grid) != _GRID_AXES or None in grid or len(drawing.readers[flat.id]) > 1:
            continue
        height, width, channels = (side or 0 for side in grid)
        after = channels * dense.units + dense.units * dense.use_bias
        if height * width == 1 or channels < _FEWEST_IN_HEAD:
            continue
        yield Hint(
            "global_pooling",
            (flat.id, node.id),
            message(
                "{layer} holds {count} of {total} weights ({share:.0%}), for "
                "{height}x{width}x{channels} inputs. Global average pooling instead of {flatten} "
                "leaves {fewer}.",
                layer=node.id,
                count=amount(found.parameters),
                total=amount(drawing.parameters),
                share=found.parameters / drawing.parameters,
                height=height,
                width=width,
                channels=channels,
                flatten=flat.id,
                fewer=amount(after),
            ),
            found.parameters,
            after,
            partial(_pooled, flat=flat),
        )


def _pooled(spec: NetworkSpec, flat: LayerNode) -> NetworkSpec:
    layer = "global_average_pool"
    pool = flat.model_copy(update={"layer": layer, "parameters": complete(layer)})
    after = replaced(spec, flat.id, pool)
    if re.sub(r"_\d+$", "", flat.id) != flat.layer:
        return after  # a name that a person chose
    return rename(after, flat.id, free_id(layer, ids_of(after)))


def _dropouts(drawing: ExaminedNetwork) -> Iterator[Hint]:
    for node, _, found in _huge(drawing):
        around = [n for n in drawing.spec.nodes if n.id in node.inputs]
        around += drawing.readers.get(node.id, ())
        around += [r for n in around for r in drawing.readers.get(n.id, ())]
        if any(near.layer in _DROPPING for near in around):
            continue
        inputs = prod(side or 1 for side in found.input_shapes[0])
        is_before = node.id in (HEAD, drawing.spec.output)
        advice = message(
            "Set {share:.0%} of the values before it to zero in training."
            if is_before
            else "Set {share:.0%} of the values after it to zero in training.",
            share=_DROPOUT,
        )
        text = message(
            "{layer} has {weights} weights on {inputs:,} values, {share:.0%} of the network, and "
            "no dropout near it: it can overfit.",
            layer=node.id,
            weights=amount(found.parameters),
            inputs=inputs,
            share=found.parameters / drawing.parameters,
        )
        yield Hint(
            "dropout",
            (node.id,),
            joined((text, advice)),
            found.parameters,
            found.parameters,
            partial(_dropped, node=node, before=is_before),
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


# Hints about layers that do nothing where they stand.

_WEIGHTED: tuple[tuple[str, type[WeightsParameters]], ...] = (
    ("conv2d", convolution.ConvolutionParameters),
    ("depthwise_conv2d", convolution.DepthwiseParameters),
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


def _biases(drawing: ExaminedNetwork) -> Iterator[Hint]:
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
                message(
                    "The {number} biases of {layer} have no effect: the following {next_layer} "
                    "subtracts the mean and has its own offset.",
                    number=amount(count),
                    layer=node.id,
                    next_layer=readers[0].id,
                ),
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


def _missing(drawing: ExaminedNetwork) -> Iterator[Hint]:
    for node, values, found in drawing.nodes("conv2d", convolution.ConvolutionParameters):
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
            _as_one(node, values, reader, both),
            both,
            both,
            partial(_activated, node_id=reader.id),
        )


def _next_weighted(drawing: ExaminedNetwork, node: LayerNode) -> LayerNode | None:
    """Return the next layer with a kernel if only linear layers, and no branches, are between."""
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


def _as_one(
    node: LayerNode, values: convolution.ConvolutionParameters, reader: LayerNode, weights: int
) -> str:
    """Explain that two layers equal one; if both are convolutions, with its window size."""
    next_values, _ = convolution.ConvolutionParameters.check(reader.parameters)
    if reader.layer != "conv2d" or next_values is None or values.stride > 1:
        return message(
            "There is no activation between {layer} and {next_layer}: with {weights} weights they "
            "are equivalent to one layer. Add a ReLU between them.",
            layer=node.id,
            next_layer=reader.id,
            weights=amount(weights),
        )
    width = (values.kernel_width or values.kernel) - 1
    return message(
        "There is no activation between {layer} and {next_layer}: with {weights} weights they are "
        "equivalent to one layer with a window of {height}x{width}. Add a ReLU between them.",
        layer=node.id,
        next_layer=reader.id,
        weights=amount(weights),
        height=values.kernel + next_values.kernel - 1,
        width=width + (next_values.kernel_width or next_values.kernel),
    )


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


# Hints about convolutions that cost more than they need to.
#
# Simonyan and Zisserman 2015 (small windows), Lin et al. 2014 (1x1 first), Szegedy et al. 2016
# (a tall and a flat window), Howard et al. 2017 (separable). A convolution of C channels to C with
# a window of k x k has k²C² weights; all figures here are those of the layer at hand.

_LARGE_SHARE = 0.1
"""Share of the network from which on a single layer is worth a hint."""

_SMALL = 3
_FEWEST_CHANNELS = 32
_SQUEEZE = 4
_FEWEST_SQUEEZED = 16


def _windows(
    drawing: ExaminedNetwork,
) -> Iterator[tuple[LayerNode, convolution.ConvolutionParameters, int, int]]:
    """Square windows that can be factorized: node, parameters, input channels, weights."""
    for node, window, found in drawing.nodes("conv2d", convolution.ConvolutionParameters):
        square = window.kernel_width in (None, window.kernel)
        plain = square and window.groups == 1 and window.dilation == 1
        # With no padding, steps larger than one end at another size when split.
        splits = window.stride == 1 or window.padding == "same"
        channels = _channels(found)
        if plain and splits and channels and window.kernel > 1:
            yield node, window, channels, found.parameters


def _channels(found: LayerReport) -> int:
    return (found.input_shapes[0][-1] or 0) if found.input_shapes else 0


def _weights(kernel: int, channels: int, window: convolution.FiltersParameters) -> int:
    return kernel * channels * window.filters + window.filters * window.use_bias


def _between(window: convolution.ConvolutionParameters) -> str:
    """Activation of the layers that come new: that of the layer, ReLU where it comes later."""
    return "relu" if window.activation == "linear" else window.activation


def _part(window: convolution.ConvolutionParameters, **changes: JsonValue) -> dict[str, JsonValue]:
    return complete("conv2d", **{**window.model_dump(), **changes})


def _stacks(drawing: ExaminedNetwork) -> Iterator[Hint]:
    for node, window, channels, before in _windows(drawing):
        count, rest = divmod(window.kernel - 1, _SMALL - 1)
        after = _weights(9, channels, window) + (count - 1) * _weights(9, window.filters, window)
        if rest or count < 2 or after >= before:
            continue
        size = window.kernel
        first = _part(window, kernel=_SMALL, kernel_width=None, activation=_between(window))
        inner = first | {"stride": 1}
        last = _part(window, kernel=_SMALL, kernel_width=None, stride=1)
        links = [("conv2d", part) for part in (first, *[inner] * (count - 2), last)]
        yield Hint(
            "small_windows",
            (node.id,),
            message(
                "{number} convolutions of 3x3 have the receptive field of one of {size}x{size} "
                "and more activations: {fewer} weights instead of {weights} in {layer} "
                "({new_factor}C² against {old_factor}C² for equal channels).",
                number=count,
                size=size,
                fewer=amount(after),
                weights=amount(before),
                layer=node.id,
                new_factor=9 * count,
                old_factor=size * size,
            ),
            before,
            after,
            partial(chain, node=node, layers=links),
        )


def _strips(drawing: ExaminedNetwork) -> Iterator[Hint]:
    for node, window, channels, before in _windows(drawing):
        size = window.kernel
        after = _weights(size, channels, window) + _weights(size, window.filters, window)
        if size <= _SMALL or after >= before:
            continue
        tall = _part(window, kernel=size, kernel_width=1, activation=_between(window))
        flat = _part(window, kernel=1, kernel_width=size, stride=1)
        yield Hint(
            "strips",
            (node.id,),
            message(
                "{size}x1 followed by 1x{size} has the receptive field of {size}x{size}: {fewer} "
                "weights instead of {count} in {layer}.",
                size=size,
                fewer=amount(after),
                count=amount(before),
                layer=node.id,
            ),
            before,
            after,
            partial(chain, node=node, layers=[("conv2d", tall), ("conv2d", flat)]),
        )


def _bottlenecks(drawing: ExaminedNetwork) -> Iterator[Hint]:
    for node, window, channels, before in _windows(drawing):
        squeezed = max(_FEWEST_SQUEEZED, channels // _SQUEEZE)
        narrow = channels * squeezed + squeezed * window.use_bias
        after = narrow + _weights(window.kernel**2, squeezed, window)
        large = drawing.share(drawing.layers[node.id]) >= _LARGE_SHARE
        if not large or 2 * after > before or _is_squeezed(drawing, node):
            continue
        squeeze = _part(
            window,
            filters=squeezed,
            kernel=1,
            kernel_width=None,
            stride=1,
            activation=_between(window),
        )
        links = [("conv2d", squeeze), ("conv2d", window.model_dump())]
        yield Hint(
            "bottleneck",
            (node.id,),
            message(
                "A 1x1 convolution to {squeezed} of {channels} channels before {layer} "
                "leaves {fewer} of its {count} weights.",
                squeezed=squeezed,
                channels=channels,
                layer=node.id,
                fewer=amount(after),
                count=amount(before),
            ),
            before,
            after,
            partial(chain, node=node, layers=links),
        )


def _is_squeezed(drawing: ExaminedNetwork, node: LayerNode) -> bool:
    """Return True if a 1x1 convolution precedes it, with only norm and activation between."""
    nodes = {each.id: each for each in drawing.spec.nodes}
    before = nodes.get(node.inputs[0])
    while before is not None and before.layer in ("batch_normalization", "activation", "relu"):
        before = nodes.get(before.inputs[0])
    return before is not None and before.parameters.get("kernel") == 1


def _separables(drawing: ExaminedNetwork) -> Iterator[Hint]:
    for node, window, channels, before in _windows(drawing):
        depth = window.kernel**2 * channels
        after = depth + _weights(1, channels, window)
        large = drawing.share(drawing.layers[node.id]) >= _LARGE_SHARE
        if not large or channels < _FEWEST_CHANNELS or 2 * after > before:
            continue
        values = window.model_dump(include=set(convolution.FiltersParameters.model_fields))
        yield Hint(
            "separable",
            (node.id,),
            message(
                "As a separable convolution, {layer} has {fewer} weights instead of {count}, "
                "{ratio:.1f} times fewer; often slightly less accurate.",
                layer=node.id,
                fewer=amount(after),
                count=amount(before),
                ratio=before / after,
            ),
            before,
            after,
            partial(
                chain,
                node=node,
                layers=[("separable_conv2d", complete("separable_conv2d", **values))],
            ),
        )


# Hints about networks that give boxes: what objects their positions can tell apart.

_FINE_STRIDE = 8
"""Strides in pixels up to which a level finds small objects."""
_FEWEST_POSITIONS = 12
_USUAL_POSITIONS = 16
"""Rows and columns of the finest level."""
_ENDS = ("inside_backbone",)
"""Layers that stand for an early part of what they read, which is coarser."""


@dataclass(frozen=True, slots=True)
class _Level:
    """A level of a network for boxes.

    Attributes:
        node: Gives its classes.
        stride: Distance of its positions in pixels.
        rows: Number of rows of positions.
        columns: Number of columns of positions.
    """

    node: LayerNode
    stride: float
    rows: int
    columns: int


def _levels(drawing: ExaminedNetwork) -> list[_Level]:
    """Return the levels of a network, the finest first; none if it gives no boxes."""
    nodes = {node.id: node for node in drawing.spec.nodes}
    head = nodes.get(drawing.spec.output)
    if head is None or head.layer != BOX_HEAD.name:
        return []
    levels = []
    for node_id in class_maps(head.inputs):
        found = drawing.layers.get(node_id)
        if found is None or found.jump is None or len(found.output_shape) != _GRID_AXES:
            return []
        rows, columns = (side or 0 for side in found.output_shape[:2])
        levels.append(_Level(nodes[node_id], max(found.jump), rows, columns))
    return sorted(levels, key=lambda level: level.stride)


def _coarse_levels(drawing: ExaminedNetwork) -> Iterator[Hint]:
    for level in _levels(drawing)[:1]:
        if level.stride > _FINE_STRIDE:
            text = message(
                "The finest positions are {stride:g} pixels apart ({layer}): objects below about "
                "{side:g} pixels are often missed. Add a level with half the distance.",
                stride=level.stride,
                layer=level.node.id,
                side=2 * level.stride,
            )
            yield Hint("coarse_levels", (level.node.id,), text, 0, 0, None)


def _few_positions(drawing: ExaminedNetwork) -> Iterator[Hint]:
    given = drawing.spec.input
    for level in _levels(drawing)[:1]:
        if min(level.rows, level.columns) >= _FEWEST_POSITIONS:
            continue
        least = round(_USUAL_POSITIONS * level.stride)
        height, width = max(given.height, least), max(given.width, least)
        text = message(
            "Images of {width}x{height} pixels have {columns}x{rows} positions on the finest "
            "level, so close objects share one. Use {new_width}x{new_height} pixels.",
            width=given.width,
            height=given.height,
            columns=level.columns,
            rows=level.rows,
            new_width=width,
            new_height=height,
        )
        enlarged = partial(_enlarged, height=height, width=width)
        yield Hint("few_positions", (level.node.id,), text, 0, 0, enlarged)


def _enlarged(spec: NetworkSpec, height: int, width: int) -> NetworkSpec:
    size = spec.input.model_copy(update={"height": height, "width": width})
    return spec.model_copy(update={"input": size})


def _no_pyramid(drawing: ExaminedNetwork) -> Iterator[Hint]:
    finer = _levels(drawing)[:-1]
    if finer and not any(_sees_coarser(drawing, level) for level in finer):
        text = message(
            "No level uses a coarser map, so small objects are classified without their "
            "surroundings ({layer}). Enlarge each coarser map and add it to the next finer one.",
            layer=finer[0].node.id,
        )
        yield Hint("feature_pyramid", (finer[0].node.id,), text, 0, 0, None)


def _sees_coarser(drawing: ExaminedNetwork, level: _Level) -> bool:
    """Return True if a level depends on a map with more distant positions."""
    nodes = {node.id: node for node in drawing.spec.nodes}
    waiting, seen = list(level.node.inputs), set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in nodes:
            continue
        seen.add(name)
        found = drawing.layers.get(name)
        if found is not None and found.jump is not None and max(found.jump) > level.stride:
            return True
        if nodes[name].layer not in _ENDS:
            waiting.extend(nodes[name].inputs)
    return False


__all__ = ["HINTS", "MAX_OF_A_RULE", "Hint", "hints"]

HINTS: Registry[Rule] = Registry(
    "hint",
    [
        Rule("missing_activation", "Missing activation", _missing, mistake=True),
        Rule("global_pooling", "Global pooling", _pooling),
        Rule("dropout", "Dropout", _dropouts),
        Rule("small_windows", "Several small windows", _stacks),
        Rule("bottleneck", "Fewer channels first", _bottlenecks),
        Rule("strips", "A tall and a flat window", _strips),
        Rule("separable", "Separable convolution", _separables),
        Rule("coarse_levels", "Coarse levels", _coarse_levels),
        Rule("few_positions", "Few positions", _few_positions),
        Rule("feature_pyramid", "No feature pyramid", _no_pyramid),
        Rule("bias_before_norm", "Bias without effect", _biases, mistake=True),
    ],
)


MAX_OF_A_RULE = 3
"""A network of fifty convolutions needs no fifty hints: take the largest, and look again."""


def hints(spec: NetworkSpec, report: NetworkReport) -> list[Hint]:
    """Return the best hints for a network: mistakes first, then those that save most weights.

    Args:
        spec: The network.
        report: Report by Keras; invalid layers may be missing.
    """
    drawing = ExaminedNetwork.of(spec, report)
    mistakes, others = list[Hint](), list[Hint]()
    for rule in HINTS:
        found = sorted(rule.find(drawing), key=_by_saving)[:MAX_OF_A_RULE]
        (mistakes if rule.mistake else others).extend(found)
    return [*sorted(mistakes, key=_by_saving), *sorted(others, key=_by_saving)]


def _by_saving(hint: Hint) -> int:
    return -hint.saved
