"""Samples what the machine does while a run trains, and where the time of the run goes."""

from __future__ import annotations

import threading
import time
from typing import Self

from studio.engine.compute.stopwatch import Stopwatch
from studio.engine.errors import StudioError
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.events import UsageSampled
from studio.engine.jobs.machine import GpuMeter, ProcessMeter, disk_free, machine_sample

SAMPLE_SECONDS = 2.0
LEAST_SECONDS = 0.1
"""The last sample is of what is left; of less than this nothing can be told."""


class Meters:
    """Writes a `UsageSampled` every two seconds while the block runs, and one at its end.

    Args:
        context: The running job.
        stopwatch: Knows where the time goes.
        gpus: Those of the process, unless others are given.
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
        if time.perf_counter() - since >= LEAST_SECONDS:
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
