"""What networks of one family share: VGG and ResNet, each drawn for any depth."""

from __future__ import annotations

from collections.abc import Callable

from studio.engine.networks.blocks.parts import START, normalized
from studio.engine.networks.blocks.residual import (
    BottleneckParameters,
    ResidualParameters,
    bottleneck,
    residual,
)
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import HEAD

_VGG_FILTERS = (64, 128, 256, 512, 512)
_RESNET_FILTERS = (64, 128, 256, 512)
_BOTTLENECK_EXPANSION = 4


def wide_head(net: GraphBuilder) -> None:
    """The head of AlexNet and VGG: two dense layers of 4,096 units, with dropout, and a third."""
    net.add("flatten", "flatten")
    for name in ("fc6", "fc7"):
        net.add("dense", name, units=4096, activation="relu", kernel_initializer=START)
        net.add("dropout", f"{name}_dropout", rate=0.5)
    net.add("dense", HEAD, units=net.classes, activation="softmax")


def averaged_head(net: GraphBuilder, last: str) -> None:
    """A head without dense layers: one map per class, and its mean (Lin et al. 2014).

    It starts with zeros, that is with equal probabilities, however large the features are.

    Args:
        net: The network.
        last: Id of the convolution that gives the maps.
    """
    net.add("conv2d", last, filters=net.classes, kernel=1, kernel_initializer="zeros")
    net.add("global_average_pool", f"{last}_mean")
    net.add("softmax", HEAD)


def vgg(convolutions: tuple[int, ...]) -> Callable[[GraphBuilder], None]:
    """The features of a VGG net.

    Args:
        convolutions: How many convolutions each of the five stages has.
    """

    def draw(net: GraphBuilder) -> None:
        net.add("rescaling", scale=1 / 127.5, offset=-1.0)
        for stage, count in enumerate(convolutions, start=1):
            net.in_block(f"block{stage}")
            for step in range(1, count + 1):
                net.add(
                    "conv2d",
                    f"block{stage}_conv{step}",
                    filters=_VGG_FILTERS[stage - 1],
                    activation="relu",
                    kernel_initializer=START,
                )
            net.add("max_pool", f"block{stage}_pool")

    return draw


def resnet(blocks: tuple[int, ...], *, bottlenecks: bool) -> Callable[[GraphBuilder], None]:
    """The features of a ResNet.

    Args:
        blocks: How many blocks each of the four stages has.
        bottlenecks: Whether the blocks are bottlenecks.
    """

    def draw(net: GraphBuilder) -> None:
        net.add("rescaling", scale=1 / 127.5, offset=-1.0)
        net.in_block("conv1")
        net.add("zero_padding", "conv1_padding", top=3, bottom=3, left=3, right=3)
        net.add(
            "conv2d",
            "conv1_conv",
            filters=64,
            kernel=7,
            stride=2,
            padding="valid",
            use_bias=False,
            kernel_initializer=START,
        )
        net.add("batch_normalization", "conv1_norm")
        net.add("activation", "conv1_relu", activation="relu")
        net.add("max_pool", "conv1_pool", size=3, stride=2, padding="same")
        net.in_block("")
        for stage, (count, inner) in enumerate(zip(blocks, _RESNET_FILTERS, strict=True), 1):
            for step in range(1, count + 1):
                stride = 2 if stage > 1 and step == 1 else 1
                _residual_block(net, f"stage{stage}_block{step}", inner, stride, bottlenecks)
        net.add("global_average_pool", "pool")

    return draw


def small_resnet(net: GraphBuilder, filters: tuple[int, ...], *, halve_first: bool) -> None:
    """The features of a compact residual network: one block per stage.

    Args:
        net: The network.
        filters: Channels of each stage; every stage but the first halves the image.
        halve_first: Whether the first convolution halves the image.
    """
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    net.in_block("conv1")
    normalized(net, "conv1", "", filters[0], 3, 2 if halve_first else 1)
    net.add("activation", "conv1_relu", activation="relu").in_block("")
    for stage, count in enumerate(filters, start=1):
        residual(
            net,
            f"stage{stage}_block1",
            ResidualParameters(filters=count, stride=1 if stage == 1 else 2, projection=stage > 1),
        )
    net.add("global_average_pool", "pool")


def _residual_block(
    net: GraphBuilder, block: str, inner: int, stride: int, bottlenecks: bool
) -> None:
    first = block.endswith("block1")
    if bottlenecks:
        filters = inner * _BOTTLENECK_EXPANSION
        bottleneck(
            net,
            block,
            BottleneckParameters(filters=filters, inner=inner, stride=stride, projection=first),
        )
    else:
        projection = first and block != "stage1_block1"
        residual(
            net,
            block,
            ResidualParameters(filters=inner, stride=stride, projection=projection),
        )
