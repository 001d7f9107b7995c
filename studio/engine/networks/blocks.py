"""Blocks: groups of layers that published networks repeat. Never imports Keras.

The zoo draws them by calling their functions; the palette of the designer offers `BLOCKS`, each
with a form of its parameters. All nodes of a block carry its name, and their ids begin with it.

To add a block: 1. write its parameter plan, a function that draws it and a `Block`; 2. list it in
`BLOCKS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers.layer import ACTIVATION_LABELS, Activation
from studio.engine.networks.spec import InputShape, LayerNode
from studio.engine.plans import Plan, plan_field
from studio.engine.registry import Registry

# How a block is declared.

P = TypeVar("P", bound=Plan)


@dataclass(frozen=True, slots=True)
class Block:
    """A kind of block.

    Attributes:
        name: Stable name.
        label: Shown name.
        summary: One line: what it is good for.
        paper: Authors and publication.
        parameters: Plan of its parameters; all have defaults.
        draw: Adds its layers on top of the last one, under the block's name.
    """

    name: str
    label: str
    summary: str
    paper: str
    parameters: type[Plan]
    draw: Callable[[GraphBuilder, str, Plan], object]

    def nodes(self, block: str, after: str, parameters: Plan) -> tuple[LayerNode, ...]:
        """Return the layers of one block; the last one is its output.

        Args:
            block: Its name in the network, with which the ids of its nodes begin.
            after: Id of the node whose output comes in.
            parameters: Values of its parameters.
        """
        net = GraphBuilder(self.label, InputShape(height=1, width=1, channels=1), 2)
        net.last = after
        self.draw(net, block, parameters)
        return net.spec().nodes


def drawn_by(
    draw: Callable[[GraphBuilder, str, P], object], parameters: type[P]
) -> Callable[[GraphBuilder, str, Plan], object]:
    """Adapt a drawing function to parameters known only as a plan.

    Args:
        draw: Adds a block to a network.
        parameters: Class of its parameters.
    """

    def checked(net: GraphBuilder, block: str, values: Plan) -> None:
        draw(net, block, parameters.parse(values.model_dump()))

    return checked


# What blocks are made of: the usual pairs of layers, and fields of their parameters.

START = "he_normal"
"""Start values that keep the size of the values through layers with ReLU (He et al. 2015)."""


def filters_field(default: int, label: str, help_text: str, *, why: str) -> int:
    """Declare a field that counts channels.

    Args:
        default: Default value.
        label: Name of the field in forms.
        help_text: Help text.
        why: Why one would change it.
    """
    chosen: int = plan_field(default, label=label, help=help_text, why=why, ge=1, scale="log")
    return chosen


def stride_field() -> int:
    """Return a field for the step of a block's window."""
    chosen: int = plan_field(
        1,
        label="Stride",
        help="Step of the window; 2 halves the image.",
        why="2 in the first block of a stage makes the following layers four times cheaper.",
        unit="px",
        ge=1,
    )
    return chosen


def conv(net: GraphBuilder, node_id: str, filters: int, kernel: int, after: str = "") -> None:
    """Add a convolution with ReLU and "same" padding.

    Args:
        net: The network.
        node_id: Id of the new node.
        filters: Number of channels.
        kernel: Side of the window.
        after: Id of its input; empty for the last node.
    """
    net.add(
        "conv2d",
        node_id,
        after=after,
        filters=filters,
        kernel=kernel,
        activation="relu",
        kernel_initializer=START,
    )


def normalized(
    net: GraphBuilder, block: str, part: str, filters: int, kernel: int, stride: int = 1
) -> None:
    """Add a convolution without bias, followed by batch normalization.

    Args:
        net: The network.
        block: Name of the block.
        part: Suffix of the node ids within the block.
        filters: Number of channels.
        kernel: Side of the window.
        stride: Stride.
    """
    net.add(
        "conv2d",
        f"{block}_conv{part}",
        filters=filters,
        kernel=kernel,
        stride=stride,
        use_bias=False,
        kernel_initializer=START,
    )
    net.add("batch_normalization", f"{block}_norm{part}")


def rectified(
    net: GraphBuilder, block: str, part: str, filters: int, kernel: int = 3, stride: int = 1
) -> None:
    """Add a convolution with batch normalization and ReLU.

    Args:
        net: The network.
        block: Name of the block.
        part: Suffix of the node ids within the block.
        filters: Number of channels.
        kernel: Side of the window.
        stride: Stride.
    """
    normalized(net, block, part, filters, kernel, stride)
    net.add("activation", f"{block}_relu{part}", activation="relu")


def rectified_pair(net: GraphBuilder, block: str, filters: int) -> None:
    """Add a block of two 3x3 convolutions, each with batch normalization and ReLU.

    Args:
        net: The network.
        block: Name of the block.
        filters: Number of channels.
    """
    net.in_block(block)
    for part in ("1", "2"):
        rectified(net, block, part, filters)


