"""Segmentation with Keras: cross-entropy and Dice of the pixels, and their metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.tasks.learning import Learning
from studio.engine.datasets.images import RawImages
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.segmentation.task import MEAN_DICE, MEAN_IOU, PIXEL_ACCURACY
from studio.engine.training.dataset_statistics import balanced_weights
from studio.engine.training.insights import PictureMasks, PictureRegions
from studio.engine.training.plan import TrainingPlan

_COUNTED = 3
_LEAST = 1e-7
"""Certainty is cut off so far from 1, as in Keras' own losses."""
_SMALLEST = 1e-30
"""Probabilities are cut off there, so that their logarithm is finite; below 1e-7, where Keras cuts
them off, confident mistakes would still have a gradient."""


class PixelLoss(keras.losses.Loss):  # type: ignore[misc]  # Keras ships no types
    """Cross-entropy and Dice loss of the pixels of each image that are not ignored.

    loss = (1 - d) * mean_i (-w_c * sum_k t_ik * (1 - p_ik)^gamma * log p_ik)
           + d * mean_c (1 - 2 * sum_i p_ic t_ic / sum_i (p_ic + t_ic))

    with t the label of a pixel, smoothed in the cross-entropy, w the weight of its class and d
    the weight of the Dice loss, averaged over the classes that occur in the image. With gamma
    above 0 the first part is the focal loss of T.-Y. Lin et al., "Focal loss for dense object
    detection", ICCV 2017, equation 4. The Dice loss is that of F. Milletari et al., "V-Net", 3DV
    2016, without the squares, for each class. An image without labeled pixels has no loss.

    Args:
        classes: Number of classes, K.
        smoothing: Fraction of each label that is spread over all classes.
        gamma: Focusing parameter: the higher, the less easy pixels count.
        weights: Weight of each class in the cross-entropy, shape (K,); None for 1.
        dice: Weight of the Dice loss, 0 to 1.
    """

    def __init__(
        self,
        classes: int,
        smoothing: float = 0.0,
        gamma: float = 0.0,
        weights: NDArray[np.float64] | None = None,
        dice: float = 0.0,
    ) -> None:
        super().__init__(name="pixel_loss")
        self._classes = classes
        self._smoothing = smoothing
        self._gamma = gamma
        self._weights = weights
        self._dice = dice

    def call(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the loss of each image, shape (n,).

        Args:
            y_true: Class of each pixel, or `IGNORE`; integers, shape (n, H, W).
            y_pred: Probabilities, shape (n, H, W, K).
        """
        ops = keras.ops
        truth, valid = labels_of(y_true, self._classes, y_pred.dtype)
        loss = 0.0
        if self._dice < 1:
            loss = (1 - self._dice) * self._cross_entropy(truth, valid, y_pred)
        if self._dice:
            both = ops.sum(truth * y_pred, axis=(1, 2))
            area = ops.sum(truth, axis=(1, 2))
            predicted = ops.sum(valid[..., None] * y_pred, axis=(1, 2))
            lost = 1 - 2 * both / ops.maximum(area + predicted, _LEAST)
            occurs = ops.cast(area > 0, y_pred.dtype)
            count = ops.maximum(ops.sum(occurs, axis=-1), 1)
            loss = loss + self._dice * ops.sum(lost * occurs, axis=-1) / count
        return loss

    def _cross_entropy(self, truth: Any, valid: Any, y_pred: Any) -> Any:  # noqa: ANN401
        ops = keras.ops
        weight = valid
        if self._weights is not None:
            weight = ops.sum(truth * ops.cast(self._weights, y_pred.dtype), axis=-1)
        fractions = truth
        if self._smoothing:
            fractions = fractions * (1 - self._smoothing) + self._smoothing / self._classes
        sure = ops.clip(y_pred, _SMALLEST, 1 - _LEAST)
        losses = -fractions * ops.log(sure)
        if self._gamma:
            losses = losses * ops.power(1 - sure, self._gamma)
        total = ops.sum(weight * ops.sum(losses, axis=-1), axis=(1, 2))
        return total / ops.maximum(ops.sum(valid, axis=(1, 2)), 1)


def labels_of(y_true: Any, classes: int, dtype: str) -> tuple[Any, Any]:  # noqa: ANN401
    """Return the class of each pixel as 0 and 1, and which pixels are not ignored.

    Args:
        y_true: Class of each pixel, or `IGNORE`; shape (n, H, W).
        classes: Number of classes, K.
        dtype: Of what is returned.

    Returns:
        Shapes (n, H, W, K), without a 1 for ignored pixels, and (n, H, W).
    """
    ops = keras.ops
    labels = ops.cast(y_true, "int32")
    is_valid = labels != IGNORE
    valid = ops.cast(is_valid, dtype)
    # Not every backend accepts a class that does not exist.
    truth = ops.one_hot(ops.where(is_valid, labels, 0), classes, dtype=dtype)
    return truth * valid[..., None], valid


def pixels_of(y_true: Any, y_pred: Any, axes: tuple[int, ...]) -> Any:  # noqa: ANN401
    """Count the pixels of each class that are right, true, and predicted.

    Args:
        y_true: Class of each pixel, or `IGNORE`; shape (n, H, W).
        y_pred: Probabilities, shape (n, H, W, K).
        axes: Over which pixels are added.

    Returns:
        float32, shape (3, …, K).
    """
    ops = keras.ops
    classes = y_pred.shape[-1]
    truth, valid = labels_of(y_true, classes, "float32")
    predicted = ops.one_hot(ops.argmax(y_pred, axis=-1), classes, dtype="float32")
    predicted = predicted * valid[..., None]
    return ops.stack([ops.sum(each, axes) for each in (truth * predicted, truth, predicted)])


class MeanIoU(keras.metrics.Metric):  # type: ignore[misc]  # Keras ships no types
    """Mean IoU over the classes that occur or are predicted; counts pixels for other metrics, too.

    Args:
        classes: Number of classes, K.

    Attributes:
        counts: Pixels of each class that are right, that are true, and that are predicted; shape
            (3, K).
    """

    def __init__(self, classes: int) -> None:
        super().__init__(name=MEAN_IOU.name)
        self.counts = self.add_variable((_COUNTED, classes), "zeros", name="pixels")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # noqa: ANN401, ARG002
        """Count the pixels of a batch that are not ignored.

        Args:
            y_true: Class of each pixel, shape (n, H, W).
            y_pred: Probabilities, shape (n, H, W, K).
            sample_weight: Sample weight of other metrics.
        """
        self.counts.assign_add(pixels_of(y_true, y_pred, axes=(0, 1, 2)))

    def result(self) -> Any:  # noqa: ANN401 - a tensor of any backend
        """Return the mean over the classes with pixels."""
        ops = keras.ops
        hits, true, predicted = (self.counts[at] for at in range(_COUNTED))
        union = true + predicted - hits
        occurring = ops.maximum(ops.sum(ops.cast(union > 0, "float32")), 1)
        return ops.sum(hits / ops.maximum(union, 1)) / occurring


class _OfCounts(keras.metrics.Metric):  # type: ignore[misc]  # Keras ships no types
    """A metric of the pixels that another one counts.

    Args:
        counted: Counts the pixels.
        name: Name of the metric.
    """

    def __init__(self, counted: MeanIoU, name: str) -> None:
        super().__init__(name=name)
        # In a tuple, or Keras would list its variable as one of this metric, too.
        self._counted = (counted,)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # noqa: ANN401
        """Leave the counting to the other metric."""

    def reset_state(self) -> None:
        """Leave the counts to the other metric."""

    def pixels(self) -> tuple[Any, Any, Any]:
        """Return the pixels of each class that are right, true, and predicted; K each."""
        counts = self._counted[0].counts
        return counts[0], counts[1], counts[2]


class MeanDice(_OfCounts):
    """Mean Dice over the classes that occur or are predicted."""

    def result(self) -> Any:  # noqa: ANN401 - a tensor of any backend
        """Return the mean over the classes with pixels."""
        ops = keras.ops
        hits, true, predicted = self.pixels()
        both = true + predicted
        occurring = ops.maximum(ops.sum(ops.cast(both > 0, "float32")), 1)
        return ops.sum(2 * hits / ops.maximum(both, 1)) / occurring


class PixelAccuracy(_OfCounts):
    """Share of the pixels that are right."""

    def result(self) -> Any:  # noqa: ANN401 - a tensor of any backend
        """Return the share of the pixels that are not ignored."""
        ops = keras.ops
        hits, true, _ = self.pixels()
        return ops.sum(hits) / ops.maximum(ops.sum(true), 1)


class LearnsMasks(Learning):
    """Learns the class of each pixel."""

    @property
    def targets(self) -> RawImages:
        """The mask of each row, shape (N, H, W)."""
        return self._store.required_regions

    def mixable(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Refuse to average masks; see `Task.refused`."""
        raise TypeError(f"masks of shape {targets.shape} cannot be averaged")

    def pictures(
        self, rows: NDArray[np.int64], scores: Callable[[], NDArray[np.float32]]
    ) -> PictureRegions:
        """Return the most probable class of each pixel; see `Learning.pictures`."""
        labels = scores().argmax(axis=-1).astype(np.uint8)
        return PictureRegions(PictureMasks(rows, labels), None)

    @property
    def answer_shape(self) -> tuple[int, ...]:
        """The shape of the counts of an image, see `report.Counts`."""
        return len(self._store.classes), _COUNTED

    def answer(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the pixels of each class in each image that are right, true, and predicted.

        Args:
            y_true: Class of each pixel, shape (n, H, W).
            y_pred: Probabilities, shape (n, H, W, K).

        Returns:
            Shape (n, K * 3).
        """
        ops = keras.ops
        counts = pixels_of(y_true, y_pred, axes=(1, 2))
        return ops.reshape(ops.moveaxis(counts, 0, 2), (-1, counts.shape[2] * _COUNTED))

    def weights(self, plan: TrainingPlan) -> NDArray[np.float64] | None:
        """Return the weights of classes, those with few pixels higher; see `balanced_weights`."""
        if plan.class_balancing != "class_weights":
            return None
        rows = self._store.rows("train")
        return balanced_weights(self._store.targets[rows].sum(axis=0, dtype=np.float64))

    def loss(self, plan: TrainingPlan, *, mixed: bool) -> keras.losses.Loss:  # noqa: ARG002
        """Return cross-entropy, Dice loss, or their sum; see `Learning.loss`."""
        return PixelLoss(
            len(self._store.classes),
            plan.label_smoothing,
            plan.focal_gamma,
            self.weights(plan),
            plan.dice_weight,
        )

    @staticmethod
    def plain_loss(height: int, width: int, classes: int) -> keras.losses.Loss:  # noqa: ARG004
        """Return the cross-entropy of the pixels; see `Learning.plain_loss`."""
        return keras.losses.SparseCategoricalCrossentropy(ignore_class=IGNORE)

    def metrics(self, *, mixed: bool) -> list[keras.metrics.Metric]:  # noqa: ARG002
        """Return mean IoU, mean Dice and pixel accuracy."""
        counted = MeanIoU(len(self._store.classes))
        return [
            counted,
            MeanDice(counted, MEAN_DICE.name),
            PixelAccuracy(counted, PIXEL_ACCURACY.name),
        ]


LEARNING = LearnsMasks
