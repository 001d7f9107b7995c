"""The tray: which job is on which device, why others wait, and the buttons that change it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from helpers.workers import ENDLESS, LaunchScripts
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import StudioError
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.devices import Device
from studio.engine.jobs.host import EngineHost
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import PAUSED_FILE, JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.app import StudioApp
from studio.ui.bridge.background import Background
from studio.ui.bridge.jobs import Jobs
from studio.ui.context import AppContext, Navigator
from studio.ui.settings import Settings
from studio.ui.shell.frame import Tray
from studio.ui.theme.theme import Theme
from studio.ui.widgets.job_rows import QueueRow

DEVICES = (Device("cpu"), Device("gpu:0", "Fake RTX", 16 << 30))


@pytest.fixture
def context(
    theme: Theme,
    workspace: Workspace,
    tmp_path: Path,
    launch_scripts: LaunchScripts,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[AppContext]:
    """A window's context with a machine of one GPU, whose workers do little."""
    monkeypatch.setattr(queue_module, "machine_devices", lambda: DEVICES)
    launch_scripts(ENDLESS)
    queue = JobQueue(workspace)
    for name, device in (("a", "auto"), ("b", "gpu"), ("c", "gpu:0"), ("d", "gpu:3")):
        queue.submit(TrainingPlan(dataset="none-000000", device=device), name)
    background = Background()
    background.failed.connect(print)
    jobs = Jobs(workspace, background)
    made = AppContext(
        workspace,
        Settings(tmp_path / "window.ini"),
        theme,
        background,
        jobs,
        EngineHost(),
        Navigator(),
    )
    yield made
    jobs.close()
    background.close()
    made.engine.close()


@pytest.fixture
def tray(qtbot: QtBot, context: AppContext) -> Tray:
    made = Tray(context)
    qtbot.addWidget(made)
    made.resize(900, 300)
    made.show()
    made._toggle.click()
    context.jobs.start()
    qtbot.waitUntil(lambda: [row.device.text() for row in _rows(made)][:1] == ["GPU 0"])
    return made


def _rows(tray: Tray) -> list[QueueRow]:
    return list(tray.rows().values())


def _names(tray: Tray) -> list[str]:
    return [row.accessibleName().removeprefix("Train ") for row in _rows(tray)]


def _details(tray: Tray) -> list[str]:
    return [row._detail.text() for row in _rows(tray)]


def test_device_assignments_and_reasons_to_wait(tray: Tray, qtbot: QtBot) -> None:
    assert _names(tray) == ["a", "b", "c", "d"]
    first, *waiting = _rows(tray)
    assert first.device.toolTip() == "Fake RTX"
    assert not first.hold_button.isVisible()
    assert not first.earlier_button.isVisible()
    qtbot.waitUntil(lambda: _details(tray)[1] == "Waits for a GPU, in use by “a”")
    assert _details(tray)[2:] == [
        "Waits for GPU 0, in use by “a”",
        "Waits for GPU 3, which this machine does not have",
    ]
    for row in waiting:
        assert row.device.isHidden()
        assert row.hold_button.isVisible()
        assert not row.bar.isVisible()
    assert tray._summary.text() == "1 running\n3 waiting"


def test_waiting_jobs_swap_positions(tray: Tray, qtbot: QtBot) -> None:
    b, c, d = _rows(tray)[1:]
    assert not b.earlier_button.isEnabled()
    assert not d.later_button.isEnabled()

    d.earlier_button.click()
    qtbot.waitUntil(lambda: _names(tray) == ["a", "b", "d", "c"])
    b.later_button.setFocus()
    QTest.keyClick(b.later_button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: _names(tray) == ["a", "d", "b", "c"])
    b.later_button.click()
    qtbot.waitUntil(lambda: _names(tray) == ["a", "d", "c", "b"])

    rows = d.parentWidget()
    column = None if rows is None else rows.layout()
    assert column is not None
    assert [column.indexOf(row) for row in (d, c, b)] == [1, 2, 3]
    qtbot.waitUntil(lambda: not b.later_button.isEnabled())
    assert not d.earlier_button.isEnabled()


