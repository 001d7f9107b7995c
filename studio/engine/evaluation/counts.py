"""Precision, recall, F1 and their means from counts, of one evaluation or of many at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.evaluation.outcomes import Labels

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Images by class; the last axis is the class, what stands before it is free.

    Attributes:
        hits: Of the class and called it, (..., K).
        called: Called it, (..., K).
        support: Of the class, (..., K).
    """

    hits: Ints
    called: Ints
    support: Ints

    @property
    def precision(self) -> Floats:
        """Share of the images called a class that are of it; a share of nothing is 0."""
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
        """The means over the classes, each of the shape that stands before the last axis.

        Macro means are of the classes that occur, as true or as predicted, and weighted ones by
        the images of a class, both as scikit-learn has them; balanced accuracy is the mean recall
        of the classes that have images.
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
    """Count the images of N answers, by class."""
    return ClassCounts(
        np.bincount(truth[truth == predicted], minlength=classes),
        np.bincount(predicted, minlength=classes),
        np.bincount(truth, minlength=classes),
    )


def share(part: Ints, whole: Ints) -> Floats:
    """Part by whole, 0 where there is no whole."""
    shares: Floats = np.divide(part, whole, out=np.zeros(np.shape(whole)), where=whole > 0)
    return shares


def _mean(values: Floats, weights: NDArray[np.bool_] | Ints) -> Floats:
    total = weights.sum(axis=-1)
    return share((values * weights).sum(axis=-1), total)
