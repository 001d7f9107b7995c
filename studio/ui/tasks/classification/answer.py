"""How the window shows the class of a picture."""

from __future__ import annotations

from studio.ui.tasks.answer_view import AnswerView


class ClassAnswer(AnswerView):
    """Shows the likeliest classes."""

    has_classes = True
