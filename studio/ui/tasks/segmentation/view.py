"""The parts of pages for a class per pixel: the task view."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.ui.tasks.segmentation.answers import MaskAnswer
from studio.ui.tasks.segmentation.data import SegmentationData
from studio.ui.tasks.segmentation.insights import MaskInsights
from studio.ui.tasks.segmentation.report import MaskReport
from studio.ui.tasks.view import InsightView, TaskView
from studio.ui.theme.theme import Theme

_tr = partial(QCoreApplication.translate, "tasks")


class SegmentationView(SegmentationData, TaskView):
    """Shows a class for each pixel."""

    answer = MaskAnswer()
    report = MaskReport()

    def insights_title(self) -> str:
        """Return the title of the tab of a run."""
        return _tr("Masks")

    def insights(self, theme: Theme, parent: QWidget) -> InsightView:
        """Create the tab of a run; see `TaskView.insights`."""
        return MaskInsights(theme, parent)


VIEW = SegmentationView()
