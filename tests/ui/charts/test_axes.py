"""The ticks of an axis, as they are painted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from studio.ui.charts.plot import NumberAxis

LINE = (pg.mkPen("#404040"), QPointF(60.0, 10.0), QPointF(60.0, 90.0))


@pytest.mark.parametrize("ratio", [1.0, 1.25, 2.0])
def test_ticks_that_shine_through_are_where_a_pen_would_draw_them(
    qtbot: QtBot, ratio: float
) -> None:
    axis = NumberAxis()
    see_through = pg.mkPen(QColor(20, 100, 200, 90))
    level = [(see_through, QPointF(180.3, y), QPointF(61.0, y)) for y in (20.0, 31.4, 52.9)]
    upright = [(see_through, QPointF(x, 12.6), QPointF(x, 80.2)) for x in (70.5, 99.75)]
    ticks = [*level, *upright]

    def drawn(draw: Callable[[QPainter, Any, Any, Any], None]) -> QImage:
        image = QImage(round(200 * ratio), round(100 * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        painter.translate(3.0, 1.5)
        draw(painter, LINE, ticks, [(QRectF(5, 20, 50, 20), Qt.AlignmentFlag.AlignRight, "0.5")])
        painter.end()
        return image

    plain = pg.AxisItem("left")
    assert drawn(axis.drawPicture) == drawn(plain.drawPicture)
