"""Estimate of memory for one more trial, by measurements of the running ones.

Trials of a sweep are similar, so the next one is assumed to need as much as the largest so far.
The memory that a running trial has not used yet up to that size stays reserved for it.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import psutil

from studio.engine.jobs.devices import GPU_PREFIX, gpu_name
from studio.engine.messages import message

POLL_SECONDS = 1.0
ASSUMED_BYTES = 1.5 * 2**30
"""Of a trial before one was measured: the interpreter, Keras with its backend, a small network."""
ASSUMED_GPU_BYTES = 2.0**30
SPARE = 1.1
"""Safety factor for the needed memory, because trials with other values differ a little."""

CONTAINER = Path("/sys/fs/cgroup")
"""Folder with the limits of a container on Linux (control groups, version 2)."""


@dataclass(frozen=True, slots=True)
class GpuMemory:
    """Bytes of a GPU that are free, those in use, and by which processes where that is known."""

    free: float
    used: float
    by_process: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MemoryReading:
    """A sample of memory, in bytes.

    Attributes:
        free: Memory available to programs; infinite if unknown.
        used: Private memory of each process that still runs.
        gpus: The GPUs by their names, as in plans.
    """

    free: float
    used: Mapping[int, float] = field(default_factory=dict)
    gpus: Mapping[str, GpuMemory] = field(default_factory=dict)


ReadMemory = Callable[[Collection[int], Collection[str]], MemoryReading]
"""Reads the memory of some processes and of some GPUs."""


class Taker(Protocol):
    """A running job or trial that takes memory."""

    @property
    def pid(self) -> int | None:
        """Its process; None if there is none yet."""

    @property
    def devices(self) -> tuple[str, ...]:
        """Devices of the trial; empty if not decided yet."""

    @property
    def has_grown(self) -> bool:
        """True if the trial has completed a whole cycle and reached about its peak memory."""


class Room:
    """Knows what trials took so far.

    Args:
        gpus: Names of those that trials may be on.
        read: Reads the memory.
    """

    def __init__(self, gpus: Collection[str], read: ReadMemory | None = None) -> None:
        self._gpus = gpus
        self._read = read or read_memory
        self._need, self._is_measured = 0.0, False
        self._gpu_need = 0.0
        self._pids: set[int] = set()
        self._next_check = 0.0
        self._shortage = ""

    def shortage(self, takers: Sequence[Taker]) -> str:
        """Return the reason why no further trial fits beside the running ones; empty if one fits.

        The memory is read at most once per second; without running trials, one always fits.
        """
        if not takers:
            return ""
        now = time.monotonic()
        if now >= self._next_check:
            self._next_check = now + POLL_SECONDS
            self._shortage = self._poll(takers)
        return self._shortage

    def began(self) -> None:
        """Note that a trial has started, so the last estimate is outdated."""
        self._next_check = 0.0

    def _poll(self, takers: Sequence[Taker]) -> str:
        at_work = {taker.pid for taker in takers if taker.pid is not None}
        self._pids |= at_work
        on_gpus = any(name.startswith(GPU_PREFIX) for each in takers for name in each.devices)
        reading = self._read(self._pids, self._gpus if on_gpus else ())
        used = reading.used
        self._pids &= used.keys()
        self._is_measured = self._is_measured or any(each.has_grown for each in takers)
        self._need = max([self._need, *(used.get(pid, 0.0) for pid in at_work)])
        need = self._need if self._is_measured else max(self._need, ASSUMED_BYTES)
        # The process of a trial that is over takes the next one, or ends in a moment.
        idle = sum(size for pid, size in used.items() if pid not in at_work)
        free = reading.free + idle - _growth(need, (used.get(t.pid or 0, 0.0) for t in takers))
        if free < need * SPARE:
            return _text(message("memory"), need, free)
        return self._check_gpus(takers, reading) if on_gpus else ""

    def _check_gpus(self, takers: Sequence[Taker], reading: MemoryReading) -> str:
        fractions = {name: _fractions(name, gpu, takers) for name, gpu in reading.gpus.items()}
        found = [share for each in fractions.values() for share in each]
        self._gpu_need = max([self._gpu_need, *found])
        need = self._gpu_need if self._is_measured else max(self._gpu_need, ASSUMED_GPU_BYTES)
        free = [gpu.free - _growth(need, fractions[name]) for name, gpu in reading.gpus.items()]
        needed = max(len(taker.devices) for taker in takers)
        if len(free) < needed:
            return ""  # the driver does not tell; the queue knows which devices there are
        least = sorted(free, reverse=True)[needed - 1]
        return _text(message("GPU memory"), need, least) if least < need * SPARE else ""


def _growth(need: float, fractions: Iterable[float]) -> float:
    """Return the bytes by which running trials will still grow beyond their shares."""
    return sum(max(0.0, need - share) for share in fractions)


def _fractions(name: str, gpu: GpuMemory, takers: Sequence[Taker]) -> list[float]:
    """Return each trial's bytes on a GPU; equal shares if the driver does not report them."""
    there = [taker for taker in takers if name in taker.devices]
    return [gpu.by_process.get(each.pid or 0, gpu.used / len(there)) for each in there]


def _text(what: str, need: float, free: float) -> str:
    return message(
        "The next trial waits for {memory}: it needs about {needed:.1f} GB, and {free:.1f} GB are "
        "free while other trials run.",
        memory=what,
        needed=need / 2**30,
        free=max(0.0, free) / 2**30,
    )


def read_memory(pids: Collection[int], gpus: Collection[str]) -> MemoryReading:
    """Read the memory of the system and, from NVIDIA's driver, of GPUs.

    Args:
        pids: Processes whose memory is read.
        gpus: Names of the GPUs.
    """
    free = math.inf
    with contextlib.suppress(OSError, psutil.Error):
        free = min(float(psutil.virtual_memory().available), _free_in_container())
    used = {}
    for pid in pids:
        with contextlib.suppress(OSError, psutil.Error):
            memory = psutil.Process(pid).memory_info()
            # Without the pages of files: of a mapped dataset the system can take them back.
            used[pid] = float(memory.rss - getattr(memory, "shared", 0))
    return MemoryReading(free, used, _read_gpus(gpus) if gpus else {})


def _free_in_container() -> float:
    """Return the free bytes of the container; infinite without a container or a limit."""
    try:
        most = int((CONTAINER / "memory.max").read_text())
        used = int((CONTAINER / "memory.current").read_text())
        lines = (CONTAINER / "memory.stat").read_text().splitlines()
    except (OSError, ValueError):
        return math.inf
    parts = dict(line.split(maxsplit=1) for line in lines)
    # Cached file pages are released when memory is needed.
    return float(most - used + int(parts.get("inactive_file", 0)))


def _read_gpus(names: Collection[str]) -> dict[str, GpuMemory]:
    try:
        library = importlib.import_module("pynvml")
    except ImportError:
        return {}
    found: dict[str, GpuMemory] = {}
    with contextlib.suppress(library.NVMLError):  # no driver, or no information
        library.nvmlInit()
        for index in range(library.nvmlDeviceGetCount()):
            if gpu_name(index) not in names:
                continue
            handle = library.nvmlDeviceGetHandleByIndex(index)
            memory = library.nvmlDeviceGetMemoryInfo(handle)
            by_process = {
                each.pid: float(each.usedGpuMemory)
                for each in library.nvmlDeviceGetComputeRunningProcesses(handle)
                if each.usedGpuMemory  # not reported in containers and on Windows
            }
            found[gpu_name(index)] = GpuMemory(float(memory.free), float(memory.used), by_process)
        library.nvmlShutdown()
    return found