def depthwise(net: GraphBuilder, block: str, kernel: int, stride: int) -> None:
    """Add a depthwise convolution without bias, followed by batch normalization.

    Args:
        net: The network.
        block: Name of the block.
        kernel: Side of the window.
        stride: Stride.
    """
    net.add(
        "depthwise_conv2d",
        f"{block}_depthwise",
        kernel=kernel,
        stride=stride,
        use_bias=False,
        kernel_initializer=START,
    )
    net.add("batch_normalization", f"{block}_depthwise_norm")


def activation(net: GraphBuilder, node_id: str, function: str) -> None:
    """Add an activation; nothing for `linear`.

    Args:
        net: The network.
        node_id: Id of the new node.
        function: Name of the activation.
    """
    if function != "linear":
        net.add("activation", node_id, activation=function)


# Convolution blocks with batch normalization: plain, and separable.


class ConvNormParameters(Plan):
    """Parameters of `conv_norm`."""

    filters: int = filters_field(
        64,
        "Filters",
        "Number of output channels.",
        why="More filters detect more patterns but cost time and memory. Double them where the "
        "image is halved.",
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
    """Add a block of convolution, batch normalization and activation.

    Args:
        net: The network.
        block: Name of the block.
        p: Its parameters.
    """
    net.in_block(block)
    normalized(net, block, "", p.filters, p.kernel, p.stride)
    activation(net, f"{block}_{p.activation}", p.activation)
    net.in_block("")


def separable(net: GraphBuilder, block: str, p: SeparableParameters) -> None:
    """Add a depthwise separable convolution with batch normalization after both parts.

    Args:
        net: The network.
        block: Name of the block.
        p: Its parameters.
    """
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


# Residual blocks: basic, bottleneck and inverted.

_HE = 'K. He et al., "Deep residual learning for image recognition", CVPR 2016, arXiv:1512.03385'


class ResidualParameters(Plan):
    """Parameters of `residual`."""

    filters: int = filters_field(
        64,
        "Filters",
        "Number of output channels.",
        why="Double them where the image is halved. The shortcut adapts automatically.",
    )
    stride: int = stride_field()
    projection: bool = plan_field(
        True,
        label="Convolution in the shortcut",
        help="Fit the shortcut with a 1x1 convolution.",
        why="Needed only where the channels or the size change.",
    )


class BottleneckParameters(ResidualParameters):
    """Parameters of `bottleneck`."""

    filters: int = filters_field(
        256,
        "Filters",
        "Number of output channels.",
        why="Double them where the image is halved. The shortcut adapts automatically.",
    )
    inner: int = filters_field(
        64,
        "Inner filters",
        "Number of input channels of the 3x3 window.",
        why="A quarter of the filters is usual, so that the expensive window sees few channels.",
    )


class InvertedParameters(Plan):
    """Parameters of `inverted_residual`."""

    filters: int = filters_field(
        32,
        "Filters",
        "Number of output channels.",
        why="Few are enough, because the middle is wide.",
    )
    inner: int = filters_field(
        192,
        "Inner filters",
        "Number of inner channels; often 6 times the input.",
        why="More units see more, for little time but much memory.",
    )
    stride: int = stride_field()
    shortcut: bool = plan_field(
        False,
        label="Shortcut",
        help="Add the input to the output; both must have the same shape.",
        why="Turn it on where the stride is 1 and input and output have the same channels: deep "
        "networks learn better with it.",
    )


def residual(net: GraphBuilder, block: str, p: ResidualParameters) -> None:
    """Add a basic residual block: two 3x3 convolutions and a shortcut.

    Args:
        net: The network.
        block: Name of the block.
        p: Its parameters.
    """
    net.in_block(block)
    shortcut = _shortcut(net, block, p)
    normalized(net, block, "1", p.filters, 3, p.stride)
    activation(net, f"{block}_relu1", "relu")
    normalized(net, block, "2", p.filters, 3)
    _joined(net, block, shortcut)


def bottleneck(net: GraphBuilder, block: str, p: BottleneckParameters) -> None:
    """Add a bottleneck residual block: 1x1, 3x3 and 1x1 convolutions and a shortcut.

    Args:
        net: The network.
        block: Name of the block.
        p: Its parameters.
    """
    net.in_block(block)
    shortcut = _shortcut(net, block, p)
    normalized(net, block, "1", p.inner, 1)
    activation(net, f"{block}_relu1", "relu")
    normalized(net, block, "2", p.inner, 3, p.stride)
    activation(net, f"{block}_relu2", "relu")
    normalized(net, block, "3", p.filters, 1)
    _joined(net, block, shortcut)


def inverted_residual(net: GraphBuilder, block: str, p: InvertedParameters) -> None:
    """Add an inverted residual block: expansion, depthwise convolution, projection.

    Args:
        net: The network.
        block: Name of the block.
        p: Its parameters.
    """
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
    """Return the id of what is added at the end; what came in stays the last layer."""
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
    summary="Learns a residual to add to its input, so that deep networks train well.",
    paper=_HE,
    parameters=ResidualParameters,
    draw=drawn_by(residual, ResidualParameters),
)


