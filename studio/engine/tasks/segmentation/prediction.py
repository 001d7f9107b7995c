"""Predictions of segmentation: the area of each class."""

from __future__ import annotations

import numpy as np

from studio.engine.tasks.answer import Answer, TargetValue
from studio.engine.tasks.prediction import Meaning, Outputs, Predictor


class PredictsMasks(Predictor):
    """Answers with the pixels of each class."""

    def answers(self, outputs: Outputs, meaning: Meaning, top: int) -> list[Answer]:  # noqa: ARG002
        """Return the area of every class, whatever `top` is.

        Args:
            outputs: Probabilities, shape (n, H, W, K).
            meaning: Of the outputs.
            top: Of other tasks.
        """
        found = []
        for probabilities in outputs:
            labels = probabilities.argmax(axis=-1)
            pixels = np.bincount(labels.ravel(), minlength=len(meaning.names)).tolist()
            found.append(
                Answer(
                    values=tuple(
                        TargetValue(name=name, value=count, unit="px")
                        for name, count in zip(meaning.names, pixels, strict=True)
                    )
                )
            )
        return found

    def document(self, answer: Answer) -> dict[str, object]:
        """Return the area of each class in pixels, and its share."""
        total = sum(each.value for each in answer.values) or 1.0
        return {
            "classes": [
                {"class": each.name, "pixels": int(each.value), "share": each.value / total}
                for each in answer.values
            ]
        }

    def lines(self, answer: Answer) -> list[str]:
        """Return a line for each class."""
        total = sum(each.value for each in answer.values) or 1.0
        return [f"{each.value / total:8.1%}  {each.name}" for each in answer.values]

    def cells(self, answer: Answer) -> dict[str, object]:
        """Return the area of each class in pixels."""
        return {f"pixels {each.name}": int(each.value) for each in answer.values}


PREDICTOR = PredictsMasks()
