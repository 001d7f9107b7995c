"""The parts of pages for one class per image."""

from __future__ import annotations

from studio.ui.tasks.classification.data import ClassificationData
from studio.ui.tasks.view import AnswerView, TaskView


class ClassAnswer(AnswerView):
    """Shows the likeliest classes."""

    has_classes = True


class ClassificationView(ClassificationData, TaskView):
    """Shows one class per image."""

    answer = ClassAnswer()


VIEW = ClassificationView()
