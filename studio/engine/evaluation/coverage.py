"""Answers only above a threshold, "unknown" below: how many are answered, and how many right."""

from __future__ import annotations

import numpy as np

from studio.engine.evaluation.outcomes import Outcomes
from studio.engine.evaluation.ranking import ranked
from studio.engine.evaluation.report import CoveragePoint

POINTS = 201
TARGETS = (0.9, 0.95, 0.98, 0.99, 0.995)


class Coverage:
    """What every threshold would give, from the surest image alone to all of them.

    Args:
        outcomes: Of at least one image.
    """

    def __init__(self, outcomes: Outcomes) -> None:
        # Images that are equally sure are answered together.
        ranks = ranked(outcomes.confidence, outcomes.is_right)
        self._thresholds = ranks.thresholds
        self._coverage = ranks.passed / len(outcomes)
        self._accuracy = ranks.hits / ranks.passed

    def curve(self) -> tuple[CoveragePoint, ...]:
        """At most 201 points by rising coverage, the last of all images."""
        wanted = np.linspace(self._coverage[0], 1.0, POINTS)
        places = np.unique(np.searchsorted(self._coverage, wanted - 1e-12))
        return tuple(self._point(at) for at in places.tolist())

    def for_accuracy(self, target: float) -> CoveragePoint | None:
        """The threshold that answers the most images with that accuracy; None where none does."""
        good = np.flatnonzero(self._accuracy >= target)
        return self._point(int(good[-1])) if len(good) else None

    def _point(self, at: int) -> CoveragePoint:
        return CoveragePoint(
            threshold=float(self._thresholds[at]),
            coverage=float(self._coverage[at]),
            accuracy=float(self._accuracy[at]),
        )
