"""Expectations of model files that Studio did not make: pixels and class names.

A model file usually stores neither. They come from the user, from the layers of the model, or
from a file beside it; what stays unknown is assumed, and each prediction carries a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.inference.class_names import (
    class_file_beside,
    class_names_inside,
    class_names_of,
    distinct,
    read_class_names,
)
from studio.engine.messages import Text, as_message, joined, message
from studio.engine.networks.backbones import CAFFE_MEAN, TORCH_DEVIATION, TORCH_MEAN

Preprocessing = Literal["none", "0..1", "-1..1", "imagenet-caffe", "imagenet-torch"]
PREPROCESSING: Final[dict[str, str]] = {
    "none": "Raw pixels, 0 to 255",
    "0..1": "0 to 1",
    "-1..1": "-1 to 1",
    "imagenet-caffe": "ImageNet, Caffe: BGR less the mean color",
    "imagenet-torch": "ImageNet, PyTorch: mean and standard deviation",
}
"""Labels of the ways in which pixels are prepared for a model; see `affine_of`."""
COLOR_ONLY: Final = ("imagenet-caffe", "imagenet-torch")

UNKNOWN_SCALE: Final = (
    "The model does not scale pixels and receives raw pixels from 0 to 255. If it was trained on "
    "another range, its predictions are wrong. Choose the preprocessing that it was trained with."
)
UNSEEN_SCALE: Final = (
    "The file does not show whether the model scales pixels. The model receives raw pixels from 0 "
    "to 255. If it expects another range, its predictions are wrong. Choose the preprocessing "
    "that it was trained with."
)
SCALED_TWICE: Final = (
    "The model scales pixels itself, and the chosen preprocessing scales them as well."
)
UNNAMED: Final = (
    "The file does not name the classes of the model, so they have numbers. Choose a file with "
    "the class names."
)
DATASET_NAMES: Final = (
    "The model file does not name its classes; those of the dataset are used in order."
)
CONVERTED: Final = "The scores of the model were converted to probabilities that sum to 1."


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Facts about a model file that its user knows.

    Attributes:
        preprocessing: One of `PREPROCESSING`; None if unknown.
        classes: Class names in the order of the outputs; empty if unknown.
    """

    preprocessing: Preprocessing | None = None
    classes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, preprocessing: str | None = None, classes: str | Path | Sequence[str] = ()
    ) -> ModelOptions:
        """Return checked options.

        Args:
            preprocessing: One of `PREPROCESSING`; None or empty if unknown.
            classes: Class names, a file with them, or a text with commas; empty if unknown.

        Raises:
            StudioError: There is no such preprocessing, or the names cannot be used.
        """
        if preprocessing and preprocessing not in get_args(Preprocessing):
            raise StudioError(
                'There is no preprocessing "{name}".',
                did_you_mean(preprocessing, PREPROCESSING)
                or message("Choose one of: {names}.", names=", ".join(PREPROCESSING)),
                "preprocessing",
                name=preprocessing,
            )
        names: tuple[str, ...] = ()
        if isinstance(classes, str | Path):
            names = class_names_of(str(classes)) if str(classes) else ()
        elif classes:
            names = distinct(classes, ", ".join(classes))
        return cls(preprocessing or None, names)  # type: ignore[arg-type]  # checked above

    def require_foreign(self, name: str) -> None:
        """Refuse options for a model whose pixels and classes Studio knows.

        Args:
            name: Name of the model.

        Raises:
            StudioError: There are options.
        """
        given = [
            as_message(word)
            for word, value in (("preprocessing", self.preprocessing), ("classes", self.classes))
            if value
        ]
        if given:
            raise StudioError(
                "Studio knows the preprocessing and the classes of {model}; received: {options}.",
                "Leave them out: they are for model files of other programs.",
                "preprocessing" if self.preprocessing else "classes",
                model=name,
                options=joined(given, ", "),
            )

    def classes_for(self, path: Path) -> tuple[tuple[str, ...], str]:
        """Return the class names of a model file, and the name of the file that they are from.

        Args:
            path: The model.

        Raises:
            BadDataError: The file beside it cannot be used, or there are two that differ.
        """
        if self.classes:
            return self.classes, ""
        beside = class_file_beside(path)
        if beside is None:
            return class_names_inside(path), ""
        return read_class_names(beside), beside.name


@dataclass(frozen=True, slots=True)
class PixelScaling:
    """Preparation of pixels: `out = in * scale + offset`, channel by channel.

    Attributes:
        scale: One number, or one for each channel.
        offset: As many addends.
        is_bgr: True if the order of the channels is reversed first.
    """

    scale: tuple[float, ...]
    offset: tuple[float, ...]
    is_bgr: bool = False


def affine_of(preprocessing: Preprocessing) -> PixelScaling | None:
    """Return the numbers of a preprocessing; None where pixels stay as they are."""
    if preprocessing == "0..1":
        return PixelScaling((1 / 255,), (0.0,))
    if preprocessing == "-1..1":
        return PixelScaling((1 / 127.5,), (-1.0,))
    if preprocessing == "imagenet-caffe":
        return PixelScaling((1.0,) * 3, tuple(-mean for mean in reversed(CAFFE_MEAN)), is_bgr=True)
    if preprocessing == "imagenet-torch":
        colors = list(zip(TORCH_MEAN, TORCH_DEVIATION, strict=True))
        return PixelScaling(
            tuple(1 / 255 / deviation for _, deviation in colors),
            tuple(-mean / deviation for mean, deviation in colors),
        )
    return None


def require_color(preprocessing: Preprocessing | None, channels: int) -> None:
    """Refuse a preprocessing for color images where a model takes gray ones.

    Args:
        preprocessing: The chosen one; None if unknown.
        channels: Channels of the images of the model.

    Raises:
        StudioError: The preprocessing is for color, and the model takes gray images.
    """
    if preprocessing in COLOR_ONLY and channels != 3:
        raise StudioError(
            "The preprocessing {name} is for color images; the model takes gray ones.",
            "Choose another preprocessing.",
            "preprocessing",
            name=preprocessing,
        )


def scale_warnings(preprocessing: Preprocessing | None, *, scales_itself: bool) -> list[Text]:
    """Return what a reader of the predictions should know about the pixels of a model.

    Args:
        preprocessing: The chosen one; None if unknown.
        scales_itself: True if the model scales raw pixels, see `pixel_range.scales_pixels`.
    """
    if preprocessing is None:
        return [] if scales_itself else [UNKNOWN_SCALE]
    return [SCALED_TWICE] if scales_itself and preprocessing != "none" else []
