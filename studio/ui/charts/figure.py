"""Small chart of finished data: lines, dots and bands.

Painted without pyqtgraph and NumPy, so that pages with only such charts open without loading them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.charts.chart import Chart, lines_text
from studio.ui.charts.header import Tools
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import FAINT, SPACE, chart_color, mix
from studio.ui.widgets.figures import axis_number, percent, significant
from studio.ui.widgets.painting import PaintedWidget, caption_font
from studio.ui.widgets.speech import announce

if TYPE_CHECKING:
    from studio.ui.charts.table import DataTable

Point = tuple[float, float]
_DOT = 4.0
_TICKS = 4
_DIGITS = (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 8), tuple(at / 10 for at in range(10, 100))
"""First digits of the ticks of a short logarithmic scale; the latter where the former are few."""
_BAND_ALPHA = 46
_REACH = 14.0
"""Distance in pixels within which the pointer is at a point."""
_CLICK = 4.0
"""A shorter drag, in pixels, is a click."""
_SUPERSCRIPTS = str.maketrans(
    "-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
)


_ALMOST = 1 - 1e-9


def round_step(least: float, firsts: Sequence[float] = (1.0, 2.0, 5.0)) -> float:
    """Return the smallest round step that is not below a number.

    Args:
        least: The number, above 0.
        firsts: Steps from 1 to below 10.
    """
    power = 10.0 ** math.floor(math.log10(least))
    return next((first for first in firsts if first * power >= least * _ALMOST), 10.0) * power


@dataclass(frozen=True, slots=True)
class AxisScale:
    """Range of an axis.

    Attributes:
        label: Name of the values; empty for none.
        low: First end; may be the larger one.
        high: Last end.
        percent: True for fractions, written in percent.
        log: True for a logarithmic scale; both ends are positive.
        whole: True for whole numbers: no ticks between them.
    """

    label: str
    low: float
    high: float
    percent: bool = False
    log: bool = False
    whole: bool = False

    def share(self, value: float) -> float:
        """Return the position of a value, 0 at the first end and 1 at the last; NaN for none."""
        low, high = self._plotted(self.low), self._plotted(self.high)
        return (self._plotted(value) - low) / ((high - low) or 1.0)

    def value(self, share: float) -> float:
        """Return the value at a position."""
        low, high = self._plotted(self.low), self._plotted(self.high)
        at = low + share * (high - low)
        return float(10.0**at) if self.log else at

    def ticks(self) -> list[float]:
        """Return the values of the ticks: evenly spaced ones, powers of ten or round numbers."""
        if self.log:
            ends = sorted((math.log10(self.low), math.log10(self.high)))
            powers = range(math.ceil(ends[0] - 1e-9), math.floor(ends[1] + 1e-9) + 1)
            if len(powers) > 1:
                step = math.ceil(len(powers) / (_TICKS + 2))
                return [10.0**power for power in powers if power % step == 0]
            return _round_numbers(10 ** ends[0], 10 ** ends[1])
        if self.whole:
            step = max(1, math.ceil((self.high - self.low) / _TICKS))
            return [float(at) for at in range(round(self.low), math.floor(self.high) + 1, step)]
        return [self.value(at / _TICKS) for at in range(_TICKS + 1)]

    def tick_text(self, value: float) -> str:
        """Format a value for the axis."""
        if self.percent:
            is_whole = abs(value * 100 - round(value * 100)) < 1e-6
            return percent(value, 0 if is_whole else 1)
        power = math.log10(value) if self.log and value > 0 else 0.5
        if power and abs(power - round(power)) < 1e-9:
            return "10" + str(round(power)).translate(_SUPERSCRIPTS)
        return axis_number(value)

    def text(self, value: float) -> str:
        """Format a value for the line above the chart."""
        return percent(value) if self.percent else significant(value, 3)

    def _plotted(self, value: float) -> float:
        if not self.log:
            return value
        return math.log10(value) if value > 0 else math.nan


def _round_numbers(low: float, high: float) -> list[float]:
    """Return some round numbers of a range of less than two powers of ten, and else its ends."""
    first = math.floor(math.log10(low))
    powers = [10.0**power for power in (first, first + 1, first + 2)]
    for digits in _DIGITS:
        found = [digit * power for power in powers for digit in digits]
        inside = [each for each in found if low * (1 - 1e-9) <= each <= high * (1 + 1e-9)]
        if len(inside) > 1:
            return inside
    return [low, high]


FRACTIONS = AxisScale("", 0.0, 1.0, percent=True)


@dataclass(frozen=True, slots=True)
class FigureLine:
    """Line, or dots.

    Attributes:
        name: Name in the legend; empty for none.
        points: Points (x, y), in the order in which they are joined.
        color_index: Index of the chart color; None for the muted color of a guide.
        dashed: True for a dashed line.
        dots: True if each point is marked and can be clicked.
        joined: False for dots alone.
        band: Lower and upper bound of each point, or nothing.
        faint: True for a line behind the others.
        color: Color of its class as "#rrggbb", instead of a chart color.
    """

    name: str
    points: Sequence[Point]
    color_index: int | None = 0
    dashed: bool = False
    dots: bool = False
    joined: bool = True
    band: Sequence[Point] = ()
    faint: bool = False
    color: str = ""


DIAGONAL = FigureLine("", ((0.0, 0.0), (1.0, 1.0)), None, dashed=True)


@dataclass(frozen=True, slots=True)
class Figure:
    """Content of a chart."""

    title: str
    across: AxisScale
    up: AxisScale
    lines: Sequence[FigureLine]

    def data_lines(self) -> list[FigureLine]:
        """Return all lines except guides."""
        return [line for line in self.lines if line.color_index is not None]


class FigureChart(Chart):
    """Chart of a `Figure`; the header shows the point next to the pointer.

    Drag to zoom into a part; double click shows everything. With the focus, Left and Right go
    along a line, Up and Down to another one, and Return chooses the point.

    Attributes:
        mark: The marked x value.

    Signals:
        point_chosen: A point with a dot was clicked: indices of the line and of the point.
        place_chosen: A position in the plot was clicked; carries its x value.
    """

    point_chosen = Signal(int, int)
    position_chosen = Signal(float)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        tools = Tools.COMPACT | Tools.ZOOM | Tools.LOG_X | Tools.LOG_Y
        super().__init__(theme, "", tools, parent)
        self.figure = Figure("", FRACTIONS, FRACTIONS, ())
        self._log = False, False
        self.mark: float | None = None
        self._mark_text = ""
        self.plot = FigurePlot(theme)
        self.set_plot(self.plot)
        self.follow_zoom(self.plot.zoomed, self.plot.show_all)
        self.legend.switched.connect(self._on_switched)
        self.plot.pointed.connect(self._on_pointed)
        self.plot.clicked.connect(self._on_clicked)
        self.setMinimumSize(200, 170)

    def show_figure(self, figure: Figure) -> None:
        """Show another figure."""
        self.figure = figure
        self.set_title(figure.title)
        self.bar.set_x_label(figure.across.label or "x")
        self.legend.clear()
        for number, line in enumerate(figure.lines):
            if line.name:
                self.legend.entry(str(number)).set_style(
                    line.name,
                    line.color_index,
                    dashed=line.dashed,
                    faint=line.faint,
                    color=line.color,
                )
        self.legend.setVisible(bool(self.legend.keys()))
        self.bar.log_action.setEnabled(_can_be_log(figure, 1))
        self.bar.log_x_action.setEnabled(_can_be_log(figure, 0))
        self.bar.set_read_out("")
        self._show()
        self.update_texts()

    def set_mark(self, across: float | None, text: str = "") -> None:
        """Draw a vertical line.

        Args:
            across: Its x value; None to remove it.
            text: Its text.
        """
        self.mark, self._mark_text = across, text
        label = f"{text}: {self.figure.across.text(across)}" if text and across is not None else ""
        self.plot.set_mark(across, label)
        self.description.write()

    def apply_scales(self, *, log_x: bool, log_y: bool) -> None:
        """Set linear or logarithmic axes; see `Chart.apply_scales`."""
        self._log = log_x, log_y
        self._show()

    def data_table(self) -> DataTable:
        """Return all points except those of guides."""
        import numpy as np  # noqa: PLC0415 - not when the window starts

        from studio.ui.charts.table import DataColumn, DataTable  # noqa: PLC0415

        figure, lines = self.figure, self.figure.data_lines()
        names = [line.name or figure.title for line in lines for _ in line.points]
        points = np.array([each for line in lines for each in line.points]).reshape(-1, 2)
        across, up = figure.across, figure.up
        columns = [
            DataColumn(self.tr("Line"), names, key="line"),
            DataColumn(across.label or "x", points[:, 0], across.text),
            DataColumn(up.label or figure.title, points[:, 1], up.text, up.label or "y"),
        ]
        if any(line.band for line in lines):
            none = (math.nan, math.nan)
            bands = [each for line in lines for each in line.band or [none] * len(line.points)]
            low, high = np.array(bands).reshape(-1, 2).T
            columns.append(DataColumn(self.tr("Lower bound"), low, up.text, "low"))
            columns.append(DataColumn(self.tr("Upper bound"), high, up.text, "high"))
        return DataTable(columns)

    def summary(self) -> str:
        """Describe all lines except guides."""
        from studio.ui.charts.series import Series  # noqa: PLC0415 - NumPy

        figure = self.figure
        lines = [
            (line.name, Series([x for x, _ in line.points], [y for _, y in line.points]))
            for line in figure.data_lines()
        ]
        across, up = figure.across, figure.up
        text = lines_text(up.label or figure.title, across.label, lines, up.text, across.text)
        if self.mark is None or not self._mark_text:
            return text
        return f"{text} {self._mark_text}: {across.text(self.mark)}."

    def sizeHint(self) -> QSize:
        """Return the preferred size."""
        return QSize(320, 260)

    def _show(self) -> None:
        figure = self.figure
        if self._log[0] and _can_be_log(figure, 0):
            figure = dataclasses.replace(figure, across=_as_log(figure, 0))
        if self._log[1] and _can_be_log(figure, 1):
            figure = dataclasses.replace(figure, up=_as_log(figure, 1))
        self.plot.show_figure(figure)

    def _on_switched(self, key: str, shown: bool) -> None:
        self.plot.set_line_visible(int(key), visible=shown)

    def _on_pointed(self, near: tuple[int, int] | None) -> None:
        if near is None:
            self.bar.set_read_out("")
            return
        figure = self.figure
        line = figure.lines[near[0]]
        x, y = line.points[near[1]]
        text = f"{figure.across.text(x)} → {figure.up.text(y)}"
        if line.band:
            low, high = (figure.up.tick_text(each) for each in line.band[near[1]])
            text += f" ({low} – {high})"
        spoken = f"{line.name}: {text}" if line.name else text
        self.bar.set_read_out(spoken)
        if self.plot.hasFocus():
            announce(self.plot, spoken)

    def _on_clicked(self, near: tuple[int, int] | None, across: float) -> None:
        if near is not None and self.figure.lines[near[0]].dots:
            self.point_chosen.emit(*near)
        self.position_chosen.emit(across)


_FAR: Final = 1_000_000
_STEPS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Home: (-_FAR, 0),
    Qt.Key.Key_End: (_FAR, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
"""Points and lines by which a key moves."""


class FigurePlot(PaintedWidget):
    """Paints a `Figure`.

    Signals:
        pointed: Indices of the line and the point under the pointer, or None.
        clicked: The same for a click, and the x value.
        zoomed: True if only a part is shown.
    """

    pointed = Signal(object)
    clicked = Signal(object, float)
    zoomed = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._whole = self._figure = Figure("", FRACTIONS, FRACTIONS, ())
        self._hidden: set[int] = set()
        self._mark: float | None = None
        self._mark_label = ""
        self._near: tuple[int, int] | None = None
        self._drag: QRectF | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_figure(self, figure: Figure) -> None:
        """Show another figure, all of it."""
        self._whole, self._near = figure, None
        self._hidden &= set(range(len(figure.lines)))
        self.show_all()

    def show_all(self) -> None:
        """Show everything again after zooming."""
        self._figure = self._whole
        self.zoomed.emit(False)
        self.update()

    def set_line_visible(self, line: int, *, visible: bool) -> None:
        """Show or hide a line.

        Args:
            line: Index of the line.
            visible: True to show it.
        """
        (self._hidden.discard if visible else self._hidden.add)(line)
        self.update()

    def set_mark(self, across: float | None, label: str = "") -> None:
        """Draw a vertical line.

        Args:
            across: Its x value; None to remove it.
            label: Its label.
        """
        self._mark, self._mark_label = across, label
        self.update()

    def position_of(self, line: int, point: int) -> QPointF:
        """Return the position of a point of a line, in pixels.

        Args:
            line: Index of the line.
            point: Index of the point.
        """
        return self._at(self._area(), self._figure.lines[line].points[point])

    def point_at(self, near: tuple[int, int] | None) -> None:
        """Mark the point under the pointer."""
        if near != self._near:
            self._near = near
            on_dot = near is not None and self._figure.lines[near[0]].dots
            shape = Qt.CursorShape.PointingHandCursor if on_dot else Qt.CursorShape.ArrowCursor
            self.setCursor(shape)
            self.pointed.emit(near)
            self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Point at the first point."""
        super().focusInEvent(event)
        if self._near is None:
            self.point_at(self._stepped(Qt.Key.Key_Home))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Point at nothing."""
        super().focusOutEvent(event)
        self.point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to another point, or choose the present one; see `FigureChart`."""
        key, near = Qt.Key(event.key()), self._near
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and near is not None:
            across, _ = self._figure.lines[near[0]].points[near[1]]
            self.clicked.emit(near, across)
        elif key in _STEPS:
            self.point_at(self._stepped(key))
        else:
            super().keyPressEvent(event)

    def _stepped(self, key: Qt.Key) -> tuple[int, int] | None:
        """Return the point that a key goes to; None without any."""
        lines = self._figure.lines
        shown = [
            number
            for number, line in enumerate(lines)
            if line.color_index is not None and line.points and number not in self._hidden
        ]
        if not shown:
            return None
        along, across = _STEPS[key]
        if self._near is None or self._near[0] not in shown:
            return shown[0], 0
        line = shown[(shown.index(self._near[0]) + across) % len(shown)]
        return line, min(max(self._near[1] + along, 0), len(lines[line].points) - 1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at the nearest point, or mark the rectangle to zoom into."""
        if self._drag is not None:
            self._drag.setBottomRight(event.position())
            self.update()
        else:
            self.point_at(self._nearest(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        super().leaveEvent(event)
        self.point_at(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a zoom."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._drag = QRectF(event.position(), event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose a point, or zoom."""
        drag, self._drag = self._drag, None
        if drag is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self.update()
        drag = drag.normalized().intersected(self._area())
        if drag.width() > _CLICK and drag.height() > _CLICK:
            self._zoom(drag)
            return
        area = self._area()
        share = (event.position().x() - area.left()) / max(1.0, area.width())
        across = self._figure.across.value(min(1.0, max(0.0, share)))
        self.clicked.emit(self._nearest(event.position()), across)

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Show everything again."""
        self.show_all()

    def paint(self, painter: QPainter) -> None:
        """Paint axes, lines, mark and the point under the pointer."""
        painter.setFont(caption_font(self.font()))
        area, theme = self._area(), self._theme
        self._paint_axes(painter, area)
        painter.save()
        painter.setClipRect(area.adjusted(-_DOT, -_DOT, _DOT, _DOT))
        for number, line in enumerate(self._figure.lines):
            if number not in self._hidden:
                self._paint_line(painter, line, area)
        painter.restore()
        if self._mark is not None:
            x = self._at(area, (self._mark, self._figure.up.low)).x()
            color = theme.color("good" if self.isEnabled() else "muted")
            painter.setPen(QPen(color, 1.5, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            metrics = painter.fontMetrics()
            wide = metrics.horizontalAdvance(self._mark_label) + SPACE.xs
            left = x + SPACE.xs if x + wide < area.right() else x - wide
            painter.drawText(QPointF(left, area.top() + metrics.ascent()), self._mark_label)
        if self._near is not None:
            line = self._figure.lines[self._near[0]]
            painter.setPen(QPen(self._color(line), 2))
            painter.setBrush(theme.color("surface"))
            painter.drawEllipse(self._at(area, line.points[self._near[1]]), _DOT + 1, _DOT + 1)
        if self._drag is not None:
            shade = theme.color("accent")
            painter.setPen(shade)
            shade.setAlpha(40)
            painter.setBrush(shade)
            painter.drawRect(self._drag.intersected(area))

    def _zoom(self, part: QRectF) -> None:
        area, figure = self._area(), self._figure
        left, right = ((x - area.left()) / area.width() for x in (part.left(), part.right()))
        low, high = ((area.bottom() - y) / area.height() for y in (part.bottom(), part.top()))
        self._figure = dataclasses.replace(
            figure, across=_part(figure.across, left, right), up=_part(figure.up, low, high)
        )
        self.zoomed.emit(True)

    def _area(self) -> QRectF:
        """Return the rectangle between the axes."""
        figure, metrics = self._figure, QFontMetricsF(caption_font(self.font()))
        line = metrics.height()
        texts = [figure.up.tick_text(value) for value in figure.up.ticks()]
        left = max((metrics.horizontalAdvance(text) for text in texts), default=0) + SPACE.s
        below = line + SPACE.xs + (line if figure.across.label else 0)
        # Half of the last text under the axis extends beyond its end.
        right = self.width() - SPACE.l - SPACE.xs
        return QRectF(QPointF(left, line / 2), QPointF(right, self.height() - below))

    def _at(self, area: QRectF, point: Point) -> QPointF:
        return QPointF(
            area.left() + self._figure.across.share(point[0]) * area.width(),
            area.bottom() - self._figure.up.share(point[1]) * area.height(),
        )

    def _polygon(self, area: QRectF, points: Sequence[Point]) -> QPolygonF:
        found = (self._at(area, each) for each in points)
        return QPolygonF([at for at in found if math.isfinite(at.x()) and math.isfinite(at.y())])

    def _color(self, line: FigureLine) -> QColor:
        if line.color_index is None or not self.isEnabled():
            return self._theme.color("muted")
        color = line.color or chart_color(line.color_index, dark=self._theme.is_dark)
        return QColor(mix(self._theme.palette.surface, color, FAINT) if line.faint else color)

    def _paint_axes(self, painter: QPainter, area: QRectF) -> None:
        figure, theme, height = self._figure, self._theme, painter.fontMetrics().height()
        grid, text_pen = QPen(theme.color("border"), 1), QPen(theme.color("muted"))
        for value in figure.up.ticks():
            y = self._at(area, (figure.across.low, value)).y()
            painter.setPen(grid)
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(text_pen)
            room = QRectF(0, y - height / 2, area.left() - SPACE.xs, height)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight, figure.up.tick_text(value))
        every = 1 if area.width() > 240 else 2
        for value in figure.across.ticks()[::every]:
            x = self._at(area, (value, figure.up.low)).x()
            painter.setPen(grid)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            painter.setPen(text_pen)
            room = QRectF(x - 40, area.bottom() + SPACE.xs, 80, height)
            text = figure.across.tick_text(value)
            painter.drawText(room, Qt.AlignmentFlag.AlignHCenter, text)
        if figure.across.label:
            middle, half = area.center().x(), area.right() - area.center().x() + SPACE.xl
            room = QRectF(middle - half, area.bottom() + SPACE.xs + height, 2 * half, height)
            painter.drawText(room, Qt.AlignmentFlag.AlignHCenter, figure.across.label)

    def _paint_line(self, painter: QPainter, line: FigureLine, area: QRectF) -> None:
        color = self._color(line)
        if line.band:
            xs = [x for x, _ in line.points]
            edges = [(x, low) for x, (low, _) in zip(xs, line.band, strict=True)]
            back = [(x, high) for x, (_, high) in zip(xs, line.band, strict=True)]
            shade = QColor(color)
            shade.setAlpha(_BAND_ALPHA)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(shade)
            painter.drawPolygon(self._polygon(area, (*edges, *reversed(back))))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        pen = QPen(color, 1 if line.color_index is None or line.faint else 2)
        if line.dashed:
            pen.setDashPattern([4, 3])
        painter.setPen(pen)
        if line.joined:
            painter.drawPolyline(self._polygon(area, line.points))
        if line.dots:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            size = _DOT if line.joined else _DOT / 2
            for each in self._polygon(area, line.points).toList():
                painter.drawEllipse(each, size, size)
            painter.setBrush(Qt.BrushStyle.NoBrush)

    def _nearest(self, pointer: QPointF) -> tuple[int, int] | None:
        area = self._area()
        found: tuple[float, tuple[int, int]] | None = None
        for number, line in enumerate(self._figure.lines):
            if line.color_index is None or number in self._hidden:
                continue
            for index, point in enumerate(line.points):
                gap = self._at(area, point) - pointer
                distance = abs(gap.x()) + abs(gap.y())
                if distance <= _REACH and (found is None or distance < found[0]):
                    found = (distance, (number, index))
        return None if found is None else found[1]


def _part(scale: AxisScale, start: float, end: float) -> AxisScale:
    return dataclasses.replace(scale, low=scale.value(start), high=scale.value(end))


def _can_be_log(figure: Figure, axis: int) -> bool:
    """Return True if an axis is linear and has positive values."""
    scale = figure.up if axis else figure.across
    if scale.log:
        return False
    return any(point[axis] > 0 for line in figure.data_lines() for point in line.points)


def _as_log(figure: Figure, axis: int) -> AxisScale:
    """Return the logarithmic axis from the smallest positive value on."""
    scale = figure.up if axis else figure.across
    positive = [p[axis] for line in figure.data_lines() for p in line.points if p[axis] > 0]
    low, high = sorted((scale.low, scale.high))
    ends = (low if low > 0 else min(positive), max(high, *positive))
    first, last = ends if scale.low <= scale.high else ends[::-1]
    return dataclasses.replace(scale, low=first, high=last, log=True)