def test_hold_and_release(tray: Tray, qtbot: QtBot) -> None:
    row = _rows(tray)[1]
    row.hold_button.click()
    qtbot.waitUntil(lambda: _details(tray)[1] == "On hold until you release it")
    assert row.hold_button.toolTip() == "Release"
    row.hold_button.click()
    qtbot.waitUntil(lambda: _details(tray)[1].startswith("Waits for a GPU"))
    assert row.hold_button.toolTip() == "Hold"


def test_the_next_one_starts_when_a_run_is_stopped(
    tray: Tray, qtbot: QtBot, workspace: Workspace
) -> None:
    first, second, *_ = _rows(tray)
    qtbot.waitUntil(lambda: first.badge.state == "running", timeout=60_000)
    first.cancel_button.click()
    qtbot.waitUntil(lambda: second.badge.state == "running", timeout=60_000)
    assert second.device.text() == "GPU 0"
    assert _names(tray) == ["b", "c", "d"]


def test_a_waiting_job_is_cancelled(tray: Tray, qtbot: QtBot, workspace: Workspace) -> None:
    _rows(tray)[3].cancel_button.click()
    qtbot.waitUntil(lambda: _names(tray) == ["a", "b", "c"])
    job = Job(workspace.find(RecordKind.RUN, "d"))
    job.refresh()
    assert job.history.state == State.STOPPED


def test_jobs_of_another_computer_are_announced(
    studio: StudioApp,
    workspace: Workspace,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recipe = DatasetRecipe(source=str(tmp_path), width=8, height=8)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(queue_module, "machine_key", lambda: b"somebody else")
        queue = JobQueue(workspace)
        for name in ("one", "two"):
            queue.submit(recipe, name)

    window = studio.open(workspace.root)

    def shown() -> bool:
        texts = [card.notice.text for card in window.notices.cards()]
        return any("one" in text and "two" in text for text in texts)

    qtbot.waitUntil(shown, timeout=20_000)
    (card,) = window.notices.cards()
    assert card.notice.action is not None
    card.notice.action()
    assert len(window.tray.rows()) == 2
    assert all(entry.history.held for entry in window.context.jobs.waiting())


def test_the_whole_queue_is_paused(
    tray: Tray, qtbot: QtBot, context: AppContext, workspace: Workspace
) -> None:
    assert tray.pause_button.toolTip() == "Pause the queue"
    tray.pause_button.click()

    assert tray.pause_button.accessibleName() == "Resume the queue"  # at once
    assert tray._summary.text() == "1 running\n3 waiting\nQueue paused"
    assert set(_details(tray)[1:]) == {"Waits because the queue is paused"}
    qtbot.waitUntil((workspace.root / PAUSED_FILE).exists)
    first = _rows(tray)[0]
    qtbot.waitUntil(lambda: first.badge.state == "running", timeout=60_000)
    first.cancel_button.click()
    qtbot.waitUntil(lambda: _names(tray) == ["b", "c", "d"], timeout=60_000)

    tray.pause_button.click()
    qtbot.waitUntil(lambda: _rows(tray)[0].device.text() == "GPU 0", timeout=60_000)
    assert not (workspace.root / PAUSED_FILE).exists()
    assert tray._summary.text() == "1 running\n2 waiting"


def test_a_queue_that_cannot_be_paused_is_shown_as_it_is(
    tray: Tray, qtbot: QtBot, context: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_paused: bool) -> None:
        raise StudioError("The queue is busy.")

    monkeypatch.setattr(context.jobs.queue, "set_paused", refuse)
    with qtbot.waitSignal(context.background.failed):
        tray.pause_button.click()

    assert tray.pause_button.toolTip() == "Pause the queue"


def test_a_paused_queue_is_shown_without_jobs(
    qtbot: QtBot, context: AppContext, workspace: Workspace
) -> None:
    context.jobs.queue.set_paused(True)
    made = Tray(context)  # nothing is known of the jobs yet, as in an empty workspace
    qtbot.addWidget(made)

    assert not made.isHidden()
    assert made._summary.text() == "Queue paused"
    made.pause_button.click()

    assert made.isHidden()
    qtbot.waitUntil(lambda: not JobQueue(workspace).is_paused)
