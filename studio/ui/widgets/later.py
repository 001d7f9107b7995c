"""Parts of a page that are made after its first frame."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class Later(QObject):
    """Calls functions after the next frame, one in each turn of the event loop.

    For parts of a page that are out of sight when it opens: each is a property that makes its part
    when it is first asked for, and a function here asks for it.

    Args:
        owner: Nothing is called once it is deleted.
        calls: The functions.
    """

    def __init__(self, owner: QObject, *calls: Callable[[], object]) -> None:
        super().__init__(owner)
        self._calls = list(calls)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._call_next)
        self._timer.start(0)

    def _call_next(self) -> None:
        if self._calls:
            self._calls.pop(0)()
        else:
            self._timer.stop()
