"""Instance segmentation with Keras: the loss of star-convex outlines, and approximate metrics.

What is learned is computed of label images in the threads that read images, see `star_targets`:
there it takes one twentieth of a training step of the small network on a CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.tasks.detection import (
    ComparedDetections,
    CountedPrecision,
    PrecisionAt50,
)
from studio.engine.compute.tasks.learning import LearnsObjects
from studio.engine.compute.tasks.loss_parts import LossOfParts, PartOfLoss
from studio.engine.compute.tasks.star_decoding import candidates_of
from studio.engine.datasets.store import Store
from studio.engine.tasks import boxes, stars
from studio.engine.tasks.decoding import SCORE, without_places
from studio.engine.tasks.instances import star_targets as learned
from studio.engine.tasks.instances.decoding import MOST, suppressed
from studio.engine.tasks.instances.report import REPORTER
from studio.engine.tasks.instances.task import (
    DISTANCE_LOSS,
    MASK_AP,
    MASK_AP50,
    SCORE_LOSS,
)
from studio.engine.tasks.outputs import RAYS
from studio.engine.training.insights import FixedPictureBoxes, PictureRegions
from studio.engine.training.plan import TrainingPlan

SCORE_WEIGHT: Final = 4.0
"""Weight of the score loss: most positions are background, so that its mean is small."""
_CANDIDATES: Final = 300
"""Stars of an image that the approximate metrics consider."""
_SHOWN: Final = 100
"""Stars of a picture in insights."""
_ROUNDS: Final = 4
_LEAST: Final = 1e-7
_SMALLEST: Final = 1e-30


@dataclass(frozen=True, slots=True)
class StarLosses:
    """Loss of the images of a batch.

    Attributes:
        scores: Cross-entropy of the scores, shape (n,), with its weight.
        distances: Loss of the distances, shape (n,).
    """

    scores: Any
    distances: Any


def coarser(y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401 - tensors of any backend
    """Return what is learned at the positions of the outputs.

    Args:
        y_true: What is learned at those of the finest grid, shape (n, R, C, 36).
        y_pred: Outputs, shape (n, rows, columns, …).
    """
    step = _stride_of(y_true, y_pred) // stars.STRIDES[0]
    return keras.ops.cast(y_true[:, ::step, ::step], "float32")


def _size_of(y_true: Any) -> tuple[int, int]:  # noqa: ANN401
    """Return height and width in pixels of the finest grid over images of any size."""
    height, width = (stars.STRIDES[0] * side for side in y_true.shape[1:3])
    return height, width


def _stride_of(y_true: Any, y_pred: Any) -> int:  # noqa: ANN401
    return stars.stride_of(y_pred.shape[1], _size_of(y_true)[0])


class StarLoss(LossOfParts[StarLosses]):
    """Cross-entropy of the scores and loss of the distances of each image.

    loss = 4 * mean_p |t - s|^gamma sum_k w_k BCE(s_k, t_k)
           + sum_p t_p log(sum_r max(d, d*)^2 / sum_r min(d, d*)^2) / (sum_p t_p + 1)

    with the score t of a position, see `star_targets`, and its true distances d* in 32 directions.
    The second part is the negative logarithm of the overlap (IoU) of two stars around the same
    position: it weighs large and small objects alike. Source: E. Xie et al., "PolarMask", CVPR
    2020, section 3.4, with squares, since the area of a sector grows with the square. Distances to
    ignored pixels are lower limits.

    Args:
        gamma: Focusing parameter: the higher, the less easy positions count.
        weights: Weight of each class, shape (K,); None for 1.
    """

    def __init__(self, gamma: float = 0.0, weights: NDArray[np.float64] | None = None) -> None:
        super().__init__("star_loss")
        self._gamma = gamma
        self._weights = weights

    def total(self, parts: StarLosses) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the sum of both parts, shape (n,)."""
        return parts.scores + parts.distances

    def measured(self, y_true: Any, y_pred: Any) -> StarLosses:  # noqa: ANN401
        """Return both parts of the loss.

        Args:
            y_true: What is learned at the finest grid, shape (n, R, C, 36).
            y_pred: Outputs, shape (n, rows, columns, K + 32).
        """
        truth = coarser(y_true, y_pred)
        y_pred = keras.ops.cast(y_pred, "float32")
        pixels = y_pred[..., -RAYS:] * float(_stride_of(y_true, y_pred))
        return StarLosses(
            scores=SCORE_WEIGHT * self._of_scores(truth, y_pred[..., :-RAYS]),
            distances=self._of_distances(truth, pixels),
        )

    def _of_scores(self, truth: Any, scores: Any) -> Any:  # noqa: ANN401
        ops = keras.ops
        score = truth[..., learned.SCORE]
        label = ops.cast(ops.maximum(truth[..., learned.LABEL], 0.0), "int32")
        labels = ops.one_hot(label, scores.shape[-1], dtype="float32")
        labels = labels * ops.maximum(score, 0.0)[..., None]
        sure = ops.clip(scores, _SMALLEST, 1 - _LEAST)
        entropy = -(labels * ops.log(sure) + (1 - labels) * ops.log(1 - sure))
        if self._gamma:
            entropy = entropy * ops.power(ops.abs(labels - scores), self._gamma)
        if self._weights is not None:
            entropy = entropy * ops.cast(self._weights, "float32")
        valid = ops.cast(score >= 0.0, "float32")
        total = ops.maximum(ops.sum(valid, axis=(1, 2)), 1.0)
        return ops.sum(ops.sum(entropy, axis=-1) * valid, axis=(1, 2)) / total

    @staticmethod
    def _of_distances(truth: Any, distances: Any) -> Any:  # noqa: ANN401
        ops = keras.ops
        given = ops.maximum(distances, _LEAST)
        score = ops.maximum(truth[..., learned.SCORE], 0.0)
        lost = -ops.log(polar_overlaps(given, truth[..., learned.RAY :]))
        lost = ops.where(score > 0.0, lost, 0.0)
        return ops.sum(lost * score, axis=(1, 2)) / (ops.sum(score, axis=(1, 2)) + 1.0)


