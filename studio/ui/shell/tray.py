"""The jobs tray at the bottom of the window, and system notifications about long jobs."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QScrollArea,
    QSystemTrayIcon,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.engine.jobs.states import State
from studio.engine.jobs.supervisor import Key
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RecordDocument
from studio.ui.navigation import job_intent
from studio.ui.shared.jobs import QueueRows
from studio.ui.theme.icons import icon, set_icon
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button
from studio.ui.widgets.job_rows import QueueRow
from studio.ui.widgets.tips import explain

ROW_HEIGHT = 70
MOST_ROWS = 4


class Tray(QFrame):
    """The list of running and waiting jobs; collapsed, the job that runs longest."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tray")
        self.setAccessibleName(self.tr("Jobs"))
        self._context = context
        self._is_open = False
        self._summary = QLabel(self)
        self._summary.setProperty("role", "caption")
        self.pause_button: QToolButton = icon_button("pause", "", context.theme)
        self.pause_button.clicked.connect(self._on_pause)
        self._toggle: QToolButton = icon_button("chevron-up", "", context.theme)
        self._toggle.clicked.connect(self._on_toggle)
        self._list = QWidget(self)
        self._list.setProperty("plain", "true")
        self._column = QVBoxLayout(self._list)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        # Everything in it can be reached by itself.
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._list)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE.l, SPACE.xs, SPACE.m, SPACE.xs)
        row.addWidget(self._summary)
        row.addWidget(self.pause_button)
        row.addWidget(self._scroll, 1)
        row.addWidget(self._toggle)
        self._rows = QueueRows(context, self._column, self._list, ROW_HEIGHT)
        self._rows.changed.connect(self._fit)
        self._rows.open_requested.connect(self._on_open)
        self._rows.refresh()
        explain(self._toggle, self.tr("Shows all running and waiting jobs, or only one."))
        explain(
            self.pause_button,
            self.tr("While the queue is paused, running jobs continue and no others start."),
        )

    def rows(self) -> dict[Key, QueueRow]:
        """Return the rows by record, in order."""
        return self._rows.rows()

    def toggle(self) -> None:
        """Expand or collapse the list."""
        self._on_toggle()

    def open(self) -> None:
        """Expand the list."""
        if not self._is_open:
            self._on_toggle()

    def _fit(self, active: list[RecordDocument]) -> None:
        paused = self._context.jobs.is_queue_paused
        self.setVisible(bool(active) or paused)
        self._scroll.setVisible(bool(active))
        running = sum(entry.state.has_worker for entry in active)
        waiting = len(active) - running
        words = [self.tr("%n running", "", running)] if running else []
        words += [self.tr("%n waiting", "", waiting)] if waiting else []
        words += [self.tr("Queue paused")] * paused
        self._summary.setText("\n".join(words))
        what = self.tr("Resume the queue") if paused else self.tr("Pause the queue")
        self.pause_button.setToolTip(what)
        self.pause_button.setAccessibleName(what)
        set_icon(self.pause_button, "play" if paused else "pause", self._context.theme, "muted")
        shown = min(len(active), MOST_ROWS) if self._is_open else 1
        self._scroll.setFixedHeight(shown * ROW_HEIGHT)
        is_long = self._is_open and len(active) > MOST_ROWS
        policy = Qt.ScrollBarPolicy
        self._scroll.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if is_long else policy.ScrollBarAlwaysOff
        )
        self._toggle.setVisible(len(active) > 1)
        text = self.tr("Show less") if self._is_open else self.tr("Show all jobs")
        self._toggle.setToolTip(text)
        self._toggle.setAccessibleName(text)
        icon = "chevron-down" if self._is_open else "chevron-up"
        set_icon(self._toggle, icon, self._context.theme, "muted")

    def _on_pause(self) -> None:
        self._context.jobs.set_queue_paused(not self._context.jobs.is_queue_paused)

    def _on_toggle(self) -> None:
        self._is_open = not self._is_open
        self._rows.refresh()

    def _on_open(self, entry: RecordDocument) -> None:
        self._context.navigator.open(job_intent(*entry.key))


_SILENT = (RecordKind.PREFLIGHT,)
"""Kinds of jobs that an open form shows itself."""


class Notifier(QObject):
    """Sends system notifications about finished jobs and alerts the taskbar entry."""

    def __init__(self, context: AppContext, window: QMainWindow) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._entry: RecordDocument | None = None
        self.icon: QSystemTrayIcon | None = None
        context.jobs.changed.connect(self._on_changed)

    def _on_changed(self, entry: RecordDocument, change: Change) -> None:
        settings = self._context.settings
        if not (change.is_state and settings.notifies and self._is_worth_it(entry)):
            return
        if self._window.isActiveWindow():
            return
        self._entry = entry
        QApplication.alert(self._window)
        if QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages():
            self._show(entry)

    def _is_worth_it(self, entry: RecordDocument) -> bool:
        """Return True for a long job that ended by itself; a sweep notifies for its trials."""
        ended = entry.state in (State.COMPLETED, State.FAILED, State.LOST)
        if not ended or entry.key[0] in _SILENT or self._context.jobs.is_of_a_sweep(entry):
            return False
        return run_duration(entry) >= self._context.settings.long_job_seconds

    def _show(self, entry: RecordDocument) -> None:
        if self.icon is None:
            self.icon = QSystemTrayIcon(icon("app", self._context.theme, "accent"), self)
            self.icon.setToolTip(self._window.windowTitle())
            self.icon.messageClicked.connect(self._on_clicked)
            self.icon.activated.connect(self._on_clicked)
        self.icon.show()
        title, text = message_of(entry)
        failed = entry.state != State.COMPLETED
        kinds = QSystemTrayIcon.MessageIcon
        self.icon.showMessage(title, text, kinds.Warning if failed else kinds.Information)

    def _on_clicked(self, *_: object) -> None:
        """Bring the window to the front and open the job."""
        self._window.setWindowState(
            self._window.windowState() & ~self._window.windowState().WindowMinimized
        )
        self._window.raise_()
        self._window.activateWindow()
        if self._entry is not None:
            self._context.navigator.open(job_intent(*self._entry.key))
        if self.icon is not None:
            self.icon.hide()


def run_duration(entry: RecordDocument) -> float:
    """Return the duration of a job in seconds."""
    return entry.history.seconds_spent(time.time()) or 0.0


def message_of(entry: RecordDocument) -> tuple[str, str]:
    """Return title and text of a notification."""
    return describe.title(entry), describe.detail(entry)