BOTTLENECK = Block(
    name="bottleneck",
    label="Residual bottleneck",
    summary="An efficient residual block for many channels, with 1x1 convolutions.",
    paper=_HE,
    parameters=BottleneckParameters,
    draw=drawn_by(bottleneck, BottleneckParameters),
)


INVERTED_RESIDUAL = Block(
    name="inverted_residual",
    label="Inverted residual",
    summary="Wide inside and narrow outside, for fast networks.",
    paper='M. Sandler et al., "MobileNetV2", CVPR 2018, arXiv:1801.04381',
    parameters=InvertedParameters,
    draw=drawn_by(inverted_residual, InvertedParameters),
)


# The blocks of GoogLeNet and of SqueezeNet: windows of several sizes side by side.


class FireParameters(Plan):
    """Parameters of `fire`."""

    squeeze: int = filters_field(
        16,
        "Squeezed filters",
        "Input channels of the wide windows.",
        why="Fewer make a smaller network; about an eighth of the outputs is usual.",
    )
    expand: int = filters_field(
        64,
        "Filters per branch",
        "Number of 1x1 and of 3x3 windows.",
        why="Filters of each of the two expanding convolutions; the output has twice as many. "
        "Four times the squeezed ones is common.",
    )


class InceptionParameters(Plan):
    """Parameters of `inception`, named as in table 1 of the paper; the first block's are usual."""

    ones: int = filters_field(
        64,
        "1x1",
        "Filters of the branch of 1x1 windows.",
        why="These see single pixels and are cheap. The output is all branches together.",
    )
    threes_reduce: int = filters_field(
        96,
        "1x1 before 3x3",
        "Input channels of the 3x3 windows.",
        why="Fewer make the costly 3x3 windows cheaper; half to two thirds of "
        "their filters is usual.",
    )
    threes: int = filters_field(
        128,
        "3x3",
        "Filters of the branch of 3x3 windows.",
        why="The main branch: usually the most filters.",
    )
    fives_reduce: int = filters_field(
        16,
        "1x1 before 5x5",
        "Input channels of the 5x5 windows.",
        why="Fewer make the very costly 5x5 windows cheaper; about a half of "
        "their filters is usual.",
    )
    fives: int = filters_field(
        32,
        "5x5",
        "Filters of the branch of 5x5 windows.",
        why="Detects larger patterns; a few filters are enough.",
    )
    pool_projection: int = filters_field(
        32,
        "1x1 after pooling",
        "Filters of the branch of pooling.",
        why="Reduces the channels of the pooling branch.",
    )


def fire(net: GraphBuilder, block: str, p: FireParameters) -> None:
    """Add a fire module: a 1x1 squeeze, then 1x1 and 3x3 convolutions side by side.

    Args:
        net: The network.
        block: Name of the block.
        p: Its parameters.
    """
    net.in_block(block)
    conv(net, f"{block}_squeeze1x1", p.squeeze, 1)
    squeezed = net.last
    conv(net, f"{block}_expand1x1", p.expand, 1, after=squeezed)
    conv(net, f"{block}_expand3x3", p.expand, 3, after=squeezed)
    net.add("concatenate", f"{block}_concat", after=(f"{block}_expand1x1", f"{block}_expand3x3"))
    net.in_block("")


def inception(net: GraphBuilder, block: str, p: InceptionParameters) -> None:
    """Add an inception module: three kernel sizes and pooling side by side.

    Args:
        net: The network.
        block: Name of the block.
        p: Its parameters.
    """
    net.in_block(block)
    before = net.last
    conv(net, f"{block}_1x1", p.ones, 1)
    conv(net, f"{block}_3x3_reduce", p.threes_reduce, 1, after=before)
    conv(net, f"{block}_3x3", p.threes, 3)
    conv(net, f"{block}_5x5_reduce", p.fives_reduce, 1, after=before)
    conv(net, f"{block}_5x5", p.fives, 5)
    net.add("max_pool", f"{block}_pool", after=before, size=3, stride=1, padding="same")
    conv(net, f"{block}_pool_proj", p.pool_projection, 1)
    branches = ("1x1", "3x3", "5x5", "pool_proj")
    net.add("concatenate", f"{block}_concat", after=tuple(f"{block}_{b}" for b in branches))
    net.in_block("")


INCEPTION = Block(
    name="inception",
    label="Inception",
    summary="Applies windows of several sizes in parallel and concatenates the results.",
    paper='C. Szegedy et al., "Going deeper with convolutions", CVPR 2015, arXiv:1409.4842',
    parameters=InceptionParameters,
    draw=drawn_by(inception, InceptionParameters),
)


FIRE = Block(
    name="fire",
    label="Fire",
    summary="Few input channels and windows of two sizes: very few weights.",
    paper='F. Iandola et al., "SqueezeNet", 2016, arXiv:1602.07360',
    parameters=FireParameters,
    draw=drawn_by(fire, FireParameters),
)


BLOCKS: Registry[Block] = Registry(
    "block",
    [CONV_NORM, RESIDUAL, BOTTLENECK, INVERTED_RESIDUAL, INCEPTION, FIRE, SEPARABLE],
)
