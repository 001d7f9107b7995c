"""Functions applied to every value."""

from __future__ import annotations

from typing import Literal

from studio.engine.networks.layers.layer import (
    ACTIVATION_LABELS,
    Activation,
    Layer,
    NoParameters,
    same_names,
)
from studio.engine.plans import Plan, plan_field


class ActivationParameters(Plan):
    """Parameters of `activation`."""

    activation: Activation = plan_field(
        "relu",
        label="Function",
        help="Function applied to every value.",
        why="Without one, layers in a row are no more than one layer. ReLU is a "
        "good default; softmax makes shares that add up to 1.",
        labels=ACTIVATION_LABELS,
    )


class ReluParameters(Plan):
    """Parameters of `relu`: out = max(in, 0), up to a limit."""

    max_value: float | None = plan_field(
        None,
        label="Limit",
        help="Largest value that comes out; none when empty.",
        why="6 keeps the values in the range of small number formats, as in MobileNet.",
        gt=0,
    )


class LeakyReluParameters(Plan):
    """Parameters of `leaky_relu`: out = in where positive, slope * in elsewhere."""

    negative_slope: float = plan_field(
        0.3,
        label="Slope",
        help="Factor for what is below zero.",
        why="Above 0, no neuron can fall silent for good; 0.01 to 0.3 is usual.",
        ge=0,
        le=1,
    )


class PreluParameters(Plan):
    """Parameters of `prelu` (He et al. 2015): a leaky ReLU that learns its slopes."""

    shared_axes: Literal["1, 2", "1"] = plan_field(
        "1, 2",
        label="Shared along",
        help="Places of the image that have one slope in common.",
        why="Sharing along height and width leaves one slope per channel: fewer "
        "weights, and any image size will do.",
        level="expert",
        labels={"1, 2": "Height and width: one slope per channel", "1": "Height only"},
    )


ACTIVATION = Layer(
    name="activation",
    label="Activation",
    family="activation",
    summary="Applies a function to every value.",
    keras_class="Activation",
    parameters=ActivationParameters,
    arguments=same_names(ActivationParameters),
)
RELU = Layer(
    name="relu",
    label="ReLU with a limit",
    family="activation",
    summary="Cuts off what is below zero, and above a limit.",
    keras_class="ReLU",
    parameters=ReluParameters,
    arguments=same_names(ReluParameters),
)
LEAKY_RELU = Layer(
    name="leaky_relu",
    label="Leaky ReLU",
    family="activation",
    summary="Makes what is below zero small instead of cutting it off.",
    keras_class="LeakyReLU",
    parameters=LeakyReluParameters,
    arguments=same_names(LeakyReluParameters),
)
PRELU = Layer(
    name="prelu",
    label="Parametric ReLU",
    family="activation",
    summary="A leaky ReLU that learns how leaky each channel is.",
    keras_class="PReLU",
    parameters=PreluParameters,
    arguments=same_names(PreluParameters),
    numbers={"shared_axes": int},
)
SOFTMAX = Layer(
    name="softmax",
    label="Softmax",
    family="activation",
    summary="Turns the values of the last axis into probabilities.",
    keras_class="Softmax",
    parameters=NoParameters,
)