def polar_overlaps(given: Any, true: Any) -> Any:  # noqa: ANN401 - tensors of any backend
    """Return the overlaps (IoU) of stars around the same positions, shape (…).

    Args:
        given: Distances in pixels, shape (…, 32).
        true: Of the same shape; negative ones are lower limits.
    """
    ops = keras.ops
    limit = ops.abs(true)
    true = ops.where(true < 0.0, ops.maximum(limit, ops.stop_gradient(given)), limit)
    both = ops.sum(ops.square(ops.minimum(given, true)), axis=-1)
    either = ops.sum(ops.square(ops.maximum(given, true)), axis=-1)
    return (both + _LEAST) / (either + _LEAST)


class MeanMaskPrecision(CountedPrecision):
    """Mask AP of stars that are counted by class, overlap and score.

    Approximate: the 300 best stars of an image whose position is in no better star are compared
    with the object at their position, as stars around it.

    Args:
        classes: Number of classes, K.
    """

    def __init__(self, classes: int) -> None:
        super().__init__(classes, MASK_AP.name)

    def compared(self, y_true: Any, y_pred: Any) -> ComparedDetections:  # noqa: ANN401
        """Compare the stars of a batch with its objects.

        Args:
            y_true: What is learned at the finest grid, shape (n, R, C, 36).
            y_pred: Outputs, shape (n, rows, columns, K + 32).
        """
        ops = keras.ops
        rows, columns = y_pred.shape[1:3]
        y_true = ops.cast(y_true, "float32")
        found = candidates_of(ops.cast(y_pred, "float32"), _size_of(y_true), _CANDIDATES)
        stride = float(_stride_of(y_true, y_pred))
        place = ops.cast((found[..., stars.X : stars.Y + 1] - stars.FIRST) / stride, "int32")
        index = ops.clip(place[..., 1] * columns + place[..., 0], 0, rows * columns - 1)
        truth = ops.reshape(coarser(y_true, y_pred), (-1, rows * columns, learned.WIDTH))
        truth = ops.take_along_axis(truth, index[..., None], axis=1)
        kept = _kept(found)
        right = self._right(found, truth, kept)
        counts = ops.cast(truth[..., learned.SCORE] >= 0.0, "float32")
        wrong = (kept * counts)[..., None] * (1.0 - right)
        label = ops.cast(ops.maximum(y_true[..., learned.LABEL], 0.0), "int32")
        hot = ops.one_hot(label, self._classes, dtype="float32")
        objects = ops.sum(hot * y_true[..., learned.PEAK, None], axis=(0, 1, 2))
        return ComparedDetections(
            found[..., boxes.CLASS], found[..., SCORE], right, wrong, objects
        )

    @staticmethod
    def _right(found: Any, truth: Any, kept: Any) -> Any:  # noqa: ANN401
        """Return 1 for stars that are right at each overlap, shape (n, D, 10).

        Args:
            found: Stars, the highest score first, shape (n, D, 40).
            truth: What is learned at their positions, shape (n, D, 36).
            kept: 1 for stars that are given, shape (n, D).
        """
        ops = keras.ops
        overlaps = polar_overlaps(found[..., stars.DISTANCES :], truth[..., learned.RAY :])
        number = truth[..., learned.NUMBER]
        same = ops.logical_and(truth[..., learned.LABEL] == found[..., boxes.CLASS], number > 0.0)
        overlaps = overlaps * kept * ops.cast(same, "float32")
        least = ops.convert_to_tensor(np.array(boxes.OVERLAPS, np.float32))
        enough = ops.cast(overlaps[..., None] >= least, "float32")
        count = found.shape[1]
        earlier = ops.convert_to_tensor(np.tril(np.ones((count, count), np.float32), -1))
        rivals = ops.cast(number[:, :, None] == number[:, None, :], "float32") * earlier
        return enough * ops.cast(ops.matmul(rivals, enough) == 0.0, "float32")


