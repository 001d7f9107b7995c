"""Curves of a chart, and the plot that paints them at a cost that depends only on pixels."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from PySide6.QtCore import QLocale, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from studio.ui.charts.axes import AxisScale
from studio.ui.charts.plot import Plot, PlotPicture, paint_mark
from studio.ui.charts.primitives import draw_segments
from studio.ui.charts.series import (
    DASH,
    DASH_EVERY,
    DOT,
    Axes,
    Columns,
    Points,
    Segments,
    Series,
    Smoother,
    StyledLine,
    Window,
    columns_of,
    dashes_of,
    gapped,
    nearest_index,
    pictures_of,
    segments_of,
    traces_of,
)
from studio.ui.charts.table import DataColumn, DataTable
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import FAINT, chart_color, mix
from studio.ui.widgets.figures import significant
from studio.ui.widgets.layout import Debounce
from studio.ui.widgets.painting import FocusRing


@dataclass(slots=True)
class Curve:
    """Data and style of a curve.

    Attributes:
        key: Stable key.
        name: Name in the legend.
        color_index: Index of the chart color.
        dashed: True for validation; training is solid.
        faint: True for a line behind the others.
        visible: True if switched on in the legend.
        weight: Weight of the smoothing; 0 for none.
        series: The points as given.
    """

    key: str
    name: str
    color_index: int = 0
    dashed: bool = False
    faint: bool = False
    visible: bool = True
    weight: float = 0.0
    series: Series = field(default_factory=Series)
    _smoother: Smoother | None = None
    _smoothed: Series = field(default_factory=Series)

    def set_data(self, x: Iterable[float], y: Iterable[float]) -> None:
        """Replace all points.

        Args:
            x: Ascending, shape (n,).
            y: Shape (n,); NaN is a gap.
        """
        self.series = Series(x, y)
        self._smoother = None

    def smoothed(self) -> Series:
        """Return the points smoothed so far by `smooth_on`; with weight 0 the points."""
        if self.weight <= 0:
            return self.series
        if self._smoother is None or self._smoother.weight != self.weight:
            self._smoother, self._smoothed = Smoother(self.weight), Series()
        return self._smoothed

    def smooth_on(self, most: int) -> int:
        """Smooth some more points, and return the number of those left."""
        smoothed = self.smoothed()
        if self._smoother is None or smoothed is self.series:
            return 0
        done = len(smoothed)
        stop = min(len(self.series), done + most)
        if done < stop:
            new = self._smoother.feed(self.series.y[done:stop])
            smoothed.extend(self.series.x[done:stop], new)
        return len(self.series) - stop

    def at(self, x: float) -> tuple[float, float] | None:
        """Return the point nearest to x, as x and (smoothed) y; None for a gap or no point."""
        index = nearest_index(self.series.x, x)
        smoothed = self.smoothed()
        if not 0 <= index < len(smoothed):
            return None
        value = float(smoothed.y[index])
        return (float(self.series.x[index]), value) if math.isfinite(value) else None


def position_text(value: float) -> str:
    """Format an x value."""
    return QLocale().toString(value, "g", 8)


def table_of(
    x_label: str, curves: Iterable[Curve], text: Callable[[float], str] = significant
) -> DataTable:
    """Return the raw values of curves side by side, x first.

    Args:
        x_label: Name of x.
        curves: Curves to include.
        text: Formats a y value.
    """
    chosen = list(curves)
    if not chosen:
        return DataTable([DataColumn(x_label, np.empty(0), position_text)])
    all_x = np.unique(np.concatenate([curve.series.x for curve in chosen]))
    columns = [DataColumn(x_label, all_x, position_text)]
    for curve in chosen:
        values = np.full(len(all_x), np.nan)
        values[np.searchsorted(all_x, curve.series.x)] = curve.series.y
        columns.append(DataColumn(curve.name, values, text))
    return DataTable(columns)


_AROUND = 0.05
"""Range shown above and below a single fraction."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounding box of points, in plotted numbers."""

    left: float
    right: float
    low: float
    high: float

    def over_whole_x(self) -> Bounds:
        """Return bounds of at least one epoch, starting at a whole number.

        A single epoch is in the middle, between whole numbers.
        """
        if self.right - self.left >= 1:
            return self
        if self.left == self.right >= 1 and self.left.is_integer():
            return Bounds(self.left - 1, self.left + 1, self.low, self.high)
        left = max(0.0, float(math.ceil(self.left) - 1))
        return Bounds(left, max(left + 1, self.right), self.low, self.high)

    def of_fractions(self) -> Bounds:
        """Return bounds with some percent around a single fraction."""
        if self.high > self.low:
            return self
        low, high = max(0.0, self.low - _AROUND), min(1.0, self.high + _AROUND)
        return Bounds(self.left, self.right, min(low, self.low), max(high, self.high))

    def padded(self) -> Bounds:
        """Return bounds with a margin, never empty."""
        width, height = self.right - self.left, self.high - self.low
        side = width * 0.02 if width > 0 else 0.5
        air = height * 0.06 if height > 0 else abs(self.high) * 0.05 or 1.0
        return Bounds(self.left - side, self.right + side, self.low - air, self.high + air)


