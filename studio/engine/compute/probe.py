"""What a linear classifier makes of features: its accuracy, and how that grows with images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.baselines.curve import point, sizes_up_to
from studio.engine.baselines.report import CurvePoint
from studio.engine.baselines.sampling import Round
from studio.engine.compute.solvers import STRENGTHS, Features, select_strength, solve
from studio.engine.progress import Progress

SOLVER = "logistic_regression"
_WORDS = "Measuring the curve"

Labels = NDArray[np.integer[Any]]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Probed:
    """What was measured.

    Attributes:
        right: Images that were answered right.
        count: Images that were asked for.
        curve: Accuracy by number of training images, ascending.
        strength: C of the classifier.
    """

    right: int
    count: int
    curve: tuple[CurvePoint, ...]
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
        """Report that one more is done; cancel if that was asked for."""
        self._done += 1
        self._progress.check()
        self._progress.advance(self._done, self.total, _WORDS)


class Probe:
    """Learns and measures, again and again, on features in memory.

    Args:
        rows: Rows of the dataset, ascending, n.
        features: Of these rows, n x D.
        labels: Classes of all rows of the dataset.
        classes: How many there are.
        seed: Of what the solver draws.
    """

    def __init__(
        self, rows: Rows, features: Features, labels: Labels, classes: int, seed: int
    ) -> None:
        self._rows = rows
        self._features = features
        self._labels = labels
        self._classes = classes
        self._seed = seed
        self._strength: float | None = None

    def right(self, learn: Rows, measure: Rows, tried: Callable[[], None] = lambda: None) -> int:
        """How many images a classifier gets right that learned from others.

        How far its weights are held back is chosen the first time, which should be the one with
        the most images: with few, chance would choose.

        Args:
            learn: The images that it learns from.
            measure: The images that it is asked about.
            tried: Called after each step of that choice; it may cancel.
        """
        present = np.unique(self._labels[learn])
        if len(present) == 1:  # the first few of a lopsided dataset
            return int((self._labels[measure] == present[0]).sum())
        features, labels = self._of(learn), self._labels[learn]
        if self._strength is None:
            self._strength = select_strength(SOLVER, features, labels, self._seed, tried)
        found = solve(SOLVER, features, labels, self._classes, self._seed, self._strength)
        return int((found.head.predict(self._of(measure)) == self._labels[measure]).sum())

    def measured(self, rounds: Sequence[Round], progress: Progress) -> Probed:
        """Accuracy with all training images and with fewer.

        Args:
            rounds: How it is measured. Those that measure on the same images draw others to learn
                from; with all of them they would all learn the same, so one of them is enough.
            progress: Who listens, and may cancel.

        Raises:
            Cancelled: Through `progress`.
        """
        most = min(len(each.learn) for each in rounds)
        is_folded = not np.array_equal(rounds[0].measure, rounds[-1].measure)
        sizes = sizes_up_to(most, self._classes)
        used = {size: rounds if is_folded or size != most else rounds[:1] for size in sizes}
        steps = _Steps(progress, sum(map(len, used.values())) + len(STRENGTHS[SOLVER]))
        curve = []
        right = count = 0
        for size in reversed(sizes):
            last = size == most
            shares = []
            for each in used[size]:
                learn = each.learn if last else each.learn[:size]
                hits = self.right(learn, each.measure, steps.step)
                shares.append(hits / len(each.measure))
                if last:
                    right, count = right + hits, count + len(each.measure)
                steps.step()
            curve.append(point(size, shares))
        progress.advance(steps.total, steps.total, _WORDS)
        return Probed(right, count, tuple(reversed(curve)), self._strength)

    def _of(self, rows: Rows) -> Features:
        chosen: Features = self._features[np.searchsorted(self._rows, rows)]
        return chosen
