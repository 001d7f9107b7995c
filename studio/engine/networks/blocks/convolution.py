"""Convolution blocks with batch normalization: plain, and separable."""

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
from studio.engine.networks.layers.layer import ACTIVATION_LABELS, Activation
from studio.engine.plans import Plan, plan_field


class ConvNormParameters(Plan):
    """Parameters of `conv_norm`."""

    filters: int = filters_field(
        64,
        "Filters",
        "Number of channels that come out.",
        why="More see more kinds of patterns, and cost time and memory. Double "
        "them where the image is halved.",
    )
    kernel: int = plan_field(
        3,
        label="Kernel",
        help="Side of the window.",
        why="3 is usual; two of 3 see as far as one of 5 and cost less.",
        unit="px",
        ge=1,
    )
    stride: int = stride_field()
    activation: Activation = plan_field(
        "relu",
        label="Activation",
        help="Function applied to every output.",
        why="ReLU is fast and a good default; SiLU or GELU are sometimes a little better.",
        labels=ACTIVATION_LABELS,
    )


class SeparableParameters(ConvNormParameters):
    """Parameters of `separable`."""


def conv_norm(net: GraphBuilder, block: str, p: ConvNormParameters) -> None:
    """Convolution, batch normalization, activation."""
    net.in_block(block)
    normalized(net, block, "", p.filters, p.kernel, p.stride)
    activation(net, f"{block}_{p.activation}", p.activation)
    net.in_block("")


def separable(net: GraphBuilder, block: str, p: SeparableParameters) -> None:
    """The window on every channel apart, then a 1x1 convolution; both normalized."""
    net.in_block(block)
    depthwise(net, block, p.kernel, p.stride)
    activation(net, f"{block}_depthwise_{p.activation}", p.activation)
    normalized(net, block, "", p.filters, 1)
    activation(net, f"{block}_{p.activation}", p.activation)
    net.in_block("")


CONV_NORM = Block(
    name="conv_norm",
    label="Convolution, norm, ReLU",
    summary="The standard step of modern networks.",
    paper='S. Ioffe and C. Szegedy, "Batch normalization", ICML 2015, arXiv:1502.03167',
    parameters=ConvNormParameters,
    draw=drawn_by(conv_norm, ConvNormParameters),
)


SEPARABLE = Block(
    name="separable",
    label="Separable block",
    summary="Does the work of a plain convolution with a fraction of its weights.",
    paper='A. Howard et al., "MobileNets", 2017, arXiv:1704.04861',
    parameters=SeparableParameters,
    draw=drawn_by(separable, SeparableParameters),
)
