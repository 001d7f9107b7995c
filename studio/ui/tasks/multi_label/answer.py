"""How the window shows the labels of a picture."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from studio.engine.tasks.answer import Answer
from studio.ui.tasks.answer_view import AnswerView
from studio.ui.widgets.bars import BarLine
from studio.ui.widgets.figures import count, percent
from studio.ui.widgets.labels import apart

_MOST_NAMED = 2


class LabelAnswer(AnswerView):
    """Shows a bar for each label, with a tick at the threshold from which on it is given."""

    def headline(self, answer: Answer) -> str:
        """Return the labels that are given, or their number if they need more than a line."""
        if len(answer.labels) > _MOST_NAMED:
            text = QCoreApplication.translate("tasks", "{n} labels")
            return text.format(n=count(len(answer.labels)))
        return self.caption(answer)

    def caption(self, answer: Answer) -> str:
        """Return the labels that are given."""
        if not answer.labels:
            return QCoreApplication.translate("tasks", "No label")
        return ", ".join(apart(each) for each in answer.labels)

    def lines(self, answer: Answer) -> list[BarLine]:
        """Return a line for each label, the surest first."""
        return [
            BarLine(
                each.label,
                percent(each.score),
                each.score,
                each.threshold,
                is_strong=each.label in answer.labels,
            )
            for each in answer.scores
        ]
