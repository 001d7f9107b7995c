"""Where the time of a training goes: waiting for data, computing, validating, writing."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from studio.engine.jobs.context import Part


@dataclass(slots=True)
class Parts:
    """Seconds of each part."""

    waiting: float = 0.0
    computing: float = 0.0
    validating: float = 0.0
    writing: float = 0.0

    def add(self, part: Part, seconds: float) -> None:
        """Count more of a part."""
        setattr(self, part, getattr(self, part) + seconds)


class Stopwatch:
    """Counts the parts of a training's time; any thread may ask what came since it last asked.

    Only what happens in the thread that made it counts.
    """

    def __init__(self) -> None:
        self._owner = threading.get_ident()
        self._guard = threading.Lock()
        self._spent = Parts()
        self._doing: list[Part] = []
        self._since = 0.0

    @contextlib.contextmanager
    def doing(self, part: Part) -> Iterator[None]:
        """Count the time within as a part, and not as that of a part around it."""
        if threading.get_ident() != self._owner:
            yield
            return
        self._turn(part)
        try:
            yield
        finally:
            self._turn(None)

    def take(self) -> Parts:
        """Return what was spent since the last call, also of what still goes on."""
        with self._guard:
            self._count()
            spent, self._spent = self._spent, Parts()
        return spent

    def _turn(self, part: Part | None) -> None:
        with self._guard:
            self._count()
            if part is None:
                self._doing.pop()
            else:
                self._doing.append(part)

    def _count(self) -> None:
        now = time.perf_counter()
        if self._doing:
            self._spent.add(self._doing[-1], now - self._since)
        self._since = now
