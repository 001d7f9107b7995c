"""The layer that joins the maps of a detector to one list of positions."""

from __future__ import annotations

from studio.engine.networks.layers.layer import Layer, NoParameters

BOX_HEAD = Layer(
    name="box_head",
    label="Box head",
    summary="Joins the maps of a detector: for each level, the finest first, a map of the classes "
    "and a map of the distances to the four sides.",
    keras_class="",
    parameters=NoParameters,
    joins=True,
)
SIDES = "softplus"
"""Usual activation of the distances, in strides of their level."""
POSITIVE = ("softplus", "relu", "relu6", "sigmoid", "hard_sigmoid")
"""Activations that give no negative distances."""


def class_maps(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """Return those inputs of a box head that are maps of classes."""
    return inputs[::2]


def distance_maps(inputs: tuple[str, ...]) -> tuple[str, ...]:
    """Return those inputs of a box head that are maps of distances."""
    return inputs[1::2]
