"""Losses of several parts, each of which is a metric, too."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import keras

PartsT = TypeVar("PartsT")


class LossOfParts(keras.losses.Loss, Generic[PartsT]):  # type: ignore[misc]  # Keras: no types
    """Base of losses of several parts; a subclass implements `measured` and `total`.

    The loss of a step and its metrics share one computation.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name=name)
        self._last: tuple[Any, PartsT] | None = None

    def measured(self, y_true: Any, y_pred: Any) -> PartsT:  # noqa: ANN401 - tensors of any backend
        """Return the parts, a tensor of shape (n,) each.

        Args:
            y_true: What is learned, a row for each of n images.
            y_pred: Outputs, a row for each image.
        """
        raise NotImplementedError

    def total(self, parts: PartsT) -> Any:  # noqa: ANN401
        """Return the loss of each image, shape (n,)."""
        raise NotImplementedError

    def call(self, y_true: Any, y_pred: Any) -> Any:  # noqa: ANN401
        """Return the loss of each image, shape (n,).

        Args:
            y_true: See `measured`.
            y_pred: See `measured`.
        """
        parts = self.measured(y_true, y_pred)
        self._last = y_pred, parts
        return self.total(parts)

    def parts(self, y_true: Any, y_pred: Any, *, is_last: bool) -> PartsT:  # noqa: ANN401
        """Return the parts of the loss; those of the loss itself if it saw these outputs.

        Args:
            y_true: See `measured`.
            y_pred: See `measured`.
            is_last: True to forget them, so that no tensors of a step stay behind.
        """
        if self._last is None or self._last[0] is not y_pred:
            self._last = y_pred, self.measured(y_true, y_pred)
        parts = self._last[1]
        if is_last:
            self._last = None
        return parts


class PartOfLoss(keras.metrics.Mean):  # type: ignore[misc]  # Keras ships no types
    """Mean over the images of a part of the loss.

    Args:
        loss: Computes it.
        name: Name of the metric.
        part: Name of the part.
        is_last: True in the last of these metrics.
    """

    def __init__(
        self, loss: LossOfParts[Any], name: str, part: str, *, is_last: bool = False
    ) -> None:
        super().__init__(name=name)
        self._loss = loss
        self._part = part
        self._is_last = is_last

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # noqa: ANN401, ARG002
        """Add the images of a batch.

        Args:
            y_true: See `LossOfParts.measured`.
            y_pred: See `LossOfParts.measured`.
            sample_weight: Sample weight of other metrics.
        """
        parts = self._loss.parts(y_true, y_pred, is_last=self._is_last)
        super().update_state(getattr(parts, self._part))
