"""Statistics of the training images of a run, with which images are compared.

`training-images.json` in the folder of a run holds a `Reference`, `training-features.npz` the
features of a sample of the training images.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, Field, field_validator

from studio.engine.documents import read_document, write_document
from studio.engine.files import remove

REFERENCE_NAME: Final = "training-images.json"
FEATURES_NAME: Final = "training-features.npz"
SAMPLE: Final = 256
"""Training images that are measured, and validation images at most."""
MIN_IMAGES: Final = 8
"""Training images without which nothing can be said about the usual range."""
MIN_VALIDATION: Final = 20
"""Validation images without which no distance is usual enough for a threshold."""
_MARGIN: Final = 0.25
"""Part of the range of the training images by which an image may lie outside of it: others than
those of the sample are a little beyond its extremes."""


_Scale = Annotated[float, Field(gt=0)]


class ValueRange(BaseModel, frozen=True):
    """Smallest and largest value of the training images."""

    low: float
    high: float

    def outside(self, value: float, min_margin: float) -> int:
        """Return -1 if a value is far below the range, 1 if far above, otherwise 0.

        Args:
            value: The value of an image.
            min_margin: Distance that is never far, where the training images hardly differ.
        """
        margin = max(min_margin, _MARGIN * (self.high - self.low))
        return int(value > self.high + margin) - int(value < self.low - margin)


class Reference(BaseModel, frozen=True):
    """Statistics of the training images, and how far their features are apart.

    Attributes:
        version: Version of the format.
        images: Number of training images that were measured.
        validation_images: Number of validation images that the rates were measured on.
        statistics: Range of each of `statistics.STATISTICS` by its name.
        aspect: Width divided by height of the original files; None where they are unknown, or
            where images are tiles.
        shortest: Shorter side of the smallest original file in pixels; 0 where it is unknown.
        layer: Path of the layer whose output is compared; empty if no features are.
        scales: Unit of each distance of features, see `compute.familiarity`.
        threshold: Largest usual distance of features, in these units.
        false_alarm_rate: Share of images like the training images for which differences are
            reported; None without validation images.
        statistics_false_alarm_rate: The same of the statistics alone.
    """

    version: Literal[1] = 1
    images: int = Field(ge=1)
    validation_images: int = Field(default=0, ge=0)
    statistics: dict[str, ValueRange]
    aspect: ValueRange | None = None
    shortest: int = Field(default=0, ge=0)
    layer: str = ""
    scales: tuple[_Scale, _Scale] = (1.0, 1.0)
    threshold: float = Field(default=0.0, ge=0)
    false_alarm_rate: float | None = Field(default=None, ge=0, le=1)
    statistics_false_alarm_rate: float | None = Field(default=None, ge=0, le=1)

    @field_validator("aspect")
    @classmethod
    def _is_positive(cls, aspect: ValueRange | None) -> ValueRange | None:
        if aspect is not None and not 0 < aspect.low <= aspect.high < math.inf:
            raise ValueError("width and height are positive")
        return aspect

    def without_features(self) -> Self:
        """Return the same for a model whose features are others, or cannot be seen."""
        return self.model_copy(
            update={
                "layer": "",
                "scales": (1.0, 1.0),
                "threshold": 0.0,
                "false_alarm_rate": self.statistics_false_alarm_rate,
            }
        )


def write_reference(folder: Path, reference: Reference) -> None:
    """Write the reference of a run.

    Args:
        folder: Folder of the run.
        reference: The reference.

    Raises:
        DiskFullError: No space was left.
    """
    write_document(folder / REFERENCE_NAME, reference)


def remove_reference(folder: Path) -> None:
    """Remove the reference of a run whose weights change.

    Args:
        folder: Folder of the run.
    """
    for name in (REFERENCE_NAME, FEATURES_NAME):
        remove(folder / name)


def read_reference(folder: Path) -> Reference | None:
    """Return the reference of a run; None if its training images were not measured.

    Raises:
        BadDataError: It is damaged.
    """
    return read_document(folder / REFERENCE_NAME, Reference, "reference", "Train again.")
