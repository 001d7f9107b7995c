"""Tells through the system of long work that ended while the window was not in front."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QMainWindow, QSystemTrayIcon

from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.navigation import job_intent
from studio.ui.theme.icons import icon

_UNTOLD = (RecordKind.PREFLIGHT,)
"""What belongs to a form that is open just now."""


class Teller(QObject):
    """A message of the system where there is such a thing; the window's entry blinks anyway."""

    def __init__(self, context: AppContext, window: QMainWindow) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._entry: JobEntry | None = None
        self.icon: QSystemTrayIcon | None = None
        context.jobs.state_changed.connect(self._on_state_changed)

    def _on_state_changed(self, entry: JobEntry) -> None:
        settings = self._context.settings
        if not settings.tells_ends or not self._is_worth_it(entry):
            return
        if self._window.isActiveWindow():
            return
        self._entry = entry
        QApplication.alert(self._window)
        if QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages():
            self._show(entry)

    def _is_worth_it(self, entry: JobEntry) -> bool:
        """Whether work ended by itself that was long; trials are told of by their sweep."""
        ended = entry.state in (State.COMPLETED, State.FAILED, State.LOST)
        if not ended or entry.key[0] in _UNTOLD or self._context.jobs.is_of_a_sweep(entry):
            return False
        return seconds_of(entry) >= self._context.settings.long_work

    def _show(self, entry: JobEntry) -> None:
        if self.icon is None:
            self.icon = QSystemTrayIcon(icon("app", self._context.theme, "accent"), self)
            self.icon.setToolTip(self._window.windowTitle())
            self.icon.messageClicked.connect(self._on_clicked)
            self.icon.activated.connect(self._on_clicked)
        self.icon.show()
        title, text = words_of(entry)
        failed = entry.state != State.COMPLETED
        kinds = QSystemTrayIcon.MessageIcon
        self.icon.showMessage(title, text, kinds.Warning if failed else kinds.Information)

    def _on_clicked(self, *_: object) -> None:
        """Bring the window to the front, and what ended into it."""
        self._window.setWindowState(
            self._window.windowState() & ~self._window.windowState().WindowMinimized
        )
        self._window.raise_()
        self._window.activateWindow()
        if self._entry is not None:
            self._context.navigator.open(job_intent(*self._entry.key))
        if self.icon is not None:
            self.icon.hide()


def seconds_of(entry: JobEntry) -> float:
    """How long the work took until its end."""
    return entry.history.seconds_spent(time.time()) or 0.0


def words_of(entry: JobEntry) -> tuple[str, str]:
    """The two lines of a message."""
    return describe.title(entry), describe.detail(entry)
