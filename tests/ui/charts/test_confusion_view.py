"""The confusion matrix as a widget: every mistake can be seen, pointed at and copied."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.ui.charts.confusion_colors import Shares, matrix_image, most_confused
from studio.ui.charts.confusion_view import ConfusionView
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import DARK, LIGHT, Palette


def _view(qtbot: QtBot, theme: Theme, counts: np.ndarray) -> ConfusionView:
    view = ConfusionView(theme)
    qtbot.addWidget(view)
    view.resize(420, 320)
    view.set_matrix(counts.astype(np.int32), [f"class {at}" for at in range(len(counts))])
    view.show()
    qtbot.waitExposed(view)
    return view


def _click(view: ConfusionView, cell: tuple[int, int]) -> None:
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.cell_rect(cell).center().toPoint())


@pytest.mark.parametrize("classes", [2, 10, 100])
def test_a_click_chooses_the_cell_under_it(qtbot: QtBot, theme: Theme, classes: int) -> None:
    view = _view(qtbot, theme, np.eye(classes) * 5)
    told: list[object] = []
    view.chosen.connect(told.append)

    _click(view, (classes - 1, 0))
    _click(view, (0, 0))
    QTest.keyClick(view, Qt.Key.Key_Right)
    QTest.keyClick(view, Qt.Key.Key_Up)

    assert told == [(classes - 1, 0), (0, 0), (0, 1), (0, 1)]
    assert view.current() == (0, 1)
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(1, 1))
    assert len(told) == 4, "beside the cells there is nothing"


def test_a_lone_mistake_among_a_million_cells_is_seen_and_found(
    qtbot: QtBot, theme: Theme
) -> None:
    counts = np.eye(1000) * 50
    counts[700, 123] = 1
    view = _view(qtbot, theme, counts)

    found = view.cell_at(view.cell_rect((700, 123)).center())

    assert found == (700, 123)
    assert "1 of 51 “class 700” taken for “class 123”" in view.describe(found)
    image = matrix_image(Shares.of(counts.astype(np.int32)), LIGHT, 300)
    assert image.width() <= 300
    block = -(-1000 // 300)
    color = QColor(image.pixel(123 // block, 700 // block))
    assert color.name().upper() != LIGHT.surface
    assert color.red() > color.blue(), "in the color of what is wrong"


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_colors_tell_right_from_wrong_and_much_from_little(palette: Palette) -> None:
    counts = np.array([[9, 1, 0], [5, 5, 0], [0, 0, 0]], np.int32)

    image = matrix_image(Shares.of(counts), palette, 100)

    def far(row: int, column: int) -> int:
        one, ground = QColor(image.pixel(column, row)), QColor(palette.surface)
        return sum(
            abs(getattr(one, part)() - getattr(ground, part)())
            for part in ("red", "green", "blue")
        )

    assert far(0, 2) == far(2, 2) == 0, "nothing looks like nothing"
    assert far(0, 0) > far(1, 1) > 0
    assert far(1, 0) > far(0, 1) > 0
    assert image.pixel(0, 1) != image.pixel(1, 1)


def test_numbers_leave_as_csv_and_the_commonest_mistake_is_known(
    qtbot: QtBot, theme: Theme
) -> None:
    counts = np.array([[9, 1], [3, 7]])
    view = _view(qtbot, theme, counts)

    assert view.csv_text() == "true \\ predicted,class 0,class 1\nclass 0,9,1\nclass 1,3,7\n"
    assert most_confused(counts.astype(np.int32)) == (1, 0)
    assert most_confused(np.eye(3, dtype=np.int32)) is None
    assert "9 of 10 “class 0” recognized (90.0" in view.describe((0, 0))
