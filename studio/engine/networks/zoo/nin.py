"""Network in Network, as published for CIFAR-10: 1x1 convolutions after every wide one."""

from __future__ import annotations

from studio.engine.networks.blocks.parts import conv
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.families import averaged_head
from studio.engine.networks.zoo.network import Published, ZooNetwork


def _draw(net: GraphBuilder) -> None:
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    _stage(net, 1, 5, (192, 160, 96))
    _shrink(net, "max_pool", 1)
    _stage(net, 2, 5, (192, 192, 192))
    _shrink(net, "average_pool", 2)
    _stage(net, 3, 3, (192, 192))


def _stage(net: GraphBuilder, number: int, kernel: int, filters: tuple[int, ...]) -> None:
    net.in_block(f"stage{number}")
    conv(net, f"conv{number}", filters[0], kernel)
    for step, count in enumerate(filters[1:], start=1):
        conv(net, f"cccp{number}_{step}", count, 1)


def _shrink(net: GraphBuilder, pool: str, number: int) -> None:
    net.add(pool, f"pool{number}", size=3, stride=2, padding="same")
    net.add("dropout", f"dropout{number}", rate=0.5)


def _head(net: GraphBuilder) -> None:
    averaged_head(net, "cccp3_2")


NIN = ZooNetwork(
    name="nin",
    label="Network in Network",
    year=2013,
    paper='M. Lin, Q. Chen, S. Yan, "Network in network", ICLR 2014, arXiv:1312.4400',
    summary="Windows with a small network in each, and the mean of one map per class at the end.",
    smallest=(8, 8),
    default_input=(32, 32, 3),
    channels=(1, 3),
    draw=_draw,
    head=_head,
    published=Published(967_000, (32, 32, 3), 10),
)
