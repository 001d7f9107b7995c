"""The process of the window: reports of crashes, garbage collection in its thread."""

from __future__ import annotations

import faulthandler
import gc
import os
import platform
import sys
import threading
import traceback
from pathlib import Path
from types import TracebackType
from typing import TextIO

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QWidget,
)

from studio import __version__
from studio.ui.widgets.layout import vbox

PREFIX = "crash-"


class BugHook(QObject):
    """Catches unhandled exceptions in any thread.

    Signals:
        caught: The exception; delivered in the window's thread.
    """

    caught = Signal(object)

    def install(self) -> None:
        """Install the hooks of the interpreter."""
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception

    def uninstall(self) -> None:
        """Restore the hooks of the interpreter."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__

    def _on_exception(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        sys.__excepthook__(kind, error, trace)
        if not issubclass(kind, KeyboardInterrupt):
            self.caught.emit(error)

    def _on_thread_exception(self, arguments: threading.ExceptHookArgs) -> None:
        threading.__excepthook__(arguments)
        if arguments.exc_value is not None:
            self.caught.emit(arguments.exc_value)


def report_of(error: BaseException) -> str:
    """Return the report of an internal error: versions and traceback."""
    trace = "".join(traceback.format_exception(error))
    python = platform.python_version()
    return f"Studio {__version__}, Python {python}, {platform.platform()}\n\n{trace}"


class BugReport(QDialog):
    """Shows the report of an internal error; does not block the window."""

    def __init__(self, title: str, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Internal error"))
        self.setModal(False)
        self._report = report
        heading = QLabel(title, self, wordWrap=True)
        text = QPlainTextEdit(report, self, tabChangesFocus=True, readOnly=True)
        text.setAccessibleName(self.tr("Report"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        copy = buttons.addButton(
            self.tr("Copy the report"), QDialogButtonBox.ButtonRole.ActionRole
        )
        copy.clicked.connect(self._on_copy)
        buttons.rejected.connect(self.reject)
        vbox(heading, (text, 1), buttons, owner=self, margins=None)
        self.resize(720, 420)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._report)


class CrashLog:
    """Log file for crashes of the interpreter, for example in a driver or library.

    One file per process, in the settings folder. The next start collects the files of processes
    that ended: an empty one means a normal exit.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: TextIO | None = None

    def start(self) -> None:
        """Start writing crashes of this process to a file."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._file = (self._folder / f"{PREFIX}{os.getpid()}.log").open("w", encoding="utf-8")
        faulthandler.enable(self._file)

    def stop(self) -> None:
        """Remove the file, because this process ends normally."""
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            Path(self._file.name).unlink(missing_ok=True)
            self._file = None

    def collect(self) -> str:
        """Return the crash reports of earlier processes; empty if all ended normally."""
        import psutil  # noqa: PLC0415 - most starts find no such file

        found = []
        for path in sorted(self._folder.glob(f"{PREFIX}*.log")):
            number = path.stem.removeprefix(PREFIX)
            if number.isdigit() and not psutil.pid_exists(int(number)):
                found.append(path.read_text(encoding="utf-8", errors="replace"))
                path.unlink()
        return "\n".join(text for text in found if text.strip())


INTERVAL_MS = 250
FIRST_MS = 1000
"""Until then, the window is being made."""


class WindowGarbage(QObject):
    """Collects garbage in the window's thread, by the thresholds of Python's own collector.

    Widgets without an owner are reference cycles. Python's collector starts in whichever thread
    allocates; in a worker thread it would destroy widgets outside the window's thread, which Qt
    does not survive (seen as crashes in `~QIcon`).
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect_due)

    def start(self) -> None:
        """Replace Python's automatic collector."""
        # Objects made so far live as long as the window: the collector skips them.
        gc.freeze()
        gc.disable()
        self._timer.start(FIRST_MS)

    def stop(self) -> None:
        """Restore Python's automatic collector."""
        self._timer.stop()
        gc.enable()
        gc.unfreeze()

    def collect_due(self) -> None:
        """Collect the oldest generation above its threshold."""
        self._timer.setInterval(INTERVAL_MS)
        thresholds = gc.get_threshold()
        for generation in reversed(range(len(thresholds))):
            if gc.get_count()[generation] > thresholds[generation]:
                gc.collect(generation)
                return
