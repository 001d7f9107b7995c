"""Processor use of other programs during a measurement."""

from __future__ import annotations

import contextlib

import psutil

BUSY = 0.2
"""Share of the processors, used by other programs, above which a measurement gets a warning."""


class ProcessorLoad:
    """The share of the processors that other programs use from now on."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._busy, self._all = _machine_seconds()
        self._own = self._own_seconds()

    def of_others(self) -> float:
        """Their share of all processors since the beginning, 0 to 1.

        This process and those that it started do not count as others.
        """
        busy, total = _machine_seconds()
        others = busy - self._busy - (self._own_seconds() - self._own)
        elapsed = total - self._all
        return min(1.0, max(0.0, others / elapsed)) if elapsed > 0 else 0.0

    def _own_seconds(self) -> float:
        """Processor seconds of this process and its children, those that have ended included."""
        seconds = sum(self._process.cpu_times()[:4])
        for child in self._process.children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                seconds += sum(child.cpu_times()[:4])
        return seconds


def _machine_seconds() -> tuple[float, float]:
    """Processor seconds of the machine since its start: at work, and all."""
    times = psutil.cpu_times()
    # Linux counts what guests use in `user` and `nice` as well.
    guests = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)
    total = sum(times) - guests
    return total - times.idle - getattr(times, "iowait", 0.0), total
