"""Measures of the answers of a model: counts, areas, coverage, calibration and intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Floats, Integers, Labels
from studio.engine.evaluation.outcomes import TOP, Outcomes, Probabilities, joined, outcomes_of
from studio.engine.evaluation.report import CalibrationBin, CoveragePoint, Interval
from studio.engine.progress import Progress
from studio.engine.proportions import grouped_proportion, percentile_interval, wilson

# Precision, recall, F1 and their means from counts, of one evaluation or of many at a time.


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Counts of images; the last axis is the class, other axes are arbitrary.

    Attributes:
        hits: True positives, shape (..., K).
        called: Images predicted as the class, shape (..., K).
        support: Images of the class, shape (..., K).
    """

    hits: Integers
    called: Integers
    support: Integers

    @property
    def precision(self) -> Floats:
        """Fraction of the images predicted as a class that belong to it; 0 without predictions."""
        return share(self.hits, self.called)

    @property
    def recall(self) -> Floats:
        """Share of the images of a class that are called it; a share of nothing is 0."""
        return share(self.hits, self.support)

    @property
    def f1(self) -> Floats:
        """Harmonic mean of both; a share of nothing is 0."""
        return share(2 * self.hits, self.called + self.support)

    def averages(self) -> dict[str, Floats]:
        """Return the means over the classes, which are the last axis.

        Macro means include the classes that occur, as true or as predicted; weighted means use
        the number of images of a class, both as in scikit-learn; balanced accuracy is the mean
        recall of the classes that have images.
        """
        occurs = (self.called + self.support) > 0
        there = self.support > 0
        figures = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        found = {"accuracy": share(self.hits.sum(axis=-1), self.support.sum(axis=-1))}
        for name, values in figures.items():
            found[f"macro_{name}"] = _mean(values, occurs)
            found[f"weighted_{name}"] = _mean(values, self.support)
        found["balanced_accuracy"] = _mean(figures["recall"], there)
        return found


def class_counts(truth: Labels, predicted: Labels, classes: int) -> ClassCounts:
    """Count correct, predicted and true images of each class.

    Args:
        truth: True classes, shape (N,).
        predicted: Predicted classes, shape (N,).
        classes: Number of classes.
    """
    return ClassCounts(
        np.bincount(truth[truth == predicted], minlength=classes),
        np.bincount(predicted, minlength=classes),
        np.bincount(truth, minlength=classes),
    )


def share(part: Integers, whole: Integers) -> Floats:
    """Divide two arrays of counts; 0 where the divisor is 0.

    Args:
        part: Dividend.
        whole: Divisor, of the same shape.
    """
    fractions: Floats = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole > 0)
    return fractions


def _mean(values: Floats, weights: NDArray[np.bool_] | Integers) -> Floats:
    total = weights.sum(axis=-1)
    return share((values * weights).sum(axis=-1), total)


# ROC and precision-recall curves of one class against all others, and the areas under them.
#
# Images with equal scores form one point, as in scikit-learn. Its functions take 5 to 8 times as
# long (both areas of 10,000 images: 15 ms instead of 2 ms for each class; both curves: 6 ms
# instead of 1.3 ms), and their import would delay the window by 0.6 to 1.4 s (measured
# 2026-11-23).


@dataclass(frozen=True, slots=True)
class Ranked:
    """The images by falling score of a class, cut where the score changes into G groups.

    Attributes:
        order: Places of the images, N.
        ends: Index in `order` of the last image of each group, G.
        thresholds: Score of each group, falling, G.
        hits: Images of the class down to the end of each group, G.
        passed: All images down to the end of each group, G.
    """

    order: NDArray[np.int64]
    ends: NDArray[np.int64]
    thresholds: Floats
    hits: Floats
    passed: Floats


def ranked(scores: NDArray[np.floating], positive: NDArray[np.bool_]) -> Ranked:
    """Sort images by their score.

    Args:
        scores: Probability of the class, shape (N,); at least one.
        positive: True for images of the class, shape (N,).
    """
    order = np.argsort(-scores.astype(np.float64), kind="stable")
    falling = scores[order].astype(np.float64)
    ends = np.append(np.flatnonzero(np.diff(falling)), len(falling) - 1)
    hits = np.cumsum(positive[order], dtype=np.float64)[ends]
    return Ranked(order, ends, falling[ends], hits, ends + 1.0)


