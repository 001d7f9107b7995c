"""Preprocessing layers without weights at the start of networks."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import field_validator

from studio.engine.networks.layers.layer import Layer, NoParameters, numbers_in
from studio.engine.plans import Plan, expert_field, plan_field


class RescalingParameters(Plan):
    """Parameters of `rescaling`: out = in * scale + offset."""

    scale: float = plan_field(
        1 / 255,
        label="Scale",
        help="Factor for every pixel; 1/255 takes 0..255 to 0..1.",
        why="Networks learn best from small numbers. 1/127.5 with an offset of -1 "
        "gives -1..1, as MobileNet expects.",
    )
    offset: float = plan_field(
        0.0,
        label="Offset",
        help="Added after the factor.",
        why="Scale 1/127.5 with offset -1 takes 0..255 to -1..1.",
    )


class ChannelScalingParameters(Plan):
    """Parameters of `channel_scaling`: out = in * scale + offset, channel by channel."""

    scale: str = plan_field(
        "1",
        label="Scale",
        help="Factor for every channel, separated by commas.",
        why="Scales each channel to the range that pretrained weights expect. One number applies "
        "to all channels.",
    )
    offset: str = plan_field(
        "0",
        label="Offset",
        help="Added to every channel, separated by commas.",
        why="Shifts each channel to the mean that pretrained weights expect, often minus the mean "
        "color.",
    )

    @field_validator("scale", "offset")
    @classmethod
    def _numbers(cls, text: str) -> str:
        numbers_in(text, float)
        return text


class CenterCropParameters(Plan):
    """Parameters of `center_crop`."""

    height: int = plan_field(
        8,
        label="Height",
        help="Height of the output.",
        why="Removes empty borders. Must not be larger than the input.",
        unit="px",
        ge=1,
    )
    width: int = plan_field(
        8,
        label="Width",
        help="Width of the output.",
        why="Removes empty borders. Must not be larger than the input.",
        unit="px",
        ge=1,
    )


class SubtractMeanParameters(Plan):
    """Parameters of `subtract_mean`: out = in - mean.

    `mean` has height x width x channels numbers in a row; height and width are 1 for a color.
    """

    mean: tuple[float, ...] = plan_field(
        (0.0,), label="Mean", help="Value to subtract.", level="hidden"
    )
    height: int = plan_field(1, label="Height", help="Height of the mean.", level="hidden", ge=1)
    width: int = plan_field(1, label="Width", help="Width of the mean.", level="hidden", ge=1)


class WhiteningParameters(Plan):
    """Parameters of `whitening`: out = (in - mean) / sqrt(variance + epsilon), per image."""

    epsilon: float = expert_field(
        1e-4,
        label="Epsilon",
        help="Added to the variance, so that an image of one color becomes zero.",
        why="Raise it if almost blank images turn into noise.",
        gt=0,
        scale="log",
    )


@dataclass(frozen=True, slots=True)
class _SubtractMean(Layer):
    def keras_arguments(self, parameters: Plan) -> dict[str, object]:
        """Return an offset of shape (height, width, channels); Keras writes arrays into files."""
        if not isinstance(parameters, SubtractMeanParameters):
            raise TypeError(f"subtract_mean received {type(parameters).__name__}.")
        import numpy as np  # noqa: PLC0415 - the window, which lists layers, starts without it

        mean = np.array(parameters.mean, np.float32)
        return {
            "scale": 1.0,
            "offset": -mean.reshape(parameters.height, parameters.width, -1),
        }


@dataclass(frozen=True, slots=True)
class _Whitening(Layer):
    def keras_arguments(self, parameters: Plan) -> dict[str, object]:
        """Return a layer normalization over a whole image, without weights."""
        if not isinstance(parameters, WhiteningParameters):
            raise TypeError(f"whitening received {type(parameters).__name__}.")
        return {
            "axis": [1, 2, 3],
            "center": False,
            "scale": False,
            "epsilon": parameters.epsilon,
        }


PREPROCESSING = (
    Layer(
        name="rescaling",
        label="Rescaling",
        summary="Scales raw pixels to the range that networks learn best with.",
        keras_class="Rescaling",
        parameters=RescalingParameters,
    ),
    Layer(
        name="channel_scaling",
        label="Scaling per channel",
        summary="Scales each channel of the pixels to its own range.",
        keras_class="Rescaling",
        parameters=ChannelScalingParameters,
        numbers={"scale": float, "offset": float},
    ),
    Layer(
        name="center_crop",
        label="Center crop",
        summary="Keeps the center of the image.",
        keras_class="CenterCrop",
        parameters=CenterCropParameters,
    ),
    _SubtractMean(
        name="subtract_mean",
        label="Subtract mean",
        summary="Subtracts the mean of the training images.",
        keras_class="Rescaling",
        parameters=SubtractMeanParameters,
        renamed={"offset": ("mean", "height", "width")},
    ),
    Layer(
        name="auto_contrast",
        label="Auto contrast",
        summary="Stretches each channel of each image to the range from 0 to 255.",
        keras_class="AutoContrast",
        parameters=NoParameters,
        # Its default is True, which the layers behind it inherit if the network is called without
        # this argument: batch normalization would then depend on the other images of the batch.
        call_arguments={"training": False},
    ),
    _Whitening(
        name="whitening",
        label="Whitening",
        summary="Normalizes each image to mean 0 and standard deviation 1.",
        keras_class="LayerNormalization",
        parameters=WhiteningParameters,
    ),
)
