from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from studio.ui.charts.series import (
    Columns,
    Points,
    StyledLine,
    dashes_of,
    gapped,
    pictures_of,
    segments_of,
)

NAN = math.nan


def sheet(width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor("#123456"))  # what was there before
    return image


def test_lines_end_at_gaps_and_lonely_points_are_dots() -> None:
    points = Points(np.arange(6.0), np.array([1, 2, NAN, 3, NAN, 4.0]))
    segments = segments_of(points)
    assert segments[0].tolist() == [0, 1, 1, 2]
    marks = segments[1:]
    assert marks[marks[:, 0] == 0].tolist() == [[0, y, 6, y] for y in (1, 3, 5)]
    assert marks[marks[:, 0] == 2].tolist() == [[2, y, 8, y] for y in (2, 4, 6)]
    assert len(marks) == 6
    alone = Points(np.array([3.0]), np.array([3.0]))
    assert dashes_of(alone).tolist() == segments_of(alone).tolist(), "not dashed"
    assert not len(segments_of(Points(np.empty(0), np.empty(0))))


def test_dashes_have_the_length_and_the_gaps_of_the_pattern() -> None:
    dashes = dashes_of(Points(np.array([0, 7, 100.0]), np.zeros(3)))
    inked = np.sum(dashes[:, 2] - dashes[:, 0])
    assert inked == pytest.approx(60)
    assert dashes[0].tolist() == [0, 0, 6, 0]
    assert dashes[1][0] == pytest.approx(10)


def test_a_picture_has_the_colors_of_what_is_in_front(qtbot: QtBot) -> None:
    red, blue = QColor("#ff0000"), QColor("#0000ff")
    wide = Columns(np.array([2.0, 2.0, NAN]), np.array([8.0, 8.0, NAN]))
    thin = Columns(np.array([4.0, NAN, 5.0]), np.array([5.0, NAN, 5.0]))
    (picture,) = pictures_of(
        [StyledLine(wide, red, 1.0), StyledLine(thin, blue, 2.0)], sheet(3, 10)
    )
    column = [picture.pixelColor(0, row).name() for row in range(10)]
    assert column[2] == column[7] == red.name()
    assert column[4] == blue.name()
    assert picture.pixelColor(1, 4) == red
    assert picture.pixelColor(0, 1).alpha() == picture.pixelColor(0, 8).alpha() == 0
    lonely = [row for row in range(10) if picture.pixelColor(2, row) == blue]
    assert lonely == [4, 5], "a line is never thinner than its width"


def test_many_layers_take_several_pictures(qtbot: QtBot) -> None:
    column = Columns(np.array([1.0]), np.array([3.0]))
    layers = [StyledLine(column, QColor.fromHsv(at * 10, 255, 255), 1.0) for at in range(20)]
    pictures = pictures_of(layers, sheet(1, 5))
    assert len(pictures) == 2
    assert pictures[-1].pixelColor(0, 2).rgba() == layers[-1].color.rgba()


def test_dashed_columns_have_gaps() -> None:
    columns = gapped(Columns(np.zeros(20), np.ones(20)))
    assert np.isfinite(columns.tops).sum() == 12
