"""The areas under the curves of all classes, with what resamples make of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.evaluation.bootstrap import draws, interval
from studio.engine.evaluation.outcomes import Labels, Probabilities
from studio.engine.evaluation.ranking import ranked, weighted_areas
from studio.engine.evaluation.report import Interval
from studio.engine.progress import Progress

_COLUMNS = 32
"""Classes whose columns are read at a time: a file of probabilities lies by image."""
_WEIGHTS = 1_000_000
"""Numbers of a block of resamples."""
NAMES = ("roc_auc", "average_precision")


@dataclass(frozen=True, slots=True)
class Areas:
    """Areas of K classes, by `NAMES`.

    Attributes:
        values: One of each class, None where it has none.
        intervals: The same.
        means: Of the classes that have one.
        mean_intervals: Of those means.
    """

    values: dict[str, list[float | None]]
    intervals: dict[str, list[Interval | None]]
    means: dict[str, float | None]
    mean_intervals: dict[str, Interval | None]


def areas(
    probabilities: Probabilities, truth: Labels, resamples: int, seed: int, progress: Progress
) -> Areas:
    """Rank the images by every class.

    Args:
        probabilities: N x K, perhaps a memory map.
        truth: True classes, N.
        resamples: How often the images are drawn anew; 0 for no intervals.
        seed: Of the draws.
        progress: Is told how many classes are done.

    Raises:
        Cancelled: Somebody asked for the work to end.
    """
    count, classes = probabilities.shape
    once, blocks = np.ones((1, count), np.uint8), _weights(count, resamples, seed)
    values: dict[str, list[float | None]] = {name: [] for name in NAMES}
    drawn = {name: np.full((resamples, classes), np.nan) for name in NAMES}
    for first in range(0, classes, _COLUMNS):
        columns = np.ascontiguousarray(probabilities[:, first : first + _COLUMNS].T)
        for label, column in enumerate(columns, first):
            progress.check()
            progress.advance(label, classes, "Ranking the images by class")
            positive = truth == label
            ranks = ranked(column, positive)
            for name, (value,) in zip(NAMES, weighted_areas(ranks, positive, once), strict=True):
                values[name].append(float(value) if np.isfinite(value) else None)
            if positive.any():
                _draw(drawn, label, [weighted_areas(ranks, positive, each) for each in blocks])
    return Areas(
        values,
        {name: [interval(each) for each in drawn[name].T] for name in NAMES},
        {name: _mean(values[name]) for name in NAMES},
        {name: _mean_interval(drawn[name], values[name]) for name in NAMES},
    )


def _draw(
    drawn: dict[str, NDArray[np.float64]],
    label: int,
    blocks: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
) -> None:
    if blocks:
        for name, parts in zip(NAMES, zip(*blocks, strict=True), strict=True):
            drawn[name][:, label] = np.concatenate(parts)


def _weights(count: int, resamples: int, seed: int) -> list[NDArray[np.uint8]]:
    """How often each image is drawn, in blocks of resamples by images."""
    # Nobody is drawn 256 times of as many draws as there are images.
    rows = [
        np.bincount(drawn, minlength=count).astype(np.uint8)
        for drawn in draws(count, resamples, seed)
    ]
    step = max(1, _WEIGHTS // count)
    return [np.stack(rows[start : start + step]) for start in range(0, resamples, step)]


def _mean(values: list[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return float(np.mean(there)) if there else None


def _mean_interval(drawn: NDArray[np.float64], values: list[float | None]) -> Interval | None:
    there = drawn[:, [value is not None for value in values]]
    if not there.size:
        return None
    # A class that a resample left out has no area there; the mean is of the others, as always.
    with np.errstate(invalid="ignore"):
        found = np.isfinite(there)
        sums = np.where(found, there, 0.0).sum(axis=1) / found.sum(axis=1)
    return interval(sums)
