"""Regression with Keras: squared error in standard deviations of the targets."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.tasks.learning import LearnsTargets
from studio.engine.tasks.regression.task import MAE, R2, RMSE
from studio.engine.training.dataset_statistics import target_scale
from studio.engine.training.plan import TrainingPlan


class ScaledSquaredError(keras.losses.Loss):  # type: ignore[misc]  # Keras ships no types
    """Squared error of each target in its standard deviations, the mean over the targets.

    Networks answer in real units. Without the division a target in grams would outweigh one in
    tons.

    Args:
        deviation: Standard deviation of each target over the training images, K.
    """

    def __init__(self, deviation: NDArray[np.float64]) -> None:
        super().__init__(name="scaled_squared_error")
        self._deviation = deviation

    def call(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401 - tensors of any backend
        """Return the loss of each image, shape (n,).

        Args:
            y_true: Targets, shape (n, quantities).
            y_pred: Predictions, shape (n, quantities).
        """
        ops = keras.ops
        error = (y_pred - ops.cast(y_true, y_pred.dtype)) / ops.cast(self._deviation, y_pred.dtype)
        return ops.mean(ops.square(error), axis=-1)


class LearnsNumbers(LearnsTargets):
    """Learns one number per quantity of each image."""

    def loss(self, plan: TrainingPlan, *, mixed: bool) -> keras.losses.Loss:  # noqa: ARG002
        """Return the squared error in standard deviations of each quantity.

        Args:
            plan: Plan of the run.
            mixed: True if targets are interpolated.
        """
        scale = target_scale(self._store)
        deviation = np.ones(1) if scale is None else np.array(scale.deviation)
        return ScaledSquaredError(deviation)

    def metrics(self, *, mixed: bool) -> list[keras.metrics.Metric]:  # noqa: ARG002
        """Return MAE, RMSE and R²."""
        return [
            keras.metrics.MeanAbsoluteError(name=MAE.name),
            keras.metrics.RootMeanSquaredError(name=RMSE.name),
            keras.metrics.R2Score(name=R2.name),
        ]


LEARNING = LearnsNumbers
