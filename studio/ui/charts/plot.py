"""Bases of plots on pyqtgraph: the plot with its zoom, and items that are painted as pictures."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from studio.ui.charts.axes import Axis
from studio.ui.charts.export import VECTORS
from studio.ui.charts.series import Array
from studio.ui.theme.theme import Theme


class PlotPicture(QGraphicsObject):
    """Covers all of a view box; the class that inherits says what is seen in it."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self.box = box
        self._image: QImage | None = None
        self._is_stale = False
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption, enabled=False)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        box.sigRangeChanged.connect(self.redraw)
        box.sigResized.connect(self._resized)

    def drawn(self, size: QSize, ratio: float) -> QImage:
        """Return what is seen now of the whole box, as a picture.

        Args:
            size: Of the picture in its own pixels; one with fewer is stretched.
            ratio: Of these per pixel of the window.
        """
        raise NotImplementedError

    def sheet(self, size: QSize) -> QImage:
        """Return an image to draw on, with any content: new memory takes longer than all dots."""
        image = self._image
        if image is None or image.size() != size:
            image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(1.0)
        return image

    def paint_vectors(self, painter: QPainter) -> None:
        """Paint what is seen now into a file of vectors."""
        raise NotImplementedError

    def redraw(self, *_: object) -> None:
        """Something has changed: the next frame shows it."""
        self._is_stale = True
        self.update()

    def pixels(self, x: Array, y: Array, ratio: float = 1.0) -> tuple[Array, Array]:
        """Return plotted positions in pixels from the upper left corner of the view box."""
        (left, right), (low, high) = self.box.viewRange()
        rect = self.boundingRect()
        across = (x - left) * (rect.width() * ratio / (right - left))
        down = (high - y) * (rect.height() * ratio / (high - low))
        return across, down

    def boundingRect(self) -> QRectF:
        """Return the whole view box."""
        return QRectF(self.box.rect())

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Paint as a picture on a screen, as shapes into a file of vectors."""
        if self.boundingRect().isEmpty():
            return
        if painter.paintEngine().type() in VECTORS:
            painter.save()
            painter.setClipRect(self.boundingRect())
            self.paint_vectors(painter)
            painter.restore()
            return
        ratio = abs(painter.deviceTransform().m11()) or 1.0
        if self._is_stale or self._image is None or self._image.devicePixelRatio() != ratio:
            self._is_stale = False
            self._image = self._drawn(ratio)
        if self._image.size() == self._size(ratio):
            painter.drawImage(QPointF(0, 0), self._image)
        else:
            painter.drawImage(self.boundingRect(), self._image)

    def _drawn(self, ratio: float) -> QImage:
        image = self.drawn(self._size(ratio), ratio)
        image.setDevicePixelRatio(ratio)
        return image

    def _size(self, ratio: float) -> QSize:
        return (self.boundingRect().size() * ratio).toSize().expandedTo(QSize(1, 1))

    def _resized(self, *_: object) -> None:
        self.prepareGeometryChange()
        self.redraw()


_STEP = 120
"""What a notch of a wheel counts."""
_MOVED = 0.1
"""Share of the width that a notch moves."""
_THINNEST = 1e-9
"""Nothing is magnified further than this: numbers would run out."""


def draw_segments(painter: QPainter, segments: Array) -> None:
    """Draw straight lines at once: rows of x0, y0, x1, y1, (n, 4)."""
    lines = PrimitiveArray(QLineF, 4)
    lines.resize(len(segments))
    lines.ndarray()[:] = segments
    painter.drawLines(*lines.drawargs())


class ZoomBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph ships no types
    """Drag marks what to zoom into; Shift-drag and middle drag move.

    The wheel zooms along x about the pointer, with Ctrl along both axes; with Shift, or tilted, it
    moves along x. The right button is for the menu.
    """

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseMode(pg.ViewBox.RectMode)
        self.setLimits(minXRange=_THINNEST, minYRange=_THINNEST)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: ANN401 - untyped
        """Zoom or move, but not with the right button."""
        if event.button() == Qt.MouseButton.RightButton:
            event.ignore()
            return
        moves = (
            event.button() == Qt.MouseButton.MiddleButton
            or event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        )
        self.state["mouseMode"] = pg.ViewBox.PanMode if moves else pg.ViewBox.RectMode
        super().mouseDragEvent(event, axis)
        self.state["mouseMode"] = pg.ViewBox.RectMode

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: ANN401 - untyped
        """Zoom, or move."""
        keys = event.modifiers()
        tilted = event.orientation() == Qt.Orientation.Horizontal
        if tilted or keys & Qt.KeyboardModifier.ShiftModifier:
            left, right = self.viewRange()[0]
            self.translateBy(x=-event.delta() / _STEP * _MOVED * (right - left))
            event.accept()
            self.sigRangeChangedManually.emit(self.state["mouseEnabled"])
            return
        if axis is None and not keys & Qt.KeyboardModifier.ControlModifier:
            axis = pg.ViewBox.XAxis
        super().wheelEvent(event, axis)


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