def roc_curve(ranks: Ranked) -> tuple[Floats, Floats]:
    """Return false (x) and true positive rates (y), from (0, 0) to (1, 1), G + 1 points.

    Values are NaN if there are no images of the class, or of others.
    """
    misses = ranks.passed - ranks.hits
    return _from_zero(_part(misses)), _from_zero(_part(ranks.hits))


def precision_recall_curve(ranks: Ranked) -> tuple[Floats, Floats]:
    """Recall (x), rising from 0, and precision (y), which begins with 1, G + 1."""
    precision = ranks.hits / ranks.passed
    return _from_zero(_part(ranks.hits)), np.concatenate([[1.0], precision])


def weighted_areas(
    ranks: Ranked, positive: NDArray[np.bool_], weights: NDArray[np.integer]
) -> tuple[Floats, Floats]:
    """Compute both areas for R weightings of the images at once.

    Args:
        ranks: The ranked images.
        positive: True for images of the class, N.
        weights: Weight of each image, R x N: 1, or the number of times a resample drew it.

    Returns:
        Areas under the ROC curve, R; NaN without images of the class, or of others. Average
        precisions, R; NaN without images of the class.
    """
    drawn = weights[:, ranks.order]
    hits = np.cumsum(drawn * positive[ranks.order], axis=1)[:, ranks.ends].astype(np.float64)
    passed = np.cumsum(drawn, axis=1)[:, ranks.ends].astype(np.float64)
    misses = passed - hits
    gains, steps = np.diff(hits, prepend=0.0), np.diff(misses, prepend=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        areas = (steps * (hits - gains / 2)).sum(axis=1) / (hits[:, -1] * misses[:, -1])
        precision = np.divide(hits, passed, out=np.zeros_like(hits), where=passed > 0)
        averages = (gains * precision).sum(axis=1) / hits[:, -1]
    return areas, averages


def thinned(across: Floats, up: Floats, most: int = 201) -> tuple[Floats, Floats]:
    """Reduce a curve to a number of points, with its first and last point among them.

    Args:
        across: Horizontal coordinates, 0 to 1, ascending, shape (N,).
        up: Vertical coordinates, 0 to 1, shape (N,).
        most: Greatest number of points.
    """
    if len(across) <= most:
        return across, up
    # Evenly along the curve, which is at most two long: neither its steep nor its flat part goes.
    along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(across)) + np.abs(np.diff(up)))])
    indices = np.searchsorted(along, np.linspace(0, along[-1], most))
    indices = np.unique(np.append(np.minimum(indices, len(across) - 1), [0, len(across) - 1]))
    return across[indices], up[indices]


