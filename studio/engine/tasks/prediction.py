"""Base classes of tasks: outputs of a network as answers, and their metrics on a split."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.answer import ROUNDING, SAME_ANSWER, Answer, Calibration, ClassScore
from studio.engine.tasks.metric import MetricSpec


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
    """Measurement of outputs against targets by a task.

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


Outputs = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Meaning:
    """Meaning of the outputs of a model.

    Attributes:
        names: Of the outputs, K.
        units: Of the outputs, K; empty where they have none.
        calibration: Calibration measured on the validation images.
    """

    names: Sequence[str]
    units: Sequence[str] = ()
    calibration: Calibration = field(default_factory=Calibration)


class Predictor(ABC):
    """Conversion of outputs to answers by a task, and their display.

    Attributes:
        columns: The first columns of a table of answers.
    """

    columns: tuple[str, ...] = ()

    def calibrated(self, outputs: Outputs, targets: NDArray[Any]) -> Calibration:
        """Learn from validation images what the outputs are worth.

        Args:
            outputs: Of validation images, shape (n, K); n may be 0.
            targets: Their targets, shape (n, K) or (n,).
        """
        return Calibration(images=min(len(outputs), len(targets)))

    def completed(self, calibration: Calibration, outputs: int) -> Calibration:  # noqa: ARG002
        """Return the calibration with everything that is needed to answer without Studio.

        Args:
            calibration: Of a network.
            outputs: How many outputs it has.
        """
        return calibration

    def brief(self, answer: Answer) -> str:
        """Return the answer in a few words."""
        words = (f"{each.name} {each.value:.3g} {each.unit}".strip() for each in answer.values)
        return ", ".join(words) or answer.scores[0].label

    @abstractmethod
    def answers(self, outputs: Outputs, meaning: Meaning, top: int) -> list[Answer]:
        """Return the answer for each image.

        Args:
            outputs: Shape (n, K).
            meaning: Of the outputs.
            top: How many classes or labels to name.
        """

    @abstractmethod
    def document(self, answer: Answer) -> dict[str, object]:
        """Return the answer as JSON data."""

    @abstractmethod
    def lines(self, answer: Answer) -> list[str]:
        """Return the answer as text, a line for each class, label or quantity."""

    @abstractmethod
    def cells(self, answer: Answer) -> dict[str, object]:
        """Return the answer as cells of a table by their columns."""


def top_scores(outputs: NDArray[np.float32], names: Sequence[str], count: int) -> list[ClassScore]:
    """Return the highest scores of one image, in descending order.

    Args:
        outputs: Scores, shape (K,).
        names: Names of the K outputs.
        count: Number of scores.
    """
    order = np.argsort(-outputs, kind="stable")[:count]
    return [ClassScore(label=names[index], score=float(outputs[index])) for index in order]


def score_document(scores: Sequence[ClassScore]) -> list[dict[str, object]]:
    """Return scores as JSON data."""
    return [{"class": score.label, "score": score.score} for score in scores]
