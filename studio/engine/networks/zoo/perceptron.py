"""Softmax regression: one dense layer from the pixels to the classes."""

from __future__ import annotations

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.zoo.network import ZooNetwork


def _draw(net: GraphBuilder) -> GraphBuilder:
    return net.add("rescaling", scale=1 / 255).add("flatten")


PERCEPTRON = ZooNetwork(
    name="perceptron",
    label="Perceptron",
    year=1958,
    paper='F. Rosenblatt, "The perceptron: a probabilistic model for information storage and '
    'organization in the brain", Psychological Review 65, 1958; here with softmax',
    summary="The simplest network there is, also known as softmax regression: a floor to beat.",
    smallest=(1, 1),
    default_input=(28, 28, 1),
    channels=(1, 3),
    draw=_draw,
)