def _part(counts: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        part: Floats = counts / counts[-1]
    return part


def _from_zero(values: Floats) -> Floats:
    return np.concatenate([[0.0], values])


# Whether a model is as sure as it is right, and the one number that makes it so.
#
# Expected calibration error and temperature scaling after Guo et al., "On calibration of modern
# neural networks", ICML 2017, arXiv:1706.04599.

BINS = 15
_COLDEST, _HOTTEST = 0.05, 20.0
_TINY = 1e-12
_CHUNK = 2_000_000
"""Values that are scaled at a time."""


def bins_of(confidence: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the bin of each confidence, of `BINS` equally wide ones that are open below, N."""
    indices: NDArray[np.int64] = np.ceil(confidence * BINS).astype(np.int64) - 1
    return np.clip(indices, 0, BINS - 1)


def calibration_error(
    bins: NDArray[np.int64], confidence: NDArray[np.float64], right: NDArray[np.bool_]
) -> float:
    """Return the expected calibration error, 0 to 1.

    Args:
        bins: Confidence bin of each image, shape (N,).
        confidence: Score of the predicted class, 0 to 1, shape (N,).
        right: True if the prediction is correct, shape (N,).
    """
    gaps = np.bincount(bins, confidence - right, minlength=BINS)
    return float(np.abs(gaps).sum() / len(bins))


def reliability(outcomes: Outcomes) -> tuple[CalibrationBin, ...]:
    """Confidence and accuracy of each bin that has images."""
    bins = bins_of(outcomes.confidence)
    counts = np.bincount(bins, minlength=BINS)
    sure = np.bincount(bins, outcomes.confidence, minlength=BINS)
    right = np.bincount(bins, outcomes.is_right, minlength=BINS)
    return tuple(
        CalibrationBin(
            low=at / BINS,
            high=(at + 1) / BINS,
            count=int(counts[at]),
            confidence=float(sure[at] / counts[at]),
            accuracy=float(right[at] / counts[at]),
        )
        for at in np.flatnonzero(counts).tolist()
    )


def fit_temperature(probabilities: Probabilities, labels: Labels) -> float:
    """Return the temperature that minimizes the loss on these images.

    Args:
        probabilities: Shape (n, k), n at least 1.
        labels: True classes, shape (n,).

    Returns:
        0.05 to 20; above 1 if the model is overconfident.
    """
    logits = _logits(probabilities)
    own = logits[np.arange(len(labels)), labels]

    def loss(log_temperature: float) -> float:
        heat = np.exp(log_temperature)
        return float((np.log(np.exp(logits / heat).sum(axis=1)) - own / heat).mean())

    from scipy.optimize import minimize_scalar  # noqa: PLC0415 - slow, and the window ranks too

    bounds = np.log((_COLDEST, _HOTTEST))
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-7})
    return float(np.exp(found.x))


def rescaled(probabilities: Probabilities, labels: Labels, temperature: float) -> Outcomes:
    """Return the outcomes of predictions whose logits are divided by a temperature.

    Args:
        probabilities: Shape (N, classes).
        labels: True classes, shape (N,).
        temperature: Above 0; 1 changes nothing.
    """
    count, classes = probabilities.shape
    step = max(1, _CHUNK // classes)
    parts = []
    for start in range(0, count, step):
        heated = np.exp(_logits(probabilities[start : start + step]) / temperature)
        heated /= heated.sum(axis=1, keepdims=True)
        parts.append(outcomes_of(heated, labels[start : start + step], classes))
    return joined(parts)


def _logits(probabilities: Probabilities) -> NDArray[np.float64]:
    """Return the logits of a softmax, the largest of each row being 0."""
    logits = np.log(np.maximum(probabilities.astype(np.float64), _TINY))
    found: NDArray[np.float64] = logits - logits.max(axis=1, keepdims=True)
    return found


# How far the figures would have moved with other images: percentile bootstrap, seeded.
#
# Proportions, such as accuracy and recall, have Wilson's interval instead (`proportions`).
#
# Bootstrap: as many images are drawn with replacement (Efron, 1979). Every metric of
# a resample is of the same draw. What is counted by class is kept as counts and turned into
# figures for all resamples at once.

RANK_BUDGET = 500_000_000
"""Images times classes times resamples that the areas under curves may take, some seconds."""
FEWEST = 100
"""With fewer resamples an interval would say too little."""
_PATIENCE = 3
"""Budgets that the fewest resamples may take: more images take longer, and have an interval."""
_EVERY = 20


@dataclass(frozen=True, slots=True)
class Resampled:
    """The figures of R resamples.

    Attributes:
        whole: Metrics of the whole by their names, R each.
        classes: Metrics of the classes by their names, R x K each.
    """

    whole: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    classes: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImageGroups:
    """Groups of N images that are resampled as wholes, since their images are not independent.

    Attributes:
        of_image: Group of each image, from 0, shape (N,).
        count: Number of groups G.
    """

    of_image: NDArray[np.int64]
    count: int

    @classmethod
    def of(cls, groups: NDArray[np.int64]) -> ImageGroups | None:
        """Return the groups of images; None if each image is a group.

        Args:
            groups: Group of each image, any integers, shape (N,).
        """
        values, of_image = np.unique(groups, return_inverse=True)
        if len(values) == len(groups):
            return None
        return cls(of_image.astype(np.int64), len(values))

    def among(self, which: NDArray[np.bool_]) -> ImageGroups:
        """Return the groups of some of the images, shape (n,)."""
        values, of_image = np.unique(self.of_image[which], return_inverse=True)
        return ImageGroups(of_image.astype(np.int64), len(values))


def draws(
    count: int, resamples: int, seed: int, groups: ImageGroups | None = None
) -> Iterator[NDArray[np.int64]]:
    """Yield the indices of the images of each bootstrap resample, shape (N,).

    Groups are drawn as wholes (cluster bootstrap): A. C. Davison and D. V. Hinkley, "Bootstrap
    Methods and their Application", 1997, section 3.8. Then the number of images varies.

    Args:
        count: Number of images N.
        resamples: Number of resamples.
        seed: Same seed, same indices.
        groups: Groups of the images; None to draw single images.
    """
    random = np.random.default_rng(seed)
    if groups is None:
        for _ in range(resamples):
            yield random.integers(0, count, count)
        return
    order = np.argsort(groups.of_image, kind="stable")
    sizes = np.bincount(groups.of_image, minlength=groups.count)
    starts = np.cumsum(sizes) - sizes
    for _ in range(resamples):
        drawn = random.integers(0, groups.count, groups.count)
        length = sizes[drawn]
        within = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
        yield order[np.repeat(starts[drawn], length) + within]


def resample(
    outcomes: Outcomes,
    classes: int,
    resamples: int,
    seed: int,
    progress: Progress,
    groups: ImageGroups | None = None,
) -> Resampled:
    """Compute the metrics of bootstrap resamples.

    Args:
        outcomes: Predictions and labels of N images.
        classes: Number of classes.
        resamples: Number of resamples; 0 gives empty results.
        seed: Seed of the resamples.
        progress: Receives the progress and may cancel.
        groups: Groups of the images; None for single images.

    Raises:
        Cancelled: The job was asked to end.
    """
    if not resamples:
        return Resampled()
    counted = [np.empty((resamples, classes), np.int64) for _ in range(3)]
    top, loss, gaps = (np.empty(resamples) for _ in range(3))
    hits, losses = outcomes.rank < TOP, outcomes.losses
    bins, distance = bins_of(outcomes.confidence), outcomes.confidence - outcomes.is_right
    for at, drawn in enumerate(draws(len(outcomes), resamples, seed, groups)):
        if at % _EVERY == 0:
            progress.check()
            progress.advance(at, resamples, "Drawing intervals")
        counts = class_counts(outcomes.truth[drawn], outcomes.predicted[drawn], classes)
        counted[0][at], counted[1][at], counted[2][at] = counts.hits, counts.called, counts.support
        top[at], loss[at] = hits[drawn].mean(), losses[drawn].mean()
        by_bin = np.bincount(bins[drawn], distance[drawn], minlength=BINS)
        gaps[at] = np.abs(by_bin).sum() / len(drawn)
    every = ClassCounts(*counted)
    return Resampled(
        {**every.averages(), "top_5": top, "loss": loss, "calibration_error": gaps},
        {"precision": every.precision, "recall": every.recall, "f1": every.f1},
    )


def centered(values: NDArray[np.float64], value: float) -> NDArray[np.float64]:
    """Shift resamples so that their median equals the measured value.

    A resample holds some images twice and so looks less calibrated than the images are: its error
    is too large by as much as its median differs.

    Args:
        values: Calibration error of each resample.
        value: Calibration error of all images.
    """
    moved: NDArray[np.float64] = np.maximum(values - np.median(values) + value, 0.0)
    return moved


def affordable_draws(resamples: int, work: float) -> int:
    """Return the number of resamples that take a bearable time; 0 if these are too few.

    Args:
        resamples: Requested number.
        work: Work of one, as `RANK_BUDGET` counts it.
    """
    fewest = min(resamples, FEWEST)
    if fewest * work > _PATIENCE * RANK_BUDGET:
        return 0
    return min(resamples, max(fewest, int(RANK_BUDGET // max(1.0, work))))


def rank_resamples(count: int, classes: int, resamples: int) -> int:
    """Return the number of resamples for areas under curves; 0 if there is time for too few.

    Args:
        count: Number of images.
        classes: Number of classes.
        resamples: Requested number.
    """
    most = min(resamples, RANK_BUDGET // max(1, count * classes))
    return most if most >= min(FEWEST, resamples) else 0


def interval(values: NDArray[np.float64], groups: ImageGroups | None = None) -> Interval | None:
    """Return the interval of the middle 95 % of some resamples.

    None where one of them has no value, or where all are the same: that resampled images give
    100 % again and again does not mean that other images would.

    Args:
        values: Value of a figure in each resample, shape (R,).
        groups: Groups of the images; None for single images.
    """
    if not len(values) or not np.isfinite(values).all() or np.ptp(values) == 0:
        return None
    return percentile_interval(values, None if groups is None else groups.count)


def proportion(right: NDArray[np.bool_], groups: ImageGroups | None = None) -> Interval | None:
    """Return the interval of a proportion; None without images, or for a single group.

    Args:
        right: True for each image that counts, shape (n,).
        groups: Groups of the n images; None for single images.
    """
    if not len(right):
        return None
    if groups is None:
        return wilson(int(right.sum()), len(right))
    return grouped_proportion(right, groups.of_image)


def intervals(
    values: Mapping[str, NDArray[np.float64]], groups: ImageGroups | None = None
) -> dict[str, Interval]:
    """Return the intervals of several figures, without those that have none.

    Args:
        values: Values of each figure in the resamples, by its name.
        groups: Groups of the images; None for single images.
    """
    found = {name: interval(each, groups) for name, each in values.items()}
    return {name: each for name, each in found.items() if each is not None}


# The areas under the curves of all classes, with their resamples.

_COLUMNS = 32
"""Classes whose columns are read at a time: a file of probabilities lies by image."""
_WEIGHTS = 1_000_000
"""Numbers of a block of resamples."""
NAMES = ("roc_auc", "average_precision")


@dataclass(frozen=True, slots=True)
class Areas:
    """Areas of K classes, by `NAMES`.

    Attributes:
        values: Area of each class; None if undefined.
        intervals: The same.
        means: Means over the classes that have an area.
        mean_intervals: Intervals of those means.
    """

    values: dict[str, list[float | None]]
    intervals: dict[str, list[Interval | None]]
    means: dict[str, float | None]
    mean_intervals: dict[str, Interval | None]


def areas(
    probabilities: Probabilities,
    truth: Labels,
    resamples: int,
    seed: int,
    progress: Progress,
    groups: ImageGroups | None = None,
) -> Areas:
    """Rank the images by every class.

    Args:
        probabilities: N x K, perhaps a memory map.
        truth: True classes, N.
        resamples: Bootstrap resamples; 0 for no intervals.
        seed: Seed of the draws.
        progress: Receives the number of finished classes.
        groups: Groups of the images; None for single images.

    Raises:
        Cancelled: The job was asked to end.
    """
    count, classes = probabilities.shape
    once, blocks = np.ones((1, count), np.uint8), _weights(count, resamples, seed, groups)
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
        {name: [interval(each, groups) for each in drawn[name].T] for name in NAMES},
        {name: _known_mean(values[name]) for name in NAMES},
        {name: _mean_interval(drawn[name], values[name], groups) for name in NAMES},
    )


def _draw(
    drawn: dict[str, NDArray[np.float64]],
    label: int,
    blocks: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
) -> None:
    if blocks:
        for name, parts in zip(NAMES, zip(*blocks, strict=True), strict=True):
            drawn[name][:, label] = np.concatenate(parts)


def _weights(
    count: int, resamples: int, seed: int, groups: ImageGroups | None
) -> list[NDArray[np.uint8]]:
    """Yield the number of draws of each image, in blocks of resamples by images."""
    # No image is drawn 256 times.
    rows = [
        np.bincount(drawn, minlength=count).astype(np.uint8)
        for drawn in draws(count, resamples, seed, groups)
    ]
    step = max(1, _WEIGHTS // count)
    return [np.stack(rows[start : start + step]) for start in range(0, resamples, step)]


def _known_mean(values: list[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return float(np.mean(there)) if there else None


def _mean_interval(
    drawn: NDArray[np.float64], values: list[float | None], groups: ImageGroups | None
) -> Interval | None:
    there = drawn[:, [value is not None for value in values]]
    if not there.size:
        return None
    # A class that a resample left out has no area there; the mean is of the others, as always.
    with np.errstate(invalid="ignore"):
        found = np.isfinite(there)
        sums = np.where(found, there, 0.0).sum(axis=1) / found.sum(axis=1)
    return interval(sums, groups)


# Answers only above a threshold, "unknown" below: how many are answered, and how many right.

POINTS = 201


class Coverage:
    """Accuracy and coverage at every threshold, from the most confident image alone to all images.

    Args:
        outcomes: Outcomes of at least one image.
    """

    def __init__(self, outcomes: Outcomes) -> None:
        # Images that are equally sure are answered together.
        ranks = ranked(outcomes.confidence, outcomes.is_right)
        self._thresholds = ranks.thresholds
        self._coverage = ranks.passed / len(outcomes)
        self._accuracy = ranks.hits / ranks.passed

    def curve(self) -> tuple[CoveragePoint, ...]:
        """At most 201 points by rising coverage; the last covers all images."""
        requested = np.linspace(self._coverage[0], 1.0, POINTS)
        indices = np.unique(np.searchsorted(self._coverage, requested - 1e-12))
        return tuple(self._point(at) for at in indices.tolist())

    def _point(self, at: int) -> CoveragePoint:
        return CoveragePoint(
            threshold=float(self._thresholds[at]),
            coverage=float(self._coverage[at]),
            accuracy=float(self._accuracy[at]),
        )
