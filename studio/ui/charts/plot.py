"""Plots on pyqtgraph with the axes, zoom and colors of charts: base, curves, points."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QWidget

from studio.ui.charts.axes import Axis, CountAxis, NumberAxis
from studio.ui.charts.canvas import ZoomBox
from studio.ui.charts.curves import Curve, CurveCanvas, bounds_of
from studio.ui.charts.dots import DotCanvas, Dots, DotStyle
from studio.ui.charts.series import Array
from studio.ui.charts.trace import Axes
from studio.ui.theme.theme import Theme

Intervals = Sequence[tuple[float, float]]
"""Start and end of each interval of x."""
SHADE = 30
"""Opacity of a shaded interval, of 255."""
LEAST_X = 1e-9
_REACH = 9.0
"""Distance in pixels within which the pointer is at a dot."""
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Down: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: 1,
}


class Plot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph ships no types
    """Plot that is zoomed by dragging and by the wheel.

    Signals:
        pointer_moved: Scene position of the pointer, a `QPointF`; None when it leaves.
        double_clicked: The user wants to see everything again.
    """

    pointer_moved = Signal(object)
    double_clicked = Signal()

    def __init__(
        self,
        theme: Theme,
        x_axis: Axis,
        y_axis: Axis,
        box: ZoomBox | None = None,
        parent: QWidget | None = None,
    ) -> None:
        self.zoom_box = box or ZoomBox()
        super().__init__(
            parent, viewBox=self.zoom_box, axisItems={"bottom": x_axis, "left": y_axis}
        )
        self._theme = theme
        self._axes = (x_axis, y_axis)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.getPlotItem().hideButtons()
        for side in ("top", "right"):  # hidden, and yet named again in every frame
            self.getAxis(side).enableAutoSIPrefix(False)
        self.zoom_box.disableAutoRange()
        self.scene().sigMouseMoved.connect(self._on_moved)

    def recolor(self) -> None:
        """Use the current colors of the theme."""
        palette = self._theme.palette
        self.setBackground(palette.surface)
        for axis in self._axes:
            axis.setPen(pg.mkPen(palette.border))
            axis.setTextPen(pg.mkPen(palette.muted))
            # Ticks between the numbers cost more to paint than the curves and add nothing, except
            # between powers of ten.
            finest = 2 if axis.logMode and axis.has_fine_ticks else 0
            axis.setStyle(tickLength=-4, tickTextOffset=6, maxTickLevel=finest)
        self.showGrid(x=False, y=True, alpha=0.5)
        rubber = QColor(palette.accent)
        self.zoom_box.rbScaleBox.setPen(pg.mkPen(rubber))
        rubber.setAlpha(40)
        self.zoom_box.rbScaleBox.setBrush(pg.mkBrush(rubber))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Ask for everything again."""
        super().mouseDoubleClickEvent(event)
        self.double_clicked.emit()

    def leaveEvent(self, event: QEvent) -> None:
        """Report that nothing is under the pointer."""
        super().leaveEvent(event)
        self.pointer_moved.emit(None)

    def _on_moved(self, position: QPointF) -> None:
        inside = self.zoom_box.sceneBoundingRect().contains(position)
        self.pointer_moved.emit(position if inside else None)


