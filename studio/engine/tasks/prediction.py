"""How the outputs of a network become answers, and how those are shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.answer import Answer, Calibration, ClassScore

Outputs = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the outputs of a model are.

    Attributes:
        names: Of the outputs, K.
        units: Of the outputs, K; empty where they have none.
        calibration: What validation told of them.
    """

    names: Sequence[str]
    units: Sequence[str] = ()
    calibration: Calibration = field(default_factory=Calibration)


class Predictor(ABC):
    """How a task makes answers of outputs, and shows them.

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
    """Return the highest of the scores of one image, shape (K,), the highest first."""
    order = np.argsort(-outputs, kind="stable")[:count]
    return [ClassScore(label=names[index], score=float(outputs[index])) for index in order]


def score_document(scores: Sequence[ClassScore]) -> list[dict[str, object]]:
    """Return scores as JSON data."""
    return [{"class": score.label, "score": score.score} for score in scores]
