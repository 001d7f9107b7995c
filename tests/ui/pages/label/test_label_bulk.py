"""Accepting many proposals at once: only what a person can have seen."""

from __future__ import annotations

import pytest
from label_pages import PICTURES, Opener, stored
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.engine.labeling.proposals import AssistStatus, CertainLimit, Proposal
from studio.engine.labeling.values import ClassValue
from studio.ui.context import AppContext
from studio.ui.pages.label import seen
from studio.ui.pages.label.grid import GridPanel
from studio.ui.widgets.notices import Notice

LIMIT = CertainLimit(0.9, 0.05, 20)


def proposed(*items: int, limit: CertainLimit | None = LIMIT) -> AssistStatus:
    found = {item: Proposal(item, ClassValue(index=0), 0.99) for item in items}
    return AssistStatus(labels=20, proposals=found, certain=limit)


def repeat(widget: QWidget, key: Qt.Key) -> None:
    """Send what a held key sends."""
    none = Qt.KeyboardModifier.NoModifier
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(widget, QKeyEvent(kind, key, none, "", True))


@pytest.fixture
def grid(opened: Opener, qtbot: QtBot) -> GridPanel:
    """A page of certain proposals, all pictures loaded."""
    view = opened("classification", "cat", "dog")
    view.session.set_assist(proposed(*range(PICTURES)))
    view.assist.review_button.click()
    assert view.grid is not None
    loaded = view.grid.grid
    qtbot.waitUntil(lambda: len(loaded.visible_rows()) == PICTURES)
    return view.grid


def test_a_page_that_was_visible_too_briefly_is_not_accepted(
    grid: GridPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen, "MIN_SECONDS", 1000.0)
    grid._begin_page()
    grid._seen.update()
    assert not grid.accept_button.isEnabled()
    QTest.keyClick(grid.grid, Qt.Key.Key_Return)
    assert grid.session.labeling.labeled_count == 0
    monkeypatch.setattr(seen, "MIN_SECONDS", 0.0)
    grid._seen.update()
    assert grid.accept_button.text() == f"Accept {PICTURES}"


def test_a_double_click_and_a_held_key_accept_one_page(
    context: AppContext, grid: GridPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    notices: list[Notice] = []
    context.navigator.notice_requested.connect(notices.append)
    monkeypatch.setattr(seen, "MIN_SECONDS", 0.0)
    grid.session.set_assist(proposed(0, 1, 2))
    grid._begin_page()
    grid._seen.update()
    monkeypatch.setattr(seen, "MIN_SECONDS", 1000.0)
    repeat(grid.grid, Qt.Key.Key_Return)
    assert grid.session.labeling.labeled_count == 0
    QTest.mouseClick(grid.accept_button, Qt.MouseButton.LeftButton)
    grid.session.set_assist(proposed(3, 4, 5))
    assert grid.model.items == [3, 4, 5]
    QTest.mouseClick(grid.accept_button, Qt.MouseButton.LeftButton)
    assert sorted(stored(context).labels) == [0, 1, 2]

    assert [each.text for each in notices] == ["3 images labeled as proposed."]
    grid.session.label([1], ClassValue(index=1), "key")
    assert notices[0].action is not None
    notices[0].action()
    assert sorted(stored(context).labels) == [1]


def test_a_held_key_labels_one_picture(opened: Opener) -> None:
    view = opened("classification", "cat", "dog")
    view.session.set_assist(proposed(*range(PICTURES)))
    canvas = view.single.canvas
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    repeat(canvas, Qt.Key.Key_Return)
    repeat(canvas, Qt.Key.Key_1)
    assert view.session.labeling.labeled_count == 1


def double_click(widget: QWidget, position: QPoint) -> None:
    """Send what a mouse sends: a click, and a second press that says that it is the second."""
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(widget, left, none, position)
    QTest.mouseDClick(widget, left, none, position)
    QTest.mouseRelease(widget, left, none, position)


def test_a_double_click_labels_one_picture(opened: Opener) -> None:
    view = opened("classification", "cat", "dog")
    view.session.set_assist(proposed(*range(PICTURES)))
    double_click(view.single.accept_button, QPoint(5, 5))
    assert len(view.session.labeling.labels) == 1
    double_click(view.single.exclude_button, QPoint(5, 5))
    assert len(view.session.labeling.labels) == 2
    names = view.single.classes.list
    double_click(names.viewport(), names.visualItemRect(names.item(0)).center())
    assert len(view.session.labeling.labels) == 3


def test_without_a_measured_threshold_nothing_is_certain(opened: Opener) -> None:
    """The empty grid says why, and leads on."""
    view = opened("classification", "cat", "dog")
    grid = view.grid
    assert grid is not None
    view.tabs.setCurrentWidget(grid)
    view.session.set_assist(proposed(*range(PICTURES), limit=None))
    grid.show_certain()
    assert grid.model.items == []
    assert not grid.grid.isVisible()
    assert grid.empty.accessibleDescription().startswith("No proposals are certain yet")
    grid.single_button.click()
    assert view.tabs.currentWidget() is view.single


def test_after_all_are_labeled(grid: GridPanel) -> None:
    grid.session.label(list(range(PICTURES)), ClassValue(index=0), "key")
    grid.session.set_assist(proposed())
    assert grid.empty.accessibleDescription() == "All images are labeled."
    assert grid.single_button.isHidden()


def test_accept_says_that_an_image_has_no_label_yet(opened: Opener) -> None:
    """It showed the next image without a label, as if one had been accepted."""
    view = opened("classification", "cat", "dog")
    shown = view.session.current
    view.single.accept_button.click()
    assert view.session.current == shown
    assert "no label yet" in view.single.hint.text()
