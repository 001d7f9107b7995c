"""Datasets in groups, in the list of the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from page_checks import (
    cut_buttons,
    fits_smallest_window,
    nameless_controls,
    press,
    unexplained_buttons,
)
from page_records import add_dataset, picture_folder
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.engine.workspace import Record, RecordKind, Workspace
from studio.ui.pages.datasets.dataset_list import DatasetCard, GroupHeader
from studio.ui.pages.datasets.page import View

Open = Callable[[], View]
LONG = "photos of <b>flowers</b> & leaves taken in the garden"


@pytest.fixture
def records(workspace: Workspace, tmp_path: Path) -> dict[str, Record]:
    """Four datasets from the oldest to the newest, two of them in groups."""
    folder = picture_folder(tmp_path / "pictures", {"a": 4, "b": 4})
    names = ("first", "second", "third", "fourth")
    records = {name: add_dataset(workspace, name, folder) for name in names}
    workspace.annotate(records["first"], group="Plants")
    workspace.annotate(records["third"], group="animals")
    return records


def listed(view: View) -> list[str]:
    """The groups in brackets and the datasets that are shown, from the top."""
    column = view.list._column
    items = (column.itemAt(index) for index in range(column.count()))
    widgets = [item.widget() for item in items if item is not None]
    return [name for widget in widgets if widget is not None for name in _name(view, widget)]


def _name(view: View, widget: QWidget) -> list[str]:
    if isinstance(widget, GroupHeader):
        return [f"[{widget.text()}]"]
    if isinstance(widget, DatasetCard) and widget.isVisibleTo(view):
        return [widget.accessibleName().removeprefix("Dataset ")]
    return []


def test_groups_have_headers_and_datasets_without_one_come_last(
    records: dict[str, Record], open_page: Open, qtbot: QtBot
) -> None:
    view = open_page()
    gallery = view.panel.gallery
    qtbot.waitUntil(lambda: view.panel.stack.currentWidget() is gallery)
    assert listed(view) == [
        *("[animals · 1]", "third"),
        *("[Plants · 1]", "first"),
        *("[No group · 2]", "fourth", "second"),
    ]
    assert view.current_record == records["fourth"].id, "the newest, wherever it stands"
    assert nameless_controls(view) == []
    assert unexplained_buttons(view) == []
    assert cut_buttons(view) == []
    assert fits_smallest_window(view)


def test_a_header_folds_its_datasets_until_one_of_them_is_shown(
    records: dict[str, Record], open_page: Open
) -> None:
    view = open_page()
    header = view.list.header("Plants")
    assert header is not None
    press(header, Qt.Key.Key_Space)
    assert "first" not in listed(view)
    assert header.accessibleName() == "Group Plants · 1. Show"
    view.show_record(records["first"].id)
    assert "first" in listed(view)
    assert header.isChecked()


def test_a_dataset_is_moved_by_its_menu(
    records: dict[str, Record], workspace: Workspace, open_page: Open, qtbot: QtBot
) -> None:
    view = open_page()
    menu = view.menu(records["second"].id)
    assert view.groups.menuAction() in menu.actions()
    view.groups.aboutToShow.emit()
    checked = {a.text(): a.isChecked() for a in view.groups.actions() if a.isCheckable()}
    assert checked == {"No group": True, "animals": False, "Plants": False}

    view.groups.switched.emit("Plants", True)
    qtbot.waitUntil(lambda: "[Plants · 2]" in listed(view), timeout=5000)
    assert listed(view)[2:] == ["[Plants · 2]", "second", "first", "[No group · 1]", "fourth"]
    assert records["second"].info().group == "Plants"


def test_the_last_group_takes_its_headers_along(
    records: dict[str, Record], workspace: Workspace, open_page: Open, qtbot: QtBot
) -> None:
    view = open_page()
    for name in ("first", "third"):
        workspace.annotate(records[name], group="")
    qtbot.waitUntil(lambda: listed(view) == ["fourth", "third", "second", "first"], timeout=5000)
    assert view.list.header("") is None


def test_the_dataset_that_is_shown_is_moved_by_a_button(
    records: dict[str, Record], workspace: Workspace, open_page: Open, qtbot: QtBot
) -> None:
    view = open_page()
    assert view.panel.group_button.menu() is view.panel.groups
    view.panel.groups.edit.setText(LONG)
    view.panel.groups.edit.returnPressed.emit()
    qtbot.waitUntil(lambda: view.list.header(LONG) is not None, timeout=5000)
    header = view.list.header(LONG)
    assert header is not None
    assert records["fourth"].info().group == LONG
    qtbot.waitUntil(lambda: "…" in header.text(), timeout=5000)
    assert header.text().endswith(" · 1"), "figures stay whole"
    assert header.toolTip() == f"{LONG} · 1"
    assert header.width() <= view.list.width()


def test_tab_goes_down_the_list(records: dict[str, Record], open_page: Open, qtbot: QtBot) -> None:
    view = open_page()
    QApplication.processEvents()
    view.list.import_button.setFocus()
    seen = []
    for _ in range(7):
        press(view.focusWidget(), Qt.Key.Key_Tab)
        seen += _name(view, view.focusWidget())
    assert seen == listed(view)


def test_a_menu_throws_a_dataset_away(
    records: dict[str, Record], workspace: Workspace, open_page: Open, qtbot: QtBot
) -> None:
    view = open_page()
    view.menu(records["third"].id).actions()[-1].trigger()
    qtbot.waitUntil(lambda: "third" not in listed(view), timeout=5000)
    assert "[animals · 1]" not in listed(view)
    assert workspace.record(RecordKind.DATASET, records["third"].id) is None
