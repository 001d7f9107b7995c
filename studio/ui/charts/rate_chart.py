"""The loss over rising learning rates, small enough for a card; painted without pyqtgraph."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, TYPE, chart_color, mix
from studio.ui.widgets.figures import significant

_HEIGHT = 148
_ROOM_ABOVE = 1.4
"""The loss is shown up to so many times the first: what it is when it explodes says nothing."""


class RateChart(QWidget):
    """Each loss faintly, the smoothed loss, and the suggested rate; rates are powers of ten."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rates: list[float] = []
        self._losses: list[float] = []
        self._smoothed: list[float] = []
        self._mark: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Loss by learning rate"))
        theme.changed.connect(self.update)

    def set_curve(
        self,
        rates: Sequence[float],
        losses: Sequence[float],
        smoothed: Sequence[float],
        mark: float | None,
    ) -> None:
        """Show losses at rising rates, and mark a rate.

        Args:
            rates: Positive, rising.
            losses: One of each rate.
            smoothed: The same, smoothed.
            mark: The suggested rate; None for none.
        """
        self._rates, self._losses, self._smoothed = list(rates), list(losses), list(smoothed)
        self._mark = mark
        self.setAccessibleDescription(self._spoken())
        self.update()

    def mark(self) -> float | None:
        """The rate that is marked."""
        return self._mark

    def sizeHint(self) -> QSize:
        """As wide as there is room."""
        return QSize(240, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Narrow columns have it, too."""
        return QSize(160, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint axis, curves and mark."""
        if len(self._rates) < 2:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = self.font()
        font.setPixelSize(TYPE.caption)
        painter.setFont(font)
        line = QFontMetricsF(font).height()
        area = QRectF(self.rect()).adjusted(SPACE.s, line + SPACE.xs, -SPACE.s, -line - SPACE.xs)
        self._paint_axis(painter, area)
        palette = self._theme.palette
        color = chart_color(0, dark=self._theme.is_dark) if self.isEnabled() else palette.muted
        painter.save()
        painter.setClipRect(area.adjusted(-1, -1, 1, 1))
        painter.setPen(QPen(QColor(mix(palette.surface, color, 0.35)), 1))
        painter.drawPolyline(self._polygon(self._losses, area))
        painter.setPen(QPen(QColor(color), 2))
        painter.drawPolyline(self._polygon(self._smoothed, area))
        painter.restore()
        if self._mark is not None:
            self._paint_mark(painter, area, self._mark)
        painter.end()

    def _paint_axis(self, painter: QPainter, area: QRectF) -> None:
        palette = self._theme.palette
        painter.setPen(QColor(palette.border))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        metrics = QFontMetricsF(painter.font())
        first, last = (math.log10(self._rates[place]) for place in (0, -1))
        powers = range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1)
        width = max(metrics.horizontalAdvance(_power(power)) for power in (*powers, -7))
        each = area.width() / max(last - first, 1e-9)
        step = max(1, math.ceil((width + SPACE.m) / each))
        for power in powers:
            x = self._x(10.0**power, area)
            painter.setPen(QColor(palette.border))
            painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 3))
            if power % step:
                continue
            text = _power(power)
            left = self._within(x, metrics.horizontalAdvance(text))
            painter.setPen(QColor(palette.muted))
            painter.drawText(QPointF(left, area.bottom() + metrics.ascent() + 4), text)

    def _paint_mark(self, painter: QPainter, area: QRectF, rate: float) -> None:
        palette = self._theme.palette
        color = QColor(palette.good if self.isEnabled() else palette.muted)
        x = self._x(rate, area)
        painter.setPen(QPen(color, 1, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        metrics = QFontMetricsF(painter.font())
        text = significant(rate, 2)
        left = self._within(x, metrics.horizontalAdvance(text))
        painter.setPen(color)
        painter.drawText(QPointF(left, area.top() - metrics.descent() - 1), text)

    def _within(self, middle: float, width: float) -> float:
        """Where a text begins that stands around a place, and within the widget."""
        return min(max(middle - width / 2, 0.0), self.width() - width)

    def _x(self, rate: float, area: QRectF) -> float:
        first, last = (math.log10(self._rates[place]) for place in (0, -1))
        return area.left() + (math.log10(rate) - first) / (last - first) * area.width()

    def _polygon(self, values: Sequence[float], area: QRectF) -> QPolygonF:
        low = min(self._smoothed)
        high = max(max(self._smoothed[: max(1, len(self._smoothed) // 10)]) * _ROOM_ABOVE, low)
        span = (high - low) * 1.08 or 1.0
        return QPolygonF(
            [
                QPointF(self._x(rate, area), area.bottom() - (value - low) / span * area.height())
                for rate, value in zip(self._rates, values, strict=True)
            ]
        )

    def _spoken(self) -> str:
        if not self._rates:
            return ""
        text = self.tr("Loss {first} at {low}, lowest {best}").format(
            first=significant(self._smoothed[0]),
            low=significant(self._rates[0], 1),
            best=significant(min(self._smoothed)),
        )
        if self._mark is None:
            return text
        return text + self.tr("; suggested: {rate}").format(rate=significant(self._mark, 2))


_SUPERSCRIPTS = str.maketrans(
    "-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
)


def _power(exponent: int) -> str:
    """A power of ten as people write it."""
    return "1" if exponent == 0 else "10" + str(exponent).translate(_SUPERSCRIPTS)
