"""Editing a dataset from the selection, taking steps back, and dragging images out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    nameless_controls,
    only,
    press,
    show_in_window,
    unexplained_buttons,
)
from page_records import add_dataset, picture_folder, start_jobs
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.datasets.edits import current_version
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.datasets.browsing.browser import ImageBrowser
from studio.ui.pages.datasets.browsing.images import LEFT_OUT
from studio.ui.pages.datasets.page import View
from studio.ui.tasks.classification.view import ClassNameEditor
from studio.ui.widgets.notices import Notice

Open = Callable[[], View]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return picture_folder(tmp_path / "flowers", {"daisy": 12, "rose": 8, "tulip": 10})


@pytest.fixture
def record(workspace: Workspace, source: Path) -> Record:
    return add_dataset(workspace, "flowers", source)


@pytest.fixture
def view(qtbot: QtBot, context: AppContext, record: Record) -> Iterator[View]:
    page = View(context)
    window = show_in_window(qtbot, page)
    start_jobs(qtbot, context)
    qtbot.waitUntil(lambda: page.panel.stack.currentWidget() is page.panel.gallery, timeout=10_000)
    with qtbot.waitSignal(page.panel.browser.listed, timeout=10_000):
        page.panel.gallery.all_button.click()
    qtbot.waitUntil(lambda: page.panel.editor.state is not None)
    yield page
    window.close()


def choose(browser: ImageBrowser, *indices: int) -> list[int]:
    browser.grid.choose(np.array(indices))
    rows: list[int] = browser.grid.chosen().tolist()
    return rows


def after(qtbot: QtBot, view: View, act: Callable[[], object]) -> None:
    """Do something that makes another version, and wait until all of the page shows it."""
    with qtbot.waitSignal(view.panel.browser.listed, timeout=10_000):
        act()
    qtbot.waitUntil(lambda: not view.panel.editor.is_busy)


def test_delete_excludes_and_the_rest_of_the_page_follows(
    qtbot: QtBot, view: View, record: Record
) -> None:
    panel = view.panel
    rows = choose(panel.browser, 0, 1, 5)
    after(qtbot, view, lambda: press(panel.browser.grid, Qt.Key.Key_Delete))
    store = Store.open(record.folder)
    assert (store.split[rows] == -1).all()
    assert panel.legend.bar.counts() == store.counts()
    assert sum(store.counts().values()) == 27
    assert panel.browser.grid.model().rowCount() == 27
    assert panel.browser.edit_bar.version.text() == "Version 1"
    assert panel.summary.text().startswith("27 images")
    cards = {card.name: card for card in panel.gallery.cards()}
    assert sum(cards["daisy"].bar.counts().values()) == 9
    assert panel.stack.currentWidget() is panel.browser
    assert len(panel.browser.grid.chosen()) == 1, "the next image can be viewed right away"


def test_undo_and_redo_by_keys(qtbot: QtBot, view: View, record: Record) -> None:
    panel = view.panel
    rows = choose(panel.browser, 3)
    after(qtbot, view, panel.browser.edit_bar.exclude)
    grid = panel.browser.grid
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    after(qtbot, view, lambda: QTest.keyClick(grid, Qt.Key.Key_Z, control))
    assert Store.open(record.folder).split[rows[0]] >= 0
    after(qtbot, view, lambda: QTest.keyClick(grid, Qt.Key.Key_Z, control | shift))
    assert Store.open(record.folder).split[rows[0]] == -1
    assert panel.browser.edit_bar.version.text() == "Version 3"


def test_the_notice_of_an_edit_undoes_it_and_no_other(
    qtbot: QtBot, context: AppContext, view: View, record: Record
) -> None:
    notices: list[Notice] = []
    context.navigator.notice_requested.connect(notices.append)
    browser = view.panel.browser
    choose(browser, 0)
    after(qtbot, view, browser.edit_bar.exclude)
    choose(browser, 0, 1)
    after(qtbot, view, browser.edit_bar.exclude)
    assert [notice.text for notice in notices] == ["Excluded 1 image", "Excluded 2 images"]
    old, new = (notice.action for notice in notices)
    assert old is not None
    assert new is not None
    with qtbot.waitSignal(context.background.failed) as failed:
        old()
    assert isinstance((failed.args or [None])[0], StudioError)
    assert current_version(record.folder) == 2
    after(qtbot, view, new)
    assert sum(Store.open(record.folder).counts().values()) == 29


@pytest.mark.qt_log_ignore("does not support", extend=True)  # popups, without a screen
def test_relabel_keeps_the_selection(qtbot: QtBot, view: View, record: Record) -> None:
    browser = view.panel.browser
    rows = choose(browser, 2, 3)
    picker = only(browser.edit_bar, ClassNameEditor).picker
    picker.open_at(browser.mapToGlobal(browser.rect().center()))
    picker.search.setText("tul")
    after(qtbot, view, lambda: press(picker.search, Qt.Key.Key_Return))
    assert not picker.isVisible()
    store = Store.open(record.folder)
    assert [store.classes[store.labels[row]] for row in rows] == ["tulip", "tulip"]
    assert browser.grid.chosen().tolist() == rows
    qtbot.waitUntil(lambda: browser.details.facts.get("Class") == "tulip")


def test_move_to_a_split_and_include_again(qtbot: QtBot, view: View, record: Record) -> None:
    browser = view.panel.browser
    (row,) = choose(browser, 0)
    moves = browser.edit_bar.move_button.menu().actions()
    assert [action.text() for action in moves] == ["Training", "Validation", "Test"]
    after(qtbot, view, moves[2].trigger)
    assert Store.open(record.folder).split[row] == 2
    after(qtbot, view, browser.edit_bar.exclude)
    box = browser.bar.split_box
    box.setCurrentIndex(box.findData(LEFT_OUT))
    with qtbot.waitSignal(browser.listed):
        box.activated.emit(box.currentIndex())
    assert browser.edit_bar.exclude_button.text() == "Include"
    assert choose(browser, 0) == [row]
    after(qtbot, view, browser.edit_bar.exclude)
    assert Store.open(record.folder).split[row] == 2
    assert browser.grid.model().rowCount() == 0
    assert "excluded" in browser.nothing.text()


def test_an_edit_leaves_the_import_and_the_users_files_alone(
    qtbot: QtBot, view: View, record: Record, source: Path
) -> None:
    files = [record.folder / "images.h5", *sorted(source.rglob("*.png"))]
    before = [path.read_bytes() for path in files]
    choose(view.panel.browser, *range(6))
    after(qtbot, view, view.panel.browser.edit_bar.exclude)
    assert [path.read_bytes() for path in files] == before


def test_dragging_gives_the_source_files(view: View, source: Path) -> None:
    grid = view.panel.browser.grid
    choose(view.panel.browser, 0, 13)
    data = grid.dragged()
    assert data is not None
    paths = [Path(url.toLocalFile()) for url in data.urls()]
    assert paths == [source / "daisy" / "000.png", source / "rose" / "001.png"]
    for path in source.rglob("*.png"):
        path.unlink()
    refused: list[str] = []
    grid.drag_refused.connect(refused.append)
    assert grid.dragged() is None
    assert "no longer exist" in refused[0]


def test_details_name_the_source_of_an_image(qtbot: QtBot, view: View, source: Path) -> None:
    details = view.panel.browser.details
    choose(view.panel.browser, 13)
    qtbot.waitUntil(lambda: details.facts.get("Class") == "rose")
    facts = details.facts
    assert facts["File"] == str(source / "rose" / "001.png")
    assert facts["Original"].startswith("32×24, ")
    assert not details.picture.image().isNull()
    (source / "rose" / "001.png").unlink()
    details.show_row(view.panel.browser.grid._pictures, 13)  # type: ignore[arg-type]  # is set
    qtbot.waitUntil(lambda: "From" in details.facts)
    view.panel.browser.grid.clearSelection()
    assert details.facts == {}


def test_the_browser_with_everything_fits_and_explains_itself(view: View) -> None:
    for indices in ([], [0, 1]):
        choose(view.panel.browser, *indices)
        assert not nameless_controls(view)
        assert not cut_buttons(view)
        assert not unexplained_buttons(view)
        assert fits_smallest_window(view)


def test_the_wheel_with_ctrl_zooms_and_escape_leaves_the_search(qtbot: QtBot, view: View) -> None:
    browser = view.panel.browser
    before = browser.grid.thumb_size
    middle = QPointF(browser.grid.viewport().rect().center())
    for turned, larger in ((120, True), (-120, False)):
        event = QWheelEvent(
            middle,
            browser.grid.viewport().mapToGlobal(middle),
            QPoint(),
            QPoint(0, turned),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.ControlModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(browser.grid.viewport(), event)
        assert (browser.grid.thumb_size > before) == larger
    browser.bar.search.setFocus()
    with qtbot.waitSignal(browser.listed, timeout=10_000):
        browser.bar.search.setText("rose")
    with qtbot.waitSignal(browser.listed, timeout=10_000):
        QTest.keyClick(browser.bar.search, Qt.Key.Key_Escape)
    assert browser.bar.search.text() == ""
    QTest.keyClick(browser.bar.search, Qt.Key.Key_Escape)
    assert browser.grid.hasFocus()


@pytest.mark.qt_log_ignore("does not support", extend=True)  # a popup without a screen
def test_relabel_makes_a_new_class(qtbot: QtBot, view: View, record: Record) -> None:
    editor = only(view.panel.browser.edit_bar, ClassNameEditor)
    rows = choose(view.panel.browser, 0, 2)
    editor.button.click()
    assert not editor.picker.new_button.isVisible(), "nothing was typed"
    QTest.keyClicks(editor.picker.search, "Rose")
    assert not editor.picker.new_button.isVisible(), "there is such a class"
    editor.picker.search.clear()
    QTest.keyClicks(editor.picker.search, " lily ")
    assert editor.picker.new_button.text() == "New class “lily”"
    after(qtbot, view, lambda: QTest.keyClick(editor.picker.search, Qt.Key.Key_Return))
    store = Store.open(record.folder)
    assert list(store.classes) == ["daisy", "rose", "tulip", "lily"]
    assert store.labels[rows].tolist() == [3, 3]
    state = view.panel.editor.state
    assert state is not None
    assert state.undo is not None
    assert "lily" in state.undo
    assert editor.picker.list.count() == 4, "it can be chosen from now on"
    after(qtbot, view, view.panel.editor.undo)
    assert list(Store.open(record.folder).classes) == ["daisy", "rose", "tulip"]


@pytest.mark.qt_log_ignore("does not support", extend=True)
def test_a_double_click_opens_an_image_large(qtbot: QtBot, view: View) -> None:
    grid = view.panel.browser.grid
    first = grid.visualRect(grid.model().index(0, 0)).center()
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=first)
    QTest.mouseDClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=first)
    large = grid.picture_window
    assert large is not None
    qtbot.waitUntil(large.isActiveWindow)
    assert large.picture.image().width() == 16
    assert large.picture.width() > 300
    name = grid.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert large.name.text() == name
    press(large, Qt.Key.Key_Right)
    assert large.name.text() != name
    assert grid.currentIndex().row() == 1
    press(large, Qt.Key.Key_Left)
    assert large.name.text() == name
    press(large, Qt.Key.Key_Left)
    assert large.name.text() == name, "there is none before"
    press(large, Qt.Key.Key_Escape)
    assert not large.isVisible()
