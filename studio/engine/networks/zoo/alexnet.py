"""AlexNet in one column, as its author drew it two years later.

What differs: no local response normalization, which later work found to add nothing (section
4.1 of the VGG paper).
"""

from __future__ import annotations

from studio.engine.networks.blocks.parts import START
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.families import wide_head
from studio.engine.networks.zoo.network import Published, ZooNetwork


def _draw(net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    net.in_block("conv1")
    net.add("zero_padding", "conv1_padding", top=2, bottom=2, left=2, right=2)
    _convolution(net, "conv1", 64, kernel=11, stride=4, padding="valid")
    net.add("max_pool", "pool1", size=3, stride=2)
    _convolution(net, "conv2", 192, kernel=5)
    net.add("max_pool", "pool2", size=3, stride=2)
    _convolution(net, "conv3", 384)
    _convolution(net, "conv4", 256)
    _convolution(net, "conv5", 256)
    net.add("max_pool", "pool5", size=3, stride=2)


def _convolution(
    net: GraphBuilder,
    name: str,
    filters: int,
    *,
    kernel: int = 3,
    stride: int = 1,
    padding: str = "same",
) -> None:
    net.in_block(name).add(
        "conv2d",
        name,
        filters=filters,
        kernel=kernel,
        stride=stride,
        padding=padding,
        activation="relu",
        kernel_initializer=START,
    )


ALEXNET = ZooNetwork(
    name="alexnet",
    label="AlexNet",
    year=2012,
    paper="A. Krizhevsky, I. Sutskever, G. Hinton, NIPS 2012; in one column: A. Krizhevsky, "
    '"One weird trick for parallelizing convolutional neural networks", 2014, arXiv:1404.5997',
    summary="The network that began it all: wide windows, and most of its weights in the head.",
    smallest=(63, 63),
    default_input=(224, 224, 3),
    channels=(1, 3),
    draw=_draw,
    head=wide_head,
    published=Published(61_100_000, (224, 224, 3), 1000),
)
