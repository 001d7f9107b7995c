"""The parts of pages for numbers of each image."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.ui.tasks.insight_view import InsightView
from studio.ui.tasks.regression.data import RegressionData
from studio.ui.tasks.regression.insights import Residuals
from studio.ui.tasks.regression.report import NumberReport
from studio.ui.tasks.view import TaskView
from studio.ui.theme.theme import Theme


class RegressionView(RegressionData, TaskView):
    """Shows numbers of each image."""

    report = NumberReport()

    def insights_title(self) -> str:
        """Name the tab of a run."""
        return QCoreApplication.translate("tasks", "Residuals")

    def insights(self, theme: Theme, parent: QWidget) -> InsightView:
        """Make the tab of a run."""
        return Residuals(theme, parent)


VIEW = RegressionView()
