"""The confusion matrix as a widget: every mistake can be seen, pointed at and copied."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from studio.ui.charts.colors import RowFractions, matrix_image, most_confused
from studio.ui.charts.confusion import ConfusionChart, Margins, MarginShare
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import DARK, LIGHT, ColorPalette
from studio.ui.widgets.layout import vbox


def _view(qtbot: QtBot, theme: Theme, counts: np.ndarray) -> ConfusionChart:
    view = ConfusionChart(theme)
    qtbot.addWidget(view)
    view.resize(420, 350)
    view.set_matrix(counts.astype(np.int32), [f"class {at}" for at in range(len(counts))])
    view.show()
    qtbot.waitExposed(view)
    return view


def _click(view: ConfusionChart, cell: tuple[int, int]) -> None:
    QTest.mouseClick(
        view.plot, Qt.MouseButton.LeftButton, pos=view.plot.cell_rect(cell).center().toPoint()
    )


@pytest.mark.parametrize("classes", [2, 10, 100])
def test_a_click_chooses_the_cell_under_it(qtbot: QtBot, theme: Theme, classes: int) -> None:
    view = _view(qtbot, theme, np.eye(classes) * 5)
    received: list[object] = []
    view.chosen.connect(received.append)

    _click(view, (classes - 1, 0))
    _click(view, (0, 0))
    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    QTest.keyClick(view.plot, Qt.Key.Key_Up)

    assert received == [(classes - 1, 0), (0, 0), (0, 1), (0, 1)]
    assert view.plot.current() == (0, 1)
    QTest.mouseClick(view.plot, Qt.MouseButton.LeftButton, pos=QPoint(1, 1))
    assert len(received) == 4, "beside the cells there is nothing"


def test_a_lone_mistake_among_a_million_cells_is_seen_and_found(
    qtbot: QtBot, theme: Theme
) -> None:
    counts = np.eye(1000) * 50
    counts[700, 123] = 1
    view = _view(qtbot, theme, counts)

    found = view.plot.cell_at(view.plot.cell_rect((700, 123)).center())

    assert found == (700, 123)
    assert "1 of 51 “class 700” predicted as “class 123”" in view.describe(found)
    image = matrix_image(RowFractions.of(counts.astype(np.int32)), LIGHT, 300)
    assert image.width() <= 300
    block = -(-1000 // 300)
    color = QColor(image.pixel(123 // block, 700 // block))
    assert color.name().upper() != LIGHT.surface
    assert color.red() > color.blue(), "in the color of what is wrong"


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_colors_distinguish_correct_from_wrong_and_high_from_low(palette: ColorPalette) -> None:
    counts = np.array([[9, 1, 0], [5, 5, 0], [0, 0, 0]], np.int32)

    image = matrix_image(RowFractions.of(counts), palette, 100)

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


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_without_mistakes_equal_fractions_have_equal_colors(palette: ColorPalette) -> None:
    counts = np.array([[8, 8, 0], [2, 10, 4], [0, 0, 6]], np.int32)

    image = matrix_image(
        RowFractions.of(counts, np.array([10, 10, 10])), palette, 100, has_mistakes=False
    )

    assert image.pixel(0, 0) == image.pixel(1, 0), "on and off the diagonal"
    assert QColor(image.pixel(0, 2)).name().upper() == palette.surface.upper()
    assert QColor(image.pixel(1, 1)).name().upper() == palette.accent.upper()


def test_numbers_leave_as_csv_and_the_commonest_mistake_is_known(
    qtbot: QtBot, theme: Theme
) -> None:
    counts = np.array([[9, 1], [3, 7]])
    view = _view(qtbot, theme, counts)

    assert view.csv_text() == "true \\ predicted,class 0,class 1\nclass 0,9,1\nclass 1,3,7\n"
    assert most_confused(counts.astype(np.int32)) == (1, 0)
    assert most_confused(np.eye(3, dtype=np.int32)) is None
    assert "9 of 10 “class 0” predicted correctly (90.0" in view.describe((0, 0))


def test_bars_beside_the_matrix_lead_to_a_row_or_a_column(qtbot: QtBot, theme: Theme) -> None:
    counts = np.array([[9, 1, 0], [3, 7, 0], [0, 0, 0]], np.int32)
    recall = [MarginShare(0.9, 10, (0.8, 0.97)), MarginShare(0.7, 10), MarginShare(0, 0)]
    precision = [MarginShare(0.75, 12), MarginShare(0.875, 8), MarginShare(0, 0)]
    view = ConfusionChart(theme)
    qtbot.addWidget(view)
    view.resize(420, 350)
    view.set_matrix(counts, ["ash", "birch", "oak"], margins=Margins(recall, precision))
    view.show()
    qtbot.waitExposed(view)
    received: list[tuple[int, int]] = []
    view.chosen.connect(received.append)

    for cell in ((0, 3), (3, 1)):
        _click(view, cell)
    QTest.keyClick(view.plot, Qt.Key.Key_Up)
    assert received == [(0, 3), (3, 1), (2, 1)]
    said = view.describe((0, 3)).replace("\N{NO-BREAK SPACE}", " ")
    assert said == ("“ash”: recall 90.0 % (95 % interval 80.0 – 97.0 %) of 10 images of the class")
    assert "precision 87.5" in view.describe((3, 1)), "no interval is made up"
    assert view.describe((3, 2)) == "“oak”: no images"

    shown = view.plot.grab().toImage()
    row, empty = view.plot.cell_rect((0, 3)), view.plot.cell_rect((2, 3))

    def color(at: QPointF) -> str:
        ratio = shown.devicePixelRatio()
        return shown.pixelColor((at * ratio).toPoint()).name().upper()

    accent, ground = theme.palette.accent, color(empty.center())
    assert color(QPointF(row.left() + 0.8 * row.width(), row.center().y())) == accent
    assert color(QPointF(row.right() - 2, row.center().y())) not in (accent, ground)
    assert ground != accent, "of no images there is no bar"
    view.set_matrix(np.array([[1, 9, 0], [3, 7, 0], [0, 0, 0]], np.int32), ["ash", "birch", "oak"])
    assert view.plot.grab().toImage() != shown, "what was drawn before is not kept"


def test_the_tools_stay_inside_a_chart_that_becomes_lower(qtbot: QtBot, theme: Theme) -> None:
    view, page, text = ConfusionChart(theme), QWidget(), QLabel()
    vbox((view, 1), text, owner=page)
    qtbot.addWidget(page)
    page.resize(600, 430)
    page.show()
    qtbot.waitExposed(page)

    view.set_matrix(np.eye(3, dtype=np.int32), ["ash", "birch", "oak"])
    text.setText("two\nlines")

    qtbot.waitUntil(lambda: view.width() == view.maximumWidth())
    qtbot.waitUntil(lambda: view.rect().contains(view.bar.geometry()))


def test_of_bars_that_share_a_pixel_the_weakest_is_found(qtbot: QtBot, theme: Theme) -> None:
    fractions = [MarginShare(0.2 if at == 701 else 0.9, 50) for at in range(1000)]
    view = ConfusionChart(theme)
    qtbot.addWidget(view)
    view.resize(420, 350)
    names = [f"class {at}" for at in range(1000)]
    view.set_matrix(np.eye(1000, dtype=np.int32), names, margins=Margins(fractions, fractions))

    assert view.plot.cell_at(view.plot.cell_rect((700, 1000)).center()) == (701, 1000)
    assert view.plot.cell_at(view.plot.cell_rect((1000, 700)).center()) == (1000, 701)
