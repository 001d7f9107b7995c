"""The prediction of a network for one image, in the terms of its task."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

SAME_ANSWER: Final = 1 / 20
"""Largest difference of numbers that are the same answer, in scales of the model card."""
ROUNDING: Final = 1e-6
"""Largest relative difference of numbers that comes from another order of computation."""


class Calibration(BaseModel, frozen=True):
    """Calibration of the outputs of a network on validation images.

    Attributes:
        thresholds: From which probability on each label is given, K; empty for one half.
        margins: Half the width of the prediction interval of each quantity, in its unit, K.
        level: Share of validation images whose true values lie inside the intervals.
        images: Number of validation images.
    """

    thresholds: tuple[float, ...] = ()
    margins: tuple[float, ...] = ()
    level: float = 0.95
    images: int = 0


class ClassScore(BaseModel, frozen=True):
    """Confidence of a model in a class or label.

    Attributes:
        label: The class or label.
        score: The output of the model, 0 to 1.
        threshold: From which score on a label is given; None where the highest score wins.
    """

    label: str
    score: float
    threshold: float | None = None


class TargetValue(BaseModel, frozen=True):
    """A predicted quantity with its prediction interval, in its unit."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    unit: str = ""


class ClassArea(BaseModel, frozen=True):
    """Pixels of a picture that are predicted as a class.

    Attributes:
        label: The class.
        pixels: Number of pixels.
        share: Share of all pixels with a class, 0 to 1.
    """

    label: str
    pixels: int
    share: float


class FoundBox(BaseModel, frozen=True):
    """A predicted object; its sides are in pixels of the picture.

    Attributes:
        label: Its class.
        score: Confidence of the model, 0 to 1.
        left: Left side.
        top: Top side.
        right: Right side.
        bottom: Bottom side.
        threshold: From which score on objects of the class are given.
    """

    label: str
    score: float
    left: float
    top: float
    right: float
    bottom: float
    threshold: float = 0.0

    @property
    def is_given(self) -> bool:
        """True if its score reaches the threshold; others are candidates."""
        return self.score >= self.threshold


class Answer(BaseModel, frozen=True):
    """The answer for one image.

    Attributes:
        scores: Classes or labels, the highest score first; of objects the highest score of each
            class.
        labels: Names of those that are given, of labels.
        values: Quantities, in the order of the outputs.
        areas: Areas of the classes of a mask, in the order of the outputs.
        mask: The class of each pixel as a PNG file in base64, its palette the colors of the
            classes; empty without a mask. Pixels that the model did not see are `IGNORE`.
        boxes: Objects, the highest score first, and candidates whose score is too low; see
            `FoundBox.is_given`.
        size: Width and height of the picture in pixels, of objects.
    """

    scores: tuple[ClassScore, ...] = ()
    labels: tuple[str, ...] = ()
    values: tuple[TargetValue, ...] = ()
    areas: tuple[ClassArea, ...] = ()
    mask: str = ""
    boxes: tuple[FoundBox, ...] = ()
    size: tuple[int, int] = (0, 0)

    @property
    def objects(self) -> tuple[FoundBox, ...]:
        """The objects whose score reaches their threshold."""
        return tuple(each for each in self.boxes if each.is_given)
