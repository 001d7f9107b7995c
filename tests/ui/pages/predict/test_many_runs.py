"""More runs than a list can hold: the newest are offered, and any is found by its name."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_checks import show_in_window
from page_records import add_dataset, add_model, picture_folder, start_jobs
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from studio.engine.networks.backbones import IMAGENET
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.workspace import Record, Workspace
from studio.ui.bridge import run_choices, run_chooser
from studio.ui.bridge.run_chooser import RunSearch
from studio.ui.context import AppContext
from studio.ui.pages.bench.page import PredictionForm
from studio.ui.pages.predict import compare
from studio.ui.pages.predict.page import View
from studio.ui.pages.train.plan.network import WeightsBox

LISTED = 3


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, workspace: Workspace, tmp_path: Path) -> list[Record]:
    """Five, where lists take three."""
    for module in (run_choices, run_chooser, compare):
        monkeypatch.setattr(module, "MAX_LISTED", LISTED)
    dataset = add_dataset(workspace, "colors", picture_folder(tmp_path / "in", {"a": 4, "b": 4}))
    return [add_model(workspace, f"net {number}", dataset) for number in range(5)]


def searching(qtbot: QtBot, parent: QWidget) -> RunSearch:
    """The window in which runs are found."""
    qtbot.waitUntil(lambda: bool(parent.findChildren(RunSearch)))
    return parent.findChildren(RunSearch)[-1]


def test_an_older_run_is_chosen_by_its_name(
    qtbot: QtBot, context: AppContext, runs: list[Record]
) -> None:
    view = View(context)
    _window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    chooser = view.chooser
    assert [choice.name for choice in chooser.listed()] == ["net 4", "net 3", "net 2"]
    assert chooser.itemText(LISTED) == "Another run…"

    chooser.activated.emit(LISTED)
    search = searching(qtbot, chooser)
    assert [choice.name for choice in search.choices()] == ["net 4", "net 3", "net 2"]
    assert "2 more" in search.more.text()
    current = chooser.choice()
    assert current is not None
    assert current.name == "net 4", "looking for another run changes nothing"
    assert chooser.currentText().startswith("net 4")
    QTest.keyClicks(search.field, "nothing")
    assert search.more.text() == "No run has this name."
    assert not search.use_button.isEnabled()
    search.field.clear()
    QTest.keyClicks(search.field, "0 col")
    assert [choice.name for choice in search.choices()] == ["net 0"]
    with qtbot.waitSignal(chooser.changed):
        QTest.keyClick(search.field, Qt.Key.Key_Return)
    found = chooser.choice()
    assert found is not None
    assert found.id == runs[0].id
    assert [choice.name for choice in chooser.listed()] == ["net 4", "net 3", "net 2", "net 0"]
    assert chooser.currentText().startswith("net 0")


def test_the_arrows_move_in_the_list_and_escape_changes_nothing(
    qtbot: QtBot, context: AppContext, runs: list[Record]
) -> None:
    view = View(context)
    _window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    view.chooser.activated.emit(LISTED)
    search = searching(qtbot, view.chooser)
    QTest.keyClick(search.field, Qt.Key.Key_Down)
    assert search.view.currentRow() == 1
    with qtbot.assertNotEmitted(view.chooser.changed):
        QTest.keyClick(search.field, Qt.Key.Key_Escape)
    assert not search.isVisible()


def test_an_older_run_is_asked_beside(
    qtbot: QtBot, context: AppContext, runs: list[Record]
) -> None:
    view = View(context)
    _window = show_in_window(qtbot, view)
    start_jobs(qtbot, context)
    button = view.header.compare_button
    assert button.fill() == ["net 3", "net 2", "Another run…"]
    button.menu().actions()[-1].trigger()
    search = searching(qtbot, button)
    QTest.keyClicks(search.field, "net 1")
    search.use_button.click()
    assert button.fill() == ["net 1", "net 3", "net 2", "Another run…"]
    asked = [action.text() for action in button.menu().actions() if action.isChecked()]
    assert asked == ["net 1"]


def test_an_older_run_gives_its_weights(
    qtbot: QtBot, context: AppContext, runs: list[Record]
) -> None:
    start_jobs(qtbot, context)
    box = WeightsBox(context.jobs)
    qtbot.addWidget(box)
    assert [box.itemText(row) for row in range(2, box.count())] == [
        "The run “net 4”",
        "The run “net 3”",
        "The run “net 2”",
        "Another run…",
        "A file…",
    ]
    box.set_source(IMAGENET)
    box.setCurrentIndex(5)
    box.activated.emit(5)
    assert box.source == IMAGENET
    search = searching(qtbot, box)
    QTest.keyClicks(search.field, "net 0")
    with qtbot.waitSignal(box.changed):
        search.use_button.click()
    assert box.source == f"{RUN_PREFIX}{runs[0].id}"
    assert box.currentText() == "The run “net 0”"


def test_an_older_run_is_measured(qtbot: QtBot, context: AppContext, runs: list[Record]) -> None:
    start_jobs(qtbot, context)
    order = PredictionForm(context)
    qtbot.addWidget(order)
    assert order.form.values()["model"] == f"{RUN_PREFIX}{runs[4].id}"
    order.run_box.activated.emit(LISTED)
    search = searching(qtbot, order.run_box)
    QTest.keyClicks(search.field, "net 0")
    search.use_button.click()
    assert order.form.values()["model"] == f"{RUN_PREFIX}{runs[0].id}"
    assert order.start_button.isEnabled()
