"""Normalization of values between layers."""

from __future__ import annotations

from studio.engine.networks.layers.layer import Layer, same_names
from studio.engine.plans import Plan, plan_field


class NormalizationParameters(Plan):
    """What the normalizations share."""

    epsilon: float = plan_field(
        1e-3,
        label="Epsilon",
        help="Added to the variance, so that nothing is divided by zero.",
        why="Raise it to 0.001 when the loss becomes infinite with 16-bit numbers; else leave it.",
        level="expert",
        gt=0,
        scale="log",
    )
    center: bool = plan_field(
        True,
        label="Shift",
        help="Learn an offset per channel.",
        why="Off saves a few weights where another layer adds an offset right after.",
        level="expert",
    )
    scale: bool = plan_field(
        True,
        label="Scale",
        help="Learn a factor per channel.",
        why="Off saves a few weights where another layer multiplies right after, "
        "or with a ReLU between.",
        level="expert",
    )


class BatchNormalizationParameters(NormalizationParameters):
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


class GroupNormalizationParameters(NormalizationParameters):
    """Parameters of `group_normalization` (Wu and He 2018)."""

    groups: int = plan_field(
        1,
        label="Groups",
        help="Number of groups of channels; the channels must divide evenly.",
        why="32 is usual; as many groups as channels treat every channel by itself.",
        ge=1,
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
LAYER_NORMALIZATION = Layer(
    name="layer_normalization",
    label="Layer normalization",
    family="normalization",
    summary="Normalizes every place by itself over its channels; the same in training and use.",
    keras_class="LayerNormalization",
    parameters=NormalizationParameters,
    arguments=same_names(NormalizationParameters),
)
GROUP_NORMALIZATION = Layer(
    name="group_normalization",
    label="Group normalization",
    family="normalization",
    summary="Normalizes groups of channels per image; for batches too small for batch norm.",
    keras_class="GroupNormalization",
    parameters=GroupNormalizationParameters,
    arguments=same_names(GroupNormalizationParameters),
)
