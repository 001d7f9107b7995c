"""What this machine has to compute on, as a driver tells it that is not there."""

from __future__ import annotations

import importlib.util
import platform
import sys
from types import SimpleNamespace

import pytest

from studio.engine.jobs import devices as devices_module
from studio.engine.jobs.devices import CPU, Device, device_problems, machine_devices


class DriverError(Exception):
    """What the driver raises."""


def _driver(count: int, *, broken: bool = False) -> SimpleNamespace:
    """A stand-in for `pynvml` with this many GPUs, the last of which reports no memory."""

    def start() -> None:
        if broken:
            raise DriverError

    def memory(index: int) -> SimpleNamespace:
        if index == count - 1:
            raise DriverError
        return SimpleNamespace(total=24 << 30)

    return SimpleNamespace(
        NVMLError=DriverError,
        nvmlInit=start,
        nvmlShutdown=lambda: None,
        nvmlDeviceGetCount=lambda: count,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetUUID=lambda index: f"GPU-{index}abc",
        nvmlDeviceGetName=lambda index: f"Fake {index}",
        nvmlDeviceGetMemoryInfo=memory,
    )


def _devices(
    monkeypatch: pytest.MonkeyPatch, driver: object, visible: str | None = None
) -> list[Device]:
    monkeypatch.setitem(sys.modules, "pynvml", driver)
    monkeypatch.delenv(devices_module.OURS, raising=False)
    monkeypatch.delenv(devices_module.VISIBLE, raising=False)
    if visible is not None:
        monkeypatch.setenv(devices_module.VISIBLE, visible)
    return list(machine_devices.__wrapped__())


def test_gpus_have_the_name_and_memory_that_the_driver_reports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cpu, *gpus = _devices(monkeypatch, _driver(2))
    assert cpu.name == CPU
    assert not cpu.is_gpu
    assert cpu.memory > 0
    assert gpus == [Device("gpu:0", "Fake 0", 24 << 30), Device("gpu:1", "Fake 1", 0)]


@pytest.mark.parametrize("driver", [None, _driver(2, broken=True)])
def test_without_package_or_driver_there_is_the_cpu_alone(
    monkeypatch: pytest.MonkeyPatch, driver: object
) -> None:
    # None in `sys.modules` is what Python takes for a module that is not there.
    assert [device.name for device in _devices(monkeypatch, driver)] == [CPU]


@pytest.mark.parametrize(
    ("visible", "seen"),
    [("1", ["gpu:1"]), ("GPU-0a", ["gpu:0"]), ("", []), ("-1", []), ("2, 0", ["gpu:0", "gpu:2"])],
)
def test_hidden_parts_are_absent(
    monkeypatch: pytest.MonkeyPatch, visible: str, seen: list[str]
) -> None:
    found = _devices(monkeypatch, _driver(3), visible)
    assert [device.name for device in found if device.is_gpu] == seen


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gpu:0,3", "this machine has 1 known GPU; received gpu:0,3."),
        ("gpus:2", "this machine has 1 known GPU; received gpus:2."),
        ("gpu:0", ""),
        ("auto", ""),
        ("cpu:8", ""),
        ("nonsense", ""),
    ],
)
def test_a_device_that_this_machine_lacks_is_refused(text: str, said: str) -> None:
    problems = device_problems(text, [Device(CPU), Device("gpu:0")])
    assert "".join(problem.message for problem in problems) == said
    assert all(problem.serious for problem in problems)


@pytest.mark.parametrize(
    ("text", "devices", "seen"),
    [
        ("auto", (CPU,), ()),
        ("AUTO", ("gpu:1",), ("gpu:1",)),
        ("cpu", (CPU,), (CPU,)),
        ("gpu", ("gpu:0",), ("gpu:0",)),
        ("nonsense", (CPU,), (CPU,)),
    ],
)
def test_a_gpu_that_only_the_backend_knows_is_not_hidden(
    text: str, devices: tuple[str, ...], seen: tuple[str, ...]
) -> None:
    assert tuple(devices_module.visible_devices(text, devices)) == seen
    hidden = devices_module.environment_for({}, devices_module.visible_devices(text, devices))
    assert (hidden.get(devices_module.VISIBLE) == "") == (seen == (CPU,))


def test_apple_silicon_has_a_gpu_for_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())

    _, gpu = _devices(monkeypatch, None)

    assert (gpu.name, gpu.label) == ("gpu:0", "Apple GPU")
    assert device_problems("gpu", [Device(CPU), gpu]) == []
