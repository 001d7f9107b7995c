"""Pictures that were visible long enough to be judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

MIN_SECONDS: Final = 0.6
"""Minimum time that a picture is visible before it counts as seen; longer than a double click."""
_TICK_MS: Final = 100


class Seen(QObject):
    """The pictures of a page that were visible for `MIN_SECONDS` without a break.

    Args:
        visible: Returns what is visible now, each picture with what is proposed for it: another
            proposal is to be seen again.
        parent: Owner.

    Signals:
        changed: More was seen.
    """

    changed = Signal()

    def __init__(self, visible: Callable[[], Iterable[Hashable]], parent: QObject) -> None:
        super().__init__(parent)
        self._visible = visible
        self._since: dict[Hashable, float] = {}
        self._seen: set[Hashable] = set()
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self.update)

    def __contains__(self, each: Hashable) -> bool:
        return each in self._seen

    def start(self) -> None:
        """Start again, as if no picture had been visible."""
        self._since, self._seen = {}, set()
        self._timer.start()

    def stop(self) -> None:
        """Stop watching."""
        self._timer.stop()

    def update(self) -> None:
        """Look at what is visible now."""
        now = time.monotonic()
        self._since = {each: self._since.get(each, now) for each in self._visible()}
        new = {each for each, since in self._since.items() if now - since >= MIN_SECONDS}
        if not new <= self._seen:
            self._seen |= new
            self.changed.emit()
