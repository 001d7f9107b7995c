"""Long turns of the window's event loop, with what ran in them."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, QTimer

LONG_SECONDS = 0.1
_BEAT_MS = 5
_LOOK_SECONDS = 0.02
_DEPTH = 40


@dataclass(slots=True)
class LongFrame:
    """A turn of the event loop that took too long.

    Attributes:
        seconds: Its duration.
        computed: Seconds in which the thread computed; the rest is waiting for a processor, a
            lock or a disk.
        after: What was done before it.
        stack: Where it was after `LONG_SECONDS`; empty if it ended just then.
    """

    seconds: float
    computed: float
    after: str
    stack: list[str] = field(default_factory=list)


class FrameWatch(QObject):
    """Measures every turn of the event loop of the present thread.

    Args:
        parent: Owner.

    Attributes:
        frames: The long ones.
        after: What is done now; part of the next long frame.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.frames: list[LongFrame] = []
        self.after = ""
        self._thread = threading.get_ident()
        self._stack: list[str] = []
        self._beat, self._computed = time.monotonic(), time.thread_time()
        self._stop = threading.Event()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.beat)
        self._watcher = threading.Thread(target=self._look, daemon=True)

    def start(self) -> None:
        """Begin."""
        self.skip()
        self._timer.start(_BEAT_MS)
        self._watcher.start()

    def stop(self) -> None:
        """End."""
        self._timer.stop()
        self._stop.set()
        self._watcher.join()

    def skip(self) -> None:
        """Count nothing of the present turn so far."""
        self._stack = []
        self._beat, self._computed = time.monotonic(), time.thread_time()

    def beat(self) -> None:
        """End a turn."""
        seconds = time.monotonic() - self._beat
        computed = time.thread_time() - self._computed
        if seconds > LONG_SECONDS:
            self.frames.append(LongFrame(seconds, computed, self.after, self._stack))
        self.skip()

    def _look(self) -> None:
        """Note where a turn is once it takes too long."""
        while not self._stop.wait(_LOOK_SECONDS):
            beat = self._beat
            if time.monotonic() - beat > LONG_SECONDS and not self._stack:
                frame = sys._current_frames().get(self._thread)
                lines = traceback.format_stack(frame)[-_DEPTH:] if frame is not None else []
                if beat == self._beat:
                    self._stack = lines
