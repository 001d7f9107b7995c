"""Linear models on features: their metrics, and how the score grows with the training images."""

from __future__ import annotations

import importlib
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from studio.engine.arrays import Features, Floats, Rows
from studio.engine.baselines.report import Growth, LearningCurvePoint
from studio.engine.baselines.sampling import Round
from studio.engine.compute.solvers import (
    Choice,
    select_solver,
    solve,
    solve_targets,
    strengths_tried,
)
from studio.engine.datasets.store import Store
from studio.engine.evaluation.measures import ImageGroups, affordable_draws, draws, proportion
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.proportions import percentile_interval
from studio.engine.tasks.calibration import Calibration
from studio.engine.training.dataset_statistics import target_scale

_WORDS = "Measuring the curve"
_RESAMPLES = 200

Metrics = dict[str, float]


@dataclass(frozen=True, slots=True)
class Probed:
    """Measurements of a probe.

    Attributes:
        metrics: Metrics of all measured images, by their names.
        low: Lower end of the 95 % interval of the score.
        high: Upper end.
        count: Measured images.
        curve: Score by number of training images, ascending.
        strength: C of the linear model.
    """

    metrics: Metrics
    low: float
    high: float
    count: int
    curve: tuple[LearningCurvePoint, ...]
    strength: float | None


class _Steps:
    """Counts steps and reports them."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.total = total
        self._progress = progress
        self._done = 0
        # What follows first is the import of scikit-learn.
        progress.advance(0, total, _WORDS)

    def step(self) -> None:
        """Report progress by one; cancel if requested."""
        self._done += 1
        self._progress.check()
        self._progress.advance(self._done, self.total, _WORDS)


class Probe(ABC):
    """Fits and measures linear models of the task of a dataset, on features in memory.

    Args:
        rows: Rows of the dataset, ascending, n.
        features: Features of these rows, n x D.
        store: The dataset.
        seed: Seed of the solver.
    """

    def __init__(self, rows: Rows, features: Features, store: Store, seed: int) -> None:
        self._rows = rows
        self._features = features
        self._store = store
        self._seed = seed
        self._choice: Choice | None = None

    @abstractmethod
    def answers(
        self, learn: Rows, measure: Rows, tried: Callable[[], None] = lambda: None
    ) -> NDArray[Any]:
        """Train a model on some images and return its predictions for others.

        Solver and C are chosen the first time, which should be the one with the most images: with
        few, chance would choose.

        Args:
            learn: The images to learn from.
            measure: Images to predict, shape (n,).
            tried: Called after each step of that choice; it may cancel.

        Returns:
            Evidence of the predictions, see `Reporter.evidence`, n rows.
        """

    def chance(self, learn: Rows, measure: Rows) -> float:
        """Return the score of the best constant prediction.

        Args:
            learn: Rows it is chosen on.
            measure: Rows it is measured on.
        """
        best = self._store.task.reporter.constant(self._store.targets[learn])[:1]
        return self.score(self.metrics(measure, np.repeat(best, len(measure), axis=0)))

    def metrics(self, rows: Rows, answers: NDArray[Any]) -> Metrics:
        """Return the metrics of answers, as far as they can be measured.

        Args:
            rows: The images, n.
            answers: Result of `answers`.
        """
        store = self._store
        return store.task.reporter.measure(answers, store.targets[rows], Calibration()).known

    def score(self, metrics: Metrics) -> float:
        """Return the main metric of the task; NaN if it cannot be measured."""
        return metrics.get(self._store.task.score_metric, math.nan)

    def whole(self, rounds: Sequence[Round]) -> Metrics:
        """Return the metrics with all training images, over all rounds together."""
        answers = [self.answers(each.learn, each.measure) for each in rounds]
        rows = np.concatenate([each.measure for each in rounds])
        return self.metrics(rows, np.concatenate(answers))

    def scored(self, rounds: Sequence[Round]) -> tuple[float, float, float]:
        """Return the score over all rounds together, and both ends of its 95 % interval."""
        answers = np.concatenate([self.answers(each.learn, each.measure) for each in rounds])
        rows = np.concatenate([each.measure for each in rounds])
        score = self.score(self.metrics(rows, answers))
        return (score, *self._interval(rows, answers, score))

    def measured(self, rounds: Sequence[Round], progress: Progress) -> Probed:
        """Measure with all training images and with fewer.

        Args:
            rounds: Rounds of the measurement. Those that measure on the same images draw others to
                learn from; with all of them they would all learn the same, so one of them is
                enough.
            progress: Receives the progress and may cancel.

        Raises:
            Cancelled: Through `progress`.
        """
        most = min(len(each.learn) for each in rounds)
        sizes = sizes_up_to(most, len(self._store.classes))
        used = {size: rounds if size != most else distinct(rounds) for size in sizes}
        solver = self._store.task.linear_solver
        steps = _Steps(progress, sum(map(len, used.values())) + strengths_tried(solver))
        curve: list[LearningCurvePoint] = []
        measured: list[tuple[Rows, NDArray[Any]]] = []
        for size in reversed(sizes):
            scores = []
            for each in used[size]:
                learn = each.learn if size == most else each.learn[:size]
                answers = self.answers(learn, each.measure, steps.step)
                scores.append(self.score(self.metrics(each.measure, answers)))
                if size == most:
                    measured.append((each.measure, answers))
                steps.step()
            known = [score for score in scores if math.isfinite(score)]
            if known:
                curve.insert(0, point(size, known))
        rows, outputs = (np.concatenate(parts) for parts in zip(*measured, strict=True))
        metrics = self.metrics(rows, outputs)
        low, high = self._interval(rows, outputs, self.score(metrics))
        progress.advance(steps.total, steps.total, _WORDS)
        strength = None if self._choice is None else self._choice.strength
        return Probed(metrics, low, high, len(rows), tuple(curve), strength)

    def _interval(self, rows: Rows, answers: NDArray[Any], score: float) -> tuple[float, float]:
        """Return the 95 % interval of the score: Wilson's, or percentiles of resamples."""
        store, reporter = self._store, self._store.task.reporter
        groups = ImageGroups.of(store.origins.groups[rows])
        for each in reporter.proportions(answers, store.targets[rows], Calibration()):
            if each.metric == store.task.score_metric:
                return proportion(each.counted[each.among], groups) or (math.nan, math.nan)
        rounds = affordable_draws(_RESAMPLES, answers.size * reporter.cost)
        if not rounds:
            return math.nan, math.nan
        drawn = [
            self.score(self.metrics(rows[indices], answers[indices]))
            for indices in draws(len(rows), rounds, self._seed, groups)
        ]
        count = None if groups is None else groups.count
        return percentile_interval([score, *drawn], count) or (math.nan, math.nan)

    def _of(self, rows: Rows) -> Features:
        chosen: Features = self._features[np.searchsorted(self._rows, rows)]
        return chosen


