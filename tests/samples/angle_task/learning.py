"""Directions with Keras."""

from __future__ import annotations

import math
from typing import Any

import keras

from studio.engine.compute.tasks.learning import LearnsTargets
from studio.engine.training.plan import TrainingPlan


def angle_error(y_true: Any, y_pred: Any) -> Any:
    """The angle between the directions of each image, in degrees, shape (n,)."""
    ops = keras.ops
    truth = ops.cast(y_true, y_pred.dtype)
    crossed = truth[:, 0] * y_pred[:, 1] - truth[:, 1] * y_pred[:, 0]
    along = ops.sum(truth * y_pred, axis=-1)
    return ops.abs(ops.arctan2(crossed, along)) * (180 / math.pi)


class LearnsDirections(LearnsTargets):
    """Learns cosine and sine by their squared error."""

    def loss(self, plan: TrainingPlan, *, mixed: bool) -> keras.losses.Loss:
        """Return the squared error."""
        return keras.losses.MeanSquaredError()

    def metrics(self, *, mixed: bool) -> list[keras.metrics.Metric]:
        """Return the mean angle between answer and truth."""
        return [keras.metrics.MeanMetricWrapper(angle_error, name="angle_error")]


LEARNING = LearnsDirections