class LinePlot(Plot):
    """Plot of curves that follows their growth until the user zooms.

    Signals:
        hovered: The x under the pointer, NaN when it has left.
        follow_changed: True if the view follows the data.
        zoomed: The user chose the visible range of x: start and end.
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
        self._follows = True
        # Every item is kept: PySide deletes what only the scene refers to.
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

    @property
    def follows(self) -> bool:
        """True while the view follows the data."""
        return self._follows

    def set_follows(self, *, follows: bool) -> None:
        """Follow the data again, or stay."""
        if follows != self._follows:
            self._follows = follows
            self.follow_changed.emit(follows)

    def set_percent(self, *, percent: bool, rises: bool) -> None:
        """Show other values from now on.

        Args:
            percent: True for fractions between 0 and 1, shown in percent.
            rises: True for values that grow while a network learns.
        """
        self._percent = percent
        self._y_axis.set_percent(percent=percent)
        self._mark.label.setPosition(_mark_height(rises=rises))

    def set_axes(self, scale: Axes) -> None:
        """Plot powers of ten, or plain values, along each axis."""
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
        """Show this range of x, as if the user had zoomed there; y stays."""
        self.set_follows(follows=False)
        positions = self._plotted_x(left), self._plotted_x(right)
        if all(math.isfinite(position) for position in positions):
            self.zoom_box.setXRange(*positions, padding=0)

    def draw(self, curves: Iterable[Curve]) -> None:
        """Update what is drawn from the curves."""
        shown = list(curves)
        if self._follows:
            self._fit(shown)
        self.canvas.show_curves(shown, self.scale)
        # Otherwise the mark finds out while it is painted that it has to move, and all is painted
        # a second time.
        self.scene().prepareForPaint()

    def show_line(self, x: float | None) -> None:
        """Draw the line under the pointer, or remove it."""
        self._place(self._line, x)

    def show_mark(self, x: float | None, text: str = "") -> None:
        """Mark an x value, with a text beside it, or remove the mark."""
        self._marked = x
        self._mark_text = text
        # In this order: a label that is not visible takes no text.
        self._place(self._mark, x)
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
            shade.setRegion([self._plotted_x(max(x, LEAST_X)) for x in interval])
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
        fill.setAlpha(SHADE)
        for shade in self._shades:
            shade.setBrush(pg.mkBrush(fill))
            for line in shade.lines:
                line.setPen(pg.mkPen(None))

    def _place(self, line: pg.InfiniteLine, x: float | None) -> None:
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
            box = box.of_shares()
        box = box.padded()
        self.zoom_box.setRange(xRange=(box.left, box.right), yRange=(box.low, box.high), padding=0)

    def _moved(self, *_: object) -> None:
        # What follows the data moves by itself, and need not be quick.
        if not self._follows:
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


class PointPlot(Plot):
    """Plot of dots, and of a line if there is one.

    Arrow keys go from dot to dot, from left to right; Return chooses.

    Signals:
        pointed: Index of the dot under the pointer or reached by keys, -1 for none; and its
            position on the screen, a `QPoint`.
        chosen: Index of the dot that was clicked.
        zoomed: True if the user shows only a part.
    """

    pointed = Signal(int, object)
    chosen = Signal(int)
    zoomed = Signal(bool)

    def __init__(
        self, theme: Theme, x_axis: Axis, y_axis: Axis, box: ZoomBox | None = None
    ) -> None:
        super().__init__(theme, x_axis, y_axis, box)
        self._dots = Dots()
        self._under: int | None = None
        self._bounds = (0.0, 1.0, 0.0, 1.0)
        # Every item is kept: PySide deletes what only the scene refers to.
        self.canvas = DotCanvas(self.zoom_box)
        self._ring = pg.ScatterPlotItem(size=13, brush=None)
        self._ring.setZValue(2)
        self.addItem(self._ring, ignoreBounds=True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.pointer_moved.connect(self._on_pointer)
        self.scene().sigMouseClicked.connect(self._clicked)
        self.double_clicked.connect(self.show_all)
        self.zoom_box.sigRangeChanged.connect(self._on_range)

    def set_dots(
        self,
        dots: Dots,
        bounds: tuple[float, float, float, float],
        *,
        stays: bool = False,
    ) -> None:
        """Show other dots.

        Args:
            dots: The dots, in plotted numbers.
            bounds: Visible range of everything: left, right, low, high.
            stays: True to keep the view if the user has zoomed.
        """
        stays = stays and self.is_zoomed()
        self._dots, self._bounds = dots, bounds
        self.point_at(None)
        self.recolor()
        if not stays:
            self.show_all()

    def styles(self) -> tuple[Sequence[DotStyle], QPen]:
        """Return the style of every kind of dot, and the pen of the line."""
        raise NotImplementedError

    def reachable(self) -> Array:
        """Return an extra distance for each dot, (n,): infinite if it cannot be pointed at."""
        return np.zeros(len(self._dots.x))

    def recolor(self) -> None:
        """Use the current colors of the theme."""
        super().recolor()
        self._ring.setPen(pg.mkPen(self._theme.palette.text, width=2))
        self.canvas.show_dots(self._dots, *self.styles())

    def show_all(self) -> None:
        """Show every dot again."""
        left, right, low, high = self._bounds
        self.zoom_box.setRange(xRange=(left, right), yRange=(low, high), padding=0)
        self.zoomed.emit(False)

    def is_zoomed(self) -> bool:
        """Return True if the user shows only a part."""
        (left, right), (low, high) = self.zoom_box.viewRange()
        return not np.allclose((left, right, low, high), self._bounds)

    def dots(self) -> Dots:
        """Return what is shown."""
        return self._dots

    def under(self) -> int | None:
        """Return the index of the dot that is pointed at."""
        return self._under

    def position_of(self, index: int) -> QPointF:
        """Return the position of a dot in the widget, in pixels."""
        x, y = self.canvas.positions()
        position = self.canvas.mapToScene(QPointF(x[index], y[index]))
        return QPointF(self.mapFromScene(position))

    def nearest(self, position: QPointF | None) -> int | None:
        """Return the index of the dot at a scene position."""
        if position is None or not len(self._dots.x):
            return None
        if not self.zoom_box.sceneBoundingRect().contains(position):
            return None
        at = self.canvas.mapFromScene(position)
        x, y = self.canvas.positions()
        far = np.hypot(x - at.x(), y - at.y()) + self.reachable()
        index = int(np.where(np.isnan(far), np.inf, far).argmin())
        return index if far[index] <= _REACH else None

    def point_at(self, index: int | None) -> None:
        """Put a ring around a dot, or remove it."""
        if index == self._under:
            return
        self._under = index
        if index is None:
            self._ring.setData([], [])
            self.pointed.emit(-1, self.mapToGlobal(self.rect().center()))
            return
        self._ring.setData([self._dots.x[index]], [self._dots.y[index]])
        self.pointed.emit(index, self.mapToGlobal(self.position_of(index).toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from dot to dot with arrow keys, choose with Return."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._under is not None:
            self.chosen.emit(self._under)
        elif key in _STEPS and len(self._dots.x):
            self.point_at(self._next(_STEPS[key]))
        else:
            super().keyPressEvent(event)

    def _next(self, step: int) -> int:
        there = np.flatnonzero(np.isfinite(self._dots.x) & np.isfinite(self.reachable()))
        order = there[np.lexsort((self._dots.y[there], self._dots.x[there]))]
        if self._under is None or not len(order):
            return int(order[0 if step > 0 else -1]) if len(order) else 0
        at = int(np.flatnonzero(order == self._under)[0]) + step
        return int(order[min(max(at, 0), len(order) - 1)])

    def _on_range(self, *_: object) -> None:
        self.zoomed.emit(self.is_zoomed())

    def _on_pointer(self, position: QPointF | None) -> None:
        self.point_at(self.nearest(position))

    def _clicked(self, event: Any) -> None:  # noqa: ANN401 - untyped
        index = self.nearest(event.scenePos())
        is_click = event.button() == Qt.MouseButton.LeftButton and not event.double()
        if is_click and index is not None:
            self.chosen.emit(index)


def bounds_around(x: Array, y: Array, margin: float) -> tuple[float, float, float, float]:
    """Return left, right, low and high around points.

    Args:
        x: Positions, (n,).
        y: Positions, (m,).
        margin: Share of the range that is added on each side.
    """
    return *_span(x, margin), *_span(y, margin)


def _span(values: Array, margin: float) -> tuple[float, float]:
    there = values[np.isfinite(values)]
    if not len(there):
        return 0.0, 1.0
    low, high = float(there.min()), float(there.max())
    room = (high - low) * margin or max(abs(low) * margin, 0.5)
    return low - room, high + room


def _mark_height(*, rises: bool) -> float:
    """Return the height, 0 to 1, at which a loss or accuracy leaves space late in training."""
    return 0.08 if rises else 0.92
