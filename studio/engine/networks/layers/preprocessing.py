"""What networks do to images before they look at them; without weights."""

from __future__ import annotations

from dataclasses import dataclass

from studio.engine.networks.layers.layer import Layer, same_names
from studio.engine.plans import Plan, plan_field


class CenterCropParameters(Plan):
    """Parameters of `center_crop`."""

    height: int = plan_field(8, label="Height", help="Height of what is kept.", unit="px", ge=1)
    width: int = plan_field(8, label="Width", help="Width of what is kept.", unit="px", ge=1)


class SubtractMeanParameters(Plan):
    """Parameters of `subtract_mean`: out = in - mean.

    `mean` has height x width x channels numbers in a row; height and width are 1 for a color.
    """

    mean: tuple[float, ...] = plan_field(
        (0.0,), label="Mean", help="What is subtracted.", level="hidden"
    )
    height: int = plan_field(1, label="Height", help="Height of the mean.", level="hidden", ge=1)
    width: int = plan_field(1, label="Width", help="Width of the mean.", level="hidden", ge=1)


class WhiteningParameters(Plan):
    """Parameters of `whitening`: out = (in - mean) / sqrt(variance + epsilon), per image."""

    epsilon: float = plan_field(
        1e-4,
        label="Epsilon",
        help="Added to the variance, so that an image of one color becomes zero.",
        level="expert",
        gt=0,
        scale="log",
    )


@dataclass(frozen=True, slots=True)
class _SubtractMean(Layer):
    def keras_arguments(self, parameters: Plan) -> dict[str, object]:
        """An offset of shape (height, width, channels); Keras writes arrays into files."""
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
        """A layer normalization over all of an image, with nothing to learn."""
        if not isinstance(parameters, WhiteningParameters):
            raise TypeError(f"whitening received {type(parameters).__name__}.")
        return {
            "axis": [1, 2, 3],
            "center": False,
            "scale": False,
            "epsilon": parameters.epsilon,
        }


CENTER_CROP = Layer(
    name="center_crop",
    label="Center crop",
    family="core",
    summary="Keeps the middle of the image.",
    keras_class="CenterCrop",
    parameters=CenterCropParameters,
    arguments=same_names(CenterCropParameters),
)
SUBTRACT_MEAN = _SubtractMean(
    name="subtract_mean",
    label="Subtract mean",
    family="normalization",
    summary="Takes the mean of the training images away.",
    keras_class="Rescaling",
    parameters=SubtractMeanParameters,
    arguments={"offset": ("mean", "height", "width")},
)
WHITENING = _Whitening(
    name="whitening",
    label="Whitening",
    family="normalization",
    summary="Gives every image the mean 0 and the standard deviation 1.",
    keras_class="LayerNormalization",
    parameters=WhiteningParameters,
    arguments=same_names(WhiteningParameters),
)
