"""GoogLeNet, that is Inception v1, with its two auxiliary heads.

The heads bring the gradient to the early layers in training, each with a weight of 0.3; the
finished model has none. They need a grid of 5x5 where they branch off, so smaller images go
without. What differs: no local response normalization.
"""

from __future__ import annotations

from studio.engine.networks.blocks.inception import InceptionParameters, inception
from studio.engine.networks.blocks.parts import START
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import HEAD_BLOCK
from studio.engine.networks.zoo.network import Published, ZooNetwork, dense_head

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


def _draw(net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    _convolution(net, "conv1", 64, kernel=7, stride=2)
    _pool(net, "pool1")
    _convolution(net, "conv2_reduce", 64, kernel=1)
    _convolution(net, "conv2", 192, kernel=3)
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


def _convolution(
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


def _head(net: GraphBuilder) -> None:
    net.add("dropout", "dropout", rate=0.4)
    dense_head(net)


GOOGLENET = ZooNetwork(
    name="googlenet",
    label="GoogLeNet",
    year=2014,
    paper='C. Szegedy et al., "Going deeper with convolutions", CVPR 2015, arXiv:1409.4842',
    summary="Windows of several sizes side by side; few weights for its depth.",
    smallest=(32, 32),
    default_input=(224, 224, 3),
    channels=(1, 3),
    draw=_draw,
    head=_head,
    published=Published(7_000_000, (224, 224, 3), 1000),
)