def bounds_of(curves: Iterable[Curve], axes: Axes) -> Bounds | None:
    """Return the bounds of all visible curves; None if nothing is visible.

    Smoothed values lie within the raw ones. The time does not depend on the number of points.

    Args:
        curves: The curves.
        axes: Linear or logarithmic axes.
    """
    boxes = [box for curve in curves if curve.visible and (box := _box(curve.series, axes))]
    if not boxes:
        return None
    left, right, low, high = zip(*boxes, strict=True)
    return Bounds(min(left), max(right), min(low), max(high))


def _box(series: Series, axes: Axes) -> tuple[float, float, float, float] | None:
    y, pyramid = series.levels(positive=axes.log_y)
    heights = pyramid.bounds(y)
    x = series.x
    first = int(np.searchsorted(x, 0.0, side="right")) if axes.log_x else 0
    if heights is None or first == len(x):
        return None
    left, right, (low, high) = float(x[first]), float(x[-1]), heights
    if axes.log_x:
        left, right = math.log10(left), math.log10(right)
    if axes.log_y:
        low, high = math.log10(low), math.log10(high)
    return left, right, low, high


_WIDTH = 2.0
_RAW, _SMOOTHED = 0.3, 0.75
"""Strength of the color of the raw line behind a smoothed one, and of a smoothed faint one."""
_MOST_STROKED = 60_000
"""Most pixels of line stroked in a frame; a painter takes 50 to 90 ns for each."""
_MOST_WIDE = 600
"""Most segments of a wide line: two pixels wide take twice as long."""
_COARSE = 2
_REST_MS = 150
"""Width of a column in pixels while a long curve moves, and pause before it is drawn with all
columns again. A wide column contains all its points, too."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """Visible part and style of a line."""

    key: str
    series: Series
    trace: Points | Columns
    color: QColor
    width: float
    dashed: bool


class CurveCanvas(PlotPicture):
    """Curves of a plot.

    They are stored as an image, so that moving the pointer over it costs nothing. While the view
    moves over lines that are too long to be stroked, columns are twice as wide.
    """

    def __init__(self, theme: Theme, plot: Plot) -> None:
        super().__init__(plot)
        self._theme = theme
        self._curves: Sequence[Curve] = ()
        self._axes = Axes()
        self._is_heavy = self._is_moving = self._is_coarse = False
        self._rest = Debounce(_REST_MS, self._settle, plot)

    def show_curves(self, curves: Sequence[Curve], axes: Axes) -> None:
        """Draw curves from the next frame on.

        Args:
            curves: The curves.
            axes: Linear or logarithmic axes.
        """
        self._curves, self._axes = curves, axes
        self.redraw()

    def move(self) -> None:
        """Draw the next frames faster, as the view is moving."""
        self._is_moving = True
        self._rest.start()

    def _settle(self) -> None:
        self._is_moving = False
        if self._is_coarse:
            self.redraw()

    def strokes(self, window: Window | None = None) -> list[Stroke]:
        """Return the strokes from back to front, in pixels of a window, by default this one."""
        window = window or self._window(self.size)
        lines = list(self._lines())
        traces = traces_of([series for _, series, _, _ in lines], window)
        return [
            Stroke(curve.key, series, trace, color, width, curve.dashed)
            for (curve, series, color, width), trace in zip(lines, traces, strict=True)
        ]

    def _window(self, size: QSize) -> Window:
        (left, right), (low, high) = self.plot.view_range()
        width, height = max(1, size.width()), max(1, size.height())
        return Window(left, right, low, high, width, height, self._axes)

    def _lines(self) -> Iterator[tuple[Curve, Series, QColor, float]]:
        """Return each line with its color and width, from back to front."""
        surface, dark = self._theme.palette.surface, self._theme.is_dark
        shown = sorted((each for each in self._curves if each.visible), key=_is_front)
        for curve in shown:
            if curve.weight > 0:
                color = chart_color(curve.color_index, dark=dark)
                yield curve, curve.series, _shade(surface, color, _RAW), 1.0
        for curve in shown:
            color = chart_color(curve.color_index, dark=dark)
            smoothed = curve.weight > 0
            share = 1.0 if not curve.faint else _SMOOTHED if smoothed else FAINT
            width = 1.0 if curve.faint and not smoothed else _WIDTH
            yield curve, curve.smoothed(), _shade(surface, color, share), width

    def drawn(self, size: QSize, ratio: float) -> QImage:
        """Return the image of all lines, with half the columns while long ones are moved.

        Args:
            size: In device pixels.
            ratio: Device pixels per logical pixel.
        """
        self._is_coarse = self._is_moving and self._is_heavy
        coarse = _COARSE if self._is_coarse else 1
        window = self._window(QSize(size.width() // coarse, size.height()))
        image = self.sheet(QSize(window.width, window.height))
        stroked, pictured = _shared_out(self.strokes(window))
        # A coarse frame is cheaper: without this, the next one would not be coarse.
        self._is_heavy = bool(pictured) or self._is_coarse
        layers = _layers(pictured, window, ratio)
        if not layers:
            image.fill(Qt.GlobalColor.transparent)
        pictures = pictures_of(layers, image)
        painter = QPainter(image)
        for picture in pictures[1:]:
            painter.drawImage(0, 0, picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for stroke in stroked:
            _draw(painter, stroke, ratio)
        painter.end()
        return image

    def paint_vectors(self, painter: QPainter) -> None:
        """Paint each line as polylines."""
        for stroke in self.strokes():
            pen = QPen(stroke.color, stroke.width)
            if stroke.dashed:
                pen.setDashPattern([DASH / stroke.width, (DASH_EVERY - DASH) / stroke.width])
                pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            for run in _runs(_points(stroke.trace)):
                painter.drawPolyline(run)


@functools.lru_cache(maxsize=256)
def _shade(surface: str, color: str, share: float) -> QColor:
    """Return a mixed color, cached for the next frames; it must not be changed."""
    return QColor(mix(surface, color, share))


def _is_front(curve: Curve) -> bool:
    return not curve.faint


def _shared_out(strokes: Sequence[Stroke]) -> tuple[list[Stroke], list[Stroke]]:
    """Return the strokes to be painted, and those too long for it, both from back to front.

    Front lines have priority; the image lies behind all painted lines.
    """
    left = float(_MOST_STROKED)
    stroked, pictured = [], []
    for stroke in reversed(strokes):
        if stroke.trace.length <= left:
            left -= stroke.trace.length
            stroked.append(stroke)
        else:
            pictured.append(stroke)
    return stroked[::-1], pictured[::-1]


def _layers(strokes: Sequence[Stroke], window: Window, ratio: float) -> list[StyledLine]:
    single = [stroke for stroke in strokes if isinstance(stroke.trace, Points)]
    made = iter(columns_of([stroke.series for stroke in single], window))
    layers = []
    for stroke in strokes:
        columns = next(made) if isinstance(stroke.trace, Points) else stroke.trace
        if stroke.dashed:
            columns = gapped(columns, ratio)
        layers.append(StyledLine(columns, stroke.color, stroke.width * ratio))
    return layers


def _points(trace: Points | Columns) -> Points:
    return trace.zigzag() if isinstance(trace, Columns) else trace


def _draw(painter: QPainter, stroke: Stroke, ratio: float) -> None:
    """Stroke a line in segments: Qt takes five times as long for a wide polyline."""
    segments = _segments(stroke, ratio)
    pen = QPen(stroke.color, (stroke.width if len(segments) <= _MOST_WIDE else 1.0) * ratio)
    if stroke.dashed:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    draw_segments(painter, segments)


def _segments(stroke: Stroke, ratio: float) -> Segments:
    if not stroke.dashed:
        return segments_of(_points(stroke.trace))
    if isinstance(stroke.trace, Columns):
        return segments_of(gapped(stroke.trace, ratio).zigzag())
    return dashes_of(stroke.trace, ratio)


def _runs(points: Points) -> Iterator[QPolygonF]:
    """Return the parts of a line between its gaps."""
    there = np.isfinite(points.x) & np.isfinite(points.y)
    indices = np.flatnonzero(there)
    for run in np.split(indices, np.flatnonzero(np.diff(indices) > 1) + 1):
        if len(run) == 1:
            point = QPointF(points.x[run[0]], points.y[run[0]])
            yield QPolygonF([point - QPointF(DOT, 0), point + QPointF(DOT, 0)])
        elif len(run):
            yield QPolygonF([QPointF(points.x[at], points.y[at]) for at in run.tolist()])


Intervals = Sequence[tuple[float, float]]
"""Start and end of each interval of x."""
_SHADE = 30
"""Opacity of a shaded interval, of 255."""
_LEAST_X = 1e-9


class LinePlot(Plot):
    """Plot of curves that follows their growth until the user zooms.

    Attributes:
        follows: True while the view follows the data.
        intervals: Shaded intervals of x.

    Signals:
        hovered: x under the pointer or reached by keys; NaN when it has left.
        follow_changed: True if the view follows the data.
        zoomed: Start and end of the visible range of x that the user chose.
    """

    hovered = Signal(float)
    follow_changed = Signal(bool)
    zoomed = Signal(float, float)

    def __init__(
        self, theme: Theme, *, percent: bool, whole_x: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, parent)
        self._percent, self._whole_x, self._rises = percent, whole_x, percent
        self._line: float | None = None
        self._mark: tuple[float | None, str] = (None, "")
        self.intervals: Intervals = ()
        self._shown: Sequence[Curve] = ()
        self.follows = True
        self.canvas = CurveCanvas(theme, self)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.view_chosen.connect(self._on_chosen)
        self.view_changed.connect(self._on_moved)
        self.set_axes(Axes())
        FocusRing(theme, self)

    @property
    def scale(self) -> Axes:
        """Linear or logarithmic axes."""
        return Axes(self.across.log, self.up.log)

    def set_follows(self, *, follows: bool) -> None:
        """Follow the data or stay."""
        if follows != self.follows:
            self.follows = follows
            self.follow_changed.emit(follows)

    def set_percent(self, *, percent: bool, rises: bool) -> None:
        """Set the kind of the values.

        Args:
            percent: True for fractions, shown in percent.
            rises: True for values that increase during training.
        """
        self._percent, self._rises = percent, rises
        self.set_scales(self.across, replace(self.up, percent=percent))

    def set_axes(self, scale: Axes) -> None:
        """Use linear or logarithmic axes."""
        low = 1.0 if scale.log_x else 0.0
        across = AxisScale("", low, 10.0, log=scale.log_x, whole=self._whole_x)
        low = 1.0 if scale.log_y else 0.0
        self.set_scales(across, AxisScale("", low, 10.0, percent=self._percent, log=scale.log_y))

    def x_range(self) -> tuple[float, float]:
        """Return the visible range of x."""
        return self.across.low, self.across.high

    def show_x(self, left: float, right: float) -> None:
        """Zoom to a range of x; y is unchanged.

        Args:
            left: Lower end.
            right: Upper end.
        """
        self.set_follows(follows=False)
        positions = self.across.plotted(left), self.across.plotted(right)
        if all(math.isfinite(position) for position in positions):
            self.set_view(across=positions)

    def draw(self, curves: Iterable[Curve]) -> None:
        """Draw the curves."""
        self._shown = list(curves)
        if self.follows:
            self._fit(self._shown)
        self.canvas.show_curves(self._shown, self.scale)

    def show_line(self, x: float | None) -> None:
        """Draw the line under the pointer, or remove it."""
        if x != self._line:
            for at in (self._line, x):
                self._update_column(at)
            self._line = x

    def show_mark(self, x: float | None, text: str = "") -> None:
        """Mark an x value.

        Args:
            x: The value; None to remove the mark.
            text: Text next to it.
        """
        self._mark = x, text
        self.update()

    def show_intervals(self, intervals: Intervals) -> None:
        """Shade intervals of x; none removes the shades."""
        self.intervals = intervals
        self.update()

    def recolor(self) -> None:
        """Use the current colors of the theme."""
        self.canvas.redraw()

    def mark(self) -> tuple[float, str] | None:
        """Return the position of the mark on the axis and its text; None if there is none."""
        x, text = self._mark
        position = math.nan if x is None else self.across.plotted(x)
        return (position, text) if math.isfinite(position) else None

    def paint_under(self, painter: QPainter, area: QRectF) -> None:
        """Paint the shaded intervals; see `Plot.paint_under`."""
        fill = QColor(self._theme.palette.warn)
        fill.setAlpha(_SHADE)
        for interval in self.intervals:
            # A logarithmic axis has no zero to begin at.
            left, right = (self._x_of(max(x, _LEAST_X)) for x in interval)
            painter.fillRect(QRectF(left, area.top(), right - left, area.height()), fill)

    def paint_over(self, painter: QPainter, area: QRectF) -> None:
        """Paint the line under the pointer and the mark; see `Plot.paint_over`."""
        painter.save()
        painter.setClipRect(area)
        if self._line is not None and math.isfinite(x := self._x_of(self._line)):
            painter.setPen(QPen(self._theme.color("muted"), 1))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        mark = self.mark()
        if mark is not None:
            x = self.position(mark[0], 0.0).x()
            color, label_at = self._theme.color("good"), self._label_height(painter, area)
            paint_mark(painter, area, x, color, mark[1], label_at)
        painter.restore()

    def on_pointer(self, position: QPointF | None) -> None:
        """Report the x value under the pointer."""
        x = math.nan if position is None else self.across.raw(self.plotted_at(position)[0])
        self.hovered.emit(x)

    def step(self, along: int, _across: int) -> None:
        """Go to another point of the first visible curve; see `Plot.step`."""
        curve = next((each for each in self._shown if each.visible and len(each.series)), None)
        if curve is None:
            return
        x = curve.series.x
        index = 0 if self._line is None else nearest_index(x, self._line) + along
        self.hovered.emit(float(x[min(max(index, 0), len(x) - 1)]))

    def _label_height(self, painter: QPainter, area: QRectF) -> float:
        """Return the height of the label, above or below the curve late in training."""
        return area.bottom() - painter.fontMetrics().descent() if self._rises else 0.0

    def _x_of(self, x: float) -> float:
        return self.position(self.across.plotted(x), 0.0).x()

    def _update_column(self, x: float | None) -> None:
        """Paint the column of a line again: the whole plot would take a hundred times as long."""
        if x is not None and math.isfinite(at := self._x_of(x)):
            self.update(round(at) - 3, 0, 6, self.height())

    def _fit(self, curves: Sequence[Curve]) -> None:
        box = bounds_of(curves, self.scale)
        if box is None:
            self.set_view((0.0, 1.0), (0.0, 1.0))
            return
        if self._whole_x and not self.scale.log_x:
            box = box.over_whole_x()
        if self._percent and not self.scale.log_y:
            box = box.of_fractions()
        box = box.padded()
        self.set_view((box.left, box.right), (box.low, box.high))

    def _on_moved(self) -> None:
        # Following the data is not a movement by the user.
        if not self.follows:
            self.canvas.move()

    def _on_chosen(self) -> None:
        self.set_follows(follows=False)
        self.zoomed.emit(*self.x_range())
