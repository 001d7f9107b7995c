"""Memory that this process uses: that of the machine. Backends have meters of their GPUs."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import math
import sys
import threading
from pathlib import Path
from typing import Literal, Protocol

import psutil

from studio.engine.jobs.machine import GpuMeter

_CGROUP = Path("/sys/fs/cgroup")
_POLL_SECONDS = 0.005


class MemoryMeter(Protocol):
    """Measures the peak of memory between two moments.

    Attributes:
        device: The device.
    """

    device: Literal["machine", "gpu"]

    def begin(self) -> int:
        """Forget earlier peaks; bytes in use now."""

    def peak(self) -> int:
        """Return the peak memory since `begin` in bytes."""

    def free(self) -> int | None:
        """Return bytes that this process can have, with those it has; None if unknown."""

    def total(self) -> int | None:
        """Return bytes of the device; None if unknown."""


class MachineMeter:
    """Resident memory of this process.

    Linux remembers the peak and forgets it on request (proc(5), `clear_refs` and `VmHWM`).
    Elsewhere a thread looks every few milliseconds.
    """

    device: Literal["machine", "gpu"] = "machine"

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._monitor: _PeakMonitor | None = None

    def begin(self) -> int:
        """Free caches and reset the peak; return the bytes in use."""
        gc.collect()
        _trim()
        self._end_monitor()
        if not _forget_peak():
            self._monitor = _PeakMonitor(self._process)
        return int(self._process.memory_info().rss)

    def peak(self) -> int:
        """Return the peak memory since `begin` in bytes."""
        if self._monitor is not None:
            return self._end_monitor()
        return _peak_of_linux() or int(self._process.memory_info().rss)

    def free(self) -> int:
        """Return bytes that this process can have, with those it has."""
        own = int(self._process.memory_info().rss)
        left = psutil.virtual_memory().available
        limit, used = _number(_CGROUP / "memory.max"), _number(_CGROUP / "memory.current")
        if limit is not None and used is not None:
            left = min(left, max(0, limit - used))
        return int(left) + own

    def total(self) -> int:
        """Return bytes of the machine, or of the container that this process runs in."""
        limit = _number(_CGROUP / "memory.max")
        whole = int(psutil.virtual_memory().total)
        return whole if limit is None else min(whole, limit)

    def _end_monitor(self) -> int:
        monitor, self._monitor = self._monitor, None
        return 0 if monitor is None else monitor.end()


class _PeakMonitor:
    """Looks at the resident memory again and again, in a thread."""

    def __init__(self, process: psutil.Process) -> None:
        self._process = process
        self._most = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._poll, name="memory", daemon=True)
        self._thread.start()

    def end(self) -> int:
        """Stop looking; the most that was seen."""
        self._ended.set()
        self._thread.join()
        return self._most

    def _poll(self) -> None:
        while True:
            self._most = max(self._most, int(self._process.memory_info().rss))
            if self._ended.wait(_POLL_SECONDS):
                return


def _trim() -> None:
    """Let the C library give back what it only keeps for later; only glibc can."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL("libc.so.6").malloc_trim(0)


def _forget_peak() -> bool:
    """Reset the system's peak of memory; True if that succeeded."""
    if sys.platform != "linux":
        return False
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _peak_of_linux() -> int | None:
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return None


def _number(path: Path) -> int | None:
    """Return the number in a file of the system, or None if there is none."""
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def driver_memory() -> tuple[int, int] | None:
    """Return free and all bytes of the first GPU of this process; None without a driver."""
    gpus = GpuMeter.of_process().sample()
    if not gpus or math.isnan(gpus[0].memory_used) or math.isnan(gpus[0].memory_total):
        return None
    return int(gpus[0].memory_total - gpus[0].memory_used), int(gpus[0].memory_total)
