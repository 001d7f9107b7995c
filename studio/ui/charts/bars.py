"""Horizontal bars with names and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, chart_color
from studio.ui.widgets.labels import elided

_ROW = 34.0
_BAR = 18.0
_MOST_NAME = 220.0


class BarPlot(QWidget):
    """One bar for each name; the first is as long as there is space.

    Args:
        theme: Colors.
        text: Formats the value beside a bar.
    """

    def __init__(
        self, theme: Theme, text: Callable[[float], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text = text
        self._bars: list[tuple[str, float]] = []
        theme.changed.connect(self.update)

    def show_bars(self, bars: Sequence[tuple[str, float]]) -> None:
        """Show names and values, the largest first."""
        self._bars = list(bars)
        self.update()

    def bars(self) -> list[tuple[str, float]]:
        """Return what is shown."""
        return list(self._bars)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint names, bars and values."""
        if not self._bars:
            return
        palette = self._theme.palette
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(palette.surface))
        metrics = QFontMetricsF(painter.font())
        names = max(metrics.horizontalAdvance(name) for name, _ in self._bars)
        left = SPACE.m + min(names, _MOST_NAME) + SPACE.m
        widest = max(metrics.horizontalAdvance(self._text(value)) for _, value in self._bars)
        room = max(1.0, self.width() - left - widest - 2 * SPACE.m)
        longest = self._bars[0][1] or 1.0
        row = min(_ROW, (self.height() - 2 * SPACE.m) / len(self._bars))
        color = QColor(chart_color(0, dark=self._theme.is_dark))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for place, (name, value) in enumerate(self._bars):
            top = SPACE.m + place * row
            painter.setPen(QColor(palette.text))
            text = elided(metrics, name, _MOST_NAME)
            painter.drawText(QRectF(0, top, left - SPACE.m, row), right, text)
            height = min(_BAR, row - 2)
            bar = QRectF(left, top + (row - height) / 2, room * value / longest, height)
            painter.fillRect(bar, color)
            painter.setPen(QColor(palette.muted))
            beside = QRectF(bar.right() + SPACE.s, top, widest + SPACE.m, row)
            painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter, self._text(value))
        painter.end()
