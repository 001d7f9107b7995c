"""What the GPU of this process does while something is measured, as its driver tells it."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from studio.engine.jobs.events import GpuSample
from studio.engine.jobs.machine import GpuMeter

LOOK_SECONDS = 0.2


class GpuGauge:
    """Looks at the first GPU of this process again and again, in a thread.

    Args:
        on: Whether there is one to look at.
        meter: Asks the driver.
    """

    def __init__(self, *, on: bool, meter: GpuMeter | None = None) -> None:
        self._meter = (meter or GpuMeter.of_process()) if on else None
        self._samples: list[GpuSample] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, name="gauge", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def utilization(self) -> float | None:
        """Mean of the percent of the time in which it computed; None where nobody knows."""
        return _mean(sample.utilization for sample in self._samples)

    @property
    def power(self) -> float | None:
        """Mean power in watts; None where nobody knows."""
        return _mean(sample.power for sample in self._samples)

    @property
    def peak_power(self) -> float | None:
        """The highest power that was seen, in watts; None where nobody knows."""
        known = [each.power for each in self._samples if math.isfinite(each.power)]
        return max(known, default=None)

    def _look(self) -> None:
        while self._meter is not None and not self._ended.wait(LOOK_SECONDS):
            self._samples += self._meter.sample()[:1]


def _mean(values: Iterable[float]) -> float | None:
    known = [value for value in values if math.isfinite(value)]
    return sum(known) / len(known) if known else None
