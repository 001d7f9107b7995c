"""What leaves charts: numbers to the clipboard, pictures to files."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from studio.engine.errors import StudioError


class Exports(QObject):
    """The actions in a menu; the class that inherits says what a table and a picture are.

    Signals:
        failed: A picture could not be written; carries the `StudioError`.
    """

    failed = Signal(object)
    _written = Signal(str)

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self._written.connect(self._to_clipboard)

    def title(self) -> str:
        """What is exported, in a few words: the name of a file, unless another is chosen."""
        raise NotImplementedError

    def save(self, path: Path) -> None:
        """Write the picture, SVG or PNG by the file's name.

        Raises:
            StudioError: The file cannot be written.
        """
        raise NotImplementedError

    def ask_png(self) -> None:
        """Ask for a file and write a PNG."""
        self._ask(self.tr("PNG picture (*.png)"), ".png")

    def ask_svg(self) -> None:
        """Ask for a file and write an SVG."""
        self._ask(self.tr("SVG picture (*.svg)"), ".svg")

    def _ask(self, kind: str, suffix: str) -> None:
        name = f"{self.title()}{suffix}"
        chosen, _ = QFileDialog.getSaveFileName(self._owner, self.tr("Save the chart"), name, kind)
        if not chosen:
            return
        path = Path(chosen)
        try:
            self.save(path if path.suffix else path.with_suffix(suffix))
        except StudioError as error:
            self.failed.emit(error)

    def _copy(self, write: Callable[[], str], *, now: bool) -> None:
        """Put a text on the clipboard, at once or, written in another thread, a moment later."""
        if now:
            self._to_clipboard(write())
        else:
            threading.Thread(target=_write, args=(write, self._written), daemon=True).start()

    def _to_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)


def _write(write: Callable[[], str], done: SignalInstance) -> None:
    # The chart may be gone when it is written.
    with contextlib.suppress(RuntimeError):
        done.emit(write())
