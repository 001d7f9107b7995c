"""What waits and runs, on the home page."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.ui.bridge import describe
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.pages.home.state import PAGE_OF, is_active
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.card import Card
from studio.ui.widgets.progress_row import JobRow

Key = tuple[object, str]


class ActiveJobs(QWidget):
    """A row for each job that waits or runs; takes no room while there is none."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._rows: dict[Key, JobRow] = {}
        title = QLabel(self.tr("Running now"), self)
        title.setProperty("role", "section")
        self._card = Card("", self)
        self._card.body.setContentsMargins(SPACE.xs, SPACE.xs, SPACE.xs, SPACE.xs)
        self._card.body.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addWidget(title)
        column.addWidget(self._card)
        # "Time left" goes on between two events of a slow job.
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self._refresh)
        jobs = context.jobs
        for signal in (jobs.added, jobs.moved, jobs.info_changed, jobs.removed):
            signal.connect(self._on_job)
        self._refresh()

    def rows(self) -> list[JobRow]:
        """The rows shown, oldest job first."""
        return list(self._rows.values())

    def _on_job(self, entry: JobEntry, _events: object = None) -> None:
        if entry.key in self._rows or is_active(entry.state):
            self._refresh()

    def _refresh(self) -> None:
        active = self._context.jobs.active()
        present = {entry.key for entry in active}
        for key in self._rows.keys() - present:
            row = self._rows.pop(key)
            self._card.body.removeWidget(row)
            row.hide()
            row.deleteLater()
        for entry in active:
            self._show(entry)
        self.setVisible(bool(active))
        if active and not self._clock.isActive():
            self._clock.start()
        elif not active:
            self._clock.stop()

    def _show(self, entry: JobEntry) -> None:
        row = self._rows.get(entry.key)
        if row is None:
            row = JobRow(self._context.theme, describe.title(entry), self._card)
            row.cancel_requested.connect(partial(self._context.jobs.stop, entry))
            row.open_requested.connect(partial(self._open, entry))
            self._rows[entry.key] = row
            self._card.body.addWidget(row)
        history = entry.history
        row.set_title(describe.title(entry))
        row.set_state(entry.state.value)
        left = history.seconds_left(time.time())
        row.set_progress(history.fraction, describe.detail(history), left)

    def _open(self, entry: JobEntry) -> None:
        # An evaluation is shown with its run.
        record_id = str(getattr(entry.plan, "run", "")) or entry.record.id
        if PAGE_OF[entry.key[0]] == "export":
            record_id = entry.record.id
        self._context.desk.go(PAGE_OF[entry.key[0]], record_id)
