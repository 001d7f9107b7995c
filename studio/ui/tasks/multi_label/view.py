"""The parts of pages for several labels per image."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.ui.tasks.insight_view import InsightView
from studio.ui.tasks.multi_label.answer import LabelAnswer
from studio.ui.tasks.multi_label.data import MultiLabelData
from studio.ui.tasks.multi_label.insights import LabelInsights
from studio.ui.tasks.multi_label.report import LabelReport
from studio.ui.tasks.view import TaskView
from studio.ui.theme.theme import Theme


class MultiLabelView(MultiLabelData, TaskView):
    """Shows several labels per image."""

    answer = LabelAnswer()
    report = LabelReport()

    def insights_title(self) -> str:
        """Name the tab of a run."""
        return QCoreApplication.translate("tasks", "Labels")

    def insights(self, theme: Theme, parent: QWidget) -> InsightView:
        """Make the tab of a run."""
        return LabelInsights(theme, parent)


VIEW = MultiLabelView()
