"""MobileNetV2, with a new head."""

from __future__ import annotations

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.layers.backbone import BACKBONES
from studio.engine.networks.zoo.network import Published, ZooNetwork, dense_head

_NAME = "mobilenet_v2"
_SMALLEST = BACKBONES[_NAME].smallest
_DROPOUT = 0.2


def _draw(net: GraphBuilder) -> GraphBuilder:
    return (
        net.add("rescaling", scale=1 / 127.5, offset=-1.0)
        .add("backbone", architecture=_NAME)
        .add("global_average_pool")
    )


def _head(net: GraphBuilder) -> None:
    net.add("dropout", rate=_DROPOUT)
    dense_head(net)


MOBILENET_V2 = ZooNetwork(
    name=_NAME,
    label="MobileNetV2",
    year=2018,
    paper='M. Sandler et al., "MobileNetV2: inverted residuals and linear bottlenecks", '
    "CVPR 2018, arXiv:1801.04381",
    summary="Deep and light: for photographs of 96 pixels and more.",
    smallest=(_SMALLEST, _SMALLEST),
    default_input=(96, 96, 3),
    channels=(1, 3),
    draw=_draw,
    head=_head,
    sees_color=True,
    published=Published(3_400_000, (224, 224, 3), 1000),
)
