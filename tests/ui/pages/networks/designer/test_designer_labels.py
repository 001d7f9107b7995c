"""Labels of wires are inside the area that is repainted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from studio.ui.pages.networks.designer import items
from studio.ui.pages.networks.designer.items import WireItem
from studio.ui.theme.theme import Theme


@pytest.mark.parametrize("end", [QPointF(0, 80), QPointF(120, 0)])
def test_a_long_label_leaves_nothing_behind(theme: Theme, end: QPointF) -> None:
    wire = WireItem(theme)
    wire.run(QPointF(0, 0), end, "down" if end.y() else "right", None)
    wire.say("1024 × 1024 × 160563", stale=False)
    picture = QImage(600, 300, QImage.Format.Format_ARGB32)
    picture.fill(0)
    painter = QPainter(picture)
    painter.translate(200, 100)
    wire.paint_at(painter, 1.0)
    painter.end()
    painted = [
        QPointF(x - 200, y - 100)
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixel(x, y)
    ]
    text = QFontMetricsF(items._font(10)).horizontalAdvance("1024 × 1024 × 160563")
    area = QRectF(wire.boundingRect())
    assert max(point.x() for point in painted) > end.x() / 2 + text * 0.9
    assert all(area.contains(point) for point in painted)
