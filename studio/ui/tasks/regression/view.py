"""The parts of pages for numbers of each image."""

from __future__ import annotations

from studio.ui.tasks.regression.data import RegressionData
from studio.ui.tasks.view import TaskView


class RegressionView(RegressionData, TaskView):
    """Shows numbers of each image."""


VIEW = RegressionView()
