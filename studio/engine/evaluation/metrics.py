"""Figures of a classifier from its probabilities and the true classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from studio.engine.errors import BadDataError, NotFiniteError

TOP = 5
SMALLEST_PROBABILITY = 1e-7
"""Probabilities are clipped to this and to one minus this before the logarithm, as Keras does, so
that one hopeless image costs at most 16.1."""

Probabilities = npt.NDArray[np.floating[Any]]
Labels = npt.NDArray[np.integer[Any]]


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
        _refuse_misfits(probabilities, labels, self._classes)
        rows = np.arange(len(labels))
        predicted = probabilities.argmax(axis=1)
        np.add.at(self._confusion, (labels, predicted), 1)
        right = probabilities[rows, labels].astype(np.float64)
        # Place of the right class among all, equals in the order of the classes, as argmax does.
        before = np.arange(self._classes) < labels[:, np.newaxis]
        own = probabilities[rows, labels][:, np.newaxis]
        place = ((probabilities > own) | ((probabilities == own) & before)).sum(axis=1)
        self._top_hits += int((place < TOP).sum())
        clipped = np.clip(right, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
        self._loss -= float(np.log(clipped).sum())

    def result(self) -> Metrics:
        """The figures of everything that was added.

        Raises:
            BadDataError: Nothing was added.
        """
        count = int(self._confusion.sum())
        if count == 0:
            raise BadDataError(
                "There are no images to evaluate on.",
                "Choose a split that has images, or import the dataset with a larger share.",
                "split",
            )
        occurs = (self._confusion.sum(axis=0) + self._confusion.sum(axis=1)) > 0
        per_class = _class_metrics(self._confusion)
        f1 = np.array([figures.f1 for figures in per_class])
        return Metrics(
            count=count,
            accuracy=float(np.trace(self._confusion) / count),
            top_k=min(TOP, self._classes),
            top_5=self._top_hits / count,
            loss=self._loss / count,
            macro_f1=float(f1[occurs].mean()),
            per_class=per_class,
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


def _class_metrics(confusion: npt.NDArray[np.int64]) -> tuple[ClassMetrics, ...]:
    hits = np.diag(confusion)
    called, support = confusion.sum(axis=0), confusion.sum(axis=1)
    columns = zip(
        _share(hits, called),
        _share(hits, support),
        _share(2 * hits, called + support),
        support.tolist(),
        strict=True,
    )
    return tuple(
        ClassMetrics(precision=precision, recall=recall, f1=f1, support=count)
        for precision, recall, f1, count in columns
    )


def _share(part: npt.NDArray[np.int64], whole: npt.NDArray[np.int64]) -> list[float]:
    shares = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return [float(share) for share in shares]


def _refuse_misfits(probabilities: Probabilities, labels: Labels, classes: int) -> None:
    if probabilities.shape != (len(labels), classes):
        raise BadDataError(
            f"{len(labels)} labels of {classes} classes need a table of {len(labels)}x{classes} "
            f"probabilities; received {'x'.join(map(str, probabilities.shape))}.",
            "Evaluate on a dataset with the classes that the model was trained on.",
        )
    if len(labels) and not 0 <= labels.min() <= labels.max() < classes:
        raise BadDataError(
            f"Labels go from 0 to {classes - 1}; received {labels.min()} to {labels.max()}.",
            "Evaluate on a dataset with the classes that the model was trained on.",
        )
    if not np.isfinite(probabilities).all():
        raise NotFiniteError(
            "The model predicts values that are not numbers.",
            "Train again with a lower learning rate.",
        )
