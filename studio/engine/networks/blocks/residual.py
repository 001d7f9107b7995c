"""Residual blocks: basic, bottleneck and inverted."""

from __future__ import annotations

from studio.engine.networks.blocks.block import Block, drawn_by
from studio.engine.networks.blocks.parts import (
    activation,
    depthwise,
    filters_field,
    normalized,
    stride_field,
)
from studio.engine.networks.builder import GraphBuilder
from studio.engine.plans import Plan, plan_field

_HE = 'K. He et al., "Deep residual learning for image recognition", CVPR 2016, arXiv:1512.03385'


class ResidualParameters(Plan):
    """Parameters of `residual`."""

    filters: int = filters_field(
        64,
        "Filters",
        "Number of channels that come out.",
        why="Double them where the image is halved. The shortcut follows by itself.",
    )
    stride: int = stride_field()
    projection: bool = plan_field(
        True,
        label="Convolution in the shortcut",
        help="Fit the shortcut with a 1x1 convolution.",
        why="Needed where the channels or the size change; wasted where they do not.",
    )


class BottleneckParameters(ResidualParameters):
    """Parameters of `bottleneck`."""

    filters: int = filters_field(
        256,
        "Filters",
        "Number of channels that come out.",
        why="Double them where the image is halved. The shortcut follows by itself.",
    )
    inner: int = filters_field(
        64,
        "Inner filters",
        "Number of channels that the 3x3 window sees.",
        why="A quarter of the filters is usual: the costly window then sees few channels.",
    )


class InvertedParameters(Plan):
    """Parameters of `inverted_residual`."""

    filters: int = filters_field(
        32,
        "Filters",
        "Number of channels that come out.",
        why="Few are enough here: the wide part is between.",
    )
    inner: int = filters_field(
        192,
        "Inner filters",
        "Number of channels between; often 6 times more.",
        why="More see more, for little time but much memory.",
    )
    stride: int = stride_field()
    shortcut: bool = plan_field(
        False,
        label="Shortcut",
        help="Add what came in to what goes out; both must have the same shape.",
        why="On where stride is 1 and as many channels come out as went in: deep "
        "networks learn better with it.",
    )


def residual(net: GraphBuilder, block: str, p: ResidualParameters) -> None:
    """Two 3x3 convolutions that learn what to add to what came in."""
    net.in_block(block)
    shortcut = _shortcut(net, block, p)
    normalized(net, block, "1", p.filters, 3, p.stride)
    activation(net, f"{block}_relu1", "relu")
    normalized(net, block, "2", p.filters, 3)
    _joined(net, block, shortcut)


def bottleneck(net: GraphBuilder, block: str, p: BottleneckParameters) -> None:
    """As `residual`, with the 3x3 convolution between two of 1x1 that make it cheap."""
    net.in_block(block)
    shortcut = _shortcut(net, block, p)
    normalized(net, block, "1", p.inner, 1)
    activation(net, f"{block}_relu1", "relu")
    normalized(net, block, "2", p.inner, 3, p.stride)
    activation(net, f"{block}_relu2", "relu")
    normalized(net, block, "3", p.filters, 1)
    _joined(net, block, shortcut)


def inverted_residual(net: GraphBuilder, block: str, p: InvertedParameters) -> None:
    """Wide in the middle, where windows look at every channel apart; narrow at both ends."""
    net.in_block(block)
    before = net.last
    normalized(net, block, "_expand", p.inner, 1)
    activation(net, f"{block}_expand_relu6", "relu6")
    depthwise(net, block, 3, p.stride)
    activation(net, f"{block}_depthwise_relu6", "relu6")
    normalized(net, block, "_project", p.filters, 1)
    if p.shortcut:
        net.add("add", f"{block}_add", after=(before, net.last))
    net.in_block("")


def _shortcut(net: GraphBuilder, block: str, p: ResidualParameters) -> str:
    """Id of what is added at the end; what came in stays the last layer."""
    before = net.last
    if not p.projection:
        return before
    normalized(net, block, "_shortcut", p.filters, 1, p.stride)
    fitted, net.last = net.last, before
    return fitted


def _joined(net: GraphBuilder, block: str, shortcut: str) -> None:
    net.add("add", f"{block}_add", after=(net.last, shortcut))
    activation(net, f"{block}_relu", "relu")
    net.in_block("")


RESIDUAL = Block(
    name="residual",
    label="Residual block",
    summary="Learns what to add to what comes in; deep networks train well with it.",
    paper=_HE,
    parameters=ResidualParameters,
    draw=drawn_by(residual, ResidualParameters),
)


BOTTLENECK = Block(
    name="bottleneck",
    label="Residual bottleneck",
    summary="A residual block for many channels, made cheap by 1x1 convolutions.",
    paper=_HE,
    parameters=BottleneckParameters,
    draw=drawn_by(bottleneck, BottleneckParameters),
)


INVERTED_RESIDUAL = Block(
    name="inverted_residual",
    label="Inverted residual",
    summary="Wide inside and narrow outside, for networks that must be fast.",
    paper='M. Sandler et al., "MobileNetV2", CVPR 2018, arXiv:1801.04381',
    parameters=InvertedParameters,
    draw=drawn_by(inverted_residual, InvertedParameters),
)
