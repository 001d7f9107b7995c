"""Our own bugs: shown as a report that can be copied, and hard crashes told at the next start."""

from __future__ import annotations

import faulthandler
import os
import platform
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TextIO

import psutil
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from studio import __version__

PREFIX = "crash-"


class BugHook(QObject):
    """Catches exceptions that nobody handled, in any thread.

    Signals:
        caught: The exception; delivered in the window's thread.
    """

    caught = Signal(object)

    def install(self) -> None:
        """Take the interpreter's hooks; `uninstall` gives them back."""
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception

    def uninstall(self) -> None:
        """Give the interpreter its own hooks back."""
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
    """What the developers need to know of a bug; names no file of the user's but those in it."""
    trace = "".join(traceback.format_exception(error))
    python = platform.python_version()
    return f"Studio {__version__}, Python {python}, {platform.platform()}\n\n{trace}"


class BugReport(QDialog):
    """Says that Studio has a bug, and lets the report be copied. Does not block the window."""

    def __init__(self, title: str, report: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("A bug in Studio"))
        self.setModal(False)
        self._report = report
        heading = QLabel(title, self)
        heading.setWordWrap(True)
        text = QPlainTextEdit(report, self)
        text.setTabChangesFocus(True)
        text.setReadOnly(True)
        text.setAccessibleName(self.tr("Report"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        copy = buttons.addButton(
            self.tr("Copy the report"), QDialogButtonBox.ButtonRole.ActionRole
        )
        copy.clicked.connect(self._on_copy)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(heading)
        column.addWidget(text, 1)
        column.addWidget(buttons)
        self.resize(720, 420)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._report)


class CrashLog:
    """Where the interpreter writes when it dies hard (a driver, a library).

    One file per process, in the settings folder. At the next start the files of processes that
    are gone are collected: an empty one is a window that ended well.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: TextIO | None = None

    def start(self) -> None:
        """Write hard crashes of this process to a file from now on."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._file = (self._folder / f"{PREFIX}{os.getpid()}.log").open("w", encoding="utf-8")
        faulthandler.enable(self._file)

    def stop(self) -> None:
        """This process ends well."""
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            Path(self._file.name).unlink(missing_ok=True)
            self._file = None

    def collect(self, is_alive: Callable[[int], bool] = psutil.pid_exists) -> str:
        """What earlier processes wrote when they died; empty when all ended well."""
        found = []
        for path in sorted(self._folder.glob(f"{PREFIX}*.log")):
            number = path.stem.removeprefix(PREFIX)
            if number.isdigit() and not is_alive(int(number)):
                found.append(path.read_text(encoding="utf-8", errors="replace"))
                path.unlink()
        return "\n".join(text for text in found if text.strip())
