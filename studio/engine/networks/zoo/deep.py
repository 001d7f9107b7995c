"""Deep networks: VGG, ResNet, GoogLeNet, SqueezeNet and MobileNet."""

from __future__ import annotations

from functools import partial

from studio.engine.networks.blocks import (
    START,
    BottleneckParameters,
    FireParameters,
    InceptionParameters,
    ResidualParameters,
    bottleneck,
    fire,
    inception,
    normalized,
    residual,
)
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers.backbone import BACKBONES
from studio.engine.networks.spec import HEAD_BLOCK
from studio.engine.networks.zoo import network

_VGG_FILTERS = (64, 128, 256, 512, 512)
_RESNET_FILTERS = (64, 128, 256, 512)
_BOTTLENECK_EXPANSION = 4


def _draw_vgg(convolutions: tuple[int, ...], net: GraphBuilder) -> None:
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


def _draw_resnet(blocks: tuple[int, ...], bottlenecks: bool, net: GraphBuilder) -> None:
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


def _draw_small_resnet(filters: tuple[int, ...], net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    net.in_block("conv1")
    normalized(net, "conv1", "", filters[0], 3, 2 if len(filters) > 3 else 1)
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


def _vgg(
    depth: int, weights: int, convolutions: tuple[int, ...], summary: str
) -> network.ZooNetwork:
    """VGG: nothing but 3x3 convolutions and pooling, with two wide dense layers.

    Without batch normalization it learns slowly from random weights; its
    authors trained it for weeks. The head has nine tenths of the weights at 224x224.

    Args:
        depth: Number of layers with weights, as in its name.
        weights: Number of weights that the authors state.
        convolutions: Number of convolutions in each of the five stages.
        summary: Typical use.
    """
    return network.ZooNetwork(
        name=f"vgg{depth}",
        label=f"VGG-{depth}",
        year=2014,
        paper='K. Simonyan, A. Zisserman, "Very deep convolutional networks for large-scale image '
        'recognition", ICLR 2015, arXiv:1409.1556',
        summary=summary,
        smallest=(32, 32),
        default_input=(224, 224, 3),
        draw=partial(_draw_vgg, convolutions),
        head=network.wide_head,
        published=network.Published(weights, (224, 224, 3), 1000),
    )


VGG = (
    _vgg(
        11,
        132_863_336,
        (1, 1, 2, 2, 2),
        "The smallest of its family, from which the deeper ones were trained.",
    ),
    _vgg(
        16,
        138_357_544,
        (2, 2, 3, 3, 3),
        "Simple and wide; its features are used for style transfer and by many detectors.",
    ),
    _vgg(
        19,
        143_667_240,
        (2, 2, 4, 4, 4),
        "The deepest of its family; only slightly better than VGG-16.",
    ),
)

_HE = (
    'K. He, X. Zhang, S. Ren, J. Sun, "Deep residual learning for image recognition", '
    "CVPR 2016, arXiv:1512.03385"
)


def _resnet(depth: int, weights: int, blocks: tuple[int, ...], summary: str) -> network.ZooNetwork:
    """ResNet: residual blocks; with 50 or more layers, bottleneck blocks.

    Convolutions before batch normalization have no bias; the 3x3 convolution has the stride.

    Args:
        depth: Number of layers with weights, as in its name.
        weights: Number of weights that the authors state.
        blocks: Number of blocks in each of the four stages.
        summary: Typical use.
    """
    return network.ZooNetwork(
        name=f"resnet{depth}",
        label=f"ResNet-{depth}",
        year=2015,
        paper=_HE,
        summary=summary,
        smallest=(32, 32),
        default_input=(224, 224, 3),
        draw=partial(_draw_resnet, blocks, depth >= 50),
        published=network.Published(weights, (224, 224, 3), 1000),
    )


RESNETS = (
    _resnet(18, 11_700_000, (2, 2, 2, 2), "The smallest residual network for photographs."),
    _resnet(34, 21_800_000, (3, 4, 6, 3), "Twice as deep as ResNet-18."),
    _resnet(50, 25_600_000, (3, 4, 6, 3), "The standard reference for photographs."),
)


def _small_resnet(
    label: str, side: int, filters: tuple[int, ...], smallest: int, summary: str
) -> network.ZooNetwork:
    """Return a compact residual network for small images, made for a CPU.

    Stages of one block each, in the manner of the networks for CIFAR in section 4.2 of the paper,
    but wider and shallower: a CPU computes few wide layers faster than many narrow ones. With
    four stages the first convolution halves the image, so that the last sees four times as much
    of it at the same cost per image.

    Args:
        label: Shown name.
        side: Side of the images that it is made for, in pixels.
        filters: Channels of each stage.
        smallest: Smallest side of an image that it takes, in pixels.
        summary: Typical use.
    """
    return network.ZooNetwork(
        name=f"small_resnet_{side}",
        label=label,
        year=2015,
        paper='Our own, after K. He et al., "Deep residual learning for image recognition", '
        "CVPR 2016, arXiv:1512.03385",
        summary=summary,
        smallest=(smallest, smallest),
        default_input=(side, side, 3),
        draw=partial(_draw_small_resnet, filters),
        head=network.dropout_head(0.2, "dropout"),
    )


SMALL_RESNETS = (
    _small_resnet(
        "Small ResNet (3 blocks)",
        32,
        (32, 64, 128),
        8,
        "A modern network for small images: residual blocks, minutes on a CPU.",
    ),
    _small_resnet(
        "Small ResNet (4 blocks)",
        64,
        (32, 64, 128, 256),
        16,
        "A modern network for images of 48 pixels and more, with residual blocks.",
    ),
)


# GoogLeNet, that is Inception v1, with its two auxiliary heads.
#
# The heads bring the gradient to the early layers in training, each with a weight of 0.3; the
# finished model has none. They need a grid of 5x5 where they branch off, so smaller images go
# without. What differs: no local response normalization.

_INCEPTIONS = {
    "3a": (64, 96, 128, 16, 32, 32),
    "3b": (128, 128, 192, 32, 96, 64),
    "4a": (192, 96, 208, 16, 48, 64),
    "4b": (160, 112, 224, 24, 64, 64),
    "4c": (128, 128, 256, 24, 64, 64),
    "4d": (112, 144, 288, 32, 64, 64),
    "4e": (256, 160, 320, 32, 128, 128),
    "5a": (256, 160, 320, 32, 128, 128),
    "5b": (384, 192, 384, 48, 128, 128),
}
"""Table 1 of the paper."""

_POOLED = ("3b", "4e")
_HEADED = {"4a": 1, "4d": 2}
_HEAD_WEIGHT = 0.3
_HEAD_WINDOW = 5
_HEAD_STRIDE = 16
"""Pixels of the image to one place of the grid where the auxiliary heads branch off."""


def _draw_googlenet(net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    _relu_convolution(net, "conv1", 64, kernel=7, stride=2)
    _pool(net, "pool1")
    _relu_convolution(net, "conv2_reduce", 64, kernel=1)
    _relu_convolution(net, "conv2", 192, kernel=3)
    _pool(net, "pool2")
    for name, row in _INCEPTIONS.items():
        names = InceptionParameters.model_fields
        inception(
            net, f"inception_{name}", InceptionParameters(**dict(zip(names, row, strict=True)))
        )
        if name in _HEADED and _has_room(net):
            _auxiliary_head(net, f"auxiliary{_HEADED[name]}")
        if name in _POOLED:
            net.in_block(f"inception_{name}")
            _pool(net, f"pool{name[0]}")
    net.in_block("").add("global_average_pool", "pool5")


def _has_room(net: GraphBuilder) -> bool:
    side = min(net.shape.height, net.shape.width)
    return -(-side // _HEAD_STRIDE) >= _HEAD_WINDOW


def _auxiliary_head(net: GraphBuilder, name: str) -> None:
    trunk = net.last
    net.in_block(HEAD_BLOCK)
    net.add("average_pool", f"{name}_pool", size=_HEAD_WINDOW, stride=3)
    net.add(
        "conv2d",
        f"{name}_conv",
        filters=128,
        kernel=1,
        activation="relu",
        kernel_initializer=START,
    )
    net.add("flatten", f"{name}_flatten")
    net.add("dense", f"{name}_fc", units=1024, activation="relu", kernel_initializer=START)
    net.add("dropout", f"{name}_dropout", rate=0.7)
    net.add("dense", f"{name}_predictions", units=net.classes, activation="softmax")
    net.auxiliary(net.last, _HEAD_WEIGHT).in_block("")
    net.last = trunk


def _relu_convolution(
    net: GraphBuilder, name: str, filters: int, *, kernel: int, stride: int = 1
) -> None:
    net.in_block(name.partition("_")[0]).add(
        "conv2d",
        name,
        filters=filters,
        kernel=kernel,
        stride=stride,
        activation="relu",
        kernel_initializer=START,
    )


def _pool(net: GraphBuilder, name: str) -> None:
    net.add("max_pool", name, size=3, stride=2, padding="same")


GOOGLENET = network.ZooNetwork(
    name="googlenet",
    label="GoogLeNet",
    year=2014,
    paper='C. Szegedy et al., "Going deeper with convolutions", CVPR 2015, arXiv:1409.4842',
    summary="Windows of several sizes side by side; few weights for its depth.",
    smallest=(32, 32),
    default_input=(224, 224, 3),
    draw=_draw_googlenet,
    head=network.dropout_head(0.4, "dropout"),
    published=network.Published(7_000_000, (224, 224, 3), 1000),
)


# SqueezeNet 1.1: the accuracy of AlexNet with a fiftieth of its weights.
#
# Convolutions and pooling have no padding where the published weights had none, so that these fit.
# What differs: no ReLU behind the last convolution, since a class whose value is below zero
# would learn nothing.

_MEAN = (123.68, 116.779, 103.939)
"""Mean color of ImageNet as red, green and blue: what the published weights expect."""

_FIRST = "random_uniform"
"""Start values of the first convolution, which sees values of up to 150: a tenth of He's."""

_FIRES = {2: (16, 64), 3: (16, 64), 4: (32, 128), 5: (32, 128)} | {
    6: (48, 192),
    7: (48, 192),
    8: (64, 256),
    9: (64, 256),
}
_FIRES_POOLED = (3, 5)


def _draw_squeezenet(net: GraphBuilder) -> None:
    net.add("subtract_mean", "subtract_mean", mean=_MEAN, height=1, width=1)
    net.in_block("conv1").add(
        "conv2d",
        "conv1",
        filters=64,
        stride=2,
        padding="valid",
        activation="relu",
        kernel_initializer=_FIRST,
    )
    net.add("max_pool", "pool1", size=3, stride=2).in_block("")
    for number, (squeeze, expand) in _FIRES.items():
        fire(net, f"fire{number}", FireParameters(squeeze=squeeze, expand=expand))
        if number in _FIRES_POOLED:
            net.add("max_pool", f"pool{number}", block=f"fire{number}", size=3, stride=2)


def _squeezenet_head(net: GraphBuilder) -> None:
    net.add("dropout", "dropout", rate=0.5)
    network.averaged_head(net, "conv10")


SQUEEZENET = network.ZooNetwork(
    name="squeezenet",
    label="SqueezeNet 1.1",
    year=2016,
    paper='F. Iandola et al., "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and '
    '<0.5MB model size", 2016, arXiv:1602.07360; version 1.1 of the authors',
    summary="Very few weights; with published weights a good start for small datasets.",
    smallest=(31, 31),
    default_input=(227, 227, 3),
    draw=_draw_squeezenet,
    head=_squeezenet_head,
    published=network.Published(1_240_000, (227, 227, 3), 1000),
    sees_color=True,
)


# MobileNetV2, with a new head.

_NAME = "mobilenet_v2"
_SMALLEST = BACKBONES[_NAME].smallest


def _draw_mobilenet(net: GraphBuilder) -> GraphBuilder:
    return (
        net.add("rescaling", scale=1 / 127.5, offset=-1.0)
        .add("backbone", architecture=_NAME)
        .add("global_average_pool")
    )


MOBILENET_V2 = network.ZooNetwork(
    name=_NAME,
    label="MobileNetV2",
    year=2018,
    paper='M. Sandler et al., "MobileNetV2: inverted residuals and linear bottlenecks", '
    "CVPR 2018, arXiv:1801.04381",
    summary="Deep and light: for photographs of 96 pixels and more.",
    smallest=(_SMALLEST, _SMALLEST),
    default_input=(96, 96, 3),
    draw=_draw_mobilenet,
    head=network.dropout_head(0.2),
    backbone=_NAME,
    published=network.Published(3_400_000, (224, 224, 3), 1000),
)
