"""The process of the window: reports of crashes, garbage collection in its thread."""

from __future__ import annotations

import faulthandler
import gc
import os
import platform
import sys
import threading
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TextIO

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QDialog,
    QDialogButtonBox,
    QGraphicsItem,
    QLabel,
    QPlainTextEdit,
    QStyleOptionViewItem,
    QWidget,
)

from studio import __version__
from studio.ui.widgets.layout import vbox

PREFIX = "crash-"
_MAX_REPORTS = 20
"""Reports in one dialog."""


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
        stop_painting(trace)
        if not issubclass(kind, KeyboardInterrupt):
            self.caught.emit(error)

    def _on_thread_exception(self, arguments: threading.ExceptHookArgs) -> None:
        threading.__excepthook__(arguments)
        if arguments.exc_value is not None:
            self.caught.emit(arguments.exc_value)


def stop_painting(trace: TracebackType | None) -> None:
    """Disable what failed to paint: it would fail again with every repaint.

    Args:
        trace: Traceback of an error; nothing is disabled where it did not arise while painting.
    """
    while trace is not None:
        name, values = trace.tb_frame.f_code.co_name, trace.tb_frame.f_locals
        painted = values.get("self")
        if name == "paintEvent" and isinstance(painted, QWidget):
            _end_painters(values.values())
            painted.setUpdatesEnabled(False)
        elif name == "paint" and isinstance(painted, QGraphicsItem):
            painted.hide()
        elif name == "paint" and isinstance(painted, QAbstractItemDelegate):
            option = next(
                (each for each in values.values() if isinstance(each, QStyleOptionViewItem)), None
            )
            view = getattr(option, "widget", None)
            if isinstance(view, QWidget):
                view.setUpdatesEnabled(False)
        trace = trace.tb_next


def _end_painters(values: Iterable[object]) -> None:
    """End painters that the frames of an error keep alive: Qt aborts over an active one."""
    for value in values:
        if isinstance(value, QPainter) and value.isActive():
            value.end()


def report_of(error: BaseException) -> str:
    """Return the report of an internal error: versions and traceback."""
    trace = "".join(traceback.format_exception(error))
    python = platform.python_version()
    return f"Studio {__version__}, Python {python}, {platform.platform()}\n\n{trace}"


def _origin(error: BaseException) -> tuple[str, str, int]:
    """Return the type of an error, and the file and line where it arose."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__, "", 0
    return type(error).__name__, trace.tb_frame.f_code.co_filename, trace.tb_lineno


class BugReports(QObject):
    """Shows internal errors in one dialog at a time, and each kind once.

    Errors that arise while the dialog is open are counted in it. An error of the same type and
    line as an earlier one opens no dialog again.

    Args:
        window: Parent of the dialogs.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._known: set[tuple[str, str, int]] = set()
        self._dialog: BugReport | None = None

    def show_error(self, error: BaseException) -> None:
        """Show an error, or count it."""
        origin = _origin(error)
        is_known = origin in self._known
        self._known.add(origin)
        if self._dialog is not None:
            self._dialog.add_error("" if is_known else report_of(error))
        elif not is_known:
            title = self.tr("Studio has an internal error. Your saved work is not affected.")
            self._dialog = BugReport(title, report_of(error), self._window)
            self._dialog.finished.connect(self._on_closed)
            self._dialog.show()

    def _on_closed(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None


class BugReport(QDialog):
    """Shows the report of an internal error; does not block the window."""

    def __init__(self, title: str, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._more = 0
        self._shown = 1
        self.setWindowTitle(self.tr("Internal error"))
        self.setModal(False)
        heading = QLabel(title, self, wordWrap=True)
        self.more = QLabel(self)
        self.more.hide()
        self.text = QPlainTextEdit(report, self, tabChangesFocus=True, readOnly=True)
        self.text.setAccessibleName(self.tr("Report"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        copy = buttons.addButton(
            self.tr("Copy the report"), QDialogButtonBox.ButtonRole.ActionRole
        )
        copy.clicked.connect(self._on_copy)
        buttons.rejected.connect(self.reject)
        vbox(heading, self.more, (self.text, 1), buttons, owner=self, margins=None)
        self.resize(720, 420)

    def add_error(self, report: str) -> None:
        """Count another error.

        Args:
            report: Its report, added to the text; empty for an error that was shown before.
        """
        self._more += 1
        self.more.setText(self.tr("More errors since then: {count}").format(count=self._more))
        self.more.show()
        if report and self._shown < _MAX_REPORTS:
            self._shown += 1
            self.text.appendPlainText(f"\n{report}")

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())


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
        self._skips_modules = False
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.collect_due)

    def start(self) -> None:
        """Replace Python's automatic collector."""
        # Objects made so far live as long as the window: the collector skips them.
        gc.freeze()
        gc.disable()
        self._timer.start(FIRST_MS)

    def skip_modules(self) -> None:
        """Skip what exists now, once all modules are imported; only the first call does so.

        They are most of what a complete collection would look at, for a tenth of a second. Later,
        it would keep the garbage of a window that was replaced by another one.
        """
        if not self._skips_modules:
            self._skips_modules = True
            gc.collect(1)
            gc.freeze()

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
