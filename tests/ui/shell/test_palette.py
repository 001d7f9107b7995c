"""The palette over the window: found, chosen, done; everything by the keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.app import StudioApp
from studio.ui.shell.main_window import MainWindow
from studio.ui.shell.palette import CommandPalette

CONTROL = Qt.KeyboardModifier.ControlModifier


def add_run(workspace: Workspace, name: str, state: State) -> str:
    record = workspace.create(RecordKind.RUN, name, TrainingPlan(dataset="gone").to_json())
    append_events(record, [StateChanged(state=state)])
    return record.id


def open_palette(qtbot: QtBot, window: MainWindow) -> CommandPalette:
    palette = window.commands.palette
    with qtbot.waitSignal(palette.items.gathered, timeout=20_000):
        QTest.keyClick(window, Qt.Key.Key_K, CONTROL)
    assert palette.isVisible()
    assert palette.field.hasFocus()
    return palette


def titles(palette: CommandPalette) -> list[str]:
    return [item.title for item in palette.found()]


def choose(qtbot: QtBot, palette: CommandPalette, typed: str) -> None:
    palette.field.clear()
    QTest.keyClicks(palette.field, typed)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not palette.isVisible(), timeout=5000)
    QApplication.processEvents()


def test_records_networks_and_commands_are_found_and_opened(
    studio: StudioApp, window: MainWindow, workspace: Workspace, qtbot: QtBot
) -> None:
    run_id = add_run(workspace, "my-lenet-ü", State.PAUSED)
    jobs = window.context.jobs
    jobs.wake()
    qtbot.waitUntil(lambda: jobs.get(RecordKind.RUN, run_id) is not None, timeout=5000)
    before = QApplication.focusWidget()
    palette = open_palette(qtbot, window)
    QTest.keyClicks(palette.field, "my lenet")
    assert titles(palette)[0] == "my-lenet-ü"
    spoken = palette.view.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "my-lenet-ü, Run, Paused"
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert QApplication.focusWidget() is before

    choose(qtbot, open_palette(qtbot, window), "my lenet")
    assert not palette.isVisible()
    assert window.current_page == "train"
    assert window.current_record == run_id
    assert titles(open_palette(qtbot, window))[0] == "my-lenet-ü", "what was chosen last is first"

    choose(qtbot, palette, "resnet50")
    assert window.current_page == "networks"
    choose(qtbot, open_palette(qtbot, window), "dark colors")
    assert studio.theme.mode == "dark"
    assert studio.settings.theme == "dark"
    choose(qtbot, open_palette(qtbot, window), "keyboard shortcuts")
    assert window.current_page == "settings"


def test_what_an_older_version_remembered_is_ignored(window: MainWindow, qtbot: QtBot) -> None:
    settings = window.context.settings
    before = titles(open_palette(qtbot, window))
    QTest.keyClick(window.commands.palette.field, Qt.Key.Key_Escape)
    for key in ("new:lenet@digits", "run:gone", "", "page"):
        settings.remember_choice(key)

    assert titles(open_palette(qtbot, window)) == before


def test_arrows_move_and_no_match_is_reported(window: MainWindow, qtbot: QtBot) -> None:
    palette = open_palette(qtbot, window)
    first = titles(palette)[0]
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.view.currentIndex().row() == 1
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.view.currentItem().text() == first
    QTest.keyClicks(palette.field, "qqqqq")
    assert palette.nothing.isVisible()
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible(), "there is nothing to choose"
    window.rail.setFocus()
    window.top_bar.theme_button.setFocus()
    assert not palette.isVisible(), "it closes when the focus leaves it"


def test_the_box_of_the_top_bar_opens_it_and_jobs_can_be_stopped_from_it(
    window: MainWindow, workspace: Workspace, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = add_run(workspace, "waits", State.QUEUED)
    jobs = window.context.jobs
    jobs.wake()
    qtbot.waitUntil(lambda: jobs.get(RecordKind.RUN, run_id) is not None, timeout=5000)
    stopped: list[str] = []
    monkeypatch.setattr(jobs, "stop", lambda entry: stopped.append(entry.record.id))
    palette = window.commands.palette
    assert "Ctrl+K" in window.top_bar.palette_button.text()
    window.top_bar.palette_button.click()
    assert palette.isVisible()
    choose(qtbot, palette, "stop waits")
    assert stopped == [run_id]


def test_recent_workspaces_and_languages_are_found(
    studio: StudioApp, window: MainWindow, workspace: Workspace, qtbot: QtBot
) -> None:
    other = workspace.root.parent / "other"
    again = studio.open(other)
    again.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is again)
    choose(qtbot, open_palette(qtbot, again), "portugues")
    assert studio.settings.language == "pt_BR"
    assert studio.window is not None
    assert studio.window.context.workspace.root == other
    window = studio.window
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    choose(qtbot, open_palette(qtbot, window), "english")
    assert studio.window is not None
    last = studio.window
    last.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is last)
    choose(qtbot, open_palette(qtbot, last), "open the workspace my")
    assert studio.window is not None
    assert studio.window.context.workspace.root == workspace.root
