"""What pages ask of a task."""

from __future__ import annotations

from studio.ui.tasks.answer_view import AnswerView
from studio.ui.tasks.data_view import DataView


class TaskView(DataView):
    """The parts of pages that differ between tasks.

    Every method has a plain default, so that a task of a plug-in is shown without a view of its
    own. Methods make widgets; modules of widgets are imported by the view of a task.

    Attributes:
        answer: How answers are shown.
    """

    answer = AnswerView()
