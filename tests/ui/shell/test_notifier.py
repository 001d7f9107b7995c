"""Messages of the system when long work ends: told once it is worth it, and not otherwise."""

from __future__ import annotations

import time

import pytest
from PySide6.QtWidgets import QApplication, QMainWindow, QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.settings import Settings
from studio.ui.shell.main_window import MainWindow


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Titles of messages; the window's entry in the list of windows is not asked to blink."""
    messages: list[str] = []

    def show(_icon: QSystemTrayIcon, title: str, text: str, *_: object) -> None:
        messages.append(f"{title}|{text}")

    def blink(_window: QWidget, *_: object) -> None:
        messages.append("blink")

    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "supportsMessages", lambda: True)
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", show)
    monkeypatch.setattr(QApplication, "alert", blink)
    return messages


def end_run(window: MainWindow, qtbot: QtBot, name: str, seconds: float, state: State) -> None:
    """A run that began so long ago, and ends now, followed by the window."""
    workspace: Workspace = window.context.workspace
    record = workspace.create(RecordKind.RUN, name, TrainingPlan(dataset="gone").to_json())
    began = StateChanged(state=State.RUNNING, t=time.time() - seconds)
    append_events(record, [began, StateChanged(state=State.PAUSED)])
    jobs = window.context.jobs
    jobs.wake()
    qtbot.waitUntil(lambda: jobs.get(RecordKind.RUN, record.id) is not None, timeout=5000)
    with qtbot.waitSignal(jobs.changed, timeout=5000):
        Job(record).append(StateChanged(state=state, reason="A reason."))
        jobs.wake()


@pytest.mark.qt_log_ignore(
    # The plugin without a screen has neither a tray nor windows above each other.
    "systemTrayWindowChanged",
    "does not support raise",
    extend=True,
)
def test_long_jobs_notify_while_the_window_is_in_the_background(
    window: MainWindow, settings: Settings, qtbot: QtBot, received: list[str]
) -> None:
    end_run(window, qtbot, "seen", 600, State.COMPLETED)
    assert received == [], "the user sees it in the window"

    other = QMainWindow()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(lambda: not window.isActiveWindow())
    end_run(window, qtbot, "short", 3, State.COMPLETED)
    end_run(window, qtbot, "stopped", 600, State.STOPPED)
    assert received == [], "no user waits for what is short, or for what he ended himself"
    end_run(window, qtbot, "long", 600, State.FAILED)
    assert received == ["blink", "Train long|A reason."]

    settings.long_job_seconds = 2
    end_run(window, qtbot, "short too", 3, State.COMPLETED)
    assert received[2] == "blink"
    assert received[3].startswith("Train short too|")
    settings.notifies = False
    end_run(window, qtbot, "silent", 600, State.COMPLETED)
    assert len(received) == 4

    window.show_page("home")
    window._notifier._on_clicked()
    assert window.current_page == "train", "a click on the message shows what ended"
