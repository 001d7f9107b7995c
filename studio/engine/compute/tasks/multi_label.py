"""Multi-label classification with Keras: binary cross-entropy of each label."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.tasks.learning import LearnsTargets
from studio.engine.tasks.multi_label.task import F1_MACRO, F1_MICRO, LABEL_ACCURACY, MAP
from studio.engine.training.plan import TrainingPlan

_LEAST = 1e-7
_MOST_WEIGHT = 100.0


class LabelLoss(keras.losses.Loss):  # type: ignore[misc]  # Keras ships no types
    """Binary cross-entropy with the options of a plan, averaged over the labels.

    loss = -mean_k (w_k * t_k * (1 - p_k)^gamma * log p_k + (1 - t_k) * p_k^gamma * log(1 - p_k))

    with t the label, smoothed towards one half, and w the weight of images that have it. With
    gamma above 0 it is the focal loss of T.-Y. Lin et al., "Focal loss for dense object
    detection", ICCV 2017, equation 4.

    Args:
        smoothing: Share of each label that is taken away and spread over both answers.
        gamma: Focusing parameter: the higher, the less easy decisions count.
        weights: Weight of each label; None for 1.
    """

    def __init__(
        self, smoothing: float, gamma: float, weights: NDArray[np.float64] | None
    ) -> None:
        super().__init__(name="label_loss")
        self._smoothing = smoothing
        self._gamma = gamma
        self._weights = weights

    def call(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the loss of each image, shape (n,).

        Args:
            y_true: 0 or 1, shape (n, labels).
            y_pred: Probabilities, shape (n, labels).
        """
        ops = keras.ops
        truth = ops.cast(y_true, y_pred.dtype)
        if self._smoothing:
            truth = truth * (1 - self._smoothing) + self._smoothing / 2
        sure = ops.clip(y_pred, _LEAST, 1 - _LEAST)
        present, absent = truth * ops.log(sure), (1 - truth) * ops.log(1 - sure)
        if self._weights is not None:
            present = present * ops.cast(self._weights, y_pred.dtype)
        if self._gamma:
            present = present * ops.power(1 - sure, self._gamma)
            absent = absent * ops.power(sure, self._gamma)
        return -ops.mean(present + absent, axis=-1)


class LearnsLabels(LearnsTargets):
    """Learns which labels each image has."""

    def weights(self, plan: TrainingPlan) -> NDArray[np.float64] | None:
        """Return the ratio of images without each label to images with it."""
        if plan.class_balancing != "class_weights":
            return None
        share = self.targets[self._store.rows("train")].mean(axis=0, dtype=np.float64)
        odds: NDArray[np.float64] = (1 - share) / np.maximum(share, 1e-9)
        return odds.clip(1 / _MOST_WEIGHT, _MOST_WEIGHT)

    def loss(self, plan: TrainingPlan, *, mixed: bool) -> keras.losses.Loss:  # noqa: ARG002
        """Return binary cross-entropy.

        Args:
            plan: Plan of the run.
            mixed: True if labels are soft.
        """
        return LabelLoss(plan.label_smoothing, plan.focal_gamma, self.weights(plan))

    def metrics(self, *, mixed: bool) -> list[keras.metrics.Metric]:  # noqa: ARG002
        """Return mAP, F1 and the accuracy of single decisions."""
        labels = len(self._store.classes)
        return [
            keras.metrics.AUC(curve="PR", multi_label=True, num_labels=labels, name=MAP.name),
            keras.metrics.F1Score(average="micro", threshold=0.5, name=F1_MICRO.name),
            keras.metrics.F1Score(average="macro", threshold=0.5, name=F1_MACRO.name),
            keras.metrics.BinaryAccuracy(name=LABEL_ACCURACY.name),
        ]


LEARNING = LearnsLabels
