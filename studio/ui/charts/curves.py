"""Curves of a chart and the canvas that paints them, at a cost that depends on pixels alone."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyqtgraph as pg
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QPointF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from studio.ui.charts.canvas import PlotPicture
from studio.ui.charts.series import Series, Smoother, nearest_index
from studio.ui.charts.trace import (
    DASH,
    DASH_EVERY,
    DOT,
    Axes,
    Columns,
    Layer,
    Points,
    Segments,
    Window,
    columns_of,
    dashes_of,
    gapped,
    pictures_of,
    segments_of,
    traces_of,
)
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import FAINT, chart_color, mix


@dataclass(slots=True)
class Curve:
    """Data and looks of a curve.

    Attributes:
        key: Its stable name.
        name: What the legend calls it.
        color_index: Which of the chart colors.
        dashed: Validation is dashed, training solid.
        faint: Drawn lightly, behind the others.
        visible: Switched on in the legend.
        weight: By how much it is smoothed; 0 is not at all.
        series: The points as they were given.
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
        """Replace all points; x ascends."""
        self.series = Series(x, y)
        self._smoother = None

    def append(self, x: float, y: float) -> None:
        """Add a point at the end."""
        self.series.append(x, y)

    def extend(self, x: Iterable[float], y: Iterable[float]) -> None:
        """Add points at the end."""
        self.series.extend(x, y)

    def smoothed(self) -> Series:
        """Return the points, smoothed as far as `smooth_on` has come; with weight 0 the points."""
        if self.weight <= 0:
            return self.series
        if self._smoother is None or self._smoother.weight != self.weight:
            self._smoother, self._smoothed = Smoother(self.weight), Series()
        return self._smoothed

    def smooth_on(self, most: int) -> int:
        """Smooth at most so many points more; returns how many are left to do."""
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
        """Return the point nearest to x, as x and (smoothed) y; None for none or a gap."""
        place = nearest_index(self.series.x, x)
        smoothed = self.smoothed()
        if not 0 <= place < len(smoothed):
            return None
        value = float(smoothed.y[place])
        return (float(self.series.x[place]), value) if math.isfinite(value) else None


_AROUND = 0.05
"""Of a single share, shown above and below it."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest box around some points, in the coordinates of the plot."""

    left: float
    right: float
    low: float
    high: float

    def over_whole_x(self) -> Bounds:
        """Return bounds at least one whole epoch wide, from a whole number on."""
        if self.right - self.left >= 1:
            return self
        left = max(0.0, float(math.ceil(self.left) - 1))
        return Bounds(left, max(left + 1, self.right), self.low, self.high)

    def of_shares(self) -> Bounds:
        """Return a single value between 0 and 1 with the percentages around it."""
        if self.high > self.low:
            return self
        low, high = max(0.0, self.low - _AROUND), min(1.0, self.high + _AROUND)
        return Bounds(self.left, self.right, min(low, self.low), max(high, self.high))

    def padded(self) -> Bounds:
        """Return bounds with some space around, and never empty."""
        width, height = self.right - self.left, self.high - self.low
        side = width * 0.02 if width > 0 else 0.5
        air = height * 0.06 if height > 0 else abs(self.high) * 0.05 or 1.0
        return Bounds(self.left - side, self.right + side, self.low - air, self.high + air)


def bounds_of(curves: Iterable[Curve], axes: Axes) -> Bounds | None:
    """Return the box around all visible curves; None where nothing is to be seen.

    What is smoothed lies inside of what it was made from. Takes no longer for a longer curve.
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
"""How much of its color a line has that is not in front: the raw one behind what is smoothed, and
one of single steps when it is smoothed."""
_MOST_STROKED = 60_000
"""Pixels of line that are stroked in a frame; a painter takes 50 to 90 ns for each."""
_MOST_WIDE = 600
"""Segments from which on a line is thin: pieces two pixels wide take twice as long."""
_COARSE = 2
_REST_MS = 150
"""Pixels that a column is wide while a heavy picture moves, and how long it rests before it is
drawn with every column again. No point is left out of a wide column either."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line that is to be drawn: what of it is in view, and how it looks."""

    key: str
    series: Series
    trace: Points | Columns
    color: QColor
    width: float
    dashed: bool


