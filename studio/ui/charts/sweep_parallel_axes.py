"""One vertical axis of parallel coordinates: its line, its numbers, its name, its range."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from studio.ui.charts.sweep_brush import Range
from studio.ui.charts.sweep_scale import Scale
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, TYPE
from studio.ui.widgets.eliding import elided

_NAME_WIDTH = 150.0
_TEXT_WIDTH = 92.0
_RANGE_WIDTH = 12.0
_ALPHA = 205
"""How much of what lies under a number is covered, of 255."""


class AxisPainter:
    """Paints axes into an area, with the painter of a widget that goes to `right`."""

    def __init__(self, painter: QPainter, theme: Theme, area: QRectF, right: float) -> None:
        self._painter, self._palette, self._area = painter, theme.palette, area
        self._right = right
        font = QFont(painter.font())
        font.setPixelSize(TYPE.caption)
        self._font = font

    def paint(self, scale: Scale, x: float) -> None:
        """Paint one axis with its numbers and its name.

        Args:
            scale: From where to where it goes.
            x: Where it stands, in pixels.
        """
        self._painter.setFont(self._font)
        self._paint_line(x, self._palette.outline, 1)
        for share, text in scale.ticks(self._area.height()):
            self._paint_tick(x, self._area.bottom() - share * self._area.height(), text)
        self._paint_name(scale, x, self._palette.text)

    def paint_current(self, scale: Scale, x: float) -> None:
        """Mark the axis on which keys act."""
        self._paint_line(x, self._palette.accent, 2)
        self._paint_name(scale, x, self._palette.accent)

    def paint_range(self, x: float, found: Range) -> None:
        """Mark a range that is picked out."""
        low, high = (self._area.bottom() - each * self._area.height() for each in found)
        box = QRectF(x - _RANGE_WIDTH / 2, high, _RANGE_WIDTH, max(low - high, 2.0))
        fill = QColor(self._palette.accent)
        self._painter.setPen(fill)
        self._painter.drawRect(box)
        fill.setAlpha(90)
        self._painter.fillRect(box, fill)

    def _paint_line(self, x: float, color: str, width: int) -> None:
        self._painter.setPen(QPen(QColor(color), width))
        self._painter.drawLine(QPointF(x, self._area.top()), QPointF(x, self._area.bottom()))

    def _paint_tick(self, x: float, y: float, text: str) -> None:
        metrics = QFontMetricsF(self._font)
        text = elided(metrics, text, _TEXT_WIDTH)
        box = QRectF(
            x + SPACE.s,
            y - metrics.height() / 2,
            metrics.horizontalAdvance(text),
            metrics.height(),
        )
        ground = QColor(self._palette.surface)
        ground.setAlpha(_ALPHA)
        self._painter.fillRect(box.adjusted(-2, 1, 2, -1), ground)
        self._painter.setPen(QColor(self._palette.outline))
        self._painter.drawLine(QPointF(x, y), QPointF(x + 4, y))
        self._painter.setPen(QColor(self._palette.text))
        self._painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_name(self, scale: Scale, x: float, color: str) -> None:
        font = QFont(self._font)
        font.setWeight(QFont.Weight.DemiBold)
        self._painter.setFont(font)
        metrics = QFontMetricsF(font)
        text = elided(metrics, scale.axis.label, _NAME_WIDTH)
        width = metrics.horizontalAdvance(text) + 2
        left = max(min(x - width / 2, self._right - width), 0.0)
        top = self._area.top() - metrics.height() - SPACE.s
        self._painter.setPen(QColor(color))
        self._painter.drawText(
            QRectF(left, top, width, metrics.height()), Qt.AlignmentFlag.AlignCenter, text
        )
