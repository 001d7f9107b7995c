"""A network of one wide layer."""

from __future__ import annotations

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.zoo.network import ZooNetwork


def _draw(net: GraphBuilder) -> GraphBuilder:
    net.add("rescaling", scale=1 / 255).add("flatten")
    return net.add("dense", units=64, activation="relu")


WIDE_LINE = ZooNetwork(
    name="wide_line",
    label="Wide line",
    year=2026,
    paper="An example",
    summary="One wide layer: for pictures of the scanner.",
    smallest=(1, 1),
    default_input=(28, 28, 1),
    draw=_draw,
)
