"""The largest errors on the validation images of other tasks."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.task import Task
from studio.ui.context import AppContext
from studio.ui.pages.train.dashboard.sections.insight import InsightSection, Snapshot
from studio.ui.tasks import view_of
from studio.ui.tasks.view import InsightView, Moment


class Targets(InsightSection):
    """Shows the view of the task of the run."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._task = ""
        self.view: InsightView | None = None

    @classmethod
    def title(cls) -> str:
        """The word on the tab, while no run is shown."""
        return QCoreApplication.translate("Targets", "Predictions")

    @classmethod
    def title_for(cls, task: Task) -> str:
        """What the view of the task is called; empty where there is none."""
        return view_of(task).insights_title()

    def what_is_missing(self, snapshot: Snapshot) -> str:
        """There is nothing to show without validation images."""
        found = snapshot.insight.targets
        if found is not None and len(found.rows):
            return ""
        return self.tr("There are no validation images to follow.")

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show a moment."""
        entry, found = self.timeline.entry, snapshot.insight.targets
        if entry is None or found is None:
            return
        task = self.context.jobs.task_of(entry)
        if task.name != self._task:
            self._task = task.name
            self._replace(view_of(task).insights(self.context.theme, self))
        if self.view is not None:
            self.view.show_moment(Moment(found, snapshot.names, snapshot.units, snapshot.pictures))

    def _replace(self, view: InsightView | None) -> None:
        if self.view is not None:
            self.body.removeWidget(self.view)
            self.view.hide()
            self.view.deleteLater()
        self.view = view
        if view is not None:
            self.body.addWidget(view, 1)
