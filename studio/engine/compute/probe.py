"""What a linear classifier makes of features: its accuracy, and how that grows with images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.baselines.curve import point, sizes_up_to
from studio.engine.baselines.report import CurvePoint
from studio.engine.baselines.sampling import Round
from studio.engine.compute.solvers import Features, solve
from studio.engine.progress import Progress

SOLVER = "logistic_regression"

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

    def right(self, learn: Rows, measure: Rows) -> int:
        """How many images a classifier gets right that learned from others.

        How far its weights are held back is chosen the first time, which should be the one with
        the most images: with few, chance would choose.
        """
        present = np.unique(self._labels[learn])
        if len(present) == 1:  # the first few of a lopsided dataset
            return int((self._labels[measure] == present[0]).sum())
        found = solve(
            SOLVER,
            self._of(learn),
            self._labels[learn],
            self._classes,
            self._seed,
            self._strength,
        )
        self._strength = found.strength
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
        curve = []
        right = count = 0
        for number, size in enumerate(reversed(sizes)):
            last = size == most
            used = rounds if is_folded or not last else rounds[:1]
            shares = []
            for each in used:
                progress.check()
                learn = each.learn if last else each.learn[:size]
                hits = self.right(learn, each.measure)
                shares.append(hits / len(each.measure))
                if last:
                    right, count = right + hits, count + len(each.measure)
            curve.append(point(size, shares))
            progress.advance(number + 1, len(sizes), "Measuring the curve")
        return Probed(right, count, tuple(reversed(curve)), self._strength)

    def _of(self, rows: Rows) -> Features:
        chosen: Features = self._features[np.searchsorted(self._rows, rows)]
        return chosen
