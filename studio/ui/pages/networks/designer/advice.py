"""The lines of the strip: problems with their layers, then hints. Free of Qt."""

from __future__ import annotations

from studio.engine.networks.hints import Hint
from studio.engine.networks.spec import Examination
from studio.ui.engine_text import engine_text
from studio.ui.pages.networks.designer.strip import Line
from studio.ui.pages.networks.designer.wiring import CLASSES


def problem_lines(examination: Examination, known: set[str]) -> list[Line]:
    """What is wrong, the serious first, each with its layer."""
    problems = sorted(examination.problems, key=lambda problem: not problem.serious)
    return [
        Line(
            "problem" if problem.serious else "advice",
            problem.node if problem.node in known else "",
            sentence(problem.message, problem.hint),
        )
        for problem in problems
        if problem.node != CLASSES
    ]


def hint_lines(hints: list[Hint], action: str) -> list[Line]:
    """What could be better, each with a button that does it."""
    return [Line("hint", hint.nodes[0], engine_text(hint.text), action) for hint in hints]


def sentence(message: str, hint: str) -> str:
    """Message and hint as sentences in one line."""
    text = f"{message[:1].upper()}{message[1:]}"
    return engine_text(f"{text} {hint}".strip())
