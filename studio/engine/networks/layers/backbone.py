"""A whole published network without its head, as one node.

Preprocessing that Keras would put into the backbone is switched off, because our networks scale
the pixels in a node of their own; families of Keras in which it cannot be switched off are
not offered here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studio.engine.networks.layers.layer import Layer
from studio.engine.plans import Plan, plan_field
from studio.engine.registry import Registry


@dataclass(frozen=True, slots=True)
class Backbone:
    """A network of `keras.applications`.

    Attributes:
        name: Stable name, as in files.
        label: Shown name.
        keras_function: Name of the function of `keras.applications` that builds it.
        smallest: Smallest side of an image that it takes, in pixels.
        switches_preprocessing: True where Keras' preprocessing must be switched off.
    """

    name: str
    label: str
    keras_function: str
    smallest: int = 32
    switches_preprocessing: bool = False


BACKBONES: Registry[Backbone] = Registry(
    "backbone",
    [
        Backbone("mobilenet", "MobileNet", "MobileNet"),
        Backbone("mobilenet_v2", "MobileNetV2", "MobileNetV2"),
        Backbone("resnet50", "ResNet-50", "ResNet50"),
        Backbone("resnet50_v2", "ResNet-50 V2", "ResNet50V2"),
        Backbone("vgg16", "VGG-16", "VGG16"),
        Backbone("densenet121", "DenseNet-121", "DenseNet121"),
        Backbone(
            "efficientnet_v2_b0",
            "EfficientNetV2-B0",
            "EfficientNetV2B0",
            switches_preprocessing=True,
        ),
        Backbone("xception", "Xception", "Xception", smallest=71),
        Backbone("inception_v3", "Inception v3", "InceptionV3", smallest=75),
    ],
)

Architecture = Literal[
    "mobilenet",
    "mobilenet_v2",
    "resnet50",
    "resnet50_v2",
    "vgg16",
    "densenet121",
    "efficientnet_v2_b0",
    "xception",
    "inception_v3",
]


class BackboneParameters(Plan):
    """Parameters of `backbone`."""

    architecture: Architecture = plan_field(
        "mobilenet_v2",
        label="Architecture",
        help="The published network, without its head.",
        why="MobileNets are fast on a CPU; ResNet and EfficientNet are stronger.",
        labels={backbone.name: backbone.label for backbone in BACKBONES},
    )


BACKBONE = Layer(
    name="backbone",
    label="Backbone",
    family="backbone",
    summary="A whole published network without its head; its output is a grid of features.",
    keras_class="",
    parameters=BackboneParameters,
)
