"""Curves of a chart, and the plot that paints them at a cost that depends only on pixels."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLocale, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from studio.ui.charts.plot import CountAxis, NumberAxis, Plot, PlotPicture, draw_segments
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
    """Curves in a view box.

    They are stored as an image, so that moving the pointer over it costs nothing. While the view
    moves over lines that are too long to be stroked, columns are twice as wide.
    """

    def __init__(self, theme: Theme, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._theme = theme
        self._curves: Sequence[Curve] = ()
        self._axes = Axes()
        self._is_heavy = self._is_moving = self._is_coarse = False
        self._rest = Debounce(_REST_MS, self._settle, self)
        self.setZValue(-1)

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
        window = window or self._window(self.boundingRect().size().toSize())
        lines = list(self._lines())
        traces = traces_of([series for _, series, _, _ in lines], window)
        return [
            Stroke(curve.key, series, trace, color, width, curve.dashed)
            for (curve, series, color, width), trace in zip(lines, traces, strict=True)
        ]

    def _window(self, size: QSize) -> Window:
        (left, right), (low, high) = self.box.viewRange()
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

    Signals:
        hovered: x under the pointer; NaN when it has left.
        follow_changed: True if the view follows the data.
        zoomed: Start and end of the visible range of x that the user chose.
    """

    hovered = Signal(float)
    follow_changed = Signal(bool)
    zoomed = Signal(float, float)

    def __init__(
        self, theme: Theme, *, percent: bool, whole_x: bool, parent: QWidget | None = None
    ) -> None:
        self._y_axis = NumberAxis(percent=percent)
        x_axis = CountAxis() if whole_x else NumberAxis("bottom")
        super().__init__(theme, x_axis, self._y_axis, parent=parent)
        self._percent, self._whole_x = percent, whole_x
        self._marked: float | None = None
        self._mark_text = ""
        self.scale = Axes()
        self.follows = True
        # Keep references to items: PySide deletes those that only the scene refers to.
        self.canvas = CurveCanvas(theme, self.zoom_box)
        self._line = pg.InfiniteLine(angle=90, movable=False)
        self._mark = pg.InfiniteLine(
            angle=90,
            movable=False,
            label="",
            labelOpts={
                "position": _mark_height(rises=percent),
                "anchors": [(-0.06, 0.5), (1.06, 0.5)],
            },
        )
        for line in (self._line, self._mark):
            line.setVisible(False)
            line.setZValue(3)
            self.addItem(line, ignoreBounds=True)
        self._shades: list[pg.LinearRegionItem] = []
        self._intervals: Intervals = ()
        self.zoom_box.sigRangeChangedManually.connect(self._zoomed)
        self.zoom_box.sigRangeChanged.connect(self._moved)
        self.pointer_moved.connect(self._on_pointer)
        self.recolor()

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
        self._percent = percent
        self._y_axis.set_percent(percent=percent)
        self._mark.label.setPosition(_mark_height(rises=rises))

    def set_axes(self, scale: Axes) -> None:
        """Use linear or logarithmic axes."""
        self.scale = scale
        for axis, log in zip(self._axes, (scale.log_x, scale.log_y), strict=True):
            axis.setLogMode(x=log, y=log)
        self.show_mark(self._marked, self._mark_text)
        self.show_intervals(self._intervals)
        self.recolor()

    def x_range(self) -> tuple[float, float]:
        """Return the visible range of x."""
        left, right = self.zoom_box.viewRange()[0]
        return self._value_x(left), self._value_x(right)

    def show_x(self, left: float, right: float) -> None:
        """Zoom to a range of x; y is unchanged.

        Args:
            left: Lower end.
            right: Upper end.
        """
        self.set_follows(follows=False)
        positions = self._plotted_x(left), self._plotted_x(right)
        if all(math.isfinite(position) for position in positions):
            self.zoom_box.setXRange(*positions, padding=0)

    def draw(self, curves: Iterable[Curve]) -> None:
        """Draw the curves."""
        shown = list(curves)
        if self.follows:
            self._fit(shown)
        self.canvas.show_curves(shown, self.scale)
        # Otherwise the mark moves while it is painted, and everything is painted a second time.
        self.scene().prepareForPaint()

    def show_line(self, x: float | None) -> None:
        """Draw the line under the pointer, or remove it."""
        self._move_line(self._line, x)

    def show_mark(self, x: float | None, text: str = "") -> None:
        """Mark an x value.

        Args:
            x: The value; None to remove the mark.
            text: Text next to it.
        """
        self._marked = x
        self._mark_text = text
        # First show the label: a hidden one takes no text.
        self._move_line(self._mark, x)
        self._mark.label.setFormat(text.replace("{", "{{").replace("}", "}}"))

    def show_intervals(self, intervals: Intervals) -> None:
        """Shade intervals of x; none removes the shades."""
        self._intervals = intervals
        while len(self._shades) < len(intervals):
            shade = pg.LinearRegionItem(movable=False)
            shade.setZValue(-2)  # under the curves
            self.addItem(shade, ignoreBounds=True)
            self._shades.append(shade)
        for shade in self._shades:
            shade.setVisible(False)
        for shade, interval in zip(self._shades, intervals, strict=False):
            # A logarithmic axis has no zero to begin at.
            shade.setRegion([self._plotted_x(max(x, _LEAST_X)) for x in interval])
            shade.setVisible(True)
        self._color_shades()

    def recolor(self) -> None:
        """Use the current colors of the theme."""
        super().recolor()
        palette = self._theme.palette
        self._line.setPen(pg.mkPen(palette.muted, width=1))
        self._mark.setPen(pg.mkPen(palette.good, width=1, style=Qt.PenStyle.DashLine))
        self._mark.label.setColor(QColor(palette.good))
        self._mark.label.fill = pg.mkBrush(palette.surface)
        self._color_shades()
        self.canvas.redraw()

    def _color_shades(self) -> None:
        fill = QColor(self._theme.palette.warn)
        fill.setAlpha(_SHADE)
        for shade in self._shades:
            shade.setBrush(pg.mkBrush(fill))
            for line in shade.lines:
                line.setPen(pg.mkPen(None))

    def _move_line(self, line: pg.InfiniteLine, x: float | None) -> None:
        position = -math.inf if x is None else self._plotted_x(x)
        line.setVisible(math.isfinite(position))
        if math.isfinite(position):
            line.setPos(position)

    def _fit(self, curves: list[Curve]) -> None:
        box = bounds_of(curves, self.scale)
        if box is None:
            self.zoom_box.setRange(xRange=(0, 1), yRange=(0, 1), padding=0)
            return
        if self._whole_x and not self.scale.log_x:
            box = box.over_whole_x()
        if self._percent and not self.scale.log_y:
            box = box.of_fractions()
        box = box.padded()
        self.zoom_box.setRange(xRange=(box.left, box.right), yRange=(box.low, box.high), padding=0)

    def _moved(self, *_: object) -> None:
        # Following the data is not a movement by the user.
        if not self.follows:
            self.canvas.move()

    def _zoomed(self, _mask: object) -> None:
        self.set_follows(follows=False)
        self.zoomed.emit(*self.x_range())

    def _plotted_x(self, x: float) -> float:
        """Return the position of an x value on the axis."""
        if not self.scale.log_x:
            return x
        return math.log10(x) if x > 0 else -math.inf

    def _value_x(self, position: float) -> float:
        """Return the x value at a position on the axis."""
        return float(10.0 ** min(max(position, -300.0), 300.0)) if self.scale.log_x else position

    def _on_pointer(self, position: QPointF | None) -> None:
        if position is None:
            self.hovered.emit(math.nan)
        else:
            self.hovered.emit(self._value_x(float(self.zoom_box.mapSceneToView(position).x())))


def _mark_height(*, rises: bool) -> float:
    """Return the relative height of a label above or below the curve late in training."""
    return 0.08 if rises else 0.92
