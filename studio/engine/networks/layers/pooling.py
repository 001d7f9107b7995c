"""Pooling: makes images smaller, or sums them up."""

from __future__ import annotations

from studio.engine.networks.layers.layer import PADDING_LABELS, Layer, Names, Padding, same_names
from studio.engine.plans import Plan, plan_field


class PoolParameters(Plan):
    """Parameters of `max_pool` and `average_pool`."""

    size: int = plan_field(
        2,
        label="Size",
        help="Side of the window.",
        why="2 halves the image, which makes what follows four times cheaper.",
        unit="px",
        ge=1,
    )
    stride: int | None = plan_field(
        None,
        label="Stride",
        help="Step of the window; as long as the window when empty.",
        why="Smaller than the window makes windows overlap, as in AlexNet (3 and 2).",
        unit="px",
        level="expert",
        ge=1,
    )
    padding: Padding = plan_field(
        "valid",
        label="Padding",
        help="Whether an incomplete window at the border counts.",
        why="Same keeps the last row and column where the size is odd.",
        labels=PADDING_LABELS,
        level="expert",
    )


class GlobalPoolParameters(Plan):
    """Parameters of the pooling over the whole image."""

    keepdims: bool = plan_field(
        False,
        label="Keep the axes",
        help="Give an image of one pixel instead of a row of channels.",
        why="Convolutions and gates that follow need an image.",
        level="expert",
    )


_POOL: dict[str, Names] = {"pool_size": ("size",), "strides": ("stride",), "padding": ("padding",)}

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
    parameters=GlobalPoolParameters,
    arguments=same_names(GlobalPoolParameters),
)
GLOBAL_MAX_POOL = Layer(
    name="global_max_pool",
    label="Global max pooling",
    family="pooling",
    summary="One number per channel: its largest value in the whole image.",
    keras_class="GlobalMaxPooling2D",
    parameters=GlobalPoolParameters,
    arguments=same_names(GlobalPoolParameters),
)
