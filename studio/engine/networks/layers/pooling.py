"""Pooling: makes images smaller, or sums them up."""

from __future__ import annotations

from studio.engine.networks.layers.core import NoParameters
from studio.engine.networks.layers.layer import PADDING_LABELS, Layer, Padding
from studio.engine.plans import Plan, plan_field


class PoolParameters(Plan):
    """Parameters of `max_pool` and `average_pool`."""

    size: int = plan_field(2, label="Size", help="Side of the window.", unit="px", ge=1)
    stride: int | None = plan_field(
        None,
        label="Stride",
        help="Step of the window; as long as the window when empty.",
        unit="px",
        level="expert",
        ge=1,
    )
    padding: Padding = plan_field(
        "valid",
        label="Padding",
        help="Whether an incomplete window at the border counts.",
        labels=PADDING_LABELS,
        level="expert",
    )


_POOL = {"pool_size": ("size",), "strides": ("stride",), "padding": ("padding",)}

MAX_POOL = Layer(
    name="max_pool",
    label="Max pooling",
    family="pooling",
    summary="Keeps the largest value of every window.",
    keras_class="MaxPooling2D",
    parameters=PoolParameters,
    arguments=_POOL,
)
AVERAGE_POOL = Layer(
    name="average_pool",
    label="Average pooling",
    family="pooling",
    summary="Keeps the mean of every window.",
    keras_class="AveragePooling2D",
    parameters=PoolParameters,
    arguments=_POOL,
)
GLOBAL_AVERAGE_POOL = Layer(
    name="global_average_pool",
    label="Global average pooling",
    family="pooling",
    summary="One number per channel: its mean over the whole image.",
    keras_class="GlobalAveragePooling2D",
    parameters=NoParameters,
)
