"""The jobs tray at the bottom: there while anything waits or runs, opens upward into all of it."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.theme.icons import set_icon
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import icon_button
from studio.ui.widgets.progress_row import JobRow

PAGE_OF = {
    RecordKind.DATASET: "datasets",
    RecordKind.RUN: "train",
    RecordKind.EVALUATION: "train",
    RecordKind.EXPORT: "export",
    RecordKind.AUDIT: "datasets",
    RecordKind.BASELINE: "datasets",
    RecordKind.PREFLIGHT: "train",
}
ROW_HEIGHT = 62
MOST_ROWS = 4


class Tray(QFrame):
    """Shows what waits and runs; collapsed, the job that runs longest."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tray")
        self.setAccessibleName(self.tr("Jobs"))
        self._context = context
        self._rows: dict[tuple[RecordKind, str], JobRow] = {}
        self._is_open = False
        self._summary = QLabel(self)
        self._summary.setProperty("role", "caption")
        self._toggle: QToolButton = icon_button("chevron-up", "", context.theme)
        self._toggle.clicked.connect(self._on_toggle)
        self._list = QWidget(self)
        self._list.setProperty("plain", "true")
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._list)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.l, SPACE.xs, SPACE.m, SPACE.xs)
        row.addWidget(self._summary)
        row.addWidget(self._scroll, 1)
        row.addWidget(self._toggle)
        # "Time left" goes on between two events of a slow job.
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self._refresh)
        context.jobs.added.connect(self._on_job)
        context.jobs.moved.connect(self._on_job)
        context.jobs.info_changed.connect(self._on_job)
        context.jobs.removed.connect(self._on_job)
        self._refresh()

    def rows(self) -> dict[tuple[RecordKind, str], JobRow]:
        """The rows that are shown, by record."""
        return dict(self._rows)

    def _on_job(self, entry: JobEntry, _events: object = None) -> None:
        if entry.key in self._rows or _is_active(entry):
            self._refresh()

    def _refresh(self) -> None:
        active = self._context.jobs.active()
        present = {entry.key for entry in active}
        for key in self._rows.keys() - present:
            row = self._rows.pop(key)
            self._column.removeWidget(row)
            row.deleteLater()
        for entry in active:
            self._show(entry)
        self._fit(active)

    def _show(self, entry: JobEntry) -> None:
        row = self._rows.get(entry.key)
        if row is None:
            row = JobRow(self._context.theme, describe.title(entry), self._list)
            row.setFixedHeight(ROW_HEIGHT)
            row.cancel_requested.connect(partial(self._on_cancel, entry))
            row.open_requested.connect(partial(self._on_open, entry))
            self._rows[entry.key] = row
            self._column.addWidget(row)
        row.set_title(describe.title(entry))
        row.set_state(entry.state.value)
        history = entry.history
        row.set_progress(
            history.fraction, describe.detail(history), history.seconds_left(time.time())
        )

    def _fit(self, active: list[JobEntry]) -> None:
        self.setVisible(bool(active))
        if not active:
            self._clock.stop()
            return
        self._clock.start()
        running = sum(entry.state.has_worker for entry in active)
        waiting = len(active) - running
        words = [self.tr("%n running", "", running)] if running else []
        words += [self.tr("%n waiting", "", waiting)] if waiting else []
        self._summary.setText("\n".join(words))
        shown = min(len(active), MOST_ROWS) if self._is_open else 1
        self._scroll.setFixedHeight(shown * ROW_HEIGHT)
        self._toggle.setVisible(len(active) > 1)
        text = self.tr("Show less") if self._is_open else self.tr("Show all jobs")
        self._toggle.setToolTip(text)
        self._toggle.setAccessibleName(text)
        icon = "chevron-down" if self._is_open else "chevron-up"
        set_icon(self._toggle, icon, self._context.theme, "muted")

    def _on_toggle(self) -> None:
        self._is_open = not self._is_open
        self._refresh()

    def _on_cancel(self, entry: JobEntry) -> None:
        self._context.jobs.stop(entry)

    def _on_open(self, entry: JobEntry) -> None:
        record_id = entry.record.id
        if entry.key[0] == RecordKind.EVALUATION:
            record_id = getattr(entry.plan, "run", record_id)
        self._context.desk.go(PAGE_OF[entry.key[0]], record_id)


def _is_active(entry: JobEntry) -> bool:
    return entry.state.has_worker or entry.state == State.QUEUED