class CurveCanvas(PlotPicture):
    """The curves in the window of a view box.

    Whatever is drawn is kept as a picture, so that a pointer that moves over it costs nothing.
    While the view moves over lines that are too long to be stroked, columns are twice as wide.
    """

    def __init__(self, theme: Theme, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._theme = theme
        self._curves: Sequence[Curve] = ()
        self._axes = Axes()
        self._is_heavy = self._is_moving = self._is_coarse = False
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._settle)
        self.setZValue(-1)

    def show_curves(self, curves: Sequence[Curve], axes: Axes) -> None:
        """Draw these curves from the next frame on."""
        self._curves, self._axes = curves, axes
        self.redraw()

    def move(self) -> None:
        """Somebody moves the view: the next frames have to come in time."""
        self._is_moving = True
        self._rest.start()

    def _settle(self) -> None:
        self._is_moving = False
        if self._is_coarse:
            self.redraw()

    def strokes(self, window: Window | None = None) -> list[Stroke]:
        """Return what is drawn from back to front, in pixels of a window; this one by default."""
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
        """Every line with its color and width: what is behind first."""
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
        """Return all lines; with half the columns while the view moves over long ones."""
        self._is_coarse = self._is_moving and self._is_heavy
        coarse = _COARSE if self._is_coarse else 1
        window = self._window(QSize(size.width() // coarse, size.height()))
        image = self.sheet(QSize(window.width, window.height))
        image.fill(Qt.GlobalColor.transparent)
        stroked, pictured = _shared_out(self.strokes(window))
        # Coarse frames do not count: they are lighter, and the next one would not be coarse.
        self._is_heavy = bool(pictured) or self._is_coarse
        layers = _layers(pictured, window, ratio)
        painter = QPainter(image)
        for picture in pictures_of(layers, window.width, window.height):
            painter.drawImage(0, 0, picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for stroke in stroked:
            _draw(painter, stroke, ratio)
        painter.end()
        return image

    def paint_vectors(self, painter: QPainter) -> None:
        """Paint every line as pieces of a path."""
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
    """Kept: every frame asks for the same ones. Nobody changes them."""
    return QColor(mix(surface, color, share))


def _is_front(curve: Curve) -> bool:
    return not curve.faint


def _shared_out(strokes: Sequence[Stroke]) -> tuple[list[Stroke], list[Stroke]]:
    """Those that are stroked, and those that are too long for it, both from back to front.

    What is in front comes first; a picture lies behind all that is stroked.
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


def _layers(strokes: Sequence[Stroke], window: Window, ratio: float) -> list[Layer]:
    single = [stroke for stroke in strokes if isinstance(stroke.trace, Points)]
    made = iter(columns_of([stroke.series for stroke in single], window))
    layers = []
    for stroke in strokes:
        columns = next(made) if isinstance(stroke.trace, Points) else stroke.trace
        if stroke.dashed:
            columns = gapped(columns, ratio)
        layers.append(Layer(columns, stroke.color, stroke.width * ratio))
    return layers


def _points(trace: Points | Columns) -> Points:
    return trace.zigzag() if isinstance(trace, Columns) else trace


def _draw(painter: QPainter, stroke: Stroke, ratio: float) -> None:
    """Stroke a line in pieces: Qt takes five times as long for the outline of a wide one."""
    segments = _segments(stroke, ratio)
    pen = QPen(stroke.color, (stroke.width if len(segments) <= _MOST_WIDE else 1.0) * ratio)
    if stroke.dashed:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    lines = PrimitiveArray(QLineF, 4)
    lines.resize(len(segments))
    lines.ndarray()[:] = segments
    painter.drawLines(*lines.drawargs())


def _segments(stroke: Stroke, ratio: float) -> Segments:
    if not stroke.dashed:
        return segments_of(_points(stroke.trace))
    if isinstance(stroke.trace, Columns):
        return segments_of(gapped(stroke.trace, ratio).zigzag())
    return dashes_of(stroke.trace, ratio)


def _runs(points: Points) -> Iterator[QPolygonF]:
    """Return the pieces of a line between its gaps."""
    there = np.isfinite(points.x) & np.isfinite(points.y)
    places = np.flatnonzero(there)
    for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
        if len(run) == 1:
            place = QPointF(points.x[run[0]], points.y[run[0]])
            yield QPolygonF([place - QPointF(DOT, 0), place + QPointF(DOT, 0)])
        elif len(run):
            yield QPolygonF([QPointF(points.x[at], points.y[at]) for at in run.tolist()])
