"""Curves of the scores of good images and of images with defects, by the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.proportions import wilson
from studio.engine.tasks.anomaly.prediction import threshold_for

Scores = NDArray[np.floating]
"""Scores of images, shape (n,)."""

ALLOWED: Final = (0.005, 0.01, 0.02, 0.05, 0.1)
"""Fractions of good images that may be false alarms."""


@dataclass(frozen=True, slots=True)
class ThresholdCurve:
    """Results of each threshold, the highest first.

    Attributes:
        false_alarms: Fraction of the good images at or above each threshold.
        recall: Fraction of the images with defects.
        precision: Fraction of those at or above it that have defects.
    """

    false_alarms: NDArray[np.float64]
    recall: NDArray[np.float64]
    precision: NDArray[np.float64]


def curve_of(good: Scores, defects: Scores) -> ThresholdCurve:
    """Return the curve of all thresholds; both sides have at least one image.

    Args:
        good: Scores of good images.
        defects: Scores of images with defects.
    """
    limits = np.unique(np.concatenate([good, defects]))[::-1]
    above = [
        len(each) - np.searchsorted(np.sort(each), limits, "left") for each in (good, defects)
    ]
    false, found = (each.astype(np.float64) for each in above)
    return ThresholdCurve(false / len(good), found / len(defects), found / (false + found))


@dataclass(frozen=True, slots=True)
class ThresholdChoice:
    """A threshold by the false alarms that it allows.

    Attributes:
        allowed: Fraction of good images that may reach it.
        threshold: The score.
        low: Lower end of the 95 % interval of the measured fraction.
        high: Upper end of it.
        recall: Fraction of the images with defects that reach it; None without such images.
    """

    allowed: float
    threshold: float
    low: float
    high: float
    recall: float | None


def choices(good: Scores, defects: Scores) -> list[ThresholdChoice]:
    """Return thresholds by allowed false alarms.

    Args:
        good: Scores of good images, at least one.
        defects: Scores of images with defects; may be empty.
    """
    found = []
    for allowed in ALLOWED:
        limit = threshold_for(good, allowed)
        raised = int((good >= limit).sum())
        low, high = wilson(raised, len(good))
        recall = float((defects >= limit).mean()) if len(defects) else None
        found.append(ThresholdChoice(allowed, limit, low, high, recall))
    return found
