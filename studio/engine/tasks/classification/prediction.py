"""Predictions of classification: the most probable classes."""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.tasks.parts.scores import Scores, top_scores
from studio.engine.tasks.prediction import Meaning, Outputs, Predictor


class PredictsClasses(Predictor):
    """Predicts classes, the most probable one first."""

    parts = (Scores,)
    columns = ("class", "score")

    def folder_labels(self, names: Sequence[str]) -> Sequence[str] | None:
        """Return the classes: pictures often lie in folders with their names."""
        return names

    def scores_to_return(self, best: int, every: int) -> int:  # noqa: ARG002 - of labels
        """Return the number of the best classes; see `Predictor.scores_to_return`."""
        return best

    def predictions(self, outputs: Outputs, meaning: Meaning, top: int) -> list[Prediction]:
        """Return the most probable classes of each image.

        Args:
            outputs: Probabilities, shape (n, K).
            meaning: Names of the classes.
            top: Number of classes per image.
        """
        return [
            Prediction(scores=Scores(classes=top_scores(row, meaning.names, top)))
            for row in outputs
        ]


PREDICTOR = PredictsClasses()
