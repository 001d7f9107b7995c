"""What is measured of a model on a split whose images have targets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.answer import ROUNDING, SAME_ANSWER, Calibration
from studio.engine.tasks.metric import MetricSpec
from studio.engine.tasks.prediction import Outputs


@dataclass(frozen=True, slots=True)
class Figures:
    """Metrics by their names.

    Attributes:
        whole: Of all outputs together.
        outputs: Of each output, K numbers each; NaN where one cannot be measured.
    """

    whole: dict[str, float]
    outputs: dict[str, NDArray[np.float64]] = field(default_factory=dict)


class Reporter(ABC):
    """How a task measures outputs against targets.

    Attributes:
        whole: The metrics of the whole; the first is the main one.
        outputs: The metrics of each output.
        same_answer: When two models give the same answer, in a sentence.
        cost: Work of one measurement, in units of images times outputs, for the number of
            resamples.
    """

    whole: tuple[MetricSpec, ...]
    outputs: tuple[MetricSpec, ...]
    same_answer: str = (
        "Two answers are the same if no number differs by more than a twentieth of its standard "
        "deviation over the training images (of 1 if it is constant there)."
    )
    cost: int = 1

    def disagree(
        self,
        one: Outputs,
        other: Outputs,
        calibration: Calibration,  # noqa: ARG002 - of other tasks
        scales: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Return on which images two models disagree, shape (n,).

        By default: if an output differs by more than `SAME_ANSWER` of its scale. Rounding of large
        numbers with a small scale does not count.

        Args:
            one: Outputs of one model, shape (n, K).
            other: Outputs of the other model, shape (n, K).
            calibration: Calibration of the first model.
            scales: Scale of each output, shape (K,), see `target_scale`; 1 for probabilities.
        """
        values = one.astype(np.float64)
        allowed = np.maximum(scales * SAME_ANSWER, np.abs(values) * ROUNDING)
        found: NDArray[np.bool_] = np.any(np.abs(values - other) > allowed, axis=1)
        return found

    def recognized(
        self,
        outputs: Outputs,  # noqa: ARG002 - of labels
        targets: NDArray[Any],  # noqa: ARG002 - of labels
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many images have each label, and how many of these get it, K each.

        By default: nothing, since quantities are no labels.

        Args:
            outputs: Of the network, shape (n, K).
            targets: Shape (n, K).
        """
        none = np.zeros(0, np.int64)
        return none, none

    @abstractmethod
    def measure(
        self, outputs: Outputs, targets: NDArray[Any], calibration: Calibration
    ) -> Figures:
        """Compute all metrics.

        Args:
            outputs: Of the network, shape (n, K); n is at least 1.
            targets: Shape (n, K).
            calibration: Of the network.
        """
