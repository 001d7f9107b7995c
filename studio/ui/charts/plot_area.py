"""The plotted part of a chart: curves, axes, zoom, the line under the pointer, the best mark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import QWidget

from studio.ui.charts.axes import CountAxis, NumberAxis
from studio.ui.charts.canvas import ZoomBox
from studio.ui.charts.curves import Canvas, Curve, bounds_of
from studio.ui.charts.trace import Axes
from studio.ui.theme.theme import Theme

Stretches = Sequence[tuple[float, float]]
"""From where to where x goes, each."""
SHADE = 30
"""How strong the color of a stretch is, of 255."""
LEAST_X = 1e-9


class PlotArea(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph ships no types
    """Draws curves; follows their growth until the user zooms.

    Signals:
        hovered: The x under the pointer, NaN when it has left.
        follow_changed: Whether the view follows the data.
        zoomed: The user chose from where to where x is in view.
        double_clicked: The user wants to see everything again.
    """

    hovered = Signal(float)
    follow_changed = Signal(bool)
    zoomed = Signal(float, float)
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
        self._percent, self._whole_x = percent, whole_x
        self._marked: float | None = None
        self._mark_text = ""
        self.scale = Axes()
        self._follows = True
        # Every item is kept: PySide deletes what only the scene refers to.
        self.canvas = Canvas(theme, self.zoom_box)
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
        self._stretches: list[pg.LinearRegionItem] = []
        self._stretched: Stretches = ()
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.getPlotItem().hideButtons()
        self.zoom_box.disableAutoRange()
        self.zoom_box.sigRangeChangedManually.connect(self._zoomed)
        self.zoom_box.sigRangeChanged.connect(self._moved)
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

    def set_percent(self, *, percent: bool, rises: bool) -> None:
        """Show other values from now on.

        Args:
            percent: Whether they are shares between 0 and 1, shown in percent.
            rises: Whether they grow while a network learns.
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
        self.show_stretches(self._stretched)
        self.recolor()

    def x_range(self) -> tuple[float, float]:
        """From where to where x is in view."""
        left, right = self.zoom_box.viewRange()[0]
        return self._value_x(left), self._value_x(right)

    def show_x(self, left: float, right: float) -> None:
        """Show this stretch of x, as if the user had zoomed there; y stays."""
        self.set_follows(follows=False)
        places = self._plotted_x(left), self._plotted_x(right)
        if all(math.isfinite(place) for place in places):
            self.zoom_box.setXRange(*places, padding=0)

    def draw(self, curves: Iterable[Curve]) -> None:
        """Bring what is drawn up to date with the curves."""
        shown = list(curves)
        if self._follows:
            self._fit(shown)
        self.canvas.show_curves(shown, self.scale)
        # Otherwise the mark finds out while it is painted that it has to move, and all is painted
        # a second time.
        self.scene().prepareForPaint()

    def _moved(self, *_: object) -> None:
        # What follows the data moves by itself, and need not be quick.
        if not self._follows:
            self.canvas.move()

    def show_line(self, x: float | None) -> None:
        """Draw the line under the pointer, or take it away."""
        self._place(self._line, x)

    def show_mark(self, x: float | None, text: str = "") -> None:
        """Mark an x value, with a text beside it, or take the mark away."""
        self._marked = x
        self._mark_text = text
        # In this order: a label that is not visible takes no text.
        self._place(self._mark, x)
        self._mark.label.setFormat(text.replace("{", "{{").replace("}", "}}"))

    def show_stretches(self, stretches: Stretches) -> None:
        """Shade x from where to where, for each; none takes the shades away."""
        self._stretched = stretches
        while len(self._stretches) < len(stretches):
            shade = pg.LinearRegionItem(movable=False)
            shade.setZValue(-2)  # under the curves
            self.addItem(shade, ignoreBounds=True)
            self._stretches.append(shade)
        for shade in self._stretches:
            shade.setVisible(False)
        for shade, (first, last) in zip(self._stretches, stretches, strict=False):
            # A logarithmic axis has no zero to begin at.
            shade.setRegion([self._plotted_x(max(x, LEAST_X)) for x in (first, last)])
            shade.setVisible(True)
        self._color_stretches()

    def _color_stretches(self) -> None:
        fill = QColor(self._theme.palette.warn)
        fill.setAlpha(SHADE)
        for shade in self._stretches:
            shade.setBrush(pg.mkBrush(fill))
            for line in shade.lines:
                line.setPen(pg.mkPen(None))

    def _place(self, line: pg.InfiniteLine, x: float | None) -> None:
        place = -math.inf if x is None else self._plotted_x(x)
        line.setVisible(math.isfinite(place))
        if math.isfinite(place):
            line.setPos(place)

    def recolor(self) -> None:
        """Use the colors of the theme as it is now."""
        palette = self._theme.palette
        self.setBackground(palette.surface)
        for axis in self._axes:
            axis.setPen(pg.mkPen(palette.border))
            axis.setTextPen(pg.mkPen(palette.muted))
            # Ticks between the numbers cost more to paint than the curves, and say nothing, but
            # between powers of ten.
            finest = 2 if axis.logMode else 0
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
        self._color_stretches()
        self.canvas.redraw()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Two clicks ask for everything again."""
        super().mouseDoubleClickEvent(event)
        self.double_clicked.emit()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer any more."""
        super().leaveEvent(event)
        self.hovered.emit(math.nan)

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

    def _zoomed(self, _mask: object) -> None:
        self.set_follows(follows=False)
        self.zoomed.emit(*self.x_range())

    def _plotted_x(self, x: float) -> float:
        """Where an x value lies on the axis."""
        if not self.scale.log_x:
            return x
        return math.log10(x) if x > 0 else -math.inf

    def _value_x(self, place: float) -> float:
        """The x value at a place of the axis."""
        return float(10.0 ** min(max(place, -300.0), 300.0)) if self.scale.log_x else place

    def _pointer_moved(self, place: QPointF) -> None:
        if self.zoom_box.sceneBoundingRect().contains(place):
            self.hovered.emit(self._value_x(float(self.zoom_box.mapSceneToView(place).x())))
        else:
            self.hovered.emit(math.nan)


def _mark_height(*, rises: bool) -> float:
    """Where a loss, or an accuracy, leaves room late in training, as a fraction of the height."""
    return 0.08 if rises else 0.92
