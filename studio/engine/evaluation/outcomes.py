"""Predictions for all images, from which all figures of an evaluation are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Labels
from studio.engine.errors import BadDataError, NotFiniteError

TOP = 5
SMALLEST_PROBABILITY = 1e-7
"""Probabilities are clipped to this and to one minus this before the logarithm, as Keras does, so
that one hopeless image costs at most 16.1."""

Probabilities = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The predictions for N images.

    Attributes:
        truth: True classes, int32, N.
        predicted: The most probable class of each, the first of equals, int32, N.
        confidence: Probability of the predicted class, 0 to 1, float64, shape (N,).
        right: Probability of the true class, 0 to 1, float64, shape (N,).
        rank: Rank of the true class among all, from 0, equals in the order of the classes,
            int32, N.
    """

    truth: NDArray[np.int32]
    predicted: NDArray[np.int32]
    confidence: NDArray[np.float64]
    right: NDArray[np.float64]
    rank: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.truth)

    def only(self, which: NDArray[np.bool_]) -> Outcomes:
        """Return the predictions for some of the images; `which` has shape (N,)."""
        columns = self.truth, self.predicted, self.confidence, self.right, self.rank
        return Outcomes(*(each[which] for each in columns))  # type: ignore[arg-type]  # of their types

    @property
    def is_right(self) -> NDArray[np.bool_]:
        """True for each correct prediction, shape (N,)."""
        right: NDArray[np.bool_] = self.truth == self.predicted
        return right

    @property
    def accuracy(self) -> float:
        """Fraction of right answers, 0 to 1."""
        return float(self.is_right.mean())

    @property
    def loss(self) -> float:
        """Mean cross-entropy, natural logarithm."""
        return float(self.losses.mean())

    @property
    def losses(self) -> NDArray[np.float64]:
        """Cross-entropy of each image, natural logarithm, N."""
        clipped = np.clip(self.right, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)
        losses: NDArray[np.float64] = -np.log(clipped)
        return losses


def outcomes_of(probabilities: Probabilities, labels: Labels, classes: int) -> Outcomes:
    """Compute the outcomes of the images of a batch.

    Args:
        probabilities: One row per image, one column per class, shape (n, classes).
        labels: True class of each image, shape (n,).
        classes: Number of classes.

    Raises:
        BadDataError: Shapes or labels do not fit the number of classes.
        NotFiniteError: A probability is not a number.
    """
    _refuse_misfits(probabilities, labels, classes)
    rows = np.arange(len(labels))
    predicted = probabilities.argmax(axis=1)
    own = probabilities[rows, labels][:, np.newaxis]
    before = np.arange(classes) < labels[:, np.newaxis]
    rank = ((probabilities > own) | ((probabilities == own) & before)).sum(axis=1)
    return Outcomes(
        labels.astype(np.int32),
        predicted.astype(np.int32),
        probabilities[rows, predicted].astype(np.float64),
        own[:, 0].astype(np.float64),
        rank.astype(np.int32),
    )


def joined(parts: Sequence[Outcomes]) -> Outcomes:
    """Return the outcomes of several batches, in their order; there is at least one."""
    names = ("truth", "predicted", "confidence", "right", "rank")
    return Outcomes(*(np.concatenate([getattr(each, name) for each in parts]) for name in names))


def no_images() -> BadDataError:
    """Return the error to raise if there is nothing to measure on."""
    return BadDataError(
        "There are no images to evaluate on.",
        "Choose a split that has images, or import the dataset with a larger share.",
        "split",
    )


def _refuse_misfits(probabilities: Probabilities, labels: Labels, classes: int) -> None:
    if probabilities.shape != (len(labels), classes):
        raise BadDataError(
            "{count} labels of {classes} classes need a table of {count}x{classes} "
            "probabilities; received {shape}.",
            "Evaluate on a dataset with the classes that the model was trained on.",
            count=len(labels),
            classes=classes,
            shape="x".join(map(str, probabilities.shape)),
        )
    if len(labels) and not 0 <= labels.min() <= labels.max() < classes:
        raise BadDataError(
            "Labels must be from 0 to {last}; received {min} to {max}.",
            "Evaluate on a dataset with the classes that the model was trained on.",
            last=classes - 1,
            min=labels.min(),
            max=labels.max(),
        )
    if not np.isfinite(probabilities).all():
        raise NotFiniteError(
            "The model predicts values that are not numbers.",
            "Train again with a lower learning rate.",
        )
