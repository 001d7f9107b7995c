"""The parts of pages for one class per image."""

from __future__ import annotations

from studio.ui.tasks.view import TaskView


class ClassificationView(TaskView):
    """Shows one class per image."""


VIEW = ClassificationView()
