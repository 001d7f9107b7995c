"""What pages ask of a task."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from studio.ui.tasks.answer_view import AnswerView
from studio.ui.tasks.data_view import DataView
from studio.ui.tasks.insight_view import InsightView
from studio.ui.tasks.report_view import ReportView
from studio.ui.theme.theme import Theme


class TaskView(DataView):
    """The parts of pages that differ between tasks.

    Every method has a plain default, so that a task of a plug-in is shown without a view of its
    own. Methods make widgets; modules of widgets are imported by the view of a task.

    Attributes:
        answer: How answers are shown.
        report: How evaluations on targets are shown.
    """

    answer = AnswerView()
    report = ReportView()

    def insights_title(self) -> str:
        """Return what the validations of a run are called; empty if there is nothing to show."""
        return ""

    def insights(self, theme: Theme, parent: QWidget) -> InsightView | None:  # noqa: ARG002
        """Make the view of the validations of a run."""
        return None
