"""Calibration of a network on its validation images, and when two numbers are the same."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

SAME_NUMBER: Final = 1 / 20
"""Largest difference of outputs that are the same, in scales of the model card."""
ROUNDING: Final = 1e-6
"""Largest relative difference of numbers that comes from another order of computation."""


class Calibration(BaseModel, frozen=True):
    """Calibration of the outputs of a network on validation images.

    Attributes:
        thresholds: From which probability on each label is given, K; empty for one half.
        pixel_threshold: From which score on pixels are outlined in a heat map; None for the last
            of `thresholds`.
        margins: Half the width of the prediction interval of each quantity, in its unit, K.
        level: Share of validation images whose true values lie inside the intervals.
        images: Number of validation images.
    """

    thresholds: tuple[float, ...] = ()
    pixel_threshold: float | None = None
    margins: tuple[float, ...] = ()
    level: float = 0.95
    images: int = 0
