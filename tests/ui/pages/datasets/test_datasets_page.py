"""The datasets page with datasets that are there already."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    lightness,
    nameless_controls,
    only,
    press,
    show_in_window,
    styles,
    unexplained_buttons,
)
from page_records import (
    add_dataset,
    add_unfinished_dataset,
    picture_folder,
    start_jobs,
)
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from helpers.runs import append_events
from studio.engine.datasets.store import Store
from studio.engine.datasets.summary import SUMMARY_NAME
from studio.engine.jobs import control
from studio.engine.jobs.events import ProgressMade, StateChanged
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.context import AppContext
from studio.ui.navigation import PlanRun
from studio.ui.pages.datasets.page import View
from studio.ui.tasks.classification.view import ClassFilter
from studio.ui.theme.theme import Theme
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.notices import Notice

Open = Callable[[], View]


@pytest.fixture
def flowers(tmp_path: Path) -> Path:
    """Three classes, one with a space and an umlaut, and three files that are no images."""
    folder = picture_folder(tmp_path / "Blümen", {"gänse blume": 12, "rose": 8, "tulip": 10})
    (folder / "rose" / "broken.png").write_bytes(b"no image")
    (folder / "rose" / "notes.txt").write_text("x")
    (folder / "tulip" / "empty.jpg").write_bytes(b"")
    return folder


def wait_for_gallery(qtbot: QtBot, view: View) -> None:
    qtbot.waitUntil(lambda: view.stack.currentWidget() is view.panel, timeout=5000)
    gallery = view.panel.gallery
    qtbot.waitUntil(
        lambda: (
            view.panel.stack.currentWidget() is gallery
            and bool(gallery.cards())
            and all(card.mosaic.images() for card in gallery.cards())
        ),
        timeout=10_000,
    )


def face(view: View) -> QWidget | None:
    return view.panel.stack.currentWidget()


def test_an_empty_workspace_says_what_to_do(
    qtbot: QtBot, context: AppContext, open_page: Open
) -> None:
    view = open_page()
    qtbot.waitUntil(lambda: view.stack.currentWidget() is view.start, timeout=5000)
    assert view.start.area.isVisible()
    assert view.start.sample_button.isEnabled()
    assert not view.list.isVisible(), "an empty list is dead space"
    assert not nameless_controls(view)
    assert fits_smallest_window(view)


def test_a_dataset_is_shown_with_all_its_classes_and_counts(
    qtbot: QtBot, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    record = add_dataset(workspace, "flowers", flowers)
    view = open_page()
    wait_for_gallery(qtbot, view)
    panel, store = view.panel, Store.open(record.folder)
    assert view.current_record == record.id
    assert panel.header.accessibleName() == "flowers"
    shown = [each for each in panel.findChildren(QAbstractButton) if each.isVisible()]
    words = {each.text() for each in shown}
    assert {"Train on it", "Add…", "About", "Versions", "Split again…"} <= words
    assert sum(not each.text() for each in shown) <= 3 + len(panel.gallery.cards())
    cards = {card.name: card for card in panel.gallery.cards()}
    assert list(cards) == store.classes == ["gänse blume", "rose", "tulip"]
    for split, counts in store.class_counts().items():
        assert [card.bar.counts()[split] for card in cards.values()] == counts
    assert [len(card.mosaic.images()) for card in cards.values()] == [9, 8, 9]
    assert panel.legend.bar.counts() == store.counts()
    assert sum(store.counts().values()) == 30


def test_the_pictures_of_a_card_are_those_of_its_class(
    qtbot: QtBot, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    record = add_dataset(workspace, "flowers", flowers)
    view = open_page()
    wait_for_gallery(qtbot, view)
    store = Store.open(record.folder)
    for number, card in enumerate(view.panel.gallery.cards()):
        mean = store.images[store.class_rows(number)].mean(axis=(0, 1, 2))
        shown = card.mosaic.images()[0].scaled(
            1, 1, mode=Qt.TransformationMode.SmoothTransformation
        )
        color = shown.pixelColor(0, 0)
        assert (color.red(), color.green(), color.blue()) == pytest.approx(tuple(mean), abs=8)


def test_skipped_files_are_listed_and_can_be_copied(
    qtbot: QtBot, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    add_dataset(workspace, "flowers", flowers)
    view = open_page()
    wait_for_gallery(qtbot, view)
    section = view.panel.skipped
    assert section.isVisible()
    assert section.opener.text() == "3 files were left out"
    assert not section.table.isVisible()
    section.opener.click()
    rows = {row[0]: row[1] for row in section.table.content.rows}
    assert section.table.isVisible()
    assert set(rows) == {"rose/broken.png", "rose/notes.txt", "tulip/empty.jpg"}
    assert rows["tulip/empty.jpg"] == "the file is empty"
    section.copy_button.click()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert sorted(copied) == sorted(f"{path}\t{reason}" for path, reason in rows.items())


def test_a_class_opens_in_a_grid_that_filters_by_split(
    qtbot: QtBot, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    record = add_dataset(workspace, "flowers", flowers)
    store = Store.open(record.folder)
    view = open_page()
    wait_for_gallery(qtbot, view)
    browser = view.panel.browser
    with qtbot.waitSignal(browser.listed):
        press(view.panel.gallery.cards()[1], Qt.Key.Key_Return)
    assert face(view) is browser
    model = browser.grid.model()
    assert model.rowCount() == 8
    assert model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole).startswith("rose/")
    browser.bar.split_box.setCurrentIndex(2)
    with qtbot.waitSignal(browser.listed):
        browser.bar.split_box.activated.emit(2)
    assert browser.grid.model().rowCount() == store.class_counts()["val"][1]
    only(browser.bar, ClassFilter).box.setCurrentIndex(0)
    with qtbot.waitSignal(browser.listed):
        only(browser.bar, ClassFilter).box.activated.emit(0)
    assert browser.grid.model().rowCount() == store.counts()["val"]
    browser.bar.back_button.click()
    assert face(view) is view.panel.gallery
    with qtbot.waitSignal(browser.listed):
        view.panel.gallery.all_button.click()
    assert browser.grid.model().rowCount() == 30


def test_train_leads_to_the_train_page(
    qtbot: QtBot, context: AppContext, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    record = add_dataset(workspace, "flowers", flowers)
    view = open_page()
    wait_for_gallery(qtbot, view)
    with qtbot.waitSignal(context.navigator.open_requested) as requested:
        view.panel.train_button.click()
    assert requested.args == [PlanRun(dataset=record.id)]


def test_delete_can_be_undone(
    qtbot: QtBot, context: AppContext, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    record = add_dataset(workspace, "flowers", flowers)
    view = open_page()
    wait_for_gallery(qtbot, view)
    with qtbot.waitSignal(context.navigator.notice_requested) as requested:
        view.panel.delete_button.click()
    qtbot.waitUntil(lambda: view.stack.currentWidget() is view.start, timeout=5000)
    assert workspace.record(RecordKind.DATASET, record.id) is None
    assert view.list.cards() == []
    (notice,) = requested.args or []
    assert isinstance(notice, Notice)
    assert "flowers" in notice.text
    assert notice.action_text == "Undo"
    assert notice.action is not None
    notice.action()
    wait_for_gallery(qtbot, view)
    assert view.current_record == record.id
    assert workspace.record(RecordKind.DATASET, record.id) is not None


def test_a_dataset_in_use_stays_and_says_why(
    qtbot: QtBot, context: AppContext, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    record = add_dataset(workspace, "flowers", flowers)
    queue = JobQueue(workspace)
    control.hold(queue, queue.submit(TrainingPlan(dataset=record.id), "busy"))
    view = open_page()
    wait_for_gallery(qtbot, view)
    with qtbot.waitSignal(context.navigator.notice_requested) as requested:
        view.panel.delete_button.click()
    (notice,) = requested.args or []
    assert isinstance(notice, Notice)
    assert '"busy"' in notice.text
    assert face(view) is view.panel.gallery


def test_a_failed_import_shows_reason_hint_and_the_way_out(
    qtbot: QtBot, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    failed = StateChanged(state=State.FAILED, reason="The disk is full.", hint="Make room.")
    add_unfinished_dataset(workspace, "bad", flowers, [failed])
    view = open_page()
    qtbot.waitUntil(lambda: view.stack.currentWidget() is view.panel)
    ended = view.panel.ended
    assert face(view) is ended
    assert ended.reason.text() == "The disk is full."
    assert ended.hint.text() == "Make room."
    assert ended.restart_button.text() == "Import again"
    assert not view.panel.train_button.isEnabled()
    assert "complete" in view.panel.train_button.toolTip()
    assert not unexplained_buttons(view)
    card = view.list.cards()[0]
    assert card.badge.isVisible()
    assert card.badge.state == "failed"


def test_a_stopped_import_continues_with_a_real_worker(
    qtbot: QtBot, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    stopped = StateChanged(state=State.STOPPED, reason="It was stopped.")
    add_unfinished_dataset(workspace, "half", flowers, [stopped])
    view = open_page()
    qtbot.waitUntil(lambda: face(view) is view.panel.ended)
    assert view.panel.ended.restart_button.text() == "Continue"
    view.panel.ended.restart_button.click()
    qtbot.waitUntil(lambda: face(view) is view.panel.gallery, timeout=60_000)
    wait_for_gallery(qtbot, view)
    assert len(view.panel.gallery.cards()) == 3


def test_a_running_import_shows_speed_and_time_left(
    qtbot: QtBot, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    record = add_unfinished_dataset(workspace, "going", flowers, [])
    view = open_page()
    progress = view.panel.progress
    qtbot.waitUntil(lambda: face(view) is progress)
    readings = [
        ProgressMade(t=1000.0 + index, done=100 * index, total=1000, what="") for index in range(5)
    ]
    append_events(record, readings)
    qtbot.waitUntil(lambda: "images/s" in progress.line.text(), timeout=5000)
    assert "400 of" in progress.line.text()
    assert "100 images/s" in progress.line.text()
    assert "s left" in progress.line.text()
    assert progress.bar.fraction() == pytest.approx(0.4)
    assert [bar for bar in view.findChildren(ThinBar) if bar.isVisible()] == [progress.bar]


def test_a_damaged_dataset_says_so(
    qtbot: QtBot, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    record = add_dataset(workspace, "flowers", flowers)
    (record.folder / SUMMARY_NAME).write_text("{")
    view = open_page()
    qtbot.waitUntil(lambda: face(view) is view.panel.ended, timeout=5000)
    assert "cannot be read" in view.panel.ended.reason.text()
    assert not view.panel.ended.restart_button.isVisible()
    assert not view.panel.train_button.isEnabled()


def test_the_newest_is_shown_first_and_others_by_their_card(
    qtbot: QtBot, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    old = add_dataset(workspace, "old", flowers)
    new = add_dataset(workspace, "new", flowers)
    view = open_page()
    wait_for_gallery(qtbot, view)
    assert [card.record_id for card in view.list.cards()] == [new.id, old.id]
    assert view.current_record == new.id
    press(view.list.cards()[1], Qt.Key.Key_Space)
    assert view.current_record == old.id
    view.show_record(new.id)
    assert view.current_record == new.id


def test_another_name_is_shown_at_once(
    qtbot: QtBot, context: AppContext, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    record = add_dataset(workspace, "flowers", flowers)
    view = open_page()
    wait_for_gallery(qtbot, view)
    with qtbot.waitSignal(context.jobs.changed, timeout=5000):
        workspace.rename(record, "Blumen")
    assert view.panel.header.accessibleName() == "Blumen"
    assert "Blumen" in view.list.cards()[0].accessibleName()


def test_every_control_has_a_name_and_room(
    qtbot: QtBot, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    add_dataset(workspace, "flowers", flowers)
    view = open_page()
    wait_for_gallery(qtbot, view)
    browser = view.panel.browser
    with qtbot.waitSignal(browser.listed):
        view.panel.gallery.all_button.click()
    for _ in range(2):
        assert not nameless_controls(view)
        assert not cut_buttons(view)
        assert fits_smallest_window(view)
        browser.bar.back_button.click()


def test_it_is_light_in_light_and_dark_in_dark(
    qtbot: QtBot, theme: Theme, workspace: Workspace, flowers: Path, open_page: Open
) -> None:
    add_dataset(workspace, "flowers", flowers)
    view = open_page()
    wait_for_gallery(qtbot, view)
    images = styles(view, theme)
    assert lightness(images["dark"]) < 0.35
    assert lightness(images["light"]) > 0.65


def test_a_page_that_is_made_late_shows_what_is_known(
    qtbot: QtBot, context: AppContext, workspace: Workspace, flowers: Path
) -> None:
    record: Record = add_dataset(workspace, "flowers", flowers)
    start_jobs(qtbot, context)
    view = View(context)
    window = show_in_window(qtbot, view)
    wait_for_gallery(qtbot, view)
    assert view.current_record == record.id
    assert window.isVisible()