class ClassProbe(Probe):
    """Linear models of classes; see `Probe`."""

    def answers(
        self, learn: Rows, measure: Rows, tried: Callable[[], None] = lambda: None
    ) -> NDArray[Any]:
        """Return the most probable class of each image, shape (n, 1); see `Probe.answers`."""
        store, features, labels = self._store, self._of(learn), self._store.labels[learn]
        if (labels == labels[0]).all():  # the first few of a lopsided dataset
            return np.full((len(measure), 1), labels[0])
        if self._choice is None:
            solver = store.task.linear_solver
            self._choice = select_solver(solver, features, labels, self._seed, tried)
        chosen, classes = self._choice, len(store.classes)
        found = solve(chosen.solver, features, labels, classes, self._seed, chosen.strength)
        return found.head.predict(self._of(measure))[:, None]


class TargetProbe(Probe):
    """Linear models of labels or numbers; see `Probe`."""

    def answers(
        self, learn: Rows, measure: Rows, tried: Callable[[], None] = lambda: None
    ) -> NDArray[Any]:
        """Return probabilities or numbers, shape (n, K); see `Probe.answers`."""
        store, scale = self._store, target_scale(self._store)
        targets = store.targets[learn].astype(np.float64)
        if scale is not None:
            targets = (targets - scale.mean) / scale.deviation
        strength = None if self._choice is None else self._choice.strength
        solver, features = store.task.linear_solver, self._of(learn)
        found = solve_targets(solver, features, targets, self._seed, strength, None, tried)
        self._choice = Choice(found.solver, found.strength)
        logits = found.head.logits(self._of(measure))
        outputs = expit(logits) if scale is None else logits * scale.deviation + scale.mean
        return np.asarray(outputs, np.float32)


def probe_of(rows: Rows, features: Features, store: Store, seed: int) -> Probe:
    """Return the probe of the task of a dataset; see `Probe`.

    Args:
        rows: Rows of the dataset, ascending, n.
        features: Features of these rows, n x D.
        store: The dataset.
        seed: Seed of the solver.
    """
    module, _, name = store.task.probe.partition(":")
    probe: type[Probe] = getattr(importlib.import_module(module), name)
    return probe(rows, features, store, seed)


def distinct(rounds: Sequence[Round]) -> Sequence[Round]:
    """Return the number of rounds that differ when all training images are used."""
    is_folded = not np.array_equal(rounds[0].measure, rounds[-1].measure)
    return rounds if is_folded else rounds[:1]


POINTS = 6
MIN_POINTS = 4
FARTHEST = 8
"""Extrapolation is limited to this multiple of the largest number of images."""

WORST_MISS = 0.02
WIDEST = 0.06
DRAWS = 400
_EXPONENTS = np.geomspace(0.05, 2.0, 60)
_LEAST_SPREAD = 0.003


