"""Hints about convolutions that cost more than they need to.

Simonyan and Zisserman 2015 (small windows), Lin et al. 2014 (1x1 first), Szegedy et al. 2016
(a tall and a flat window), Howard et al. 2017 (separable). A convolution of C channels to C with
a window of k x k has k²C² weights; all figures here are those of the layer at hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from studio.engine.networks.hints.hint import Drawing, Hint, Rule, amount, chain, complete
from studio.engine.networks.layers.convolution import ConvolutionParameters, FiltersParameters
from studio.engine.networks.report import LayerReport
from studio.engine.networks.spec import JsonValue, LayerNode

_LARGE_SHARE = 0.1
"""Share of the network from which on a single layer is worth a hint."""

_SMALL = 3
_FEWEST_CHANNELS = 32
_SQUEEZE = 4
_FEWEST_SQUEEZED = 16


def _windows(drawing: Drawing) -> Iterator[tuple[LayerNode, ConvolutionParameters, int, int]]:
    """Square windows that can be taken apart: node, parameters, channels in, weights."""
    for node, window, found in drawing.nodes("conv2d", ConvolutionParameters):
        square = window.kernel_width in (None, window.kernel)
        plain = square and window.groups == 1 and window.dilation == 1
        # With no padding, steps larger than one end at another size when split.
        splits = window.stride == 1 or window.padding == "same"
        channels = _channels(found)
        if plain and splits and channels and window.kernel > 1:
            yield node, window, channels, found.parameters


def _channels(found: LayerReport) -> int:
    return (found.input_shapes[0][-1] or 0) if found.input_shapes else 0


def _weights(kernel: int, channels: int, window: FiltersParameters) -> int:
    return kernel * channels * window.filters + window.filters * window.use_bias


def _between(window: ConvolutionParameters) -> str:
    """Activation of the layers that come new: that of the layer, ReLU where it comes later."""
    return "relu" if window.activation == "linear" else window.activation


def _part(window: ConvolutionParameters, **changes: JsonValue) -> dict[str, JsonValue]:
    return complete("conv2d", **{**window.model_dump(), **changes})


def _stacks(drawing: Drawing) -> Iterator[Hint]:
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
            f"{count} convolutions of 3x3 see as much as one of {size}x{size} and bend more: "
            f"{amount(after)} weights instead of {amount(before)} in {node.id} "
            f"({9 * count}C² against {size * size}C² for as many channels out as in).",
            before,
            after,
            partial(chain, node=node, layers=links),
        )


def _strips(drawing: Drawing) -> Iterator[Hint]:
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
            f"{size}x1 and then 1x{size} see as much as {size}x{size}: {amount(after)} weights "
            f"instead of {amount(before)} in {node.id}.",
            before,
            after,
            partial(chain, node=node, layers=[("conv2d", tall), ("conv2d", flat)]),
        )


def _bottlenecks(drawing: Drawing) -> Iterator[Hint]:
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
            f"A 1x1 convolution to {squeezed} of {channels} channels before {node.id} leaves "
            f"{amount(after)} of its {amount(before)} weights.",
            before,
            after,
            partial(chain, node=node, layers=links),
        )


def _is_squeezed(drawing: Drawing, node: LayerNode) -> bool:
    """Whether a 1x1 convolution comes before, with nothing but norm and activation between."""
    nodes = {each.id: each for each in drawing.spec.nodes}
    before = nodes.get(node.inputs[0])
    while before is not None and before.layer in ("batch_normalization", "activation", "relu"):
        before = nodes.get(before.inputs[0])
    return before is not None and before.parameters.get("kernel") == 1


def _separables(drawing: Drawing) -> Iterator[Hint]:
    for node, window, channels, before in _windows(drawing):
        depth = window.kernel**2 * channels
        after = depth + _weights(1, channels, window)
        large = drawing.share(drawing.layers[node.id]) >= _LARGE_SHARE
        if not large or channels < _FEWEST_CHANNELS or 2 * after > before:
            continue
        values = window.model_dump(include=set(FiltersParameters.model_fields))
        yield Hint(
            "separable",
            (node.id,),
            f"As a separable convolution {node.id} has {amount(after)} weights instead of "
            f"{amount(before)}, {before / after:.1f} times fewer; often a little less accurate.",
            before,
            after,
            partial(
                chain,
                node=node,
                layers=[("separable_conv2d", complete("separable_conv2d", **values))],
            ),
        )


SMALL_WINDOWS = Rule("small_windows", "Several small windows", _stacks)
STRIPS = Rule("strips", "A tall and a flat window", _strips)
BOTTLENECK = Rule("bottleneck", "Fewer channels first", _bottlenecks)
SEPARABLE = Rule("separable", "Separable convolution", _separables)
