"""What the machine and its GPUs do; NVML stands in as a module of its own, and dies."""

from __future__ import annotations

import math
import os
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from studio.engine.jobs.machine import GpuMeter, ProcessMeter, disk_free, machine_sample


class NVMLError(Exception):
    pass


class FakeDriver(ModuleType):
    """Two GPUs; the second knows neither its power nor its load. It can die."""

    NVMLError = NVMLError
    NVML_TEMPERATURE_GPU = 0

    def __init__(self) -> None:
        super().__init__("pynvml")
        self.is_dead = False

    def _answer(self) -> None:
        if self.is_dead:
            raise NVMLError("GPU is lost")

    def nvmlInit(self) -> None:  # noqa: N802 - the driver's name, as are the others
        self._answer()

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        return 2

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:  # noqa: N802
        return index

    def nvmlDeviceGetName(self, handle: int) -> str | bytes:  # noqa: N802
        return ("NVIDIA H100", b"NVIDIA T4")[handle]

    def nvmlDeviceGetUUID(self, handle: int) -> str:  # noqa: N802
        return f"GPU-{handle}abc"

    def nvmlDeviceGetUtilizationRates(self, handle: int) -> SimpleNamespace:  # noqa: N802
        self._answer()
        if handle:
            raise NVMLError("Not Supported")
        return SimpleNamespace(gpu=87, memory=10)

    def nvmlDeviceGetMemoryInfo(self, handle: int) -> SimpleNamespace:  # noqa: N802
        self._answer()
        return SimpleNamespace(used=2**30, total=80 * 2**30)

    def nvmlDeviceGetTemperature(self, handle: int, sensor: int) -> int:  # noqa: N802
        self._answer()
        return 61

    def nvmlDeviceGetPowerUsage(self, handle: int) -> int:  # noqa: N802
        self._answer()
        if handle:
            raise NVMLError("Not Supported")
        return 312_500


def test_every_gpu_with_the_figures_of_its_driver() -> None:
    first, second = GpuMeter(FakeDriver()).sample()

    assert (first.name, first.utilization, first.temperature) == ("NVIDIA H100", 87, 61)
    assert (first.memory_used, first.memory_total, first.power) == (2**30, 80 * 2**30, 312.5)
    assert second.name == "NVIDIA T4"
    assert math.isnan(second.utilization)
    assert math.isnan(second.power)
    assert second.temperature == 61


def test_a_driver_that_dies_reports_nothing_more_and_raises_nothing() -> None:
    driver = FakeDriver()
    meter = GpuMeter(driver)
    driver.is_dead = True

    samples = meter.sample()

    assert [sample.name for sample in samples] == ["NVIDIA H100", "NVIDIA T4"]
    for sample in samples:
        figures = sample.model_dump(exclude={"name"}).values()
        assert all(math.isnan(figure) for figure in figures)


def test_no_driver_no_gpus() -> None:
    driver = FakeDriver()
    driver.is_dead = True

    assert GpuMeter(driver).sample() == ()


@pytest.mark.parametrize(
    ("visible", "names"),
    [
        (None, ["NVIDIA H100", "NVIDIA T4"]),
        ("1", ["NVIDIA T4"]),
        ("0,1", ["NVIDIA H100", "NVIDIA T4"]),
        ("GPU-1abc", ["NVIDIA T4"]),
        ("", []),
        ("-1", []),
    ],
)
def test_only_those_that_a_process_may_use(visible: str | None, names: list[str]) -> None:
    assert [gpu.name for gpu in GpuMeter(FakeDriver(), visible).sample()] == names


def test_machine_process_and_disk_give_plausible_figures(tmp_path: Path) -> None:
    meter = ProcessMeter()
    machine_sample()
    sum(number * number for number in range(300_000))
    process, machine = meter.sample(), machine_sample()

    assert 0 < process.cpu <= 100 * (os.cpu_count() or 1) * 1.5
    assert 10e6 < process.memory < 100e9
    assert 0 <= machine.cpu <= 100
    assert 0 < machine.memory <= 100
    assert 0 < machine.memory_used < machine.memory_total
    assert disk_free(tmp_path) > 1e6
    assert math.isnan(disk_free(tmp_path / "gone"))