def sizes_up_to(count: int, classes: int, points: int = POINTS) -> list[int]:
    """Return log-spaced numbers of training images, ascending; the last is `count`.

    The first has at least two images per class and a thirtieth of all.

    Args:
        count: Number of training images.
        classes: Number of classes.
        points: Number of sizes.
    """
    first = max(2 * classes, count // 30, 10)
    if first >= count:
        return [count]
    sizes = np.geomspace(first, count, points).round().astype(int).tolist()
    return sorted(set(sizes))


def point(images: int, scores: Sequence[float]) -> LearningCurvePoint:
    """Return a point of the learning curve.

    Args:
        images: Number of training images.
        scores: Scores of several draws.
    """
    values = np.array(scores, np.float64)
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return LearningCurvePoint(
        images=images,
        score=float(values.mean()),
        spread=spread,
        scores=tuple(values.tolist()),
    )


def growth(curve: Sequence[LearningCurvePoint], images: int, seed: int = 0) -> Growth:
    """Extrapolate the score to twice as many training images.

    A power law is fitted to the error, again and again with the points moved at random by their
    own uncertainty; the interval holds nine tenths of what comes out.

    Args:
        curve: Points, ascending.
        images: Number of training images in the dataset; the curve may end earlier.
        seed: Seed of the random moves.

    Returns:
        A gain with its interval, or the reason why there is none.
    """
    if len(curve) < MIN_POINTS:
        return Growth(images=images, reason="there are too few training images for a curve")
    if 2 * images > FARTHEST * curve[-1].images:
        return Growth(
            images=images,
            reason=message(
                "only {count:,} of {total:,} training images were used",
                count=curve[-1].images,
                total=images,
            ),
        )
    sizes = np.array([each.images for each in curve], np.float64)
    errors = np.array([1 - each.score for each in curve])
    # Few draws may agree by accident: no point is more certain than the others in the middle.
    spreads = np.array([each.spread / math.sqrt(len(each.scores)) for each in curve])
    doubts = np.maximum(spreads, max(float(np.median(spreads)), _LEAST_SPREAD))
    generator = np.random.Generator(np.random.PCG64(seed))
    moved = errors + generator.standard_normal((DRAWS, len(curve))) * doubts
    floors, scales, exponents = _fitted(sizes, np.vstack([errors, moved]), doubts)
    gains = scales * (images**-exponents - (2.0 * images) ** -exponents)
    miss = float(np.sqrt(((floors[0] + scales[0] * sizes ** -exponents[0] - errors) ** 2).mean()))
    low, high = np.percentile(gains[1:], (5, 95)).tolist()
    law = {
        "images": images,
        "floor": float(floors[0]),
        "scale": float(scales[0]),
        "exponent": float(exponents[0]),
        "miss": miss,
    }
    if scales[0] <= 0:
        return Growth(**law, reason="the score does not increase with the number of images")
    if miss > WORST_MISS:
        return Growth(**law, reason="the curve is too noisy")
    if high - low > WIDEST:
        return Growth(
            **law,
            reason=message(
                "anything from {low:.0f} to {high:.0f} points is possible",
                low=low * 100,
                high=high * 100,
            ),
        )
    return Growth(**law, gain=float(gains[0]), low=min(low, gains[0]), high=max(high, gains[0]))


def _fitted(sizes: Floats, errors: Floats, doubts: Floats) -> tuple[Floats, Floats, Floats]:
    """Fit error = floor + scale * size ** -exponent by weighted least squares, for each row.

    For a given exponent the law is linear in the other two, which are both not negative; the
    exponent is looked for in a table.

    Returns:
        Floor, scale and exponent of each row.
    """
    weights = 1 / doubts**2
    total = weights.sum()
    mean_error = errors @ weights / total
    rows = len(errors)
    best = np.full(rows, np.inf)
    found = np.zeros((3, rows))
    for exponent in _EXPONENTS:
        basis = sizes**-exponent
        mean_basis = float(basis @ weights / total)
        centered = (basis - mean_basis) * weights
        scale = errors @ centered / float((basis - mean_basis) @ centered)
        floor = mean_error - scale * mean_basis
        through_zero = errors @ (basis * weights) / float(basis * weights @ basis)
        scale = np.where(floor < 0, through_zero, scale)
        floor = np.where(floor < 0, 0.0, floor)
        falls = scale < 0
        scale, floor = np.where(falls, 0.0, scale), np.where(falls, mean_error, floor)
        missed = ((floor[:, None] + scale[:, None] * basis - errors) ** 2) @ weights
        better = missed < best - 1e-12
        best = np.where(better, missed, best)
        found = np.where(better, np.array([floor, scale, np.full(rows, exponent)]), found)
    return found[0], found[1], found[2]
