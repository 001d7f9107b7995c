"""Small chart of finished data: lines, dots and bands."""

from __future__ import annotations

import bisect
import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from studio.ui.charts.axes import FRACTIONS, AxisScale
from studio.ui.charts.chart import Chart, lines_text
from studio.ui.charts.header import Tools
from studio.ui.charts.plot import Plot, paint_mark
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import FAINT, chart_color, mix
from studio.ui.widgets.speech import announce

if TYPE_CHECKING:
    from studio.ui.charts.table import DataTable

Point = tuple[float, float]
_DOT = 4.0
_BAND_ALPHA = 46
_REACH = 14.0
"""Distance in pixels within which the pointer is at a point."""


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
    along a line, Up and Down to another one, and Return chooses the point; see `Plot`.

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
            low, high = map(figure.up.text, line.band[near[1]])
            text += f" ({low} – {high})"
        spoken = f"{line.name}: {text}" if line.name else text
        self.bar.set_read_out(spoken)
        if self.plot.hasFocus():
            announce(self.plot, spoken)

    def _on_clicked(self, near: tuple[int, int] | None, across: float) -> None:
        if near is not None and self.figure.lines[near[0]].dots:
            self.point_chosen.emit(*near)
        self.position_chosen.emit(across)


class FigurePlot(Plot):
    """Paints a `Figure`.

    Signals:
        pointed: Indices of the line and the point under the pointer, or None.
        clicked: The same for a click, and the x value.
        zoomed: True if only a part is shown.
    """

    wheel_zoom = "with ctrl"

    pointed = Signal(object)
    clicked = Signal(object, float)
    zoomed = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._figure = Figure("", FRACTIONS, FRACTIONS, ())
        self._hidden: set[int] = set()
        self._mark: float | None = None
        self._mark_label = ""
        self._near: tuple[int, int] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.view_chosen.connect(partial(self.zoomed.emit, True))
        self.double_clicked.connect(self.show_all)

    def show_figure(self, figure: Figure) -> None:
        """Show another figure, all of it."""
        self._figure, self._near = figure, None
        self._hidden &= set(range(len(figure.lines)))
        self.show_all()

    def show_all(self) -> None:
        """Show everything again after zooming."""
        self.set_scales(self._figure.across, self._figure.up)
        self.zoomed.emit(False)

    def set_line_visible(self, line: int, *, visible: bool) -> None:
        """Show or hide a line.

        Args:
            line: Index of the line.
            visible: True to show it.
        """
        (self._hidden.discard if visible else self._hidden.add)(line)
        if not visible and self._near is not None and self._near[0] == line:
            self.point_at(None)
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
        return self._at(self._figure.lines[line].points[point])

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
            self.step(0, 0)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Point at nothing."""
        super().focusOutEvent(event)
        self.point_at(None)

    def choose_point(self) -> None:
        """Choose the point under the pointer or reached by keys."""
        if self._near is not None:
            x, _ = self._figure.lines[self._near[0]].points[self._near[1]]
            self.clicked.emit(self._near, x)

    def step(self, along: int, across: int) -> None:
        """Go to another point, the first time to the first one; see `Plot.step`."""
        self.point_at(self._stepped(along, across))

    def _stepped(self, along: int, across: int) -> tuple[int, int] | None:
        shown = {
            number: points
            for number, line in enumerate(self._figure.lines)
            if line.color_index is not None and number not in self._hidden
            if (points := self._painted(line))
        }
        if not shown:
            return None
        numbers = list(shown)
        if self._near is None or self._near[0] not in shown:
            return numbers[0], shown[numbers[0]][0]
        line = numbers[(numbers.index(self._near[0]) + across) % len(numbers)]
        at = bisect.bisect_left(shown[line], self._near[1]) + along
        return line, shown[line][min(max(at, 0), len(shown[line]) - 1)]

    def _painted(self, line: FigureLine) -> list[int]:
        """Return the indices of the points that have a position on the axes."""
        return [index for index, point in enumerate(line.points) if _is_finite(self._at(point))]

    def on_pointer(self, position: QPointF | None) -> None:
        """Point at the nearest point."""
        self.point_at(None if position is None else self._nearest(position))

    def on_click(self, position: QPointF) -> None:
        """Choose the nearest point, and the x value."""
        x, _ = self.plotted_at(position)
        low, high = sorted(self.across.ends)
        across = self.across.raw(min(max(x, low), high))
        self.clicked.emit(self._nearest(position), across)

    def paint_over(self, painter: QPainter, area: QRectF) -> None:
        """Paint lines, mark and the point under the pointer; see `Plot.paint_over`."""
        theme = self._theme
        painter.save()
        painter.setClipRect(area.adjusted(-_DOT, -_DOT, _DOT, _DOT))
        for number, line in enumerate(self._figure.lines):
            if number not in self._hidden:
                self._paint_line(painter, line)
        painter.restore()
        if self._mark is not None:
            color = theme.color("good" if self.isEnabled() else "muted")
            x = self._at((self._mark, self.up.low)).x()
            paint_mark(painter, area, x, color, self._mark_label)
        if self._near is not None:
            line = self._figure.lines[self._near[0]]
            painter.setPen(QPen(self._color(line), 2))
            painter.setBrush(theme.color("surface"))
            painter.drawEllipse(self._at(line.points[self._near[1]]), _DOT + 1, _DOT + 1)

    def _at(self, point: Point) -> QPointF:
        return self.position(self.across.plotted(point[0]), self.up.plotted(point[1]))

    def _polygon(self, points: Sequence[Point]) -> QPolygonF:
        return QPolygonF([at for at in map(self._at, points) if _is_finite(at)])

    def _color(self, line: FigureLine) -> QColor:
        if line.color_index is None or not self.isEnabled():
            return self._theme.color("muted")
        color = line.color or chart_color(line.color_index, dark=self._theme.is_dark)
        return QColor(mix(self._theme.palette.surface, color, FAINT) if line.faint else color)

    def _paint_line(self, painter: QPainter, line: FigureLine) -> None:
        color = self._color(line)
        if line.band:
            xs = [x for x, _ in line.points]
            edges = [(x, low) for x, (low, _) in zip(xs, line.band, strict=True)]
            back = [(x, high) for x, (_, high) in zip(xs, line.band, strict=True)]
            shade = QColor(color)
            shade.setAlpha(_BAND_ALPHA)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(shade)
            painter.drawPolygon(self._polygon((*edges, *reversed(back))))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        pen = QPen(color, 1 if line.color_index is None or line.faint else 2)
        if line.dashed:
            pen.setDashPattern([4, 3])
        painter.setPen(pen)
        if line.joined:
            painter.drawPolyline(self._polygon(line.points))
        if line.dots:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            size = _DOT if line.joined else _DOT / 2
            for each in self._polygon(line.points).toList():
                painter.drawEllipse(each, size, size)
            painter.setBrush(Qt.BrushStyle.NoBrush)

    def _nearest(self, pointer: QPointF) -> tuple[int, int] | None:
        found: tuple[float, tuple[int, int]] | None = None
        for number, line in enumerate(self._figure.lines):
            if line.color_index is None or number in self._hidden:
                continue
            for index, point in enumerate(line.points):
                distance = (self._at(point) - pointer).manhattanLength()
                if distance <= _REACH and (found is None or distance < found[0]):
                    found = (distance, (number, index))
        return None if found is None else found[1]


def _is_finite(position: QPointF) -> bool:
    return math.isfinite(position.x()) and math.isfinite(position.y())


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
