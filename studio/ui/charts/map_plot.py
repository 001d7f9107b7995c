"""A map of images: dots in colors, the one under the pointer, and a lasso around some."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPainterPath, QPolygonF

from studio.ui.charts.dots import DotCanvas, Dots
from studio.ui.charts.lasso_box import LassoBox
from studio.ui.charts.map_looks import (
    Coloring,
    MapColoring,
    MapPoints,
    coloring_of,
    faded,
    map_text,
)
from studio.ui.theme.theme import Theme

_REACH = 9.0
"""Pixels from a dot within which it is pointed at."""
_MARGIN = 0.04


class MapPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph ships no types
    """Draw around dots to select them; turn the wheel to zoom, Shift-drag to move.

    Two clicks show everything again, one click on a dot chooses it, one beside selects nothing.

    Signals:
        pointed: Index of the dot under the pointer, -1 for none; and the place on the screen.
        selected: Indices of the dots that the lasso went around, an array.
        chosen: Index of the dot that was clicked.
    """

    pointed = Signal(int, object)
    selected = Signal(object)
    chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        self.box = LassoBox()
        super().__init__(viewBox=self.box)
        self._theme = theme
        self._points: MapPoints | None = None
        self._by: MapColoring = "class"
        self._coloring: Coloring | None = None
        self._only = -1
        self._selection = np.empty(0, np.intp)
        self._under: int | None = None
        # Every item is kept: PySide deletes what only the scene refers to.
        self.canvas = DotCanvas(self.box)
        self._ring = pg.ScatterPlotItem(size=13, brush=None)
        self._ring.setZValue(2)
        self._line = pg.QtWidgets.QGraphicsPathItem(self.box)
        self._line.setZValue(3)
        self.addItem(self._ring, ignoreBounds=True)
        self.hideAxis("left")
        self.hideAxis("bottom")
        self.box.setAspectLocked(lock=True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.getPlotItem().hideButtons()
        self.box.disableAutoRange()
        self.scene().sigMouseMoved.connect(self._pointer_moved)
        self.scene().sigMouseClicked.connect(self._clicked)
        self.box.drawn.connect(self._draw_line)
        self.box.closed.connect(self._close_line)
        theme.changed.connect(self.recolor)
        self.recolor()

    @property
    def points(self) -> MapPoints | None:
        """What is shown."""
        return self._points

    @property
    def coloring(self) -> Coloring | None:
        """How the dots are told apart."""
        return self._coloring

    @property
    def selection(self) -> NDArray[np.intp]:
        """Indices of the selected dots, ascending."""
        return self._selection

    def show_points(self, points: MapPoints | None) -> None:
        """Show another map, all of it."""
        self._points = points
        self._selection = np.empty(0, np.intp)
        self._point_at(None)
        self.recolor()
        self.show_all()
        self._describe()

    def color_by(self, by: MapColoring) -> None:
        """Tell the dots apart by something else."""
        self._by = by
        self.recolor()

    def show_only(self, label: int) -> None:
        """Fade all but one class; -1 shows all alike."""
        self._only = label
        self.recolor()

    def select(self, indices: NDArray[np.intp]) -> None:
        """Fade all but these dots; none are all alike."""
        self._selection = indices
        self.recolor()
        self._describe()

    def show_all(self) -> None:
        """See every dot again."""
        if self._points is None or not len(self._points):
            return
        low, high = self._points.places.min(0), self._points.places.max(0)
        margin = np.maximum((high - low) * _MARGIN, 1e-6)
        (left, bottom), (right, top) = (low - margin).tolist(), (high + margin).tolist()
        self.box.setRange(xRange=(left, right), yRange=(bottom, top), padding=0)

    def place_of(self, index: int) -> QPointF:
        """Where a dot is in the widget, in pixels."""
        x, y = self.canvas.places()
        return QPointF(self.mapFromScene(self.canvas.mapToScene(QPointF(x[index], y[index]))))

    def recolor(self) -> None:
        """Use the colors of the theme as it is now."""
        palette = self._theme.palette
        self.setBackground(palette.surface)
        self._ring.setPen(pg.mkPen(palette.text, width=2))
        self._line.setPen(pg.mkPen(palette.accent, width=1.5))
        shade = QColor(palette.accent)
        shade.setAlpha(40)
        self._line.setBrush(pg.mkBrush(shade))
        if self._points is None:
            self._coloring = None
            self.canvas.show_dots(Dots(), (), QColor())
            return
        self._coloring = coloring_of(self._points, self._by, palette)
        pale = [faded(look, palette) for look in self._coloring.looks]
        kinds = self._coloring.kinds + len(pale) * self._is_meant(self._points)
        x, y = self._points.places.astype(np.float64).T
        looks = (*pale, *self._coloring.looks)
        self.canvas.show_dots(Dots(x, y, kinds.astype(np.intp)), looks, QColor())

    def inside(self, line: QPolygonF) -> NDArray[np.intp]:
        """The dots within a closed line in pixels of the box, of those that are not faded."""
        if self._points is None or line.size() < 3:
            return np.empty(0, np.intp)
        mask = _mask(line, self.canvas.boundingRect().size().toSize())
        x, y = (np.floor(each).astype(np.int64) for each in self.canvas.places())
        seen = (x >= 0) & (y >= 0) & (x < mask.shape[1]) & (y < mask.shape[0])
        if self._only >= 0:
            seen &= self._points.labels == self._only
        there = np.flatnonzero(seen)
        return there[mask[y[there], x[there]]]

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Two clicks ask for everything again."""
        super().mouseDoubleClickEvent(event)
        self.show_all()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer any more."""
        super().leaveEvent(event)
        self._point_at(None)

    def _describe(self) -> None:
        self.setAccessibleDescription(map_text(self._points, len(self._selection)))

    def _is_meant(self, points: MapPoints) -> NDArray[np.bool_]:
        meant = np.ones(len(points), np.bool_)
        if self._only >= 0:
            meant &= points.labels == self._only
        if len(self._selection):
            chosen = np.zeros(len(points), np.bool_)
            chosen[self._selection] = True
            meant &= chosen
        return meant

    def _draw_line(self, line: QPolygonF) -> None:
        path = QPainterPath()
        path.addPolygon(line)
        path.closeSubpath()
        self._line.setPath(path)
        self._point_at(None)

    def _close_line(self, line: QPolygonF) -> None:
        self._line.setPath(QPainterPath())
        self.select(self.inside(line))
        self.selected.emit(self._selection)

    def _nearest(self, place: QPointF) -> int | None:
        within = self.box.sceneBoundingRect().contains(place)
        if not within or self._points is None or not len(self._points):
            return None
        spot = self.canvas.mapFromScene(place)
        x, y = self.canvas.places()
        far = np.hypot(x - spot.x(), y - spot.y())
        far[~self._is_meant(self._points)] = np.inf
        index = int(far.argmin())
        return index if far[index] <= _REACH else None

    def _pointer_moved(self, place: QPointF) -> None:
        if self._line.path().isEmpty():
            self._point_at(self._nearest(place))

    def _clicked(self, event: Any) -> None:  # noqa: ANN401 - untyped
        if event.button() != Qt.MouseButton.LeftButton or event.double():
            return
        index = self._nearest(event.scenePos())
        if index is not None:
            self.chosen.emit(index)
        elif len(self._selection):
            self.select(np.empty(0, np.intp))
            self.selected.emit(self._selection)

    def _point_at(self, index: int | None) -> None:
        if index == self._under:
            return
        self._under = index
        if index is None or self._points is None:
            self._ring.setData([], [])
            self.pointed.emit(-1, self.mapToGlobal(self.rect().center()))
            return
        x, y = self._points.places[index].tolist()
        self._ring.setData([x], [y])
        self.pointed.emit(index, self.mapToGlobal(self.place_of(index).toPoint()))


def _mask(line: QPolygonF, size: QSize) -> NDArray[np.bool_]:
    """Which pixels lie within a line: Qt fills it faster than every dot could be asked."""
    image = QImage(size, QImage.Format.Format_Grayscale8)
    image.fill(Qt.GlobalColor.black)
    painter = QPainter(image)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(Qt.GlobalColor.white)
    painter.drawPolygon(line)
    painter.end()
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return rows[:, : image.width()] > 127
