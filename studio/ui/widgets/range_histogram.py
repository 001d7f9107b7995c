"""A histogram with a range whose ends can be dragged, or typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import RADIUS, SPACE
from studio.ui.widgets.inputs import DoubleSpinBox
from studio.ui.widgets.layout import hbox, text_label, vbox
from studio.ui.widgets.painting import PaintedWidget
from studio.ui.widgets.tips import explain

_HEIGHT: Final = 72
_WIDTH: Final = 240
_GRIP: Final = 5.0
"""Half of the width of a handle, in pixels."""
_TEXT: Final = 0.4
"""Part of the color of texts in the color of bars."""
_LEAST: Final = 0.002
"""Smallest distance of the ends, as a fraction of the limits."""
_STEPS: Final = 256
"""Steps of a field from one limit to the other."""


class RangeHistogram(PaintedWidget):
    """Bars of a histogram, with the ends of a range over them.

    The mouse drags the nearer end. Fields beside it do the same with the keyboard.

    Signals:
        range_changed: The lower and the upper end, while they are dragged.
    """

    range_changed = Signal(float, float)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._counts: Sequence[int] = ()
        self._limits = (0.0, 1.0)
        self._range = (0.0, 1.0)
        self._color = ""
        self._is_low_dragged: bool | None = None
        self.setMinimumSize(QSize(_WIDTH // 2, _HEIGHT))
        self.setFixedHeight(_HEIGHT)
        self.setCursor(Qt.CursorShape.SizeHorCursor)

    def sizeHint(self) -> QSize:
        """Return the usual size."""
        return QSize(_WIDTH, _HEIGHT)

    def show_histogram(
        self, counts: Sequence[int], limits: tuple[float, float], color: str = ""
    ) -> None:
        """Show other bars.

        Args:
            counts: Height of each bar.
            limits: Value at the left and at the right edge.
            color: Color of the bars as "#rrggbb"; empty for that of texts.
        """
        self._counts, self._limits, self._color = counts, limits, color
        self.update()

    def set_range(self, low: float, high: float) -> None:
        """Move the ends.

        Args:
            low: Value of the lower end.
            high: Value of the upper end.
        """
        self._range = (low, high)
        self.update()

    def range(self) -> tuple[float, float]:
        """Return the values of the ends."""
        return self._range

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the nearer end."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position().x()
        low, high = (self._x(end) for end in self._range)
        self._is_low_dragged = abs(at - low) < abs(at - high) or (low == high and at < low)
        self._drag(at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the end that was taken."""
        if self._is_low_dragged is not None:
            self._drag(event.position().x())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Let the end go."""
        self._is_low_dragged = None

    def _drag(self, x: float) -> None:
        first, last = self._limits
        inside = self._inside()
        value = first + (x - inside.left()) / max(1.0, inside.width()) * (last - first)
        value = min(last, max(first, value))
        low, high = self._range
        least = (last - first) * _LEAST
        if self._is_low_dragged:
            low = min(value, high - least)
        else:
            high = max(value, low + least)
        self.set_range(low, high)
        self.range_changed.emit(low, high)

    # Painting

    def paint(self, painter: QPainter) -> None:
        """Paint the bars, the range and its ends."""
        palette = self._theme.palette
        inside = self._inside()
        painter.setPen(QPen(QColor(palette.border), 1))
        painter.setBrush(QColor(palette.surface))
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, RADIUS.control, RADIUS.control)
        self._paint_bars(painter, inside)
        low, high = (self._x(end) for end in self._range)
        shade = QColor(palette.ground)
        shade.setAlphaF(0.7)
        painter.fillRect(QRectF(inside.topLeft(), QPointF(low, inside.bottom())), shade)
        painter.fillRect(QRectF(QPointF(high, inside.top()), inside.bottomRight()), shade)
        for x in (low, high):
            self._paint_end(painter, x, inside)

    def _paint_bars(self, painter: QPainter, inside: QRectF) -> None:
        tallest = max(self._counts, default=0)
        if not tallest:
            return
        palette = self._theme.palette
        color = _mixed(QColor(self._color or palette.muted), QColor(palette.text))
        painter.setPen(Qt.PenStyle.NoPen)
        width = inside.width() / len(self._counts)
        for at, amount in enumerate(self._counts):
            if amount:
                # A root shows rare values beside a large dark background.
                height = max(1.0, (amount / tallest) ** 0.5 * inside.height())
                left = inside.left() + at * width
                bar = QRectF(left, inside.bottom() - height, width, height)
                painter.fillRect(bar, color)

    def _paint_end(self, painter: QPainter, x: float, inside: QRectF) -> None:
        accent = QColor(self._theme.palette.accent)
        painter.setPen(QPen(accent, 2))
        painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        top = inside.top()
        corners = [QPointF(x - _GRIP, top), QPointF(x + _GRIP, top), QPointF(x, top + 2 * _GRIP)]
        painter.drawPolygon(QPolygonF(corners))

    def _inside(self) -> QRectF:
        return QRectF(self.rect()).adjusted(SPACE.s, SPACE.xs, -SPACE.s, -SPACE.xs)

    def _x(self, value: float) -> float:
        """Return the position of a value; values beyond the limits stand at the edge."""
        first, last = self._limits
        inside = self._inside()
        at = (min(last, max(first, value)) - first) / max(1e-300, last - first)
        return inside.left() + at * inside.width()


def _mixed(color: QColor, text: QColor) -> QColor:
    """Return the color of bars that are seen on any ground: white on white, or blue on black."""
    own, other = 1 - _TEXT, _TEXT
    return QColor(
        round(own * color.red() + other * text.red()),
        round(own * color.green() + other * text.green()),
        round(own * color.blue() + other * text.blue()),
    )


class RangeEditor(QWidget):
    """A histogram over two fields with the ends of its range.

    Args:
        theme: Colors of the histogram.
        low: Name of the lower end, and its explanation.
        high: The same of the upper end.
        parent: Owner.

    Attributes:
        histogram: The histogram.
        low: Field of the lower end.
        high: Field of the upper end.

    Signals:
        range_changed: The lower and the upper end, when one is dragged or typed.
    """

    range_changed = Signal(float, float)

    def __init__(
        self,
        theme: Theme,
        low: tuple[str, str],
        high: tuple[str, str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._is_whole = False
        self.histogram = RangeHistogram(theme, self)
        self.low, self.high = self._field(*low), self._field(*high)
        ends = [text_label(name, "muted", self) for name, _ in (low, high)]
        fields = hbox(ends[0], (self.low, 1), ends[1], (self.high, 1), spacing=SPACE.s)
        vbox(self.histogram, fields, owner=self, spacing=SPACE.s, margins=0)
        self.histogram.range_changed.connect(self.choose)
        self.low.valueChanged.connect(self._on_low)
        self.high.valueChanged.connect(self._on_high)

    def show_values(
        self,
        counts: Sequence[int],
        limits: tuple[float, float],
        ends: tuple[float, float],
        *,
        is_whole: bool,
        color: str = "",
    ) -> None:
        """Show other values and another range, without a signal.

        Args:
            counts: Height of each bar.
            limits: Value at the left and at the right edge of the histogram.
            ends: Lower and upper end of the range.
            is_whole: True for whole numbers.
            color: Color of the bars as "#rrggbb"; empty for that of texts.
        """
        (first, last), self._is_whole = limits, is_whole
        self.histogram.show_histogram(counts, limits, color)
        self.histogram.set_range(*ends)
        span = last - first
        for field, value in zip((self.low, self.high), ends, strict=True):
            with QSignalBlocker(field):
                field.setDecimals(0 if is_whole else _decimals(span))
                field.setRange(first - span, last + span)
                field.setSingleStep(max(1, round(span / _STEPS)) if is_whole else span / _STEPS)
                field.setValue(value)

    def choose(self, low: float, high: float) -> None:
        """Emit a range, of whole numbers if the values are.

        Args:
            low: Lower end.
            high: Upper end.
        """
        if self._is_whole:
            low = float(round(low))
            high = max(low + 1, float(round(high)))
        self.range_changed.emit(low, high)

    # The other end keeps all its decimals, of which its field shows some.

    def _on_low(self, low: float) -> None:
        _, high = self.histogram.range()
        if low < high:
            self.range_changed.emit(low, high)

    def _on_high(self, high: float) -> None:
        low, _ = self.histogram.range()
        if low < high:
            self.range_changed.emit(low, high)

    def _field(self, name: str, tip: str) -> DoubleSpinBox:
        field = DoubleSpinBox(self)
        field.setAccessibleName(name)
        field.setKeyboardTracking(False)
        explain(field, tip)
        return field


def _decimals(span: float) -> int:
    """Return as many decimals as show a thousandth of a range."""
    decimals = 3
    while span < 1 and decimals < 9:
        span, decimals = span * 10, decimals + 1
    return decimals
