"""Calls outside the window's thread that are made in their order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from studio.ui.bridge.background import Background


class OrderedCalls(QObject):
    """Makes calls in another thread, one after another; all are made, also without the owner.

    Args:
        background: Runs the calls.
        owner: Parent.
    """

    def __init__(self, background: Background, owner: QObject) -> None:
        super().__init__(owner)
        self._background = background
        self._calls: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._left = 0

    def run(self, call: Callable[[], None], done: Callable[[], None]) -> None:
        """Make a call after those before it.

        Args:
            call: Touches no widget.
            done: Called once no call is left; not after a failure, which is shown as a notice.
        """
        self._calls.append(call)
        self._left += 1
        oldest = partial(_run_oldest, self._calls, self._lock)
        self._background.run(self, oldest, partial(self._on_done, done), ended=self._on_ended)

    def _on_ended(self) -> None:
        self._left -= 1

    def _on_done(self, done: Callable[[], None], _nothing: None) -> None:
        if not self._left:
            done()


def _run_oldest(calls: deque[Callable[[], None]], lock: threading.Lock) -> None:
    """Make the oldest call: threads of a pool may begin in any order."""
    with lock:
        calls.popleft()()
