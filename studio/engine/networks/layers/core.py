"""Layers of general use: dense and flatten."""

from __future__ import annotations

from studio.engine.networks.layers.layer import (
    Layer,
    NoParameters,
    WeightsParameters,
    same_names,
)
from studio.engine.plans import plan_field


class DenseParameters(WeightsParameters):
    """Parameters of `dense`."""

    units: int = plan_field(
        64,
        label="Units",
        help="Number of outputs.",
        why="The last layer needs one per class. Before it, more learn more, and "
        "learn by heart sooner.",
        ge=1,
        scale="log",
    )


FLATTEN = Layer(
    name="flatten",
    label="Flatten",
    family="core",
    summary="Lines all values of an image up in one row.",
    keras_class="Flatten",
    parameters=NoParameters,
)
DENSE = Layer(
    name="dense",
    label="Dense",
    family="core",
    summary="Every output is a weighted sum of all inputs.",
    keras_class="Dense",
    parameters=DenseParameters,
    arguments=same_names(DenseParameters),
)
