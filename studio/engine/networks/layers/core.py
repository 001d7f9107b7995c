"""Layers of general use: scaling, dense, dropout, activations, joining branches."""

from __future__ import annotations

from studio.engine.networks.layers.layer import (
    ACTIVATION_LABELS,
    INITIALIZER_LABELS,
    Activation,
    Initializer,
    Layer,
    same_names,
)
from studio.engine.plans import Plan, plan_field


class NoParameters(Plan):
    """For layers that have nothing to set."""


class RescalingParameters(Plan):
    """Parameters of `rescaling`: out = in * scale + offset."""

    scale: float = plan_field(
        1 / 255, label="Scale", help="Factor for every pixel; 1/255 takes 0..255 to 0..1."
    )
    offset: float = plan_field(
        0.0,
        label="Offset",
        help="Added after the factor.",
        why="Scale 1/127.5 with offset -1 takes 0..255 to -1..1.",
    )


class DenseParameters(Plan):
    """Parameters of `dense`."""

    units: int = plan_field(64, label="Units", help="Number of outputs.", ge=1, scale="log")
    activation: Activation = plan_field(
        "linear",
        label="Activation",
        help="Function applied to every output.",
        labels=ACTIVATION_LABELS,
    )
    use_bias: bool = plan_field(
        True, label="Bias", help="Add a constant to every output.", level="expert"
    )
    kernel_initializer: Initializer = plan_field(
        "glorot_uniform",
        label="Start values",
        help="How the weights are drawn before training.",
        why="He suits ReLU, Glorot and LeCun suit tanh and softmax.",
        level="expert",
        labels=INITIALIZER_LABELS,
    )


class DropoutParameters(Plan):
    """Parameters of `dropout`."""

    rate: float = plan_field(
        0.5,
        label="Rate",
        help="Share of the values set to zero in training.",
        why="More fights over-fitting and slows learning down.",
        ge=0,
        lt=1,
    )


class ActivationParameters(Plan):
    """Parameters of `activation`."""

    activation: Activation = plan_field(
        "relu",
        label="Function",
        help="Function applied to every value.",
        labels=ACTIVATION_LABELS,
    )


class ConcatenateParameters(Plan):
    """Parameters of `concatenate`."""

    axis: int = plan_field(
        -1,
        label="Axis",
        help="Axis along which the inputs are lined up; -1 is the channels.",
        level="expert",
        ge=-3,
        le=3,
    )


RESCALING = Layer(
    name="rescaling",
    label="Rescaling",
    family="core",
    summary="Takes raw pixels to the range that the network learns best with.",
    keras_class="Rescaling",
    parameters=RescalingParameters,
    arguments=same_names(RescalingParameters),
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
DROPOUT = Layer(
    name="dropout",
    label="Dropout",
    family="core",
    summary="Sets values to zero at random in training, against over-fitting.",
    keras_class="Dropout",
    parameters=DropoutParameters,
    arguments=same_names(DropoutParameters),
)
ACTIVATION = Layer(
    name="activation",
    label="Activation",
    family="core",
    summary="Applies a function to every value.",
    keras_class="Activation",
    parameters=ActivationParameters,
    arguments=same_names(ActivationParameters),
)
ADD = Layer(
    name="add",
    label="Add",
    family="core",
    summary="Adds branches of the same shape, as residual networks do.",
    keras_class="Add",
    parameters=NoParameters,
    joins=True,
)
CONCATENATE = Layer(
    name="concatenate",
    label="Concatenate",
    family="core",
    summary="Puts the channels of branches side by side.",
    keras_class="Concatenate",
    parameters=ConcatenateParameters,
    arguments=same_names(ConcatenateParameters),
    joins=True,
)
