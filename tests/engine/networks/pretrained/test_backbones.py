"""The backbones as data; what Keras makes of them is in tests/engine/compute."""

from __future__ import annotations

import pytest

from studio.engine.networks.backbones import BACKBONES, Backbone
from studio.engine.networks.fitting import COLOR_NODE
from studio.engine.networks.zoo import DRAWN, ZOO


@pytest.mark.parametrize("backbone", BACKBONES, ids=lambda backbone: backbone.name)
def test_every_backbone_is_a_network_by_name(backbone: Backbone) -> None:
    name = backbone.name
    if any(network.name == name for network in DRAWN) and name != "mobilenet_v2":
        name = f"{name}_imagenet"
    network = ZOO[name]

    color = network.build((96, 128, 3), 5)
    gray = network.build((96, 128, 1), 5)

    (node,) = [node for node in color.nodes if node.layer == "backbone"]
    assert node.parameters["architecture"] == backbone.name
    assert gray.node(COLOR_NODE).layer == "concatenate"
    assert gray.input.channels == 1
    assert gray.nodes[2:] == color.nodes[1:]
    assert backbone.label in network.label
    assert backbone.parameters > 2_000_000
