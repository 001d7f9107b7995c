"""Classification with Keras: cross-entropy, accuracy and top-5."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.tasks.learning import Learning, ValidatedImages
from studio.engine.compute.tasks.linear_heads import FittedHead, HeadFeatures, fit_class_head
from studio.engine.datasets.augment.augmenter import one_hot
from studio.engine.tasks.classification.task import ACCURACY, TOP, TOP_5
from studio.engine.training.dataset_statistics import class_weights
from studio.engine.training.insights import (
    PICTURES,
    TOP_CLASSES,
    PicturePredictions,
    ValidationAnswers,
    ValidationPredictions,
)
from studio.engine.training.plan import TrainingPlan

_LEAST = 1e-7
"""As in Keras' own losses: certainty is cut off there, so that its logarithm is finite."""


class ClassLoss(keras.losses.Loss):  # type: ignore[misc]  # Keras ships no types
    """Cross-entropy with the options of a plan.

    loss = -w * sum_c t_c * (1 - p_c)^gamma * log p_c, with t the label, smoothed, and w the
    weight of its class. With gamma above 0 it is the focal loss of T.-Y. Lin et al., "Focal loss
    for dense object detection", ICCV 2017, equation 4, over the classes of a softmax.

    Args:
        classes: Number of classes.
        smoothing: Share of each label that is spread over all classes.
        gamma: Focusing parameter: the higher, the less easy images count.
        weights: Weight of each class; None for 1.
    """

    def __init__(
        self,
        classes: int,
        smoothing: float,
        gamma: float,
        weights: NDArray[np.float64] | None,
    ) -> None:
        super().__init__(name="class_loss")
        self._classes = classes
        self._smoothing = smoothing
        self._gamma = gamma
        self._weights = weights

    def call(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the loss of each image, shape (n,).

        Args:
            y_true: Class indices, shape (n,), or soft labels, shape (n, classes).
            y_pred: Probabilities, shape (n, classes).
        """
        ops = keras.ops
        soft_labels = y_true
        if len(y_true.shape) < len(y_pred.shape):
            soft_labels = ops.one_hot(ops.cast(y_true, "int32"), self._classes, dtype=y_pred.dtype)
        weight = 1.0
        if self._weights is not None:
            weight = ops.sum(soft_labels * ops.cast(self._weights, y_pred.dtype), axis=-1)
        if self._smoothing:
            soft_labels = soft_labels * (1 - self._smoothing) + self._smoothing / self._classes
        sure = ops.clip(y_pred, _LEAST, 1 - _LEAST)
        losses = -soft_labels * ops.log(sure)
        if self._gamma:
            losses = losses * ops.power(1 - sure, self._gamma)
        return weight * ops.sum(losses, axis=-1)


class LearnsClasses(Learning):
    """Learns one class per image."""

    max_pictures = PICTURES

    @property
    def targets(self) -> NDArray[np.int32]:
        """The class of each row, shape (N,)."""
        return self._store.labels

    def mixable(self, targets: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return shares of the classes, shape (n, classes)."""
        return one_hot(targets, len(self._store.classes))

    @property
    def answer_shape(self) -> tuple[int, ...]:
        """The numbers of the most likely classes, and their scores, each up to 5."""
        return 2, min(TOP_CLASSES, len(self._store.classes))

    def answer(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401, ARG002 - tensors of any backend
        """Return the most likely classes and their scores; see `Learning.answer`."""
        ops = keras.ops
        scores, classes = ops.top_k(y_pred, self.answer_shape[1])
        # Classes as floats, too: on some devices, variables of whole numbers are not at home.
        return ops.concatenate([ops.cast(classes, scores.dtype), scores], axis=-1)

    def validated(self, images: ValidatedImages) -> ValidationAnswers:
        """Return the predicted classes of all images whose answers are known, or of a sample."""
        indices = np.arange(len(images.rows)) if images.are_known else images.sample
        rows, shown = images.rows[indices], images.rows[images.shown]
        classes, scores = self._top_classes(images.answers(indices))
        labels, of = self._store.labels, len(images.rows)
        return ValidationAnswers(
            ValidationPredictions(rows, labels[rows], classes[:, 0], scores[:, 0], of),
            PicturePredictions(
                shown, labels[shown], *self._top_classes(images.answers(images.shown))
            ),
        )

    def _top_classes(
        self, answers: NDArray[np.float32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return the classes and the scores in answers, each of shape (n, up to 5)."""
        classes, scores = np.split(answers, 2, axis=1)
        return classes.astype(np.int32), scores

    def weights(self, plan: TrainingPlan) -> NDArray[np.float64] | None:
        """Return the weights of classes, the rare ones higher."""
        if plan.class_balancing != "class_weights":
            return None
        labels = self._store.labels[self._store.rows("train")]
        return class_weights(labels, len(self._store.classes))

    def fit_head(self, plan: TrainingPlan, features: HeadFeatures) -> FittedHead:
        """Fit probabilities of the classes; see `Learning.fit_head`."""
        return fit_class_head(plan, features)

    def loss(self, plan: TrainingPlan, *, mixed: bool) -> keras.losses.Loss:
        """Return cross-entropy with the plan's label smoothing, focal term and class weights.

        Args:
            plan: Plan of the run.
            mixed: True if labels are soft.
        """
        weights = self.weights(plan)
        if plan.label_smoothing or plan.focal_gamma or weights is not None:
            classes = len(self._store.classes)
            return ClassLoss(classes, plan.label_smoothing, plan.focal_gamma, weights)
        if mixed:
            return keras.losses.CategoricalCrossentropy()
        return keras.losses.SparseCategoricalCrossentropy()

    def metrics(self, *, mixed: bool) -> list[keras.metrics.Metric]:
        """Return accuracy, and top-5 if there are enough classes for it."""
        sparse = "" if mixed else "Sparse"
        metrics = [getattr(keras.metrics, f"{sparse}CategoricalAccuracy")(name=ACCURACY.name)]
        if len(self._store.classes) >= TOP_5.min_classes:
            top = getattr(keras.metrics, f"{sparse}TopKCategoricalAccuracy")
            metrics.append(top(TOP, TOP_5.name))
        return metrics


LEARNING = LearnsClasses
