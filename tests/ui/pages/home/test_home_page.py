"""The home page: the ways in, what runs, what was done last."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    press,
    show_in_window,
    styles,
)
from page_records import (
    add_dataset,
    add_run,
    picture_folder,
    start_jobs,
)
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot
from sweep_records import add_sweep, trial

from helpers.runs import append_events
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.states import State
from studio.engine.labeling.plan import planned
from studio.engine.labeling.project import Labeling
from studio.engine.tasks import MEASURED_METRICS, TASKS
from studio.engine.tasks.task import Task
from studio.engine.training.history import EpochDone
from studio.engine.workspace import Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import (
    ImportImages,
    OpenRecord,
    OpenServed,
    OpenWorkspace,
    PlanRun,
    StartLabeling,
)
from studio.ui.pages.home.latest_runs import RunCard, RunFacts
from studio.ui.pages.home.page import View
from studio.ui.theme.theme import Theme
from studio.ui.widgets.layout import vbox

Open = Callable[[], View]


@pytest.fixture
def open_page(qtbot: QtBot, context: AppContext) -> Open:
    windows = []  # Python would delete a window without a reference

    def make() -> View:
        view = View(context)
        windows.append(show_in_window(qtbot, view))
        start_jobs(qtbot, context)
        return view

    return make


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return picture_folder(tmp_path / "a b ü", {"a": 4, "b": 4})


def drop(view: View, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(20, 20),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    view.area.dropEvent(event)


def test_an_empty_workspace_asks_what_one_has(open_page: Open) -> None:
    view = open_page()
    assert view.area.isVisible()
    assert [card.accessibleName() for card in view.start.cards] == [
        "Photos in folders",
        "Images with boxes or masks",
        "Unlabeled images",
        "Good parts only",
        "Webcam",
    ]
    assert all(card.isVisible() for card in view.start.cards)
    assert not view.runs.isVisible()
    assert not view.begun.isVisible()


def test_after_the_first_use_it_continues_and_then_starts_something_new(
    qtbot: QtBot, context: AppContext, workspace: Workspace, source: Path, open_page: Open
) -> None:
    dataset = add_dataset(workspace, "colors", source)
    with Labeling.create(workspace, "eggs", planned("classification", ["a"])) as labeling:
        record = labeling.record
    view = open_page()
    qtbot.waitUntil(lambda: len(view.begun.cards) == 2)
    labels, train = view.begun.cards
    assert labels.accessibleName() == "Continue labeling “eggs”"
    assert train.accessibleName() == "Train a network on “colors”"
    assert not view.area.isVisible()
    assert view.begun.y() < view.start.y()
    for card, intent in (
        (labels, OpenRecord("label", record.id)),
        (train, PlanRun(dataset=dataset.id)),
    ):
        with qtbot.waitSignal(context.navigator.open_requested) as requested:
            press(card, Qt.Key.Key_Return)
        assert requested.args == [intent]
    run = add_run(workspace, "one", dataset.id, [0.5])
    qtbot.waitUntil(lambda: run.id in view.runs.cards, timeout=5000)
    assert [card.accessibleName() for card in view.begun.cards] == ["Continue labeling “eggs”"]


def test_a_dropped_folder_goes_to_the_import_sheet(
    qtbot: QtBot, context: AppContext, source: Path, open_page: Open
) -> None:
    view = open_page()
    assert view.drop_offer([source]) == "Import the images in “a b ü”"
    assert view.drop_offer([source, source]) == ""
    with qtbot.waitSignal(context.navigator.open_requested) as requested:
        drop(view, source)
    assert requested.args == [ImportImages(source)]


def test_a_dropped_file_is_refused_in_words(
    qtbot: QtBot, context: AppContext, source: Path, open_page: Open
) -> None:
    view = open_page()
    with qtbot.assertNotEmitted(context.navigator.open_requested):
        drop(view, source / "a" / "000.png")
    assert "cannot be imported" in view.area.accessibleName()


def test_each_card_opens_what_fits(
    qtbot: QtBot,
    context: AppContext,
    source: Path,
    open_page: Open,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = open_page()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(source))
    expected = (
        ImportImages(source),
        ImportImages(source, annotated=True),
        StartLabeling((source,)),
        ImportImages(source, task="anomaly"),
        StartLabeling(webcam=True),
    )
    for card, intent in zip(view.start.cards, expected, strict=True):
        with qtbot.waitSignal(context.navigator.open_requested) as requested:
            press(card, Qt.Key.Key_Return)
        assert requested.args == [intent]
    with qtbot.waitSignal(context.navigator.tour_requested):
        view.digits.click()
    assert context.settings.folder("images") == source


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_recent_workspaces_are_in_a_menu_with_deleted_ones_marked(
    qtbot: QtBot, context: AppContext, tmp_path: Path, open_page: Open
) -> None:
    other, gone = tmp_path / "Other & more", tmp_path / "Gone"
    other.mkdir()
    for root in (*(tmp_path / str(number) for number in range(8)), gone, other):
        context.settings.workspace = root
    context.settings.workspace = context.workspace.root
    assert len(context.settings.recent_workspaces) == 8
    view = open_page()
    view.workspace.click()
    menu = next(child for child in view.children() if isinstance(child, QMenu))
    here, there, missing, *_, choose, served = menu.actions()
    assert [action.isEnabled() for action in (here, there, missing)] == [False, True, False]
    assert "(open)" in here.text()
    assert "(missing)" in missing.text()
    intents = (OpenWorkspace(other), OpenWorkspace(None), OpenServed())
    for action, expected in zip((there, choose, served), intents, strict=True):
        with qtbot.waitSignal(context.navigator.open_requested) as requested:
            action.trigger()
        assert requested.args == [expected]
    menu.close()


def test_choosing_nothing_does_nothing(
    qtbot: QtBot, context: AppContext, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = open_page()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    with qtbot.assertNotEmitted(context.navigator.open_requested):
        view.area.button.click()
        press(view.start.folders, Qt.Key.Key_Return)


def test_the_latest_runs_are_listed_and_open_their_page(
    qtbot: QtBot, context: AppContext, workspace: Workspace, source: Path, open_page: Open
) -> None:
    dataset = add_dataset(workspace, "colors", source)
    runs = [add_run(workspace, f"run {n}", dataset.id, [0.5, 0.9 + n / 100]) for n in range(8)]
    view = open_page()
    cards = dict(view.runs.cards)
    newest = list(reversed([run.id for run in runs]))[:6]
    assert set(cards) == set(newest)
    qtbot.waitUntil(lambda: sorted(cards, key=lambda run: cards[run].y()) == newest, timeout=5000)
    card = cards[newest[0]]
    assert card.best.text().startswith("97.0")
    assert card.curve.values() == [0.5, 0.97]
    assert card.badge.state == "completed"
    with qtbot.waitSignal(context.navigator.open_requested) as requested:
        QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert requested.args == [OpenRecord("train", newest[0])]


def test_badges_and_curves_of_runs_stand_below_each_other(theme: Theme, qtbot: QtBot) -> None:
    """The names of metrics have different lengths."""
    column = QWidget()
    qtbot.addWidget(column)
    cards = [RunCard(theme, column) for _ in range(2)]
    vbox(*cards, owner=column)
    for card, metric in zip(cards, ("val_mae", "val_pixel_accuracy"), strict=True):
        facts = RunFacts("LeNet", 0.5, MEASURED_METRICS[metric], [0.25, 0.5])
        card.show_facts("run", "completed", facts)
    column.resize(700, 200)
    column.show()
    for part in ("badge", "curve", "best"):
        lefts = {getattr(each, part).mapTo(each, QPoint()).x() for each in cards}
        assert len(lefts) == 1, part


@pytest.mark.parametrize("task", TASKS.values(), ids=lambda task: task.name)
@pytest.mark.usefixtures("portuguese")
def test_the_metric_of_a_run_is_named_whole(theme: Theme, qtbot: QtBot, task: Task) -> None:
    """It lost its middle in Portuguese, with room beside it."""
    card = RunCard(theme)
    qtbot.addWidget(card)
    metric = task.primary
    card.show_facts("run", "completed", RunFacts("U-Net", 0.5, metric, [0.25, 0.5]))
    card.resize(700, 60)
    card.show()
    assert card._of.fontMetrics().horizontalAdvance(card._of.text()) <= card._of.width()


def test_a_sweep_stands_for_the_runs_that_it_asked_for(
    qtbot: QtBot, context: AppContext, workspace: Workspace, source: Path, open_page: Open
) -> None:
    dataset = add_dataset(workspace, "colors", source)
    alone = add_run(workspace, "alone", dataset.id, [0.5, 0.6])
    sweep = add_sweep(workspace, "rates", State.PAUSED, dataset=dataset.id)
    view = open_page()
    assert set(view.runs.cards) == {alone.id, sweep.id}
    card = view.runs.cards[sweep.id]
    assert card.best.text().startswith("90.0")
    assert card.curve.values() == [0.7, 0.9]
    assert card.accessibleName() == "Sweep rates"
    with qtbot.waitSignal(context.navigator.open_requested) as requested:
        QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert requested.args == [OpenRecord("sweeps", sweep.id)]
    late = add_run(workspace, "rates-3", dataset.id, [0.5, 0.8])
    qtbot.waitUntil(lambda: late.id in view.runs.cards, timeout=5000)
    append_events(sweep, [trial(3, {"learning_rate": 0.3}, [0.8], late)])
    qtbot.waitUntil(lambda: late.id not in view.runs.cards, timeout=5000)
    assert card.curve.values() == [0.7, 0.9, 0.8]


def test_a_run_is_followed_live_and_leaves_with_the_trash(
    qtbot: QtBot, workspace: Workspace, source: Path, open_page: Open
) -> None:
    dataset = add_dataset(workspace, "colors", source)
    run = add_run(workspace, "live", dataset.id, [0.5], State.RUNNING)
    view = open_page()
    assert view.runs.cards[run.id].badge.state == "running"
    epoch = EpochDone(
        epoch=2,
        step=4,
        metrics={"loss": 0.1, "accuracy": 0.9, "val_accuracy": 0.88},
        learning_rate=0.1,
        seconds=1.0,
        images_per_second=1.0,
    )
    append_events(run, [epoch, StateChanged(state=State.COMPLETED)])
    card = view.runs.cards[run.id]
    qtbot.waitUntil(lambda: card.badge.state == "completed", timeout=5000)
    assert card.best.text().startswith("88.0")
    assert card.curve.isVisible()
    workspace.trash(run)
    qtbot.waitUntil(lambda: not view.runs.isVisible(), timeout=5000)


def test_it_fits_every_control_has_a_name_and_both_themes_differ(
    qtbot: QtBot, theme: Theme, workspace: Workspace, source: Path, open_page: Open
) -> None:
    dataset = add_dataset(workspace, "colors", source)
    add_run(workspace, "one", dataset.id, [0.5, 0.6], State.RUNNING)
    view = open_page()
    assert not nameless_controls(view)
    assert not cut_buttons(view)
    assert fits_smallest_window(view)
    images = styles(view, theme)
    assert lightness(images["dark"]) < 0.35
    assert lightness(images["light"]) > 0.65
