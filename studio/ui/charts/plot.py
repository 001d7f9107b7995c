"""Base of plots on pyqtgraph: axes in the user's locale, zoom, and items painted as images."""

from __future__ import annotations

import functools
import html
import math
from typing import Any

import pyqtgraph as pg
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QEvent, QLineF, QLocale, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from studio.ui.charts.chart import VECTORS
from studio.ui.charts.series import Array
from studio.ui.theme.theme import Theme
from studio.ui.widgets.labels import elided

Levels = list[tuple[float, list[float]]]
_Tick = tuple[QPen, QPointF, QPointF]

_FEW = 2.0
"""Range below which an axis of counts has only whole numbers."""
_ALMOST_PLAIN = 0.3
"""Decades below which a logarithmic axis has the ticks of a linear one: 0.51, 0.52, ..."""


_NO_TEXT = 0.0
"""Spacing of ticks without numbers."""
_ROOM = 60.0
"""Width of a number in pixels."""


def log_ticks(low: float, high: float, size: float) -> Levels:
    """Return the ticks of a logarithmic axis: those with numbers, and those between them.

    Numbers are powers of ten, or every n-th of many; 2 and 5 times each if there are few.

    Args:
        low: Decimal logarithm of the low end.
        high: Decimal logarithm of the high end.
        size: Length in pixels.
    """
    first, last = math.floor(low), math.ceil(high)
    step = max(1, math.ceil((high - low) * _ROOM / max(size, 1.0)))
    tens = [float(power) for power in range(first, last + 1)]
    parts = (2, 5) if (high - low) * _ROOM * 3 < size else ()
    numbers = [ten + math.log10(part) for ten in tens for part in (1, *parts)]
    marks = [ten + math.log10(part) for ten in tens for part in range(2, 10)]
    if not parts:
        numbers = [ten for ten in tens if ten % step == 0]
    levels = [(1.0, numbers), (_NO_TEXT, marks if step == 1 else tens)]
    return [(gap, [at for at in ticks if low <= at <= high]) for gap, ticks in levels]


class Axis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph ships no types
    """Linear or logarithmic axis."""

    has_fine_ticks = True
    """True if there are ticks between powers of ten."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.enableAutoSIPrefix(False)
        self._specs: Any = None

    def tickValues(self, low: float, high: float, size: float) -> Levels:
        """Return the ticks, those with numbers first."""
        low, high = sorted((low, high))
        if self.logMode and high - low > _ALMOST_PLAIN:
            return log_ticks(low, high, size)
        if self.logMode:
            levels: Levels = self._plain.tickValues(10.0**low, 10.0**high, size)
            return [(gap, [math.log10(at) for at in ticks if at > 0]) for gap, ticks in levels]
        plain: Levels = super().tickValues(low, high, size)
        return plain

    @functools.cached_property
    def _plain(self) -> Any:  # noqa: ANN401 - untyped
        """Linear axis for its ticks; a new one for each frame would take a millisecond."""
        return pg.AxisItem("left")

    def labelString(self) -> str:
        """Return the name of the axis as HTML, shortened to its length."""
        size, text = self.size(), self.labelText
        room = size.height() if self.orientation in ("left", "right") else size.width()
        if room > 0:
            text = elided(QFontMetricsF(self.label.font()), text, room)
        style = ";".join(f"{name}: {value}" for name, value in self.labelStyle.items())
        return f"<span style='{style}'>{html.escape(text)}</span>"

    def resizeEvent(self, event: object = None) -> None:
        """Show as much of the name as fits."""
        if self.label is not None and self.labelText:
            self.label.setHtml(self.labelString())
        super().resizeEvent(event)

    def paint(self, painter: QPainter, _option: object, _widget: object) -> None:
        """Paint directly: the recorded picture that pyqtgraph plays takes longer than all curves.

        As in pyqtgraph, `picture` is None if anything has changed.
        """
        if self.picture is None:
            self._specs = self.generateDrawSpecs(painter)
            self.picture: object = True
        if self._specs is not None:
            painter.save()
            self.drawPicture(painter, *self._specs)
            painter.restore()

    def drawPicture(
        self, painter: QPainter, line: _Tick, ticks: list[_Tick], texts: list[Any]
    ) -> None:
        """Paint the ticks as thin bars: a translucent line is slower than all dots."""
        if painter.paintEngine().type() not in VECTORS:
            for tick in ticks:
                _paint_bar(painter, *tick)
            ticks = []
        super().drawPicture(painter, line, ticks, texts)


def _paint_bar(painter: QPainter, pen: QPen, start: QPointF, end: QPointF) -> None:
    """Paint a vertical or horizontal line, one pixel of the screen thick, like a pen."""
    device = painter.deviceTransform()
    ends = device.map(start), device.map(end)
    (left, right), (top, bottom) = (
        sorted(math.floor(at) for at in along)
        for along in ((end.x() for end in ends), (end.y() for end in ends))
    )
    # The painter rounds corners: slightly inside a pixel, they stay in it.
    bar = QRectF(left + 0.25, top + 0.25, right - left + 1, bottom - top + 1)
    painter.fillRect(device.inverted()[0].mapRect(bar), pen.color())


def _log_texts(
    values: list[float], spacing: float, digits: int, *, percent: bool = False
) -> list[str]:
    """Return the texts of ticks of a logarithmic axis, given as decimal logarithms."""
    if spacing == _NO_TEXT:
        return [""] * len(values)
    factor, unit = (100.0, "\N{NO-BREAK SPACE}%") if percent else (1.0, "")
    return [QLocale().toString(10.0**value * factor, "g", digits) + unit for value in values]


def number_text(value: float, spacing: float, *, percent: bool) -> str:
    """Return a number of an axis, with the decimals that distinguish it from the next one.

    Args:
        value: The number.
        spacing: Distance to the next one.
        percent: True if it is a fraction, shown in percent.
    """
    unit = ""
    if percent:
        value, spacing, unit = value * 100, spacing * 100, "\N{NO-BREAK SPACE}%"
    size = max(abs(value), abs(spacing))
    if size and not 1e-4 < size < 1e6:
        return QLocale().toString(float(value), "g", 3) + unit
    decimals = max(0, -math.floor(math.log10(spacing) + 1e-9)) if spacing > 0 else 0
    return QLocale().toString(float(value), "f", min(decimals, 8)) + unit


class CountAxis(Axis):
    """Axis of epochs or steps with ticks at whole numbers, unless fewer than two are in view."""

    def __init__(self) -> None:
        super().__init__("bottom")

    def tickValues(self, low: float, high: float, size: float) -> Levels:
        """Return the ticks of pyqtgraph without those between whole numbers."""
        levels = super().tickValues(low, high, size)
        if self.logMode or high - low < _FEW:
            return levels
        return [
            (spacing, [v for v in values if abs(v - round(v)) < 1e-6])
            for spacing, values in levels
            if spacing > 0.999
        ] or [(1.0, [float(v) for v in range(math.ceil(low), math.floor(high) + 1)])]

    def tickStrings(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        """Return numbers with the locale's separators."""
        if self.logMode:
            return _log_texts(values, spacing, 6)
        decimals = max(0, -math.floor(math.log10(spacing) + 1e-9)) if 0 < spacing < 1 else 0
        return [QLocale().toString(float(value), "f", min(decimals, 9)) for value in values]


