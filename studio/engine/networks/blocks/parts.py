"""What blocks are made of: the usual pairs of layers, and fields of their parameters."""

from __future__ import annotations

from studio.engine.networks.builder import GraphBuilder
from studio.engine.plans import plan_field

START = "he_normal"
"""Start values that keep the size of the values through layers with ReLU (He et al. 2015)."""


def filters_field(default: int, label: str, help_text: str, *, why: str) -> int:
    """A field that counts channels."""
    chosen: int = plan_field(default, label=label, help=help_text, why=why, ge=1, scale="log")
    return chosen


def stride_field() -> int:
    """A field for the step of a block's window."""
    chosen: int = plan_field(
        1,
        label="Stride",
        help="Step of the window; 2 halves the image.",
        why="2 in the first block of a stage: all that follows is then four times cheaper.",
        unit="px",
        ge=1,
    )
    return chosen


def conv(net: GraphBuilder, node_id: str, filters: int, kernel: int, after: str = "") -> None:
    """A convolution with ReLU that keeps the size of the image."""
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
    """A convolution without bias, and batch normalization."""
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


def depthwise(net: GraphBuilder, block: str, kernel: int, stride: int) -> None:
    """A window on every channel apart, without bias, and batch normalization."""
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
    """A function applied to every value; nothing for `linear`."""
    if function != "linear":
        net.add("activation", node_id, activation=function)
