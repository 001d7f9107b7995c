"""The zoo: networks that are ready to train. Never imports Keras.

To add a network: 1. write `<name>.py` with a `ZooNetwork`; 2. list it below. Gallery, `--network`,
inspection and the build-and-fit tests follow by themselves.
"""

from __future__ import annotations

from studio.engine.networks.zoo.lenet import LENET
from studio.engine.networks.zoo.mlp import MLP
from studio.engine.networks.zoo.mobilenet_v2 import MOBILENET_V2
from studio.engine.networks.zoo.network import ZooNetwork
from studio.engine.networks.zoo.perceptron import PERCEPTRON
from studio.engine.networks.zoo.small_cnn import SMALL_CNN
from studio.engine.registry import Registry

ZOO: Registry[ZooNetwork] = Registry("network", [LENET, SMALL_CNN, MOBILENET_V2, MLP, PERCEPTRON])