class NumberAxis(Axis):
    """Axis of values, optionally in percent."""

    def __init__(self, side: str = "left", *, percent: bool = False) -> None:
        super().__init__(side)
        self._percent = percent

    def set_percent(self, *, percent: bool) -> None:
        """Show fractions in percent, or plain numbers."""
        self._percent = percent
        self.picture = None

    def tickStrings(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        """Return texts with as many decimals as distinguish the ticks."""
        if self.logMode:
            return _log_texts(values, spacing, 3, percent=self._percent)
        return [number_text(value, spacing, percent=self._percent) for value in values]


class PlotPicture(QGraphicsObject):
    """Image that covers a view box; a subclass draws it."""

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
        """Return the image of the box.

        Args:
            size: Size of the image; a smaller image is stretched.
            ratio: Pixels of the screen per pixel of the window.
        """
        raise NotImplementedError

    def sheet(self, size: QSize) -> QImage:
        """Return an image with any content; new memory would take longer than drawing."""
        image = self._image
        if image is None or image.size() != size:
            image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(1.0)
        return image

    def paint_vectors(self, painter: QPainter) -> None:
        """Paint shapes into a vector file."""
        raise NotImplementedError

    def redraw(self, *_: object) -> None:
        """Draw again in the next frame."""
        self._is_stale = True
        self.update()

    def pixels(self, x: Array, y: Array, ratio: float = 1.0) -> tuple[Array, Array]:
        """Convert plotted positions to pixels from the upper left corner of the view.

        Args:
            x: Shape (n,).
            y: Shape (n,).
            ratio: Device pixels per logical pixel.
        """
        (left, right), (low, high) = self.box.viewRange()
        rect = self.boundingRect()
        across = (x - left) * (rect.width() * ratio / (right - left))
        down = (high - y) * (rect.height() * ratio / (high - low))
        return across, down

    def boundingRect(self) -> QRectF:
        """Return the rectangle of the view box."""
        return QRectF(self.box.rect())

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Paint an image on a screen, shapes into a vector file."""
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
"""Wheel delta of a notch."""
_MOVED = 0.1
"""Fraction of the width that a notch moves."""
_THINNEST = 1e-9
"""Smallest visible range, so that float64 can resolve it."""


def draw_segments(painter: QPainter, segments: Array) -> None:
    """Draw line segments in one call.

    Args:
        painter: The painter.
        segments: Rows of x0, y0, x1, y1, shape (n, 4).
    """
    lines = PrimitiveArray(QLineF, 4)
    lines.resize(len(segments))
    lines.ndarray()[:] = segments
    painter.drawLines(*lines.drawargs())


class ZoomBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph ships no types
    """View box in which a drag zooms into a rectangle; Shift-drag and middle drag pan.

    The wheel zooms along x around the pointer, with Ctrl along both axes; with Shift, or tilted,
    it pans along x. The right button opens the menu.
    """

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseMode(pg.ViewBox.RectMode)
        self.setLimits(minXRange=_THINNEST, minYRange=_THINNEST)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: ANN401 - untyped
        """Zoom or pan, but not with the right button."""
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
        """Zoom or pan."""
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
    """Plot with zoom by dragging and by the wheel.

    Signals:
        pointer_moved: Scene position of the pointer, a `QPointF`; None when it leaves.
        double_clicked: Request to show everything again.
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
        for side in ("top", "right"):  # hidden, but updated in every frame otherwise
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
        """Request to show everything again."""
        super().mouseDoubleClickEvent(event)
        self.double_clicked.emit()

    def leaveEvent(self, event: QEvent) -> None:
        """Report that nothing is under the pointer."""
        super().leaveEvent(event)
        self.pointer_moved.emit(None)

    def _on_moved(self, position: QPointF) -> None:
        inside = self.zoom_box.sceneBoundingRect().contains(position)
        self.pointer_moved.emit(position if inside else None)
