"""Collects garbage in the window's thread, and nowhere else.

Widgets that belong to nobody any more are reference cycles. Python's collector starts in whichever
thread happens to allocate; in one of ours it would destroy widgets outside the window's thread,
which Qt does not survive (seen as crashes in `~QIcon`).
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

LOOK_MS = 250


class WindowGarbage(QObject):
    """Takes over from Python's automatic collector until `stop`, by the same thresholds."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.collect_due)

    def start(self) -> None:
        """Switch the automatic collector off and look by ourselves."""
        # What was made while starting lives as long as the window: no need to look at it again.
        gc.freeze()
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        """Give back to Python's own collector."""
        self._timer.stop()
        gc.enable()
        gc.unfreeze()

    def collect_due(self) -> None:
        """Collect the oldest generation whose threshold is passed."""
        thresholds = gc.get_threshold()
        for generation in reversed(range(len(thresholds))):
            if gc.get_count()[generation] > thresholds[generation]:
                gc.collect(generation)
                return
