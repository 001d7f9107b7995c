"""What a network answered at a validation, and how its weights looked; see `insight_files`.

Only the answers are kept: confusion matrix and mistakes are counted when somebody looks at them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MISTAKES = 48
PICTURES = 24
"""Pictures whose guesses are kept every time."""
GUESSES = 5

Rows = NDArray[np.int64]
Labels = NDArray[np.int32]
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Answers:
    """What each validation image was taken for, N of them.

    Attributes:
        rows: Rows of the images in their dataset, int64, N.
        truth: Their classes, int32, N.
        predicted: What each was taken for, int32, N.
        scores: How sure the network was of that, 0 to 1, float32, N.
        of: Validation images that there are; more than N where only a sample was asked.
    """

    rows: Rows
    truth: Labels
    predicted: Labels
    scores: Scores
    of: int

    def confusion(self, classes: int) -> NDArray[np.int32]:
        """Images by true class (row) and predicted class (column), classes x classes."""
        cells = self.truth.astype(np.int64) * classes + self.predicted
        counts = np.bincount(cells, minlength=classes * classes)
        return counts.astype(np.int32).reshape(classes, classes)

    def mistakes(self, most: int = MISTAKES) -> NDArray[np.int64]:
        """Places in these arrays of the wrong answers, the surest first."""
        return self._surest_first(self.truth != self.predicted)[:most]

    def cell(self, truth: int, predicted: int) -> NDArray[np.int64]:
        """Places of the images of a class that were taken for a class, the surest first."""
        return self._surest_first((self.truth == truth) & (self.predicted == predicted))

    def _surest_first(self, which: NDArray[np.bool_]) -> NDArray[np.int64]:
        chosen = np.flatnonzero(which).astype(np.int64)
        order: NDArray[np.int64] = chosen[np.argsort(-self.scores[chosen], kind="stable")]
        return order


@dataclass(frozen=True, slots=True)
class Guesses:
    """The likeliest classes of the fixed pictures, P of them.

    Attributes:
        rows: Rows of the pictures in their dataset, int64, P.
        truth: Their classes, int32, P.
        classes: The likeliest classes of each, by falling score, int32, P x K with K up to 5.
        scores: Their scores, 0 to 1, float32, P x K.
    """

    rows: Rows
    truth: Labels
    classes: NDArray[np.int32]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TargetAnswers:
    """What the network gave for validation images with targets: the same N images every time.

    Attributes:
        rows: Rows of the images in their dataset, int64, N.
        truth: Their targets, float32, N x K.
        outputs: What the network gave, float32, N x K.
        of: Validation images that there are.
    """

    rows: Rows
    truth: NDArray[np.float32]
    outputs: NDArray[np.float32]
    of: int


@dataclass(frozen=True, slots=True)
class LayerNorm:
    """Euclidean norms over all weights of a layer that learn; NaN where one is not known.

    Attributes:
        name: The layer.
        weight: Of its weights.
        gradient: Of the gradient of the loss of a fixed batch of training images.
        update: Of what its weights moved since the insight before (or the beginning), as a share
            of the norm that they had then.
    """

    name: str
    weight: float
    gradient: float
    update: float


@dataclass(frozen=True, slots=True)
class Insight:
    """Everything that was kept of one validation.

    Attributes:
        epoch: Epochs that were done, with the fraction.
        step: Steps that were done.
        classes: How many classes, labels or quantities there are.
        answers: For validation images; of none where there are none.
        pictures: For the fixed pictures.
        norms: Of the layers that learn, in their order.
        targets: For validation images with other targets than a class, in place of `answers`.
    """

    epoch: float
    step: int
    classes: int
    answers: Answers
    pictures: Guesses
    norms: tuple[LayerNorm, ...]
    targets: TargetAnswers | None = None

    def confusion(self) -> NDArray[np.int32]:
        """Images by true class (row) and predicted class (column), classes x classes."""
        return self.answers.confusion(self.classes)


def no_answers() -> tuple[Answers, Guesses]:
    """Return what is kept of classes where images have none."""
    none = np.zeros(0, np.int32)
    scores, rows = np.zeros(0, np.float32), np.zeros(0, np.int64)
    guesses = Guesses(rows, none, none.reshape(0, 1), scores.reshape(0, 1))
    return Answers(rows, none, none, scores, 0), guesses


def fixed_places(labels: Labels, seed: int, count: int = PICTURES) -> NDArray[np.int64]:
    """Places of images to look at every time: drawn by a seed, from as many classes as possible.

    Args:
        labels: Classes of the images, shape N.
        seed: Other images for another seed.
        count: How many at most.

    Returns:
        Places in `labels`, by class.
    """
    generator = np.random.Generator(np.random.PCG64((seed, len(labels))))
    drawn = generator.permutation(len(labels))
    by_class = drawn[np.argsort(labels[drawn], kind="stable")]
    _, first, sizes = np.unique(labels[by_class], return_index=True, return_counts=True)
    # The how-manieth of its class each image is: all firsts go before all seconds.
    rank = np.arange(len(labels)) - np.repeat(first, sizes)
    turn = generator.permutation(len(sizes))[np.repeat(np.arange(len(sizes)), sizes)]
    chosen = by_class[np.lexsort((turn, rank))[:count]]
    places: NDArray[np.int64] = chosen[np.argsort(labels[chosen], kind="stable")]
    return places.astype(np.int64)
