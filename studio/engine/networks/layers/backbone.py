"""A whole published network without its head, as one node.

Preprocessing that Keras would put into the backbone is switched off where it can be, because our
networks take pixels to what the weights expect in a node of their own.
"""

from __future__ import annotations

from typing import Literal

from studio.engine.networks.layers.layer import Layer
from studio.engine.networks.pretrained import BACKBONES
from studio.engine.plans import Plan, plan_field

__all__ = ["BACKBONE", "BACKBONES", "Architecture", "BackboneParameters"]

Architecture = Literal[
    "mobilenet_v2",
    "mobilenet",
    "mobilenet_v3_small",
    "mobilenet_v3_large",
    "efficientnet_v2_b0",
    "efficientnet_v2_b1",
    "efficientnet_v2_b2",
    "efficientnet_v2_b3",
    "efficientnet_v2_s",
    "efficientnet_v2_m",
    "efficientnet_v2_l",
    "efficientnet_b0",
    "efficientnet_b1",
    "efficientnet_b2",
    "efficientnet_b3",
    "efficientnet_b4",
    "efficientnet_b5",
    "efficientnet_b6",
    "efficientnet_b7",
    "resnet50",
    "resnet101",
    "resnet152",
    "resnet50_v2",
    "resnet101_v2",
    "resnet152_v2",
    "densenet121",
    "densenet169",
    "densenet201",
    "inception_v3",
    "xception",
    "inception_resnet_v2",
    "convnext_tiny",
    "convnext_small",
    "convnext_base",
    "convnext_large",
    "convnext_xlarge",
    "nasnet_mobile",
    "nasnet_large",
    "vgg16",
    "vgg19",
]
"""The names of `BACKBONES`, written once more for the type checker; a test compares them."""


class BackboneParameters(Plan):
    """Parameters of `backbone`."""

    architecture: Architecture = plan_field(
        "mobilenet_v2",
        label="Architecture",
        help="The published network, without its head.",
        why="MobileNets are fast on a CPU; ResNet and EfficientNet are stronger.",
        labels={backbone.name: backbone.label for backbone in BACKBONES},
    )
    frozen_up_to: str = plan_field(
        "",
        label="Frozen up to",
        help="Layer or block inside; it and all before it are left alone by training.",
        why="Freeze all with few images; thaw the last blocks with more. Early "
        "layers see edges and colors, which are the same everywhere.",
        level="expert",
    )


BACKBONE = Layer(
    name="backbone",
    label="Backbone",
    family="backbone",
    summary="A whole published network without its head; its output is a grid of features.",
    keras_class="",
    parameters=BackboneParameters,
)
