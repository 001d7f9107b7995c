"""A multilayer perceptron: two hidden layers on the bare pixels."""

from __future__ import annotations

from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.zoo.network import ZooNetwork

_HIDDEN_UNITS = (256, 128)
_DROPOUT = 0.2


def _draw(net: GraphBuilder) -> GraphBuilder:
    net.add("rescaling", scale=1 / 255).add("flatten")
    for units in _HIDDEN_UNITS:
        net.add("dense", units=units, activation="relu", kernel_initializer="he_normal")
        net.add("dropout", rate=_DROPOUT)
    return net


MLP = ZooNetwork(
    name="mlp",
    label="Multilayer perceptron",
    year=1986,
    paper='D. Rumelhart, G. Hinton, R. Williams, "Learning representations by back-propagating '
    'errors", Nature 323, 1986; here with ReLU and dropout',
    summary="Two hidden layers, no convolution: good for small, centered images.",
    smallest=(1, 1),
    default_input=(28, 28, 1),
    channels=(1, 3),
    draw=_draw,
)
