"""Loss and metric with Keras, for all backends; only workers import it."""

from __future__ import annotations

from typing import Any

import keras

from studio.engine.compute.tasks.requested import LearningRequest


def margin(y_true: Any, y_pred: Any) -> Any:
    """The score of the true class minus that of the best other one, shape (n,).

    Args:
        y_true: Numbers of the classes, shape (n,); fractions, shape (n, classes), of mixed images.
        y_pred: Scores, shape (n, classes).
    """
    ops = keras.ops
    fractions = y_true
    if len(y_true.shape) < len(y_pred.shape):
        fractions = ops.one_hot(ops.cast(y_true, "int32"), y_pred.shape[-1], dtype=y_pred.dtype)
    fractions = ops.cast(fractions, y_pred.dtype)
    return ops.sum(fractions * y_pred, axis=-1) - ops.max(y_pred * (1 - fractions), axis=-1)


class MarginLoss(keras.losses.Loss):  # type: ignore[misc]  # Keras ships no types
    """1 minus the margin, weighted by the class."""

    def __init__(self, weights: Any) -> None:
        super().__init__(name="margin_loss")
        self._weights = weights

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Return the loss of each image, shape (n,)."""
        loss = 1 - margin(y_true, y_pred)
        if self._weights is None or len(y_true.shape) == len(y_pred.shape):
            return loss
        weights = keras.ops.convert_to_tensor(self._weights, y_pred.dtype)
        return loss * keras.ops.take(weights, keras.ops.cast(y_true, "int32"))


def margin_loss(request: LearningRequest) -> keras.losses.Loss:
    """Return the loss of a plan."""
    return MarginLoss(request.weights)


def margin_metrics(request: LearningRequest) -> list[keras.metrics.Metric]:
    """Return the mean margin."""
    return [keras.metrics.MeanMetricWrapper(margin, name="margin")]
