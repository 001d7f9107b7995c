"""Normalization of values between layers."""

from __future__ import annotations

from studio.engine.networks.layers.layer import Layer, same_names
from studio.engine.plans import Plan, plan_field


class BatchNormalizationParameters(Plan):
    """Parameters of `batch_normalization` (Ioffe and Szegedy 2015)."""

    momentum: float = plan_field(
        0.9,
        label="Momentum",
        help="How slowly the running mean and variance follow the batches.",
        why="Keras' own 0.99 needs thousands of steps before validation can be trusted; "
        "0.9 needs a few dozen.",
        level="expert",
        ge=0,
        lt=1,
    )
    epsilon: float = plan_field(
        1e-3,
        label="Epsilon",
        help="Added to the variance, so that nothing is divided by zero.",
        level="expert",
        gt=0,
        scale="log",
    )
    center: bool = plan_field(
        True, label="Shift", help="Learn an offset per channel.", level="expert"
    )
    scale: bool = plan_field(
        True, label="Scale", help="Learn a factor per channel.", level="expert"
    )


BATCH_NORMALIZATION = Layer(
    name="batch_normalization",
    label="Batch normalization",
    family="normalization",
    summary="Keeps the values of every channel around zero, which speeds learning up.",
    keras_class="BatchNormalization",
    parameters=BatchNormalizationParameters,
    arguments=same_names(BatchNormalizationParameters),
)
