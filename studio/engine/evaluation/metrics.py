"""Figures of a classifier from its probabilities and the true classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from studio.engine.errors import BadDataError
from studio.engine.evaluation.counts import ClassCounts
from studio.engine.evaluation.outcomes import TOP, Labels, Probabilities, outcomes_of


class ClassMetrics(BaseModel):
    """Figures of one class; a share of nothing counts as 0.

    Attributes:
        precision: Share of the images called this class that are of it.
        recall: Share of the images of this class that are called it.
        f1: Harmonic mean of the two.
        support: Number of images of this class.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    precision: float
    recall: float
    f1: float
    support: int


class Metrics(BaseModel):
    """Figures of a classifier on one set of images.

    Attributes:
        count: Number of images.
        accuracy: Share whose most probable class is right; the first of equals counts.
        top_k: How many guesses `top_5` grants: 5, or the number of classes if that is smaller.
        top_5: Share whose class is among the `top_k` most probable.
        loss: Mean cross-entropy, natural logarithm.
        macro_f1: Mean F1 of the classes that occur, as true or as predicted.
        per_class: Figures of each class, in the order of the classes.
        confusion_matrix: Images by true class (row) and predicted class (column).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    count: int
    accuracy: float
    top_k: int
    top_5: float
    loss: float
    macro_f1: float
    per_class: tuple[ClassMetrics, ...]
    confusion_matrix: tuple[tuple[int, ...], ...]

    def to_data(self) -> dict[str, Any]:
        """The figures as plain data for JSON; `Metrics.model_validate` reads them back."""
        return self.model_dump(mode="json")


class MetricsCounter:
    """Adds predictions up batch by batch, in memory that does not grow with the images."""

    def __init__(self, classes: int) -> None:
        self._classes = classes
        self._confusion = np.zeros((classes, classes), dtype=np.int64)
        self._top_hits = 0
        self._loss = 0.0

    def add(self, probabilities: Probabilities, labels: Labels) -> None:
        """Count a batch.

        Args:
            probabilities: One row per image, one column per class, shape (n, k).
            labels: True class of each image, shape (n,).

        Raises:
            BadDataError: Shapes or labels do not fit the number of classes.
            NotFiniteError: A probability is not a number.
        """
        outcomes = outcomes_of(probabilities, labels, self._classes)
        np.add.at(self._confusion, (outcomes.truth, outcomes.predicted), 1)
        self._top_hits += int((outcomes.place < TOP).sum())
        self._loss += float(outcomes.losses.sum())

    def result(self) -> Metrics:
        """The figures of everything that was added.

        Raises:
            BadDataError: Nothing was added.
        """
        count = int(self._confusion.sum())
        if count == 0:
            raise no_images()
        counts = ClassCounts(
            np.diag(self._confusion), self._confusion.sum(axis=0), self._confusion.sum(axis=1)
        )
        averages = counts.averages()
        return Metrics(
            count=count,
            accuracy=float(averages["accuracy"]),
            top_k=min(TOP, self._classes),
            top_5=self._top_hits / count,
            loss=self._loss / count,
            macro_f1=float(averages["macro_f1"]),
            per_class=_class_metrics(counts),
            confusion_matrix=tuple(tuple(row) for row in self._confusion.tolist()),
        )


def measure(probabilities: Probabilities, labels: Labels) -> Metrics:
    """The figures of a classifier from all its predictions at once.

    Args:
        probabilities: One row per image, one column per class, shape (n, k).
        labels: True class of each image, shape (n,).

    Raises:
        BadDataError: There are no images, or shapes or labels do not fit.
        NotFiniteError: A probability is not a number.
    """
    if probabilities.ndim != 2:
        raise BadDataError(
            f"Predictions are a table of images by classes; received {probabilities.ndim} axes."
        )
    counter = MetricsCounter(probabilities.shape[1])
    counter.add(probabilities, labels)
    return counter.result()


def no_images() -> BadDataError:
    """What is raised where there is nothing to measure on."""
    return BadDataError(
        "There are no images to evaluate on.",
        "Choose a split that has images, or import the dataset with a larger share.",
        "split",
    )


def _class_metrics(counts: ClassCounts) -> tuple[ClassMetrics, ...]:
    columns = zip(
        counts.precision.tolist(),
        counts.recall.tolist(),
        counts.f1.tolist(),
        counts.support.tolist(),
        strict=True,
    )
    return tuple(
        ClassMetrics(precision=precision, recall=recall, f1=f1, support=count)
        for precision, recall, f1, count in columns
    )
