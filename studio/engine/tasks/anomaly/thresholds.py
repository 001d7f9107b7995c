"""Thresholds of the scores of images and pixels, by false alarms or by costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError
from studio.engine.proportions import wilson
from studio.engine.tasks.anomaly.prediction import threshold_for
from studio.engine.tasks.threshold import ErrorCosts, ThresholdChoice

Scores = NDArray[np.floating]
"""Scores of images, shape (n,)."""

ALLOWED: Final = (0.005, 0.01, 0.02, 0.05, 0.1)
"""Fractions of good images that may be false alarms."""
_DRAWS: Final = 1000
"""Resamples of images for the interval of pixels, which are alike within an image."""
_LEVEL: Final = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class ThresholdCurve:
    """Results of each threshold, the highest first.

    Attributes:
        thresholds: The thresholds.
        false_alarms: Fraction of the good images at or above each threshold.
        recall: Fraction of the images with defects.
        precision: Fraction of those at or above it that have defects.
    """

    thresholds: NDArray[np.float64]
    false_alarms: NDArray[np.float64]
    recall: NDArray[np.float64]
    precision: NDArray[np.float64]


def curve_of(good: Scores, defects: Scores) -> ThresholdCurve:
    """Return the curve of all thresholds; both sides have at least one image.

    Args:
        good: Scores of good images.
        defects: Scores of images with defects.
    """
    limits = np.unique(np.concatenate([good, defects]))[::-1].astype(np.float64)
    above = [
        len(each) - np.searchsorted(np.sort(each), limits, "left") for each in (good, defects)
    ]
    false, found = (each.astype(np.float64) for each in above)
    return ThresholdCurve(limits, false / len(good), found / len(defects), found / (false + found))


def by_false_alarms(good: Scores, defects: Scores, allowed: float) -> ThresholdChoice:
    """Return the threshold that only a fraction of good images reaches.

    Args:
        good: Scores of good images, at least one.
        defects: Scores of images with defects; may be empty.
        allowed: Fraction of good images that may reach it.
    """
    return _chosen(good, defects, threshold_for(good, allowed))


def choices(good: Scores, defects: Scores) -> list[ThresholdChoice]:
    """Return thresholds by usual fractions of false alarms.

    Args:
        good: Scores of good images, at least one.
        defects: Scores of images with defects; may be empty.
    """
    return [by_false_alarms(good, defects, allowed) for allowed in ALLOWED]


def by_costs(good: Scores, defects: Scores, costs: ErrorCosts) -> ThresholdChoice:
    """Return the threshold with the lowest expected cost of an image.

    It lies in the middle between two scores, so that it does not depend on one image alone.

    Args:
        good: Scores of good images, at least one.
        defects: Scores of images with defects, at least one.
        costs: The costs.

    Raises:
        StudioError: There are no images with defects.
    """
    if not len(defects):
        raise StudioError(
            "Costs need images with defects, but none were measured.",
            "Choose the threshold by allowed false alarms, or evaluate on images with defects.",
            "costs",
        )
    curve = curve_of(good, defects)
    share = costs.defective
    if share is None:
        share = len(defects) / (len(good) + len(defects))
    # Before the first threshold there are no alarms at all.
    missed = np.concatenate([[1.0], 1 - curve.recall])
    alarms = np.concatenate([[0.0], curve.false_alarms])
    expected = share * costs.miss * missed + (1 - share) * costs.alarm * alarms
    # Of equal ones the middle one.
    lowest = np.flatnonzero(expected <= expected.min() * (1 + 1e-12))
    index = int(lowest[len(lowest) // 2])
    top = curve.thresholds[0]
    # Scores are numbers of 32 bits; of 0 there is no percentage.
    beyond = max(1.02 * top, float(np.nextafter(np.float32(top), np.float32(np.inf))))
    above = curve.thresholds[index - 1] if index else beyond
    below = curve.thresholds[index] if index < len(curve.thresholds) else above
    middle = (above + below) / 2
    limit = middle if below < np.float32(middle) else above
    return _chosen(good, defects, float(limit), float(expected[index]))


def _chosen(
    good: Scores, defects: Scores, limit: float, cost: float | None = None
) -> ThresholdChoice:
    raised = int((good >= limit).sum())
    low, high = wilson(raised, len(good))
    recall = float((defects >= limit).mean()) if len(defects) else None
    return ThresholdChoice("image", limit, raised / len(good), low, high, recall, cost)


def of_pixels(
    good: NDArray[np.floating],
    defects: NDArray[np.floating],
    edges: NDArray[np.float64],
    allowed: float,
) -> ThresholdChoice:
    """Return the lowest threshold that only a fraction of good pixels reaches.

    The interval resamples images: pixels of an image are alike.

    Args:
        good: Good pixels of each image by their scores, shape (n, bins).
        defects: Pixels of defects, shape (n, bins); may be all 0.
        edges: Lower end of the scores of each bin, shape (bins,).
        allowed: Fraction of good pixels that may reach it.
    """
    above = _from(good.sum(axis=0)) / max(1.0, float(good.sum()))
    index = int(np.argmax(above <= allowed)) if (above <= allowed).any() else len(edges) - 1
    raised = good[:, index:].sum(axis=1, dtype=np.float64)
    every = good.sum(axis=1, dtype=np.float64)
    draws = np.random.default_rng(0).integers(0, len(good), (_DRAWS, len(good)))
    rates = raised[draws].sum(axis=1) / np.maximum(every[draws].sum(axis=1), 1.0)
    low, high = (float(each) for each in np.quantile(rates, _LEVEL))
    found = defects.sum(axis=0)
    recall = float(found[index:].sum() / found.sum()) if found.sum() else None
    return ThresholdChoice("pixel", float(edges[index]), float(above[index]), low, high, recall)


def _from(counts: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the counts of each bin and all higher ones."""
    return np.cumsum(counts[::-1].astype(np.float64))[::-1]
