"""A whole published network without its head, as one node.

Preprocessing that Keras would put into the backbone is switched off where it can be, because our
networks take pixels to what the weights expect in a separate node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from studio.engine.networks.backbones import BACKBONES
from studio.engine.networks.layers.layer import Layer
from studio.engine.plans import Plan, expert_field, plan_field

__all__ = [
    "BACKBONE",
    "BACKBONES",
    "INSIDE_BACKBONE",
    "Architecture",
    "BackboneParameters",
    "InsideParameters",
]

if TYPE_CHECKING:
    Architecture = str
else:
    Architecture = Literal[tuple(BACKBONES.names())]


class BackboneParameters(Plan):
    """Parameters of `backbone`."""

    architecture: Architecture = plan_field(
        "mobilenet_v2",
        label="Architecture",
        help="The published network, without its head.",
        why="MobileNets are fast on a CPU; ResNet and EfficientNet are stronger.",
        labels={backbone.name: backbone.label for backbone in BACKBONES},
    )
    frozen_up_to: str = expert_field(
        "",
        label="Frozen up to",
        help="Layer or block inside; it and all layers before it are frozen.",
        why="Freeze all with few images; unfreeze the last blocks with more. Early "
        "layers see edges and colors, which are the same everywhere.",
    )


class InsideParameters(Plan):
    """Parameters of `inside_backbone`."""

    place: str = plan_field(
        "",
        label="Layer",
        help='Name of the layer inside the backbone whose output is used, or "before NAME" for '
        "its input.",
        why="Early layers have fine maps with edges and colors; late ones have coarse maps of "
        "objects and parts.",
    )

    @property
    def layer(self) -> str:
        """Name of the layer."""
        return self.place.removeprefix(_BEFORE)

    @property
    def side(self) -> Literal["input", "output"]:
        """The side of the layer whose features are used."""
        return "input" if self.place.startswith(_BEFORE) else "output"


_BEFORE = "before "
BACKBONE = Layer(
    name="backbone",
    label="Backbone",
    summary="A published network without its head; outputs a grid of features.",
    keras_class="",
    parameters=BackboneParameters,
    renamed={},
)

INSIDE_BACKBONE = Layer(
    name="inside_backbone",
    label="Inside a backbone",
    summary="Output of a layer inside a backbone, for networks that also need finer maps.",
    keras_class="",
    parameters=InsideParameters,
    renamed={},
)
