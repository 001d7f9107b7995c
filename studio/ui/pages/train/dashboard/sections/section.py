"""A tab with details of a run; each is made when it is first shown."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.engine.jobs.events import Event
from studio.engine.tasks.task import Task
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument


class RunSection(QWidget):
    """One tab. Only the one that is seen is kept up to date.

    Signals:
        clone_wanted: The `TrainingPlan` that a new run is to start from.
        stretches_changed: It points at other stretches.
    """

    clone_wanted = Signal(object)
    stretches_changed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        raise NotImplementedError

    @classmethod
    def title_for(cls, task: Task) -> str:  # noqa: ARG003 - some are for some tasks only
        """The word on the tab of a run of a task; empty where it shows nothing of such runs."""
        return cls.title()

    @property
    def stretches(self) -> list[tuple[float, float]]:
        """What it points at in the charts above: from where to where, in epochs."""
        return []

    def show_run(self, entry: RunDocument) -> None:
        """Show a run from its beginning; also when the tab is opened."""
        raise NotImplementedError

    def add(self, entry: RunDocument, events: Sequence[Event]) -> None:  # noqa: ARG002
        """Show what is new; `entry` holds the events already."""
        self.show_run(entry)
