"""Anomaly detection with Keras: masks as targets, and the mean score of good images as loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from studio.engine.compute.tasks.learning import Learning
from studio.engine.datasets.images import RawImages
from studio.engine.training.insights import PictureRegions
from studio.engine.training.plan import TrainingPlan


class MeanScore(keras.losses.Loss):  # type: ignore[misc]  # Keras ships no types
    """Score of each image: the highest of its pixels."""

    def call(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401, ARG002 - tensors
        """Return the score of each image, shape (n,).

        Args:
            y_true: Masks; not used, since only good images are measured.
            y_pred: Scores, shape (n, H, W, K).
        """
        return keras.ops.max(y_pred[..., -1], axis=(1, 2))


class LearnsGoodImages(Learning):
    """Fits Gaussians, see `compute.tasks.good_images`; nothing is learned by gradient."""

    @property
    def targets(self) -> RawImages:
        """The mask of each row, shape (N, H, W)."""
        return self._store.required_regions

    def mixable(self, targets: NDArray[Any]) -> NDArray[Any]:
        """Refuse to average masks; see `Task.refused`."""
        raise TypeError(f"masks of shape {targets.shape} cannot be averaged")

    def pictures(
        self,
        rows: NDArray[np.int64],  # noqa: ARG002
        scores: Callable[[], NDArray[np.float32]],  # noqa: ARG002
    ) -> PictureRegions:
        """Return nothing: maps are no regions of classes; see `Learning.pictures`."""
        return PictureRegions(None, None)

    def loss(self, plan: TrainingPlan, *, mixed: bool) -> keras.losses.Loss:  # noqa: ARG002
        """Return the mean score; see `Learning.loss`."""
        return MeanScore()

    @staticmethod
    def plain_loss(height: int, width: int, classes: int) -> keras.losses.Loss:  # noqa: ARG004
        """Return the mean score; see `Learning.plain_loss`."""
        return MeanScore()

    def metrics(self, *, mixed: bool) -> list[keras.metrics.Metric]:  # noqa: ARG002
        """Return nothing: metrics of images need all scores; see `Learning.metrics`."""
        return []


LEARNING = LearnsGoodImages
