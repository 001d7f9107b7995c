"""Layers that make one of several branches."""

from __future__ import annotations

from studio.engine.networks.layers.layer import Layer, NoParameters, same_names
from studio.engine.plans import Plan, plan_field


class ConcatenateParameters(Plan):
    """Parameters of `concatenate`."""

    axis: int = plan_field(
        -1,
        label="Axis",
        help="Axis along which the inputs are lined up; -1 is the channels.",
        why="The channels are usual: all other sides must then be the same.",
        level="expert",
        ge=-3,
        le=3,
    )


def _merging(name: str, label: str, keras_class: str, summary: str) -> Layer:
    return Layer(
        name=name,
        label=label,
        family="merging",
        summary=summary,
        keras_class=keras_class,
        parameters=NoParameters,
        joins=True,
    )


ADD = _merging("add", "Add", "Add", "Adds branches of the same shape, as residual networks do.")
SUBTRACT = _merging("subtract", "Subtract", "Subtract", "Takes the second branch from the first.")
MULTIPLY = _merging(
    "multiply",
    "Multiply",
    "Multiply",
    "Multiplies branches value by value, as gates and attention do.",
)
AVERAGE = _merging("average", "Average", "Average", "The mean of branches of the same shape.")
MAXIMUM = _merging("maximum", "Maximum", "Maximum", "The largest value of all branches.")
MINIMUM = _merging("minimum", "Minimum", "Minimum", "The smallest value of all branches.")
CONCATENATE = Layer(
    name="concatenate",
    label="Concatenate",
    family="merging",
    summary="Puts the channels of branches side by side.",
    keras_class="Concatenate",
    parameters=ConcatenateParameters,
    arguments=same_names(ConcatenateParameters),
    joins=True,
)