def _kept(found: Any) -> Any:  # noqa: ANN401 - tensors of any backend
    """Return 1 for stars whose position is in no better one that is kept, shape (n, D).

    Args:
        found: Stars, the highest score first, shape (n, D, 40).
    """
    ops = keras.ops
    centers = found[..., stars.X : stars.Y + 1]
    apart = centers[:, None] - centers[:, :, None]  # from the first to the second
    turn = ops.arctan2(apart[..., 1], apart[..., 0]) * (RAYS / (2 * np.pi)) + (RAYS + 0.5)
    ray = ops.cast(ops.floor(turn), "int32") % RAYS
    reach = ops.take_along_axis(found[..., stars.DISTANCES :], ray, axis=2)
    inside = ops.sum(ops.square(apart), axis=-1) < ops.square(reach)
    count = found.shape[1]
    earlier = ops.convert_to_tensor(np.triu(np.ones((count, count), np.float32), 1))
    hides = ops.cast(inside, "float32") * earlier
    start = ops.cast(found[..., boxes.CLASS] >= 0.0, "float32")
    kept = start
    for _ in range(_ROUNDS):
        kept = start * (1.0 - ops.max(hides * kept[..., None], axis=1))
    return kept


class LearnsInstances(LearnsObjects):
    """Learns the outlines of the objects of each image.

    Args:
        store: The dataset.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._loss = StarLoss()

    def prepared(self, targets: NDArray[Any]) -> NDArray[np.float32]:
        """Return scores and distances of label images, shape (n, R, C, 36)."""
        return np.stack([learned.star_targets(each) for each in targets])

    def pictures(
        self, rows: NDArray[np.int64], scores: Callable[[], NDArray[np.float32]]
    ) -> PictureRegions:
        """Return the boxes around the outlines; see `Learning.pictures`."""
        decoded = REPORTER.decoded(scores(), self._store.shape[:2])
        found = boxes.empty(len(decoded), _SHOWN)
        for places, each in zip(found, decoded, strict=True):
            shown = without_places(each)[:_SHOWN, : boxes.VALUES]
            places[: len(shown)] = shown
        return PictureRegions(None, FixedPictureBoxes(rows, found))

    @property
    def answer_shape(self) -> tuple[int, ...]:
        """The shape of the candidates of an image."""
        return MOST, stars.VALUES

    def answer(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401, ARG002 - tensors of any backend
        """Return the candidates of each image, shape (n, 40000).

        Args:
            y_true: Not used by this task.
            y_pred: Outputs, shape (n, rows, columns, K + 32).
        """
        found = candidates_of(keras.ops.cast(y_pred, "float32"), self._store.shape[:2])
        return keras.ops.reshape(found, (-1, MOST * stars.VALUES))

    def evidence(self, answers: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the matches of the stars of images, see `Reporter.evidence`; shape (n,).

        Args:
            answers: Candidates, shape (n, 40000).
            rows: Rows of the images in the dataset, n.
        """
        candidates = answers.reshape(len(answers), *self.answer_shape)
        decoded = stars.empty(len(candidates), MOST)
        for places, each in zip(decoded, candidates, strict=True):
            kept = suppressed(without_places(each))
            places[: len(kept)] = kept
        return REPORTER.evidence(decoded, self.targets[rows], len(self._store.classes))

    def loss(self, plan: TrainingPlan, *, mixed: bool) -> keras.losses.Loss:  # noqa: ARG002
        """Return the loss of scores and distances; see `Learning.loss`."""
        self._loss = StarLoss(plan.focal_gamma, self.weights(plan))
        return self._loss

    @staticmethod
    def plain_loss(height: int, width: int, classes: int) -> keras.losses.Loss:  # noqa: ARG004
        """Return the loss of scores and distances; see `Learning.plain_loss`."""
        return StarLoss()

    def metrics(self, *, mixed: bool) -> list[keras.metrics.Metric]:  # noqa: ARG002
        """Return mask AP, mask AP50, and the parts of the loss."""
        counted = MeanMaskPrecision(len(self._store.classes))
        return [
            counted,
            PrecisionAt50(counted, MASK_AP50.name),
            PartOfLoss(self._loss, SCORE_LOSS.name, "scores"),
            PartOfLoss(self._loss, DISTANCE_LOSS.name, "distances", is_last=True),
        ]


LEARNING = LearnsInstances
