"""Predictions of classification: the most probable classes."""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.tasks.answer import Answer
from studio.engine.tasks.prediction import Meaning, Outputs, Predictor, score_document, top_scores


class PredictsClasses(Predictor):
    """Answers with classes, the most probable one first."""

    columns = ("class", "score")

    def folder_labels(self, names: Sequence[str]) -> Sequence[str] | None:
        """Return the classes: pictures often lie in folders with their names."""
        return names

    def scores_to_return(self, best: int, every: int) -> int:  # noqa: ARG002 - of labels
        """Return the number of the best classes; see `Predictor.scores_to_return`."""
        return best

    def answers(self, outputs: Outputs, meaning: Meaning, top: int) -> list[Answer]:
        """Return the most probable classes of each image.

        Args:
            outputs: Probabilities, shape (N, classes).
            meaning: Names of the classes.
            top: Number of classes per image.
        """
        return [Answer(scores=tuple(top_scores(row, meaning.names, top))) for row in outputs]

    def document(self, answer: Answer) -> dict[str, object]:
        """Return the classes with their scores."""
        return {"predictions": score_document(answer.scores)}

    def lines(self, answer: Answer) -> list[str]:
        """Return a line for each class."""
        return [f"{score.score:8.1%}  {score.label}" for score in answer.scores]

    def cells(self, answer: Answer) -> dict[str, object]:
        """Return `class`, `score`, then `class_2`, `score_2` and so on."""
        cells: dict[str, object] = {}
        for rank, score in enumerate(answer.scores, 1):
            ending = "" if rank == 1 else f"_{rank}"
            cells[f"class{ending}"] = score.label
            cells[f"score{ending}"] = score.score
        return cells


PREDICTOR = PredictsClasses()
