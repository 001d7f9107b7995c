"""The cells of the table of answers: what they say and how they are sorted."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from studio.engine.inference.questions import Prediction
from studio.engine.inference.table import is_right
from studio.ui.widgets.figures import NO_VALUE, percent

PICTURE, ANSWER, SCORE, LABEL, RIGHT = range(5)


@dataclass(frozen=True, slots=True)
class Row:
    """A picture.

    Attributes:
        name: What it is called.
        label: The class that it is known to have; empty where that is not known.
        prediction: The answer; None while it is waited for.
        answer: The answer in a line, where it is not one class.
    """

    name: str
    label: str
    prediction: Prediction | None
    answer: str = ""

    @property
    def verdict(self) -> bool | None:
        """Whether the answer is right; None where that cannot be said."""
        return None if self.prediction is None else is_right(self.prediction, self.label)


def heading(column: int) -> str:
    """What a column holds."""
    names = (_tr("Picture"), _tr("Answer"), _tr("Score"), _tr("Class"), _tr("Right?"))
    return names[column]


def cell_text(row: Row, column: int) -> str:
    """What a cell says."""
    if column == PICTURE:
        return row.name
    if column == LABEL:
        return row.label or NO_VALUE
    if column == RIGHT:
        words = {True: _tr("right"), False: _tr("wrong"), None: NO_VALUE}
        return words[row.verdict]
    return _answer(row) if column == ANSWER else _score(row)


def _answer(row: Row) -> str:
    if row.prediction is None:
        return "…"
    if row.answer:
        return row.answer
    return row.prediction.scores[0].label if row.prediction.scores else _tr("unreadable")


def _score(row: Row) -> str:
    if row.prediction is None:
        return ""
    return percent(row.prediction.scores[0].score) if row.prediction.scores else NO_VALUE


def sort_key(row: Row, column: int) -> str | float | None:
    """What a column is sorted by; None stands behind everything else."""
    if column == PICTURE:
        return row.name
    if column == LABEL:
        return row.label or None
    if row.answer and column == ANSWER:
        return row.answer
    if row.prediction is None or not row.prediction.scores:
        return None
    best = row.prediction.scores[0]
    if column == RIGHT:
        # Among the mistakes the surest first: from them there is most to learn.
        return None if row.verdict is None else row.verdict - best.score / 2
    return best.label if column == ANSWER else best.score


def _tr(text: str) -> str:
    return QCoreApplication.translate("predict", text)
