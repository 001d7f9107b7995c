"""Charts without axes: sparkline and histogram."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QSizePolicy, QStyleOptionViewItem, QWidget

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, chart_color
from studio.ui.widgets.figures import axis_number, count, percent, significant
from studio.ui.widgets.painting import PaintedWidget

Row = TypeVar("Row")
_CELL_POINTS = 60


def sparkline_path(values: Sequence[float], area: QRectF) -> QPainterPath:
    """Return a curve that fills an area: evenly spaced values, gaps where not finite.

    Args:
        values: The values.
        area: Rectangle to fill.
    """
    path = QPainterPath()
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return path
    low, high = min(finite), max(finite)
    step = area.width() / max(1, len(values) - 1)
    pen_down = False
    for index, value in enumerate(values):
        if not math.isfinite(value):
            pen_down = False
            continue
        share = (value - low) / (high - low) if high > low else 0.5
        point = QPointF(area.left() + index * step, area.bottom() - share * area.height())
        if pen_down:
            path.lineTo(point)
        else:
            path.moveTo(point)
        pen_down = True
    return path


def curve_painter(
    theme: Theme, curve_of: Callable[[Row], Sequence[float]], widest: float = math.inf
) -> Callable[[QPainter, QStyleOptionViewItem, Row], None]:
    """Return what paints a sparkline into a cell, in the first color of charts.

    Args:
        theme: The theme.
        curve_of: Returns the values of a row; NaN is a gap.
        widest: Greatest width in pixels.
    """

    def paint(painter: QPainter, option: QStyleOptionViewItem, row: Row) -> None:
        area = QRectF(option.rect).adjusted(SPACE.s, SPACE.s, -SPACE.s, -SPACE.s)
        area.setWidth(min(area.width(), widest))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(chart_color(0, dark=theme.is_dark)), 1.5))
        painter.drawPath(sparkline_path(curve_of(row), area))

    return paint


def thinned(values: Sequence[float]) -> list[float]:
    """Reduce a curve to about as many points as a cell of a table has pixels."""
    step = max(1, math.ceil(len(values) / _CELL_POINTS))
    return [*values[:-1:step], values[-1]] if values else []


def curve_words(values: Sequence[float], epochs: int, *, is_share: bool) -> str:
    """Return the description of a curve for screen readers; empty if it has no value.

    Args:
        values: Values by epoch; some epochs may have none.
        epochs: Number of epochs.
        is_share: True if the values are fractions, written in percent.
    """
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return ""
    first, last = (
        percent(value) if is_share else significant(value) for value in (finite[0], finite[-1])
    )
    if epochs < 2:
        return QCoreApplication.translate("figures", "{value} after one epoch").format(value=last)
    pattern = QCoreApplication.translate("figures", "from {first} to {last} over {count} epochs")
    return pattern.format(first=first, last=last, count=count(epochs))


class Sparkline(PaintedWidget):
    """Line without axes, with a dot at its last value."""

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, color_index: int = 0
    ) -> None:
        super().__init__(theme, parent)
        self._color_index = color_index
        self._values: list[float] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._describe()

    def set_values(self, values: Sequence[float]) -> None:
        """Show other values, oldest first."""
        self._values = list(values)
        self._describe()
        self.update()

    def values(self) -> list[float]:
        """Return the shown values."""
        return list(self._values)

    def sizeHint(self) -> QSize:
        """Return the height of a line of text."""
        return QSize(96, 24)

    def paint(self, painter: QPainter) -> None:
        """Paint the line and the dot."""
        color = QColor(chart_color(self._color_index, dark=self._theme.is_dark))
        path = sparkline_path(self._values, QRectF(self.rect()).adjusted(2, 3, -4, -3))
        painter.setPen(QPen(color, 1.5))
        painter.drawPath(path)
        if not path.isEmpty() or path.elementCount() == 1:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawEllipse(path.currentPosition(), 2.5, 2.5)

    def _describe(self) -> None:
        self.setAccessibleName(self.tr("Curve"))
        finite = [value for value in self._values if math.isfinite(value)]
        if finite:
            text = self.tr("from {first} to {last}").format(
                first=significant(finite[0]), last=significant(finite[-1])
            )
            self.setAccessibleDescription(text)


_BARS = 44
_GAP = 1.0


class Histogram(PaintedWidget):
    """Bars over a range, with the ends of the range below."""

    is_smooth = False

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._counts: tuple[int, ...] = ()
        self._ends = (0.0, 0.0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Histogram"))

    def show_counts(self, counts: Sequence[int], low: float, high: float) -> None:
        """Show a histogram.

        Args:
            counts: Number of values in each bin; bins are equally wide.
            low: Start of the first bin.
            high: End of the last bin.
        """
        self._counts, self._ends = tuple(counts), (low, high)
        most = max(self._counts, default=0)
        self.setAccessibleDescription(
            self.tr("{total} values from {low} to {high}; the largest bin has {most}").format(
                total=count(sum(self._counts)),
                low=axis_number(low),
                high=axis_number(high),
                most=count(most),
            )
        )
        self.setToolTip(self.accessibleDescription())
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of bars and text."""
        return QSize(160, _BARS + self.fontMetrics().height() + 2)

    def paint(self, painter: QPainter) -> None:
        """Paint the bars and the ends of the range."""
        area = QRectF(0, 0, self.width(), _BARS)
        most = max(self._counts, default=0)
        wide = area.width() / max(1, len(self._counts))
        painter.fillRect(
            QRectF(0, area.bottom() - 1, area.width(), 1), self._theme.color("border")
        )
        for at, number in enumerate(self._counts):
            if number:
                # Show even the smallest bin.
                tall = max(1.0, number / most * area.height())
                bar = QRectF(at * wide, area.bottom() - tall, max(1.0, wide - _GAP), tall)
                painter.fillRect(bar, self._theme.color("accent"))
        painter.setPen(self._theme.color("muted"))
        line = QRectF(0, area.bottom() + 2, self.width(), self.fontMetrics().height())
        for value, side in zip(
            self._ends, (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight), strict=True
        ):
            painter.drawText(line, int(side), axis_number(value))
