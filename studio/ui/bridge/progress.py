"""Progress of work in another thread, brought to the window's thread."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from studio.engine.progress import Cancelled


class WindowProgress(QObject):
    """The ear of work that runs in a thread (a `Progress`), with a way to end it.

    Signals:
        advanced: How much is done (images found, bytes that came), of how much, 0 while that
            is not known, and what is going on.
    """

    # Not int: Qt's ends at 2 GB.
    advanced = Signal(object, object, str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.warnings: list[str] = []
        self._cancelled = False

    def cancel(self) -> None:
        """Ask the work to end; it raises `Cancelled` soon."""
        self._cancelled = True

    def advance(self, done: int, total: int, what: str) -> None:
        """Hand on how far it is."""
        self.check()
        self.advanced.emit(done, total, what)

    def warn(self, message: str) -> None:
        """Keep what the user should read."""
        self.warnings.append(message)

    def check(self) -> None:
        """End here if that was asked for.

        Raises:
            Cancelled: It was.
        """
        if self._cancelled:
            raise Cancelled
