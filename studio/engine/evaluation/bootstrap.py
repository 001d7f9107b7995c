"""How far the figures would have moved with other images: percentile bootstrap, seeded.

Proportions, such as accuracy and recall, have Wilson's interval instead (`proportions`).

The images are drawn anew, as many as there are, with replacement (Efron, 1979). Every figure of a
resample is of the same draw. What is counted by class is kept as counts and turned into figures
for all resamples at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from studio.engine.evaluation.calibration import BINS, bins_of
from studio.engine.evaluation.counts import ClassCounts, class_counts
from studio.engine.evaluation.outcomes import TOP, Outcomes
from studio.engine.evaluation.report import LEVEL, Interval
from studio.engine.progress import Progress

RANK_BUDGET = 500_000_000
"""Images times classes times resamples that the areas under curves may take, some seconds."""
FEWEST = 100
"""With fewer resamples an interval would say too little."""
_EVERY = 20


@dataclass(frozen=True, slots=True)
class Resampled:
    """The figures of R resamples.

    Attributes:
        whole: Figures of the whole by their names in `Report`, R each.
        classes: Figures of the classes by their names in `ClassFigures`, R x K each.
    """

    whole: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    classes: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)


def draws(count: int, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """The places of the images of each resample, N; the same for the same seed."""
    random = np.random.default_rng(seed)
    for _ in range(resamples):
        yield random.integers(0, count, count)


def resample(
    outcomes: Outcomes, classes: int, resamples: int, seed: int, progress: Progress
) -> Resampled:
    """Draw the images anew and measure, again and again.

    Raises:
        Cancelled: Somebody asked for the work to end.
    """
    if not resamples:
        return Resampled()
    counted = [np.empty((resamples, classes), np.int64) for _ in range(3)]
    top, loss, gaps = (np.empty(resamples) for _ in range(3))
    hits, losses = outcomes.place < TOP, outcomes.losses
    bins, distance = bins_of(outcomes.confidence), outcomes.confidence - outcomes.is_right
    for at, drawn in enumerate(draws(len(outcomes), resamples, seed)):
        if at % _EVERY == 0:
            progress.check()
            progress.advance(at, resamples, "Drawing intervals")
        counts = class_counts(outcomes.truth[drawn], outcomes.predicted[drawn], classes)
        counted[0][at], counted[1][at], counted[2][at] = counts.hits, counts.called, counts.support
        top[at], loss[at] = hits[drawn].mean(), losses[drawn].mean()
        by_bin = np.bincount(bins[drawn], distance[drawn], minlength=BINS)
        gaps[at] = np.abs(by_bin).sum() / len(outcomes)
    every = ClassCounts(*counted)
    return Resampled(
        {**every.averages(), "top_5": top, "loss": loss, "calibration_error": gaps},
        {"precision": every.precision, "recall": every.recall, "f1": every.f1},
    )


def centered(values: NDArray[np.float64], value: float) -> NDArray[np.float64]:
    """Resamples moved so that their median is the figure itself.

    A draw holds some images twice, and so looks less calibrated than the images are: the error of
    a resample is too large by as much as its median is.
    """
    moved: NDArray[np.float64] = np.maximum(values - np.median(values) + value, 0.0)
    return moved


def rank_resamples(count: int, classes: int, resamples: int) -> int:
    """How many resamples the areas under curves get; 0 where there is time for too few."""
    most = min(resamples, RANK_BUDGET // max(1, count * classes))
    return most if most >= min(FEWEST, resamples) else 0


def interval(values: NDArray[np.float64]) -> Interval | None:
    """Return where the middle 95 % of some resamples lie.

    None where one of them has no value, or where all are the same: that images drawn anew give
    100 % again and again does not mean that other images would.
    """
    if not len(values) or not np.isfinite(values).all() or np.ptp(values) == 0:
        return None
    outside = 50 * (1 - LEVEL)
    low, high = np.percentile(values, (outside, 100 - outside))
    return float(low), float(high)


def intervals(values: Mapping[str, NDArray[np.float64]]) -> dict[str, Interval]:
    """The intervals of several figures, without those that have none."""
    found = {name: interval(each) for name, each in values.items()}
    return {name: each for name, each in found.items() if each is not None}
