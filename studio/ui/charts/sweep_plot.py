"""A plot with a dot for every trial: zoom, the trial under the pointer, the chosen one."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent

from studio.engine.sweeps.objectives import OBJECTIVES
from studio.ui.charts.axes import CountAxis, Levels, NumberAxis
from studio.ui.charts.sweep_data import Floats, SweepAxis
from studio.ui.charts.sweep_dots import DotCanvas, DotKind, Dots
from studio.ui.charts.sweep_text import has_unit, is_share, value_text
from studio.ui.charts.zoom_box import ZoomBox
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import chart_color, mix

PLAIN, BEST = 0, 1
"""Kinds of dots."""
_REACH = 9.0
"""Pixels from a dot within which it is pointed at."""
_MARGIN = 0.06
_FEW_VALUES, _APART = 6, 0.1
"""So many values of a field are written at its axis, if they are so far apart, as a share."""
_FEW = 1000
"""Up to so many, dots are large."""
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Down: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: 1,
}


class _ValueAxis(NumberAxis):
    """An axis of numbers that writes bytes, seconds and weights as people do."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._data: SweepAxis | None = None

    def show_axis(self, data: SweepAxis) -> None:
        """Take scale, ticks and units from here."""
        self._data = data
        self.set_percent(percent=is_share(data))
        self.setLogMode(x=data.is_log, y=data.is_log)
        ticks = data.ticks or _few_ticks(data)
        self.setTicks([list(ticks)] if ticks else None)

    def tickValues(self, low: float, high: float, size: float) -> Levels:
        """Ticks with numbers alone: nine lines between two of them cost more than all dots."""
        return super().tickValues(low, high, size)[:1]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """With units where the values have some."""
        data = self._data
        if data is None or not has_unit(data):
            return super().tickStrings(values, scale, spacing)
        return [value_text(data, data.raw(value)) for value in values]


class DotPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph ships no types
    """Dots, and a line if there is one.

    Drag to zoom into a part, double click for everything, turn the wheel to zoom. Arrow keys go
    from dot to dot, from left to right; Return chooses.

    Signals:
        pointed: Index of the dot under the pointer or reached by keys, -1 for none; and the
            place on the screen, a `QPoint`.
        chosen: Index of the dot that was clicked.
        hovered: Place of the pointer in the scene, a `QPointF`; None when it has left.
    """

    pointed = Signal(int, object)
    chosen = Signal(int)
    hovered = Signal(object)

    def __init__(self, theme: Theme, *, whole_x: bool = False, on_picture: bool = False) -> None:
        self.zoom_box = ZoomBox()
        self._x_axis = CountAxis() if whole_x else _ValueAxis("bottom")
        self._y_axis = _ValueAxis("left")
        super().__init__(
            viewBox=self.zoom_box, axisItems={"bottom": self._x_axis, "left": self._y_axis}
        )
        self._theme = theme
        self._on_picture = on_picture
        self._dots = Dots()
        self._under: int | None = None
        self._bounds = (0.0, 1.0, 0.0, 1.0)
        # Every item is kept: PySide deletes what only the scene refers to.
        self.canvas = DotCanvas(self.zoom_box)
        self._ring = pg.ScatterPlotItem(size=12, brush=None)
        self._ring.setZValue(2)
        self.addItem(self._ring, ignoreBounds=True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.getPlotItem().hideButtons()
        for side in ("top", "right"):  # hidden, and yet named anew in every frame
            self.getAxis(side).enableAutoSIPrefix(False)
        self.zoom_box.disableAutoRange()
        self.scene().sigMouseMoved.connect(self._pointer_moved)
        self.scene().sigMouseClicked.connect(self._clicked)
        self.recolor()

    def show_dots(self, dots: Dots, x: SweepAxis | str, y: SweepAxis) -> None:
        """Show dots whose places are as plotted; axes give names, ticks and scales.

        The view stays where the user zoomed as long as the axes are the same.
        """
        self._dots = dots
        self._under = None
        self._ring.setData([], [])
        if isinstance(x, SweepAxis):
            if isinstance(self._x_axis, _ValueAxis):
                self._x_axis.show_axis(x)
            x = x.label
        self._y_axis.show_axis(y)
        names = (x, y.label)
        stays = names == self.names() and self._is_zoomed()
        self._bounds = _bounds(dots)
        if names != self.names():
            self._x_axis.setLabel(names[0])
            self._y_axis.setLabel(names[1])
        self._show_dots()
        if not stays:
            self.show_all()

    def names(self) -> tuple[str, str]:
        """Names of the axes, x first."""
        return self._x_axis.labelText, self._y_axis.labelText

    def show_all(self) -> None:
        """See every dot again."""
        left, right, low, high = self._bounds
        self.zoom_box.setRange(xRange=(left, right), yRange=(low, high), padding=0)

    def dots(self) -> Dots:
        """What is shown."""
        return self._dots

    def under(self) -> int | None:
        """Index of the dot that is pointed at."""
        return self._under

    def place_of(self, index: int) -> QPointF:
        """Where a dot is in the widget, in pixels."""
        x, y = self.canvas.places()
        place = self.canvas.mapToScene(QPointF(x[index], y[index]))
        return QPointF(self.mapFromScene(place))

    def recolor(self) -> None:
        """Use the colors of the theme as it is now."""
        palette = self._theme.palette
        self.setBackground(palette.surface)
        for axis in (self._x_axis, self._y_axis):
            axis.setPen(pg.mkPen(palette.border))
            axis.setTextPen(pg.mkPen(palette.muted))
            axis.setStyle(
                tickLength=-4, tickTextOffset=6, maxTickLevel=0, hideOverlappingLabels=False
            )
        self.showGrid(x=False, y=True, alpha=0.5)
        rubber = QColor(palette.accent)
        self.zoom_box.rbScaleBox.setPen(pg.mkPen(rubber))
        rubber.setAlpha(40)
        self.zoom_box.rbScaleBox.setBrush(pg.mkBrush(rubber))
        self._ring.setPen(pg.mkPen(palette.text, width=2))
        self._show_dots()

    def _show_dots(self) -> None:
        line = QColor(chart_color(3, dark=self._theme.is_dark))
        self.canvas.show_dots(self._dots, self._looks(), line)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Two clicks ask for everything again."""
        super().mouseDoubleClickEvent(event)
        self.show_all()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer any more."""
        super().leaveEvent(event)
        self._point_at(None)
        self.hovered.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys go from dot to dot, Return chooses."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._under is not None:
            self.chosen.emit(self._under)
        elif key in _STEPS and len(self._dots.x):
            self._point_at(self._next(_STEPS[key]))
        else:
            super().keyPressEvent(event)

    def _next(self, step: int) -> int:
        there = np.flatnonzero(np.isfinite(self._dots.x))
        order = there[np.lexsort((self._dots.y[there], self._dots.x[there]))]
        if self._under is None or not len(order):
            return int(order[0 if step > 0 else -1]) if len(order) else 0
        at = int(np.flatnonzero(order == self._under)[0]) + step
        return int(order[min(max(at, 0), len(order) - 1)])

    def _looks(self) -> tuple[DotKind, DotKind]:
        palette, dark = self._theme.palette, self._theme.is_dark
        few = len(self._dots.x) <= _FEW
        if self._on_picture:
            ground, ink = QColor(palette.surface), QColor(palette.text)
            best = QColor(chart_color(3, dark=dark))
            return DotKind(ink, 6.0 if few else 2.0, ground if few else None), DotKind(
                best, 9.0, ground
            )
        plain = QColor(mix(palette.surface, chart_color(0, dark=dark), 0.8 if few else 0.6))
        best = QColor(chart_color(3, dark=dark))
        return DotKind(plain, 6.0 if few else 3.0), DotKind(best, 9.0 if few else 7.0)

    def _is_zoomed(self) -> bool:
        (left, right), (low, high) = self.zoom_box.viewRange()
        return not np.allclose((left, right, low, high), self._bounds)

    def _nearest(self, place: QPointF) -> int | None:
        inside = self.zoom_box.sceneBoundingRect().contains(place)
        if not inside or not len(self._dots.x):
            return None
        spot = self.canvas.mapFromScene(place)
        x, y = self.canvas.places()
        far = np.hypot(x - spot.x(), y - spot.y())
        # Of dots on top of each other the best one is seen.
        far = np.where(np.isfinite(far), far - (self._dots.kinds == BEST), math.inf)
        index = int(far.argmin())
        return index if far[index] <= _REACH else None

    def _pointer_moved(self, place: QPointF) -> None:
        self._point_at(self._nearest(place))
        self.hovered.emit(place)

    def _clicked(self, event: Any) -> None:  # noqa: ANN401 - untyped
        index = self._nearest(event.scenePos())
        if event.button() == Qt.MouseButton.LeftButton and index is not None:
            self.chosen.emit(index)

    def _point_at(self, index: int | None) -> None:
        if index == self._under:
            return
        self._under = index
        if index is None:
            self._ring.setData([], [])
            self.pointed.emit(-1, self.mapToGlobal(self.rect().center()))
            return
        self._ring.setData([self._dots.x[index]], [self._dots.y[index]])
        self.pointed.emit(index, self.mapToGlobal(self.place_of(index).toPoint()))


def kinds_of(best: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Kinds of dots: the best, and all others."""
    return np.where(best, BEST, PLAIN).astype(np.intp)


def _few_ticks(axis: SweepAxis) -> list[tuple[float, str]]:
    """The values of a field, where they are few and far enough from each other to be written."""
    places = np.unique(axis.plotted()[np.isfinite(axis.values)]).tolist()
    if axis.name in OBJECTIVES or not 1 < len(places) <= _FEW_VALUES:
        return []
    least = (places[-1] - places[0]) * _APART
    if any(after - before < least for before, after in itertools.pairwise(places)):
        return []
    return [(at, value_text(axis, float(f"{axis.raw(at):.12g}"))) for at in places]


def _bounds(dots: Dots) -> tuple[float, float, float, float]:
    return *_span(dots.x), *_span(np.concatenate([dots.y, dots.line_y]))


def _span(values: Floats) -> tuple[float, float]:
    there = values[np.isfinite(values)]
    if not len(there):
        return 0.0, 1.0
    low, high = float(there.min()), float(there.max())
    margin = (high - low) * _MARGIN or max(abs(low) * _MARGIN, 0.5)
    return low - margin, high + margin
