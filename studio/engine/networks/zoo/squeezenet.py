"""SqueezeNet 1.1: the accuracy of AlexNet with a fiftieth of its weights.

Convolutions and pooling have no padding where the published weights had none, so that these fit.
What differs: no ReLU behind the last convolution, since a class whose value is below zero
would learn nothing.
"""

from __future__ import annotations

from studio.engine.networks.blocks.inception import FireParameters, fire
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.families import averaged_head
from studio.engine.networks.zoo.network import Published, ZooNetwork

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
_POOLED = (3, 5)
_DROPOUT = 0.5


def _draw(net: GraphBuilder) -> None:
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
        if number in _POOLED:
            net.add("max_pool", f"pool{number}", block=f"fire{number}", size=3, stride=2)


def _head(net: GraphBuilder) -> None:
    net.add("dropout", "dropout", rate=_DROPOUT)
    averaged_head(net, "conv10")


SQUEEZENET = ZooNetwork(
    name="squeezenet",
    label="SqueezeNet 1.1",
    year=2016,
    paper='F. Iandola et al., "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and '
    '<0.5MB model size", 2016, arXiv:1602.07360; version 1.1 of the authors',
    summary="Very few weights; with published weights a good start for small datasets.",
    smallest=(31, 31),
    default_input=(227, 227, 3),
    channels=(1, 3),
    draw=_draw,
    head=_head,
    published=Published(1_240_000, (227, 227, 3), 1000),
    sees_color=True,
)
