"""The versions of a dataset in the window, and edits that other programs make meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    nameless_controls,
    show_in_window,
    unexplained_buttons,
)
from page_records import add_dataset, add_run, picture_folder, start_jobs
from pytestqt.qtbot import QtBot

from studio.engine.datasets.edits import Exclude, Move, Relabel, current_version
from studio.engine.datasets.store import Store
from studio.engine.datasets.versions import compare_versions, edit_dataset, redo, undo
from studio.engine.workspace import Record, Workspace
from studio.ui.context import AppContext
from studio.ui.pages.datasets.page import View
from studio.ui.pages.datasets.versions.sections import VersionsSection, read_versions
from studio.ui.widgets.notices import Notice


@pytest.fixture
def record(workspace: Workspace, tmp_path: Path) -> Record:
    source = picture_folder(tmp_path / "flowers", {"daisy": 40, "rose": 30, "tulip": 30})
    made = add_dataset(workspace, "flowers", source)
    edit_dataset(made.folder, [Exclude(rows="0-11")], "Excluded 12 images")
    edit_dataset(made.folder, [Relabel(rows="20", label=1), Move(rows="21-22", split="test")])
    return made


@pytest.fixture
def view(qtbot: QtBot, context: AppContext, record: Record) -> Iterator[View]:
    add_run(context.workspace, "first run", record.id, [0.5])
    page = View(context)
    window = show_in_window(qtbot, page)
    start_jobs(qtbot, context)
    panel = page.panel
    qtbot.waitUntil(
        lambda: panel.stack.currentWidget() is panel.gallery and panel.editor.state is not None,
        timeout=10_000,
    )
    yield page
    window.close()


@pytest.fixture
def section(qtbot: QtBot, view: View) -> VersionsSection:
    view.panel.versions_button.click()
    versions = view.panel.versions
    compared(qtbot, versions, 1, 2)
    return versions


def compared(qtbot: QtBot, section: VersionsSection, before: int, after: int) -> None:
    def is_shown() -> bool:
        shown = section.card.comparison
        return shown is not None and (shown.before, shown.after) == (before, after)

    qtbot.waitUntil(is_shown, timeout=10_000)


def test_every_step_is_a_version_that_says_what_was_done(record: Record) -> None:
    undo(record.folder)
    assert [(line.number, line.what) for line in read_versions(record.folder)] == [
        (0, ""),
        (1, "Excluded 12 images"),
        (2, "Relabeled 1 image, Moved 2 images"),
        (3, "Undone: Relabeled 1 image, Moved 2 images"),
    ]
    redo(record.folder)
    last = read_versions(record.folder)[-1]
    assert (last.number, last.what) == (4, "Done again: Relabeled 1 image, Moved 2 images")


def test_a_version_is_compared_with_the_one_before_or_any_other(
    qtbot: QtBot, section: VersionsSection
) -> None:
    rows = section.table.texts()
    assert [row[0] for row in rows] == ["2", "1", "0"]
    assert rows[2][2:] == ["As imported", "first run"]
    comparison = section.card.comparison
    assert comparison is not None
    kinds = {difference.kind: difference.rows.tolist() for difference in comparison.differences}
    assert kinds["relabeled"] == [20]
    assert "excluded" not in kinds
    section.other.setCurrentIndex(section.other.findData(0))
    section.other.activated.emit(0)
    compared(qtbot, section, 0, 2)
    assert "12 images excluded" in section.card.thumbs()[0].accessibleName()
    assert section.runs.buttons() == []
    section.choose(0)
    assert [button.text() for button in section.runs.buttons()] == ["first run"]


def test_a_thumbnail_opens_its_images_in_the_browser(
    qtbot: QtBot, view: View, section: VersionsSection
) -> None:
    section.choose(1)
    compared(qtbot, section, 0, 1)
    browser = view.panel.browser
    with qtbot.waitSignal(browser.listed, timeout=10_000):
        section.card.thumbs()[3].click()
    assert view.panel.stack.currentWidget() is browser
    assert browser.grid.model().rowCount() == 12, "also though they are left out now"
    assert browser.grid.chosen().tolist() == [3]
    with qtbot.waitSignal(browser.listed, timeout=10_000):
        browser.bar.chip.button.click()
    assert browser.grid.model().rowCount() == 88
    browser.bar.back_button.click()
    assert view.panel.stack.currentWidget() is section


def test_going_back_is_a_new_version_that_can_be_undone(
    qtbot: QtBot, context: AppContext, section: VersionsSection, record: Record
) -> None:
    assert not section.back_button.isEnabled()
    section.choose(1)
    with qtbot.waitSignal(context.navigator.notice_requested, timeout=10_000) as text:
        section.back_button.click()
    stores = [Store.open(record.folder, version) for version in (1, 3)]
    assert compare_versions(*stores).is_empty
    qtbot.waitUntil(lambda: len(section.table.texts()) == 4, timeout=10_000)
    assert section.table.texts()[0][2] == "Went back to version 1"
    notice: Notice = text.args[0] if text.args else pytest.fail("no notice was shown")
    assert notice.action is not None
    notice.action()
    qtbot.waitUntil(lambda: current_version(record.folder) == 4, timeout=10_000)
    assert compare_versions(Store.open(record.folder, 2), Store.open(record.folder)).is_empty


def test_edits_of_another_program_keep_the_scroll_position(
    qtbot: QtBot, context: AppContext, view: View, record: Record
) -> None:
    panel = view.panel
    with qtbot.waitSignal(panel.browser.listed, timeout=10_000):
        panel.gallery.all_button.click()
    grid = panel.browser.grid
    grid.set_thumb_size(200)
    grid.choose(np.array([40, 41]))
    grid.verticalScrollBar().setValue(grid.verticalScrollBar().maximum() // 2)
    offset, chosen = grid.verticalScrollBar().value(), grid.chosen().tolist()
    assert offset > 0
    said: list[Notice] = []
    context.navigator.notice_requested.connect(said.append)
    with qtbot.waitSignal(panel.browser.listed, timeout=10_000):
        edit_dataset(record.folder, [Exclude(rows="95-99")])  # as another program does
    assert grid.model().rowCount() == 83
    assert (grid.verticalScrollBar().value(), grid.chosen().tolist()) == (offset, chosen)
    qtbot.waitUntil(lambda: panel.browser.edit_bar.version.text() == "Version 3", timeout=10_000)
    assert sum(panel.legend.bar.counts().values()) == 83
    qtbot.waitUntil(lambda: bool(said), timeout=10_000)
    assert "Another program" in said[0].text


def test_the_section_is_sound(qtbot: QtBot, view: View, section: VersionsSection) -> None:
    assert nameless_controls(section) == []
    assert unexplained_buttons(section) == []
    assert cut_buttons(section) == []
    assert fits_smallest_window(view)


def test_versions_of_a_large_dataset_are_read_when_shown(
    qtbot: QtBot, view: View, record: Record
) -> None:
    section = view.panel.versions
    assert len(section.table.texts()) == 0
    view.panel.versions_button.click()
    compared(qtbot, section, 1, 2)
    view.panel.versions_button.click()
    assert view.panel.stack.currentWidget() is view.panel.gallery


def test_the_classes_stay_where_they_are_when_another_program_edits(
    qtbot: QtBot, view: View, record: Record
) -> None:
    gallery = view.panel.gallery
    last = gallery.cards()[2].name
    gallery.search.setText(last)
    cards = gallery.cards()
    assert [card.name for card in cards] == [last]
    assert sum(cards[0].bar.counts().values()) == 30
    edit_dataset(record.folder, [Exclude(rows="95-99")])
    # Not `gallery.filled`: the pictures of the search may still be on their way.
    qtbot.waitUntil(lambda: sum(cards[0].bar.counts().values()) == 25)
    assert gallery.cards() == cards
    assert gallery.search.text() == last
