"""Layers of general use: dense, flatten, activations, normalization, and against over-fitting."""

from __future__ import annotations

from typing import Literal

from studio.engine.networks.layers import layer
from studio.engine.plans import Plan, expert_field, plan_field


class DenseParameters(layer.WeightsParameters):
    """Parameters of `dense`."""

    units: int = plan_field(
        64,
        label="Units",
        help="Number of outputs.",
        why="The last layer needs one unit per class. In earlier layers, more units learn more, "
        "but overfit sooner.",
        ge=1,
        scale="log",
    )


CORE = (
    layer.Layer(
        name="flatten",
        label="Flatten",
        summary="Flattens all values of an image into one vector.",
        keras_class="Flatten",
        parameters=layer.NoParameters,
    ),
    layer.Layer(
        name="dense",
        label="Dense",
        summary="Every output is a weighted sum of all inputs.",
        keras_class="Dense",
        parameters=DenseParameters,
    ),
)


# Functions applied to every value.


class ActivationParameters(Plan):
    """Parameters of `activation`."""

    activation: layer.Activation = plan_field(
        "relu",
        label="Function",
        help="Function applied to every value.",
        why="Without one, consecutive layers are equivalent to one layer. ReLU is a good default; "
        "softmax gives probabilities.",
        labels=layer.ACTIVATION_LABELS,
    )


class ReluParameters(Plan):
    """Parameters of `relu`: out = max(in, 0), up to a limit."""

    max_value: float | None = plan_field(
        None,
        label="Limit",
        help="Maximum output; empty for no limit.",
        why="6 keeps the values in the range of small number formats, as in MobileNet.",
        gt=0,
    )


class LeakyReluParameters(Plan):
    """Parameters of `leaky_relu`: out = in where positive, slope * in elsewhere."""

    negative_slope: float = plan_field(
        0.3,
        label="Slope",
        help="Factor for negative values.",
        why="0.01 to 0.3 is usual; values above 0 prevent dead neurons.",
        within=(0, 1),
    )


class PreluParameters(Plan):
    """Parameters of `prelu` (He et al. 2015): a leaky ReLU that learns its slopes."""

    shared_axes: Literal["1, 2", "1"] = expert_field(
        "1, 2",
        label="Shared along",
        help="Axes of the image that share a slope.",
        why="Sharing along height and width leaves one slope per channel: fewer weights, and any "
        "image size works.",
        labels={"1, 2": "Height and width: one slope per channel", "1": "Height only"},
    )


ACTIVATIONS = (
    layer.Layer(
        name="activation",
        label="Activation",
        summary="Applies a function to every value.",
        keras_class="Activation",
        parameters=ActivationParameters,
    ),
    layer.Layer(
        name="relu",
        label="ReLU with a limit",
        summary="Sets negative values to zero and limits large values.",
        keras_class="ReLU",
        parameters=ReluParameters,
    ),
    layer.Layer(
        name="leaky_relu",
        label="Leaky ReLU",
        summary="Scales negative values down instead of setting them to zero.",
        keras_class="LeakyReLU",
        parameters=LeakyReluParameters,
    ),
    layer.Layer(
        name="prelu",
        label="Parametric ReLU",
        summary="A leaky ReLU with a learned slope per channel.",
        keras_class="PReLU",
        parameters=PreluParameters,
        numbers={"shared_axes": int},
    ),
    layer.Layer(
        name="softmax",
        label="Softmax",
        summary="Turns the values of the last axis into probabilities.",
        keras_class="Softmax",
        parameters=layer.NoParameters,
    ),
)


# Normalization of values between layers.


class NormalizationParameters(Plan):
    """Parameters of all normalizations."""

    epsilon: float = expert_field(
        1e-3,
        label="Epsilon",
        help="Added to the variance, so that nothing is divided by zero.",
        why="Raise it to 0.001 if the loss becomes infinite with 16-bit numbers.",
        gt=0,
        scale="log",
    )
    center: bool = expert_field(
        True,
        label="Shift",
        help="Learn an offset per channel.",
        why="Turn it off if the next layer adds an offset, to save a few weights.",
    )
    scale: bool = expert_field(
        True,
        label="Scale",
        help="Learn a factor per channel.",
        why="Turn it off if the next layer multiplies, directly or after a ReLU, to save a few "
        "weights.",
    )


class BatchNormalizationParameters(NormalizationParameters):
    """Parameters of `batch_normalization` (Ioffe and Szegedy 2015)."""

    momentum: float = expert_field(
        0.9,
        label="Momentum",
        help="Momentum of the running mean and variance.",
        why="Keras' own 0.99 needs thousands of steps before validation can be trusted; "
        "0.9 needs a few dozen.",
        right_open=(0, 1),
    )


class GroupNormalizationParameters(NormalizationParameters):
    """Parameters of `group_normalization` (Wu and He 2018)."""

    groups: int = plan_field(
        1,
        label="Groups",
        help="Number of groups of channels; the channels must divide evenly.",
        why="32 is usual; as many groups as channels normalize each channel separately.",
        ge=1,
    )


NORMALIZATION = (
    layer.Layer(
        name="batch_normalization",
        label="Batch normalization",
        summary="Normalizes each channel, which speeds up training.",
        keras_class="BatchNormalization",
        parameters=BatchNormalizationParameters,
    ),
    layer.Layer(
        name="layer_normalization",
        label="Layer normalization",
        summary="Normalizes each position over its channels; the same in training and prediction.",
        keras_class="LayerNormalization",
        parameters=NormalizationParameters,
    ),
    layer.Layer(
        name="group_normalization",
        label="Group normalization",
        summary="Normalizes groups of channels per image; for batches too small for batch norm.",
        keras_class="GroupNormalization",
        parameters=GroupNormalizationParameters,
    ),
)


# Layers that act in training only, against overfitting.


class DropoutParameters(Plan):
    """Parameters of `dropout` and `spatial_dropout`."""

    rate: float = plan_field(
        0.5,
        label="Rate",
        help="Fraction of the values set to zero in training.",
        why="More reduces overfitting but slows training down.",
        right_open=(0, 1),
    )


class GaussianNoiseParameters(Plan):
    """Parameters of `gaussian_noise`."""

    stddev: float = plan_field(
        0.1,
        label="Strength",
        help="Standard deviation of the noise, in the units of what comes in.",
        why="Up to a tenth of the standard deviation of the input keeps a network from relying on "
        "exact values.",
        within=(0, 1000),
    )


REGULARIZATION = (
    layer.Layer(
        name="dropout",
        label="Dropout",
        summary="Sets random values to zero in training, against overfitting.",
        keras_class="Dropout",
        parameters=DropoutParameters,
    ),
    layer.Layer(
        name="spatial_dropout",
        label="Spatial dropout",
        summary="Sets random channels to zero in training; for convolutions.",
        keras_class="SpatialDropout2D",
        parameters=DropoutParameters,
    ),
    layer.Layer(
        name="gaussian_noise",
        label="Gaussian noise",
        summary="Adds noise in training, so that the network ignores small changes.",
        keras_class="GaussianNoise",
        parameters=GaussianNoiseParameters,
    ),
)
