"""Scores of classes or labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from pydantic import BaseModel

from studio.engine.tasks.parts.part import PredictionPart

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class ClassScore(BaseModel, frozen=True):
    """Confidence of a model in a class or label.

    Attributes:
        label: The class or label.
        score: The output of the model, 0 to 1.
        threshold: From which score on a label is given; None where the highest score wins.
    """

    label: str
    score: float
    threshold: float | None = None


class Scores(PredictionPart, frozen=True):
    """Scores of the classes of a picture, or of labels of which it may have any number.

    Examples:
        >>> cat = ClassScore(label="cat", score=0.9)
        >>> Scores(classes=(cat, ClassScore(label="dog", score=0.1))).brief()
        'cat'

    Attributes:
        classes: Classes or labels, the highest score first.
        labels: Names of the labels whose score reaches their threshold; empty for classes.
    """

    classes: tuple[ClassScore, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def has_labels(self) -> bool:
        """True for labels, of which a picture may have any number."""
        return bool(self.labels) or any(each.threshold is not None for each in self.classes)

    def document(self) -> dict[str, object]:
        """Return the classes with their scores, after the given labels."""
        scores = [{"class": each.label, "score": each.score} for each in self.classes]
        given: dict[str, object] = {"labels": list(self.labels)} if self.has_labels else {}
        return given | {"predictions": scores}

    def lines(self) -> list[str]:
        """Return a line for each class or label; given labels are marked."""
        return [
            f"{each.score:8.1%}  {each.label}{' ✓' if each.label in self.labels else ''}"
            for each in self.classes
        ]

    def cells(self) -> dict[str, object]:
        """Return `class`, `score`, then `class_2`, `score_2` and so on.

        Of labels: the given ones in one cell, and the score of each.
        """
        if self.has_labels:
            scores = {f"score {each.label}": each.score for each in self.classes}
            return {"labels": ";".join(self.labels)} | dict(sorted(scores.items()))
        cells: dict[str, object] = {}
        for rank, each in enumerate(self.classes, 1):
            ending = "" if rank == 1 else f"_{rank}"
            cells |= {f"class{ending}": each.label, f"score{ending}": each.score}
        return cells

    def brief(self) -> str:
        """Return the most probable class, or the given labels."""
        if self.has_labels:
            return ", ".join(self.labels) or "no label"
        return self.classes[0].label

    def numbers(self) -> dict[str, float]:
        """Return the score of each class or label."""
        return {each.label: each.score for each in self.classes}

    def shortened(self, top: int) -> Self:
        """Return the `top` highest scores, and those of the labels that are given."""
        kept = tuple(
            each
            for rank, each in enumerate(self.classes)
            if rank < top or each.label in self.labels
        )
        return self.model_copy(update={"classes": kept})


def top_scores(
    outputs: NDArray[np.float32], names: Sequence[str], count: int
) -> tuple[ClassScore, ...]:
    """Return the highest scores of one image, in descending order.

    Args:
        outputs: Scores, shape (K,).
        names: Names of the K outputs.
        count: Number of scores.
    """
    order = (-outputs).argsort(kind="stable")[:count]
    return tuple(ClassScore(label=names[at], score=float(outputs[at])) for at in order.tolist())
