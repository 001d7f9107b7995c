"""The small meters above the pages."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from studio.engine.jobs.events import GpuSample
from studio.engine.jobs.machine import MachineSample
from studio.engine.workspace import Workspace
from studio.ui.app import StudioApp
from studio.ui.bridge.background import Background
from studio.ui.settings import Settings
from studio.ui.shell.frame import DeviceMeters, Load, LoadSampler
from studio.ui.theme.theme import Theme


class Sampler(LoadSampler):
    """Returns given values, as often as it is called."""

    def __init__(self, load: Load) -> None:
        super().__init__()
        self.load = load
        self.threads: set[int] = set()
        self.go = threading.Event()
        self.go.set()

    def sample(self) -> Load:
        self.go.wait(10)
        self.threads.add(threading.get_ident())
        return self.load


MACHINE = MachineSample(cpu=37, memory=50, memory_used=8e9, memory_total=16e9)
GPU = GpuSample(
    name="NVIDIA T4",
    utilization=88,
    memory_used=3e9,
    memory_total=16e9,
    temperature=64,
    power=70,
)


@pytest.fixture
def background() -> Iterator[Background]:
    made = Background()
    yield made
    made.close()


@pytest.fixture
def meters(theme: Theme, background: Background, qtbot: QtBot) -> DeviceMeters:
    made = DeviceMeters(theme, background, sampler=Sampler(Load(MACHINE, (GPU,))))
    qtbot.addWidget(made)
    return made


def test_they_show_load_and_details(meters: DeviceMeters, qtbot: QtBot) -> None:
    meters.show()
    assert not meters.cpu.isVisible(), "nothing is known yet"
    meters.ask()
    qtbot.waitUntil(lambda: meters.cpu.loads() == [0.37])

    assert meters.gpu.loads() == [0.88]
    assert meters.cpu.isVisible()
    assert "8.0\N{NO-BREAK SPACE}GB of 16.0\N{NO-BREAK SPACE}GB" in meters.cpu.toolTip()
    assert "NVIDIA T4: 88\N{NO-BREAK SPACE}%" in meters.gpu.toolTip()
    assert "64 °C" in meters.gpu.toolTip()
    assert meters.gpu.accessibleDescription() == meters.gpu.toolTip()
    meters.grab()


def test_samples_are_taken_in_another_thread_one_at_a_time(
    meters: DeviceMeters, qtbot: QtBot
) -> None:
    sampler = meters._sampler
    assert isinstance(sampler, Sampler)
    sampler.go.clear()
    meters.ask()
    meters.ask()
    sampler.go.set()
    qtbot.waitUntil(lambda: len(meters.cpu.loads()) == 1)
    meters.ask()
    qtbot.waitUntil(lambda: len(meters.cpu.loads()) == 2)

    assert threading.get_ident() not in sampler.threads


def test_they_pause_while_hidden(meters: DeviceMeters) -> None:
    meters.show()
    assert meters._timer.isActive()
    meters.hide()
    assert not meters._timer.isActive()


def test_without_a_gpu_there_is_no_meter_of_it(
    theme: Theme, background: Background, qtbot: QtBot
) -> None:
    meters = DeviceMeters(theme, background, sampler=Sampler(Load(MACHINE, ())))
    qtbot.addWidget(meters)
    meters.show()
    meters.ask()
    qtbot.waitUntil(lambda: bool(meters.cpu.loads()))

    assert not meters.gpu.isVisible()


def test_the_real_machine_is_shown_above_the_pages(
    theme: Theme, workspace: Workspace, tmp_path: Path, qtbot: QtBot
) -> None:
    app = StudioApp(Settings(tmp_path / "settings" / "window.ini"), theme)
    meters = app.open(workspace.root).top_bar.meters
    qtbot.waitUntil(lambda: bool(meters.cpu.loads()), timeout=20_000)

    assert 0 <= meters.cpu.loads()[0] <= 1
    assert "of" in meters.cpu.toolTip()
    app.close()


def test_a_failed_sample_is_reported_once_and_the_next_is_taken(
    meters: DeviceMeters, background: Background, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampler, errors = meters._sampler, list[object]()
    background.failed.connect(errors.append)
    sample = sampler.sample

    def fail() -> Load:
        raise OSError("no driver")

    monkeypatch.setattr(sampler, "sample", fail)
    for _ in range(3):
        meters.ask()
        qtbot.waitUntil(lambda: background.is_idle)
    monkeypatch.setattr(sampler, "sample", sample)
    meters.ask()
    qtbot.waitUntil(lambda: bool(meters.cpu.loads()))
    assert len(errors) == 1
