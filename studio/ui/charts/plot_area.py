"""The plotted part of a chart: curves, axes, zoom, the line under the pointer, the best mark."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QWidget

from studio.ui.charts.axes import CountAxis, NumberAxis
from studio.ui.charts.curve import Curve, bounds_of, in_window, to_plot
from studio.ui.charts.series import Array
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import chart_color, mix

_WIDTH = 2.0
# Qt strokes a wide line as one outline, which takes 200 ms for a thousand points that go up and
# down. A line of one pixel takes 2 ms, and wide pieces drawn one by one a fifth of the outline.
# Dashes need the outline.
_MOST_WIDE = 300
_MOST_WIDE_DASHES = 60


class ZoomBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph ships no types
    """Left drag marks what to zoom into, middle drag moves; the right button is for the menu."""

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseMode(pg.ViewBox.RectMode)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: ANN401 - untyped
        """Zoom or move, but not with the right button."""
        if event.button() == Qt.MouseButton.RightButton:
            event.ignore()
        else:
            super().mouseDragEvent(event, axis)


class PlotArea(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph ships no types
    """Draws curves; follows their growth until the user zooms.

    Signals:
        hovered: The x under the pointer, NaN when it has left.
        follow_changed: Whether the view follows the data.
        window_changed: Another part is in view, so other points have to be drawn.
        double_clicked: The user wants to see everything again.
    """

    hovered = Signal(float)
    follow_changed = Signal(bool)
    window_changed = Signal()
    double_clicked = Signal()

    def __init__(
        self, theme: Theme, *, percent: bool, whole_x: bool, parent: QWidget | None = None
    ) -> None:
        self.zoom_box = ZoomBox()
        x_axis = CountAxis() if whole_x else NumberAxis("bottom")
        self._y_axis = NumberAxis(percent=percent)
        super().__init__(
            parent, viewBox=self.zoom_box, axisItems={"bottom": x_axis, "left": self._y_axis}
        )
        self._theme = theme
        self._axes = (x_axis, self._y_axis)
        self._percent = percent
        self._log = False
        self._follows = True
        # Every item is kept: PySide deletes what only the scene refers to.
        self._items: dict[str, tuple[pg.PlotCurveItem, pg.PlotCurveItem]] = {}
        self._line = pg.InfiniteLine(angle=90, movable=False)
        self._mark = pg.InfiniteLine(
            angle=90,
            movable=False,
            label="",
            labelOpts={
                # Where a loss, or an accuracy, leaves room late in training.
                "position": 0.08 if percent else 0.92,
                "anchors": [(-0.06, 0.5), (1.06, 0.5)],
            },
        )
        for line in (self._line, self._mark):
            line.setVisible(False)
            line.setZValue(3)
            self.addItem(line, ignoreBounds=True)
        self.setAntialiasing(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.getPlotItem().hideButtons()
        self.zoom_box.disableAutoRange()
        self.zoom_box.sigRangeChangedManually.connect(self._zoomed)
        self.zoom_box.sigXRangeChanged.connect(self._window_moved)
        self.scene().sigMouseMoved.connect(self._pointer_moved)
        self.recolor()

    @property
    def follows(self) -> bool:
        """Whether the view follows the data."""
        return self._follows

    def set_follows(self, *, follows: bool) -> None:
        """Follow the data again, or stay."""
        if follows != self._follows:
            self._follows = follows
            self.follow_changed.emit(follows)

    def set_log(self, *, log: bool) -> None:
        """Plot powers of ten, or plain values."""
        self._log = log
        self._y_axis.setLogMode(y=log)
        self._y_axis.setStyle(maxTickLevel=2 if log else 0)

    def draw(self, curves: Iterable[Curve], weight: float) -> None:
        """Bring what is drawn up to date with the curves, smoothed by a weight."""
        shown = list(curves)
        for key in self._items.keys() - {curve.key for curve in shown}:
            for item in self._items.pop(key):
                self.removeItem(item)
        if self._follows:
            self._fit(shown, weight)
        left, right = self.zoom_box.viewRange()[0]
        pixels = max(1, round(self.zoom_box.width()))
        for curve in shown:
            raw, front = self._items_of(curve)
            raw.setVisible(curve.visible and weight > 0)
            front.setVisible(curve.visible)
            if not curve.visible:
                continue
            x = curve.series.x
            wide = pixels if curve.faint else min(pixels, _MOST_WIDE // 2)
            self._set(front, x, curve.smoothed(weight), (left, right, wide))
            if curve.dashed:
                narrow = len(front.xData) > _MOST_WIDE_DASHES
                self._set_width(front, 1.0 if narrow else _WIDTH)
            if weight > 0:
                self._set(raw, x, curve.series.y, (left, right, pixels))
        # Otherwise the mark finds out while it is painted that it has to move, and all is painted
        # a second time.
        self.scene().prepareForPaint()

    def show_line(self, x: float | None) -> None:
        """Draw the line under the pointer, or take it away."""
        self._line.setVisible(x is not None)
        if x is not None:
            self._line.setPos(x)

    def show_mark(self, x: float | None, text: str = "") -> None:
        """Mark an x value, with a text beside it, or take the mark away."""
        self._mark.setVisible(x is not None)
        self._mark.label.setFormat(text.replace("{", "{{").replace("}", "}}"))
        if x is not None:
            self._mark.setPos(x)

    def recolor(self) -> None:
        """Use the colors of the theme as it is now."""
        palette = self._theme.palette
        self.setBackground(palette.surface)
        for axis in self._axes:
            axis.setPen(pg.mkPen(palette.border))
            axis.setTextPen(pg.mkPen(palette.muted))
            # Ticks between the numbers cost more to paint than the curves, and say nothing, but
            # between powers of ten.
            finest = 2 if self._log and axis is self._y_axis else 0
            axis.setStyle(tickLength=-4, tickTextOffset=6, maxTickLevel=finest)
        self.showGrid(x=False, y=True, alpha=0.5)
        self._line.setPen(pg.mkPen(palette.muted, width=1))
        self._mark.setPen(pg.mkPen(palette.good, width=1, style=Qt.PenStyle.DashLine))
        self._mark.label.setColor(QColor(palette.good))
        self._mark.label.fill = pg.mkBrush(palette.surface)
        rubber = QColor(palette.accent)
        self.zoom_box.rbScaleBox.setPen(pg.mkPen(rubber))
        rubber.setAlpha(40)
        self.zoom_box.rbScaleBox.setBrush(pg.mkBrush(rubber))

    def restyle(self, curves: Iterable[Curve]) -> None:
        """Give all curves the pens of the theme as it is now."""
        for curve in curves:
            if curve.key in self._items:
                self._style(curve, *self._items[curve.key])

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel zooms with Ctrl; without it, it scrolls the page."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
        else:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Two clicks ask for everything again."""
        super().mouseDoubleClickEvent(event)
        self.double_clicked.emit()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer any more."""
        super().leaveEvent(event)
        self.hovered.emit(math.nan)

    def _items_of(self, curve: Curve) -> tuple[pg.PlotCurveItem, pg.PlotCurveItem]:
        if curve.key not in self._items:
            pair = (pg.PlotCurveItem(antialias=True), pg.PlotCurveItem(antialias=True))
            for item in pair:
                self.addItem(item, ignoreBounds=True)
                item.setSegmentedLineMode("auto" if curve.dashed else "on")
            self._items[curve.key] = pair
            self._style(curve, *pair)
        return self._items[curve.key]

    def _style(self, curve: Curve, raw: pg.PlotCurveItem, front: pg.PlotCurveItem) -> None:
        surface = self._theme.palette.surface
        color = chart_color(curve.color_index, dark=self._theme.is_dark)
        front_color = mix(surface, color, 0.4) if curve.faint else color
        style = Qt.PenStyle.CustomDashLine if curve.dashed else Qt.PenStyle.SolidLine
        dash = [4.0, 2.5] if curve.dashed else None
        width = 1.0 if curve.faint else _WIDTH
        front.setPen(pg.mkPen(front_color, width=width, style=style, dash=dash))
        raw.setPen(pg.mkPen(mix(surface, color, 0.3), width=1))
        front.setZValue(1 if curve.faint else 2)
        raw.setZValue(0)

    def _set_width(self, item: pg.PlotCurveItem, width: float) -> None:
        pen = QPen(item.opts["pen"])
        if pen.widthF() != width:
            pen.setWidthF(width)
            item.setPen(pen)

    def _set(
        self, item: pg.PlotCurveItem, x: Array, y: Array, window: tuple[float, float, int]
    ) -> None:
        shown_x, shown_y = in_window(x, to_plot(y, log=self._log), *window)
        # One lonely point has no line; a short dash shows that something is there.
        if len(shown_x) == 1:
            shown_x = np.array([shown_x[0] - 0.04, shown_x[0] + 0.04])
            shown_y = np.repeat(shown_y, 2)
        item.setData(shown_x, shown_y, connect="finite")

    def _fit(self, curves: list[Curve], weight: float) -> None:
        box = bounds_of(curves, weight, log=self._log)
        if box is None:
            self.zoom_box.setRange(xRange=(0, 1), yRange=(0, 1), padding=0)
            return
        box = box.padded()
        self.zoom_box.setRange(xRange=(box.left, box.right), yRange=(box.low, box.high), padding=0)

    def _zoomed(self, _mask: object) -> None:
        self.set_follows(follows=False)
        self.window_changed.emit()

    def _window_moved(self, _box: object, _range: object) -> None:
        if not self._follows:
            self.window_changed.emit()

    def _pointer_moved(self, place: QPointF) -> None:
        if self.zoom_box.sceneBoundingRect().contains(place):
            self.hovered.emit(float(self.zoom_box.mapSceneToView(place).x()))
        else:
            self.hovered.emit(math.nan)
