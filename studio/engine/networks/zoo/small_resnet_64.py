"""A compact residual network for images of about 64x64 pixels, made for a CPU.

As the one for 32x32; its first convolution halves the image, and a fourth stage sees four times
as much of it at the same cost per image.
"""

from __future__ import annotations

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.families import small_resnet
from studio.engine.networks.zoo.network import ZooNetwork, dense_head

_DROPOUT = 0.2


def _draw(net: GraphBuilder) -> None:
    small_resnet(net, (32, 64, 128, 256), halve_first=True)


def _head(net: GraphBuilder) -> None:
    net.add("dropout", "dropout", rate=_DROPOUT)
    dense_head(net)


SMALL_RESNET_64 = ZooNetwork(
    name="small_resnet_64",
    label="Small ResNet for 64x64",
    year=2015,
    paper='Our own, after K. He et al., "Deep residual learning for image recognition", '
    "CVPR 2016, arXiv:1512.03385",
    summary="A modern network for images of 48 to 128 pixels: four residual blocks.",
    smallest=(16, 16),
    default_input=(64, 64, 3),
    channels=(1, 3),
    draw=_draw,
    head=_head,
)
