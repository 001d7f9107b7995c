"""The context of every page: its only access to the rest of Studio."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.files import clear_system_error
from studio.engine.jobs.host import EngineHost
from studio.engine.workspace import InTrashError, Workspace
from studio.ui.bridge.background import Background
from studio.ui.bridge.jobs import Jobs
from studio.ui.bridge.served import ServedLink
from studio.ui.navigation import Intent
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme
from studio.ui.widgets.notices import Notice


class Navigator(QObject):
    """Requests of a page to the window, which the page does not know.

    Signals:
        open_requested: An `Intent`.
        notice_requested: A `Notice`.
        bug_found: An exception that is an internal error.
        restart_requested: The window is to be started again, in a new process (no arguments).
        language_requested: The code of a language, or `SYSTEM`; the window is rebuilt in it.
        tour_requested: The guided tour starts.
        restore_requested: A `Record` in the trash that is to be restored.
    """

    open_requested = Signal(object)
    notice_requested = Signal(object)
    bug_found = Signal(object)
    restart_requested = Signal()
    language_requested = Signal(str)
    tour_requested = Signal()
    restore_requested = Signal(object)

    def open(self, intent: Intent) -> None:
        """Open what an intent names."""
        self.open_requested.emit(intent)

    def start_tour(self) -> None:
        """Start the guided tour."""
        self.tour_requested.emit()

    def notify(self, notice: Notice) -> None:
        """Show a notice."""
        self.notice_requested.emit(notice)

    def show_failure(
        self, error: BaseException, show: Callable[[str], object] | None = None
    ) -> None:
        """Show an error of the user as a notice, and an internal error as a report.

        Args:
            error: The error.
            show: Shows the text of an error of the user in place of the notice.
        """
        error = clear_system_error(error)
        if not isinstance(error, StudioError):
            self.bug_found.emit(error)
        elif show is not None:
            show(error.text)
        elif isinstance(error, InTrashError):
            restore = partial(self.restore_requested.emit, error.record)
            key = f"trash:{error.record.id}"
            self.notify(Notice("error", error.message, "", key, self.tr("Restore"), restore))
        else:
            self.notify(Notice("error", error.message, error.hint))


@dataclass(frozen=True, slots=True)
class AppContext:
    """Made once by the composition root (`app.py`) and passed to every page."""

    workspace: Workspace
    settings: Settings
    theme: Theme
    background: Background
    jobs: Jobs
    engine: EngineHost
    navigator: Navigator
    link: ServedLink | None = None
    """Connection to the server of a served workspace; None for a workspace on this computer."""
