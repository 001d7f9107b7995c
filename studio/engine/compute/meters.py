"""Samples what the machine does while a run trains, and where the time of the run goes."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from studio.engine.errors import StudioError
from studio.engine.jobs.events import UsageSampled
from studio.engine.jobs.job import JobContext, Part
from studio.engine.jobs.machine import GpuMeter, ProcessMeter, disk_free, machine_sample


@dataclass(slots=True)
class TimeParts:
    """Seconds of each part."""

    waiting: float = 0.0
    computing: float = 0.0
    validating: float = 0.0
    writing: float = 0.0

    def add(self, part: Part, seconds: float) -> None:
        """Add time to a part.

        Args:
            part: The part.
            seconds: The time.
        """
        setattr(self, part, getattr(self, part) + seconds)


class Stopwatch:
    """Counts the parts of a training's time; any thread may ask what came since it last asked.

    Only what happens in the thread that made it counts.
    """

    def __init__(self) -> None:
        self._owner = threading.get_ident()
        self._guard = threading.Lock()
        self._spent = TimeParts()
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

    def take(self) -> TimeParts:
        """Return the time spent since the last call, that of unfinished work included."""
        with self._guard:
            self._count()
            spent, self._spent = self._spent, TimeParts()
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


SAMPLE_SECONDS = 2.0
MIN_SECONDS = 0.1
"""Shortest duration of the last sample, in seconds; less is not meaningful."""


class Meters:
    """Writes a `UsageSampled` every two seconds while the block runs, and one at its end.

    Args:
        context: The running job.
        stopwatch: Measures the time of each activity.
        gpus: The GPUs; by default those of the process.
    """

    def __init__(
        self, context: JobContext, stopwatch: Stopwatch, gpus: GpuMeter | None = None
    ) -> None:
        self._context = context
        self._stopwatch = stopwatch
        self._gpus = gpus
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="meters", daemon=True)

    def __enter__(self) -> Self:
        """Begin to sample."""
        self._context.doing = self._stopwatch.doing
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Sample for the last time."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        # Asking the driver for its GPUs takes a while: that, too, is done here.
        gpus = self._gpus or GpuMeter.of_process()
        process, since = ProcessMeter(), time.perf_counter()
        machine_sample()
        while not self._over.wait(SAMPLE_SECONDS - (time.perf_counter() - since) % SAMPLE_SECONDS):
            since = self._sample(gpus, process, since)
        if time.perf_counter() - since >= MIN_SECONDS:
            self._sample(gpus, process, since)

    def _sample(self, gpus: GpuMeter, process: ProcessMeter, since: float) -> float:
        now = time.perf_counter()
        parts, own, machine = self._stopwatch.take(), process.sample(), machine_sample()
        event = UsageSampled(
            seconds=now - since,
            waiting=parts.waiting,
            computing=parts.computing,
            validating=parts.validating,
            writing=parts.writing,
            cpu=own.cpu,
            memory=own.memory,
            machine_cpu=machine.cpu,
            machine_memory=machine.memory,
            disk_free=disk_free(self._context.folder),
            gpus=gpus.sample(),
        )
        try:
            self._context.emit(event)
        except StudioError:
            self._over.set()  # the disk is full; the run itself says so at its next line
        return now
