"""Layers that act in training only, so that a network does not learn its images by heart."""

from __future__ import annotations

from studio.engine.networks.layers.layer import Layer, same_names
from studio.engine.plans import Plan, plan_field


class DropoutParameters(Plan):
    """Parameters of `dropout` and `spatial_dropout`."""

    rate: float = plan_field(
        0.5,
        label="Rate",
        help="Share of the values set to zero in training.",
        why="More fights over-fitting and slows learning down.",
        ge=0,
        lt=1,
    )


class GaussianNoiseParameters(Plan):
    """Parameters of `gaussian_noise`."""

    stddev: float = plan_field(
        0.1,
        label="Strength",
        help="Standard deviation of the noise, in the units of what comes in.",
        why="Up to a tenth of the spread of what comes in keeps a network from "
        "relying on exact values.",
        ge=0,
        le=1000,
    )


DROPOUT = Layer(
    name="dropout",
    label="Dropout",
    family="regularization",
    summary="Sets values to zero at random in training, against over-fitting.",
    keras_class="Dropout",
    parameters=DropoutParameters,
    arguments=same_names(DropoutParameters),
)
SPATIAL_DROPOUT = Layer(
    name="spatial_dropout",
    label="Spatial dropout",
    family="regularization",
    summary="Sets whole channels to zero at random in training; for convolutions.",
    keras_class="SpatialDropout2D",
    parameters=DropoutParameters,
    arguments=same_names(DropoutParameters),
)
GAUSSIAN_NOISE = Layer(
    name="gaussian_noise",
    label="Gaussian noise",
    family="regularization",
    summary="Adds noise in training, so that small changes do not matter.",
    keras_class="GaussianNoise",
    parameters=GaussianNoiseParameters,
    arguments=same_names(GaussianNoiseParameters),
)
