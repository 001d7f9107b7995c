"""A compact residual network for images of about 32x32 pixels, made for a CPU.

Three stages of one block each, in the manner of the networks for CIFAR in section 4.2 of
the paper, but wider and shallower: a CPU computes few wide layers faster than many narrow ones.
"""

from __future__ import annotations

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.families import small_resnet
from studio.engine.networks.zoo.network import ZooNetwork, dense_head

_DROPOUT = 0.2


def _draw(net: GraphBuilder) -> None:
    small_resnet(net, (32, 64, 128), halve_first=False)


def _head(net: GraphBuilder) -> None:
    net.add("dropout", "dropout", rate=_DROPOUT)
    dense_head(net)


SMALL_RESNET_32 = ZooNetwork(
    name="small_resnet_32",
    label="Small ResNet for 32x32",
    year=2015,
    paper='Our own, after K. He et al., "Deep residual learning for image recognition", '
    "CVPR 2016, arXiv:1512.03385",
    summary="A modern network for small images: three residual blocks, minutes on a CPU.",
    smallest=(8, 8),
    default_input=(32, 32, 3),
    channels=(1, 3),
    draw=_draw,
    head=_head,
)
