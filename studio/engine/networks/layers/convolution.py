"""Windows that slide over the image: convolutions and pooling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from studio.engine.networks.layers.layer import (
    INITIALIZERS,
    PADDING_LABELS,
    Layer,
    Names,
    Padding,
    WeightsParameters,
)
from studio.engine.plans import Plan, expert_field, plan_field


class WindowParameters(WeightsParameters):
    """Parameters of all convolutions: a window that slides over the image."""

    kernel: int = plan_field(
        3,
        label="Kernel",
        help="Side of the window.",
        why="3 is usual; two layers of 3 see as far as one of 5 and cost less. "
        "Larger ones pay in the first layer.",
        unit="px",
        ge=1,
    )
    kernel_width: int | None = expert_field(
        None,
        label="Kernel width",
        help="Width of the window if it is not square.",
        why="A 3x1 window followed by a 1x3 window is cheaper than 3x3.",
        unit="px",
        ge=1,
    )
    stride: int = plan_field(
        1,
        label="Stride",
        help="Step of the window; 2 halves the image.",
        why="2 makes everything after it four times cheaper and keeps less detail.",
        unit="px",
        ge=1,
    )
    padding: Padding = plan_field(
        "same",
        label="Padding",
        help="Add a border of zeros to keep the size of the image.",
        why="Same keeps the size; valid makes the image smaller by the window size minus one.",
        labels=PADDING_LABELS,
    )
    dilation: int = expert_field(
        1,
        label="Dilation",
        help="Distance between the pixels of the window; more than 1 needs stride 1.",
        why="Enlarges the receptive field at the same cost without reducing the image.",
        unit="px",
        ge=1,
    )


class FiltersParameters(WindowParameters):
    """Parameters of `separable_conv2d` and `conv2d_transpose`."""

    filters: int = plan_field(
        32,
        label="Filters",
        help="Number of output channels.",
        why="More filters detect more patterns but cost time and memory. Double them where the "
        "image is halved.",
        ge=1,
        scale="log",
    )


class ConvolutionParameters(FiltersParameters):
    """Parameters of `conv2d`."""

    groups: int = expert_field(
        1,
        label="Groups",
        help="Groups of channels that are convolved apart; channels and filters must divide.",
        why="2 halves weights and work. As many groups as channels is a depthwise convolution.",
        ge=1,
    )
    bias_start: float = expert_field(
        0.0,
        label="Initial bias",
        help="Initial value of every bias.",
        why="-4.6 before a sigmoid starts with a probability of 1 %, as detectors do, whose "
        "classes are rare.",
    )


class DepthwiseParameters(WindowParameters):
    """Parameters of `depthwise_conv2d`."""

    depth_multiplier: int = plan_field(
        1,
        label="Filters per channel",
        help="Outputs per input channel.",
        why="1 is usual; a 1x1 convolution after it mixes the channels and sets their number.",
        ge=1,
    )


_WINDOW: dict[str, Names] = {
    "kernel_size": ("kernel", "kernel_width"),
    "strides": ("stride",),
    "padding": ("padding",),
    "dilation_rate": ("dilation",),
    "activation": ("activation",),
    "use_bias": ("use_bias",),
}

_BIAS = "bias_initializer"


@dataclass(frozen=True, slots=True)
class _Convolution(Layer):
    def keras_arguments(self, parameters: Plan) -> dict[str, object]:
        """Return the arguments of the Keras layer, with the initializer of the bias."""
        if not isinstance(parameters, ConvolutionParameters):
            raise TypeError(f"{self.name} received {type(parameters).__name__}.")
        start: object = "zeros"
        if parameters.bias_start:
            start = {
                "module": INITIALIZERS,
                "class_name": "Constant",
                "config": {"value": parameters.bias_start},
                "registered_name": None,
            }
        return Layer.keras_arguments(self, parameters) | {_BIAS: start}

    def values_from(self, config: Mapping[str, object]) -> dict[str, object]:
        """Return the parameters, with the initial value of the bias."""
        start = config.get(_BIAS)
        others = {argument: value for argument, value in config.items() if argument != _BIAS}
        values = Layer.values_from(self, others)
        if isinstance(start, Mapping) and "value" in start["config"]:
            values["bias_start"] = start["config"]["value"]
        return values


CONVOLUTIONS = (
    _Convolution(
        name="conv2d",
        label="Convolution",
        summary="Detects the same small patterns everywhere in the image.",
        keras_class="Conv2D",
        parameters=ConvolutionParameters,
        renamed=_WINDOW
        | {
            "filters": ("filters",),
            "groups": ("groups",),
            "kernel_initializer": ("kernel_initializer",),
            _BIAS: ("bias_start",),
        },
    ),
    Layer(
        name="depthwise_conv2d",
        label="Depthwise convolution",
        summary="One window per channel; cheap, and does not mix channels.",
        keras_class="DepthwiseConv2D",
        parameters=DepthwiseParameters,
        renamed=_WINDOW
        | {
            "depth_multiplier": ("depth_multiplier",),
            "depthwise_initializer": ("kernel_initializer",),
        },
    ),
    Layer(
        name="separable_conv2d",
        label="Separable convolution",
        summary="A depthwise convolution and a 1x1 convolution in one; "
        "much cheaper than a plain one.",
        keras_class="SeparableConv2D",
        parameters=FiltersParameters,
        renamed=_WINDOW
        | {
            "filters": ("filters",),
            "depthwise_initializer": ("kernel_initializer",),
            "pointwise_initializer": ("kernel_initializer",),
        },
    ),
    Layer(
        name="conv2d_transpose",
        label="Transposed convolution",
        summary="Enlarges the image with learned weights.",
        keras_class="Conv2DTranspose",
        parameters=FiltersParameters,
        renamed=_WINDOW | {"filters": ("filters",), "kernel_initializer": ("kernel_initializer",)},
    ),
)


# Pooling: makes images smaller, or sums them up.


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
    stride: int | None = expert_field(
        None,
        label="Stride",
        help="Step of the window; as long as the window when empty.",
        why="Smaller than the window makes windows overlap, as in AlexNet (3 and 2).",
        unit="px",
        ge=1,
    )
    padding: Padding = expert_field(
        "valid",
        label="Padding",
        help="Include incomplete windows at the border.",
        why="Same keeps the last row and column if the size is odd.",
        labels=PADDING_LABELS,
    )


class GlobalPoolParameters(Plan):
    """Parameters of the pooling over the whole image."""

    keepdims: bool = expert_field(
        False,
        label="Keep the axes",
        help="Give an image of one pixel instead of a row of channels.",
        why="Following convolutions and gates need an image.",
    )


_POOL: dict[str, Names] = {"pool_size": ("size",), "strides": ("stride",), "padding": ("padding",)}

POOLING = (
    Layer(
        name="max_pool",
        label="Max pooling",
        summary="Returns the maximum of each window.",
        keras_class="MaxPooling2D",
        parameters=PoolParameters,
        renamed=_POOL,
    ),
    Layer(
        name="average_pool",
        label="Average pooling",
        summary="Returns the mean of each window.",
        keras_class="AveragePooling2D",
        parameters=PoolParameters,
        renamed=_POOL,
    ),
    Layer(
        name="global_average_pool",
        label="Global average pooling",
        summary="One number per channel: its mean over the whole image.",
        keras_class="GlobalAveragePooling2D",
        parameters=GlobalPoolParameters,
    ),
    Layer(
        name="global_max_pool",
        label="Global max pooling",
        summary="One number per channel: its maximum over the whole image.",
        keras_class="GlobalMaxPooling2D",
        parameters=GlobalPoolParameters,
    ),
)
