"""A combo box has room for its entries; its list shows them whole, never as high as the screen."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from studio.ui.theme.theme import Theme
from studio.ui.widgets.inputs import ComboBox

ROWS = 50
popups = pytest.mark.qt_log_ignore("does not support", extend=True)  # without a screen


@pytest.fixture
def box(theme: Theme, qtbot: QtBot) -> ComboBox:
    made = ComboBox()
    qtbot.addWidget(made)
    made.addItems([f"a run with a rather long name, number {number}" for number in range(ROWS)])
    made.setFixedWidth(160)
    made.show()
    return made


@pytest.mark.parametrize(
    "longest", ["Português (Brasil)", "Same as the system", "Igual ao sistema"]
)
def test_a_box_has_room_for_its_longest_entry(longest: str, theme: Theme, qtbot: QtBot) -> None:
    made = ComboBox()
    qtbot.addWidget(made)
    made.addItems(["English", longest])
    made.setCurrentIndex(1)
    made.resize(made.sizeHint())
    made.show()
    assert made.shown_text() == longest


def test_a_name_is_whole_up_to_the_arrow(theme: Theme, qtbot: QtBot) -> None:
    """The room of the arrow was left free twice, so that short names lost their middle."""
    made = ComboBox()
    qtbot.addWidget(made)
    made.addItem("photos-run · 91.7 % · photos")
    sides, arrow = 16, 24
    made.resize(made.fontMetrics().horizontalAdvance(made.currentText()) + sides + arrow + 2, 32)
    made.show()
    assert made.shown_text() == made.currentText()


@popups
def test_the_list_shows_entries_whole_that_the_box_cuts(box: ComboBox) -> None:
    assert "…" in box.shown_text()
    box.showPopup()
    assert box.view().viewport().width() >= box.view().sizeHintForColumn(0)
    box.hidePopup()


@popups
def test_a_long_list_is_scrolled(box: ComboBox) -> None:
    box.showPopup()
    row = box.view().sizeHintForRow(0)
    assert box.view().height() < 20 * row
    assert box.view().verticalScrollBar().maximum() > 0
    box.hidePopup()


@popups
def test_a_list_is_never_narrower_than_its_box_nor_wider_than_a_window(box: ComboBox) -> None:
    box.addItem("x" * 500)
    box.showPopup()
    assert box.view().width() <= 600
    box.hidePopup()
    box.clear()
    box.addItem("x")
    box.showPopup()
    assert box.view().width() >= box.width() - 2
    box.hidePopup()
