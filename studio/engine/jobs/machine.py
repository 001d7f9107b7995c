"""Samples of this machine and its GPUs, for workers and for the window.

Everything that cannot be measured is NaN: a driver may be missing, may not know a figure, or may
die between two questions.
"""

from __future__ import annotations

import contextlib
import importlib
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import psutil

from studio.engine.jobs.events import GpuSample

_VISIBLE = "CUDA_VISIBLE_DEVICES"


@dataclass(frozen=True, slots=True)
class MachineSample:
    """A sample of the machine.

    Attributes:
        cpu: Percent of all processors, since the last sample.
        memory: Percent of the memory.
        memory_used: Bytes.
        memory_total: Bytes.
    """

    cpu: float = math.nan
    memory: float = math.nan
    memory_used: float = math.nan
    memory_total: float = math.nan


def machine_sample() -> MachineSample:
    """Sample the whole machine; the first call of a process reports no load."""
    with contextlib.suppress(OSError, psutil.Error):
        memory = psutil.virtual_memory()
        return MachineSample(
            psutil.cpu_percent(), memory.percent, memory.total - memory.available, memory.total
        )
    return MachineSample()


@dataclass(frozen=True, slots=True)
class ProcessSample:
    """A sample of a process: percent of one processor since the last sample, and bytes."""

    cpu: float = math.nan
    memory: float = math.nan


class ProcessMeter:
    """Samples this process, all its threads together."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self.sample()  # from here on the load is counted

    def sample(self) -> ProcessSample:
        """Sample the process since the last call."""
        with contextlib.suppress(OSError, psutil.Error):
            return ProcessSample(self._process.cpu_percent(), self._process.memory_info().rss)
        return ProcessSample()


def disk_free(folder: Path) -> float:
    """Free bytes on the disk of a folder; NaN if unknown."""
    with contextlib.suppress(OSError):
        return float(psutil.disk_usage(str(folder)).free)
    return math.nan


class GpuMeter:
    """Samples the NVIDIA GPUs through the driver's own library (NVML).

    Args:
        library: The module `pynvml`; found by its name when it is left out. Without it, or
            without a driver, there are no GPUs.
        visible: GPUs that the process may use, as in `CUDA_VISIBLE_DEVICES`: numbers or ids,
            separated by commas; None for all.
    """

    def __init__(self, library: ModuleType | None = None, visible: str | None = None) -> None:
        self._library = library or _nvml()
        self._handles: list[tuple[str, object]] = []
        if self._library is None:
            return
        try:
            self._library.nvmlInit()
            self._find(self._library, visible)
        except self._library.NVMLError:
            self._handles = []

    @classmethod
    def of_process(cls) -> GpuMeter:
        """Return those that this process may use."""
        return cls(visible=os.environ.get(_VISIBLE))

    def sample(self) -> tuple[GpuSample, ...]:
        """Return every GPU, in the order of the driver."""
        return tuple(self._sample(name, handle) for name, handle in self._handles)

    def _find(self, library: ModuleType, visible: str | None) -> None:
        requested = None if visible is None else [each.strip() for each in visible.split(",")]
        for index in range(library.nvmlDeviceGetCount()):
            handle = library.nvmlDeviceGetHandleByIndex(index)
            if requested is not None and str(index) not in requested:
                uuid = _text(library.nvmlDeviceGetUUID(handle))
                if not any(each and uuid.startswith(each) for each in requested):
                    continue
            self._handles.append((_text(library.nvmlDeviceGetName(handle)), handle))

    def _sample(self, name: str, handle: object) -> GpuSample:
        library = self._library
        if library is None:
            return GpuSample(name=name)

        def ask(question: Callable[[], float]) -> float:
            try:
                return float(question())
            # Not known to this GPU or this driver, or the driver is gone.
            except (library.NVMLError, AttributeError):
                return math.nan

        celsius = library.NVML_TEMPERATURE_GPU
        return GpuSample(
            name=name,
            utilization=ask(lambda: library.nvmlDeviceGetUtilizationRates(handle).gpu),
            memory_used=ask(lambda: library.nvmlDeviceGetMemoryInfo(handle).used),
            memory_total=ask(lambda: library.nvmlDeviceGetMemoryInfo(handle).total),
            temperature=ask(lambda: library.nvmlDeviceGetTemperature(handle, celsius)),
            power=ask(lambda: library.nvmlDeviceGetPowerUsage(handle) / 1000),
        )


def _nvml() -> ModuleType | None:
    """Return the package `nvidia-ml-py`, if it is installed; its module is called `pynvml`."""
    try:
        return importlib.import_module("pynvml")
    except ImportError:
        return None


def _text(name: str | bytes) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else name
