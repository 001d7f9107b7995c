"""Precision and recall of an output by the score from which on it is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PrecisionRecallCurve:
    """Precision and recall of an output by its threshold.

    Attributes:
        scores: Falling, one for each prediction that counts.
        right: Right predictions down to each.
        given: All predictions that count down to each.
        objects: Number of objects that there are.
    """

    scores: NDArray[np.float32]
    right: NDArray[np.int64]
    given: NDArray[np.int64]
    objects: int

    @property
    def precision(self) -> NDArray[np.float64]:
        """Fraction of the predictions down to each that are right."""
        found: NDArray[np.float64] = self.right / np.maximum(self.given, 1)
        return found

    @property
    def recall(self) -> NDArray[np.float64]:
        """Share of the objects that are found down to each."""
        found: NDArray[np.float64] = self.right / max(self.objects, 1)
        return found

    @property
    def f1(self) -> NDArray[np.float64]:
        """Harmonic mean of both."""
        found: NDArray[np.float64] = 2 * self.right / np.maximum(self.given + self.objects, 1)
        return found

    def best_threshold(self) -> float | None:
        """Return the score with the highest F1; None without a right prediction.

        It lies halfway to the next lower score, so that rounding changes nothing.
        """
        if not len(self.scores) or not self.right[-1]:
            return None
        # Predictions of one score are given together.
        ends = np.append(self.scores[1:] < self.scores[:-1], True)
        best = int(np.argmax(np.where(ends, self.f1, -1.0)))
        below = self.scores[best + 1] if best + 1 < len(self.scores) else 0.0
        return float((self.scores[best] + below) / 2)

    def points(self, most: int) -> list[tuple[float, float, float]]:
        """Return recall, precision and score at some of the predictions, evenly over the recall.

        Args:
            most: Largest number of points.
        """
        if not len(self.scores):
            return []
        recall, precision = self.recall, self.precision
        wanted = np.linspace(recall[0], recall[-1], most)
        at = np.unique([0, *np.searchsorted(recall, wanted).tolist(), len(recall) - 1])
        return [
            (float(recall[each]), float(precision[each]), float(self.scores[each])) for each in at
        ]
