"""How the window shows what a model answers about a picture."""

from __future__ import annotations

from studio.engine.tasks.answer import Answer, TargetValue
from studio.ui.widgets.bars import BarLine
from studio.ui.widgets.figures import percent, significant


class AnswerView:
    """Shows scores as bars, the highest first, and values with their intervals.

    Attributes:
        has_classes: True if an answer is one class, which can be right, or be corrected.
    """

    has_classes = False

    def headline(self, answer: Answer) -> str:
        """Return the answer in large type; empty where its lines say it better."""
        if answer.values:
            return value_text(answer.values[0]) if len(answer.values) == 1 else ""
        return _best(answer)

    def caption(self, answer: Answer) -> str:
        """Return the answer in one short line."""
        if answer.values:
            return " · ".join(value_text(each) for each in answer.values)
        return self.headline(answer)

    def lines(self, answer: Answer) -> list[BarLine]:
        """Return a line for each score or value."""
        scores = [
            BarLine(each.label, percent(each.score), each.score, is_strong=place == 0)
            for place, each in enumerate(answer.scores)
        ]
        return scores + [
            BarLine(each.name, _with_interval(each), is_strong=True) for each in answer.values
        ]


def value_text(value: TargetValue) -> str:
    """Return a value with its unit."""
    return f"{significant(value.value)} {value.unit}".strip()


def _with_interval(value: TargetValue) -> str:
    if value.low is None or value.high is None:
        return value_text(value)
    return f"{value_text(value)}  ({significant(value.low)} – {significant(value.high)})"


def _best(answer: Answer) -> str:
    if not answer.scores:
        return ""
    best = answer.scores[0]
    return f"{best.label} · {percent(best.score)}"
