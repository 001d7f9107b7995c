"""The page of settings: every row acts at once, is found, and is kept."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    show_in_window,
    styles,
    unexplained_buttons,
)
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.engine.errors import StudioError
from studio.engine.jobs.devices import CPU, Device
from studio.engine.jobs.executors import host
from studio.engine.jobs.executors.capacity import Capacity, DeviceCapacity
from studio.engine.jobs.executors.host import Machine
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace, read_limits
from studio.ui.commands import Command, CommandScope
from studio.ui.context import AppContext
from studio.ui.navigation import OpenSettings, OpenWorkspace, PlanRun
from studio.ui.pages.settings import groups, machines
from studio.ui.pages.settings.page import GeneralGroup, View
from studio.ui.pages.settings.rows import changed_fields, fits
from studio.ui.pages.train.plan.new_run import NewRun
from studio.ui.shared.training import own_defaults
from studio.ui.theme.theme import Theme
from studio.ui.widgets import thumbnails

OPEN = Command("page.train", "Train", keys="Ctrl+4", page="train")
NEW = Command("train.new", "New run", "plus", "Ctrl+N", page="train", intent=PlanRun())
DELETE = Command("train.delete", "Delete", keys="Del", page="train", reach=CommandScope.PART)
ENTER = Command("train.open", "Open", keys="Return", page="train", reach=CommandScope.FIXED)


@pytest.fixture
def view(
    qtbot: QtBot, context: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[View]:
    monkeypatch.setenv("STUDIO_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(host.VARIABLE, str(tmp_path / "machines.json"))
    context.settings.shortcuts.know([OPEN, NEW, DELETE, ENTER])
    context.settings.workspace = context.workspace.root
    made = View(context)
    window = show_in_window(qtbot, made)
    qtbot.waitUntil(lambda: made.work.jobs.isEnabled() and made.caches.features.isEnabled())
    qtbot.waitUntil(lambda: context.background.is_idle)
    yield made
    window.close()


def shown(view: View) -> list[str]:
    return [row.title for group in view.groups() for row in group.rows() if not row.isHidden()]


def test_the_contract_of_pages(view: View, theme: Theme) -> None:
    assert nameless_controls(view) == []
    assert unexplained_buttons(view) == []
    assert cut_buttons(view) == []
    assert fits_smallest_window(view)
    images = styles(view, theme)
    assert lightness(images["dark"]) < lightness(images["light"]) - 0.3


def test_settings_are_found_by_their_words(view: View) -> None:
    assert fits("cache empty", ["Empty caches"])
    assert not fits("cache full", ["Empty caches"])
    everything = len(shown(view))
    view.search.setText("notifications")
    assert shown(view) == ["Notify when a job ends", "Notify only after"]
    assert not view.keys.isVisible()
    view.search.setText("new run ctrl")
    assert view.keys.isVisible()
    table = view.keys.table.content
    assert [row in table.shown for row in table.rows[:4]] == [False, True, False, False]
    assert view.keys.chosen.text() == "New run", "what is edited is not in the list"
    view.search.setText("zebra")
    assert view.nothing.isVisible()
    view.search.clear()
    assert len(shown(view)) == everything
    assert view.runs.form.isVisible()


def _edge(widget: QWidget) -> str:
    """The color of its left edge."""
    return widget.grab().toImage().pixelColor(0, widget.height() // 2).name()


def test_the_focus_comes_to_the_search_first_and_never_to_a_field_that_takes_keys(
    view: View, qtbot: QtBot, context: AppContext
) -> None:
    accent = context.theme.palette.accent.lower()
    bar = view.list.verticalScrollBar()
    view.open(OpenSettings("shortcuts"))
    qtbot.waitUntil(lambda: bar.value() > 0)
    assert view.keys.table.hasFocus()
    seen = [view.focusWidget()]
    for _ in range(50):
        QTest.keyClick(view.focusWidget(), Qt.Key.Key_Tab)
        seen.append(view.focusWidget())
    assert view.keys.edit not in seen
    assert seen[seen.index(view.search) + 1] is not None
    order = [each for each in seen[seen.index(view.search) :] if view.isAncestorOf(each)]
    assert order[1] is view.general.first_control()
    # It is reached from the list, and the match is shown from its beginning.
    view.keys.table.setFocus()
    QTest.keyClick(view.keys.table, Qt.Key.Key_Return)
    assert view.keys.edit.hasFocus()
    assert _edge(view.keys.edit) == accent
    view.search.setFocus()
    assert _edge(view.keys.edit) != accent, "only what has the focus looks so"
    view.search.setText("c")
    assert bar.value() == 0


def test_window_settings_act_at_once(view: View, context: AppContext, qtbot: QtBot) -> None:
    general = view.general
    general.colors.setCurrentIndex(general.colors.findData("dark"))
    general.colors.activated.emit(general.colors.currentIndex())
    assert context.theme.mode == "dark"
    context.theme.mode = "light"
    assert general.colors.currentData() == "light", "set elsewhere, shown here"
    general.expert.click()
    assert context.settings.is_expert
    context.settings.is_expert = False
    assert not general.expert.isChecked()
    with qtbot.waitSignal(context.navigator.language_requested) as spoken:
        general.language.setCurrentIndex(general.language.findData("pt_BR"))
        general.language.activated.emit(general.language.currentIndex())
    assert spoken.args == ["pt_BR"]
    with qtbot.waitSignal(context.navigator.open_requested) as requested:
        general.open_button.click()
    assert requested.args == [OpenWorkspace()]


def test_limits_are_written_where_the_command_line_reads_them(
    view: View, workspace: Workspace, qtbot: QtBot
) -> None:
    view.work.jobs.setValue(3)
    qtbot.waitUntil(lambda: read_limits(workspace.root).jobs_at_once == 3)
    view.work.awake.click()
    qtbot.waitUntil(lambda: not read_limits(workspace.root).keep_awake)
    assert view.work.priority.currentData() == "low"
    view.work.priority.choose("idle")
    view.work.priority.activated.emit(view.work.priority.currentIndex())
    qtbot.waitUntil(lambda: read_limits(workspace.root).job_priority == "idle")
    view.caches.features.setValue(1.5)
    qtbot.waitUntil(lambda: read_limits(workspace.root).feature_cache_size == 1.5)
    assert read_limits(workspace.root).jobs_at_once == 3
    view.work.seconds.setValue(5)
    view.work.notifications.click()
    settings = view.context.settings
    assert (settings.long_job_seconds, settings.notifies) == (5, False)
    assert not view.work.seconds.isEnabled()


def test_caches_have_the_shown_size_and_can_be_emptied(
    view: View, workspace: Workspace, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thumbnails, "_limit", [0])
    view.caches.thumbnails.setValue(64)
    assert thumbnails._limit == [64 * 2**20]
    settings = view.context.settings
    assert settings.engine_seconds == 300
    view.caches.engine_minutes.setValue(0)
    assert settings.engine_seconds == math.inf
    view.caches.engine_minutes.setValue(2)
    assert settings.engine_minutes == 2
    assert view.context.engine._idle_seconds == 120
    button = view.caches.buttons["features"]
    assert not button.isEnabled()
    stored = workspace.root / "cache" / "features" / "one"
    stored.mkdir(parents=True)
    (stored / "part-1.npy").write_bytes(b"x" * 5000)
    view.caches._inspect()
    qtbot.waitUntil(button.isEnabled)
    assert "5" in view.caches._on_disk["features"].help.text()
    button.click()
    qtbot.waitUntil(lambda: not stored.exists())
    qtbot.waitUntil(lambda: "The cache is empty" in button.toolTip())


def test_a_cache_that_cannot_be_emptied_can_be_tried_again(
    view: View, workspace: Workspace, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = workspace.root / "cache" / "features" / "one"
    stored.mkdir(parents=True)
    (stored / "part-1.npy").write_bytes(b"x" * 5000)
    button = view.caches.buttons["features"]
    view.caches._inspect()
    qtbot.waitUntil(button.isEnabled)

    def fail(*_: object) -> None:
        raise StudioError("The cache is in use.", "Try again later.")

    monkeypatch.setattr(groups, "empty_cache", fail)
    with qtbot.waitSignal(view.context.background.failed):
        button.click()
        assert not button.isEnabled()
    qtbot.waitUntil(button.isEnabled)


def test_new_runs_begin_with_the_own_defaults(
    view: View, context: AppContext, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context.jobs, "devices", (Device(CPU, "4 cores"),))
    context.jobs.devices_known.emit()
    device = view.runs.device
    assert [device.itemData(row) for row in range(device.count())] == ["auto", "cpu"]
    device.setCurrentIndex(1)
    device.activated.emit(1)
    control = view.runs.form.editor("epochs").control
    control.setFocus()
    QTest.keyClick(control, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(control, "7")
    QTest.keyClick(control, Qt.Key.Key_Return)
    assert context.settings.run_defaults == {"device": "cpu", "epochs": 7}

    new_run = NewRun(context)
    qtbot.addWidget(new_run)
    values = new_run.cards.form.values()
    assert (values["device"], values["epochs"]) == ("cpu", 7)

    new_run.cards.form.set_values({"epochs": 12, "optimizer": "sgd"})
    with qtbot.waitSignal(context.navigator.notice_requested) as text:
        new_run.cards.keep_button.click()
    stored = {"device": "cpu", "epochs": 12, "optimizer": "sgd"}
    assert context.settings.run_defaults == stored
    assert view.runs.form.values()["epochs"] == 12, "the page shows what was kept elsewhere"
    text.args[0].action()
    assert context.settings.run_defaults == {"device": "cpu", "epochs": 7}
    context.settings.run_defaults = {"epochs": 9, "batch_size": -1, "gone": 1}
    assert own_defaults(context.settings) == TrainingPlan(dataset="", epochs=9)
    view.runs.reset_button.click()
    assert context.settings.run_defaults == {}
    assert view.runs.form.values()["epochs"] == TrainingPlan(dataset="").epochs
    assert changed_fields({"a": 1, "b": 2}, {"a": 1}) == {"b": 2}


def test_a_workspace_in_a_synced_folder_is_marked(
    qtbot: QtBot, context: AppContext, view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert view.general.workspace.note.isHidden()
    root = context.workspace.root
    monkeypatch.setenv("OneDrive", str(root.parent))
    group = GeneralGroup(context)
    qtbot.addWidget(group)
    note = group.workspace.note
    assert not note.isHidden()
    assert note.text().startswith("This folder is synced by OneDrive. ")
    assert "move the folder" in note.text()


def test_keys_are_changed_and_taken_ones_refused(view: View, context: AppContext) -> None:
    keys, shortcuts = view.keys, context.settings.shortcuts
    view.open(OpenSettings("shortcuts"))
    keys.select("train.new")
    QTest.keyClick(keys.edit, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    assert shortcuts.keys(NEW) == [QKeySequence("Ctrl+M")]
    assert keys.table.texts()[1][1] == "Ctrl+M"
    QTest.keyClick(keys.edit, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert shortcuts.keys(NEW) == [QKeySequence("Ctrl+M")]
    assert "“Train”" in keys.hint.text()
    assert keys.edit.keySequence() == QKeySequence("Ctrl+M")
    keys.none_button.click()
    assert shortcuts.keys(NEW) == []
    keys.usual_button.click()
    assert shortcuts.keys(NEW) == [QKeySequence("Ctrl+N")]
    keys.select("train.open")
    assert not keys.edit.isEnabled()
    assert "cannot be changed" in keys.hint.text()
    shortcuts.choose(DELETE, QKeySequence("Ctrl+R"))
    keys.all_button.click()
    assert shortcuts.keys(DELETE) == [QKeySequence("Del")]


def test_machines_are_checked_and_removed(
    view: View, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(host.VARIABLE, str(tmp_path / "machines.json"))
    assert not view.machines.check_button.isEnabled()
    for name in ("far", "gone"):
        host.store_machine(Machine(host=name, python="python3", folder="/there"))
    device = DeviceCapacity(
        name="gpu:0", label="A fake", memory=8 << 30, free_memory=1 << 30, jobs=1, waiting=2
    )
    capacity = Capacity(
        studio="1", python="3", name="n", devices=(device,), free_disk=5 << 30, load=0.1, cores=8
    )

    def answer(machine: Machine) -> Capacity:
        if machine.host == "gone":
            raise StudioError("It is off.")
        return capacity

    monkeypatch.setattr(machines, "capacity_of", answer)
    view.machines._read(check=True)
    qtbot.waitUntil(lambda: len(view.machines.table.texts()) == 2)
    (far, gone) = view.machines.table.texts()
    assert "GPU 0, A fake" in far[1]
    assert "jobs: 1, waiting: 2" in far[1]
    assert gone[1] == "It is off."

    view.runs._on_machines(host.known_machines())
    device_box = view.runs.device
    row = device_box.findData("far:auto")
    device_box.setCurrentIndex(row)
    device_box.activated.emit(row)
    plan = own_defaults(view.runs._context.settings)
    assert (plan.machine, plan.device) == ("far", "auto")
    view.runs._fill_devices()
    assert device_box.currentData() == "far:auto"

    assert not view.machines.remove_button.isEnabled()
    view.machines.table.select("gone")
    view.machines.remove_button.click()
    qtbot.waitUntil(lambda: len(view.machines.table.texts()) == 1)
    assert [each.host for each in host.known_machines()] == ["far"]
