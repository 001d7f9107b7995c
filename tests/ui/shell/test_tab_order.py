"""Tab follows the order of reading, in whichever order widgets were made."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from studio.ui.shell.tab_order import move_focus


class Form(QWidget):
    """Two columns beside each other, below a line; made from the end to the beginning."""

    def __init__(self) -> None:
        super().__init__()
        names = ["field 2", "field 1", "right 2", "right 1", "left 2", "left 1", "first"]
        self.buttons = {name: QPushButton(name) for name in names}
        left, right, grid = QVBoxLayout(), QVBoxLayout(), QGridLayout()
        for side, name in ((left, "left"), (right, "right")):
            side.addWidget(self.buttons[f"{name} 1"])
            side.addWidget(self.buttons[f"{name} 2"])
            side.addStretch(1)
        for name, height in (("left 1", 40), ("left 2", 30), ("right 1", 30), ("right 2", 40)):
            self.buttons[name].setFixedHeight(height)
        for row in (1, 0):
            line = QLineEdit()
            line.setObjectName(f"line {row + 1}")
            grid.addWidget(line, row, 0)
            grid.addWidget(self.buttons[f"field {row + 1}"], row, 1)
        columns = QHBoxLayout()
        columns.addLayout(left)
        columns.addLayout(right)
        whole = QVBoxLayout(self)
        whole.addWidget(self.buttons["first"])
        whole.addLayout(columns)
        whole.addLayout(grid)

    def focusNextPrevChild(self, forwards: bool) -> bool:  # noqa: N802 - its name there
        """As in the window."""
        return move_focus(self, forwards=forwards)


ORDER = [
    *("first", "left 1", "left 2", "right 1", "right 2"),
    *("line 1", "field 1", "line 2", "field 2"),
]


def named(widget: QWidget | None) -> str:
    assert widget is not None
    return widget.text() if isinstance(widget, QPushButton) else widget.objectName()


def test_tab_goes_through_lines_and_columns_and_back(qtbot: QtBot) -> None:
    form = Form()
    qtbot.addWidget(form)
    form.show()
    form.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is form)
    form.buttons["first"].setFocus()
    seen = []
    for _ in ORDER:
        seen.append(named(QApplication.focusWidget()))
        QTest.keyClick(QApplication.focusWidget() or form, Qt.Key.Key_Tab)
    assert seen == ORDER
    assert named(QApplication.focusWidget()) == "first"
    back = []
    for _ in ORDER:
        QTest.keyClick(QApplication.focusWidget() or form, Qt.Key.Key_Backtab)
        back.append(named(QApplication.focusWidget()))
    assert back == ORDER[::-1]


def test_controls_that_cannot_be_used_are_left_out(qtbot: QtBot) -> None:
    form = Form()
    qtbot.addWidget(form)
    form.buttons["left 1"].setEnabled(False)
    form.buttons["left 2"].hide()
    form.show()
    form.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is form)
    form.buttons["first"].setFocus()
    move_focus(form, forwards=True)
    assert named(QApplication.focusWidget()) == "right 1"
