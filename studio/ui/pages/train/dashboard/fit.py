"""The tab with what a fit without steps compared."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from studio.engine.tasks.task import Task
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.pages.train.dashboard.section import RunSection, pictures_of
from studio.ui.tasks import view_of
from studio.ui.tasks.view import FitView
from studio.ui.widgets.layout import fill, text_label
from studio.ui.widgets.pages import PageStack


class FitSection(RunSection):
    """The methods that a fit compared, as the view of the task shows them.

    Attributes:
        view: The view of the task; None before it is first needed.
        nothing: Says why there is nothing to show.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._task = ""
        self.view: FitView | None = None
        self.nothing = text_label("", "muted", self, wraps=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = PageStack(self, self.nothing)
        fill(self.column, (self._stack, 1))

    @classmethod
    def title(cls) -> str:
        """Return nothing: the view of the task names the tab."""
        return ""

    @classmethod
    def title_for(cls, task: Task) -> str:
        """Return the title of the view of the task; empty if it has none."""
        return view_of(task).fit_title()

    def show_run(self, entry: RunDocument) -> None:
        """Show the methods of a run, once there are some."""
        is_new = entry is not self.entry
        self.entry = entry
        found, task = entry.history.methods, self.context.jobs.task_of(entry)
        if task.name != self._task:
            self._task, is_new = task.name, True
            self._replace(view_of(task).fit(self.context.theme, self))
        if found is None or self.view is None:
            self.nothing.setText(
                self.tr("This run has compared no methods.")
                if entry.state.is_finished
                else self.tr("Available as soon as the network is fitted.")
            )
            self._stack.setCurrentWidget(self.nothing)
            return
        if is_new or found is not self.view.found:
            self.view.show_fit(found, pictures_of(self.context, entry))
        self._stack.setCurrentWidget(self.view)

    def _replace(self, view: FitView | None) -> None:
        if self.view is not None:
            self._stack.removeWidget(self.view)
            self.view.deleteLater()
        self.view = view
        if view is not None:
            self._stack.addWidget(view)
