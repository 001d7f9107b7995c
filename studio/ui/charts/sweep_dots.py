"""Dots and a line in a plot, painted at once however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from studio.ui.charts.sweep_data import Floats

_VECTORS = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf, QPaintEngine.Type.Picture)
_LINE = 2.0


def _none() -> Floats:
    return np.empty(0)


DotShape = Literal["circle", "square", "triangle"]


@dataclass(frozen=True)
class DotKind:
    """How some of the dots look: color, pixels across, and shape."""

    color: QColor
    size: float
    shape: DotShape = "circle"


@dataclass(frozen=True)
class Dots:
    """What a plot shows, in the numbers of the plot.

    Attributes:
        x: Of each dot, (n,); NaN for none.
        y: Of each dot, (n,).
        kinds: Index of its kind, (n,); higher kinds are painted over lower ones.
        line_x: Of the corners of the line, (m,).
        line_y: The same.
    """

    x: Floats = field(default_factory=_none)
    y: Floats = field(default_factory=_none)
    kinds: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    line_x: Floats = field(default_factory=_none)
    line_y: Floats = field(default_factory=_none)


class DotCanvas(QGraphicsObject):
    """Dots and a line in the window of a view box, kept as a picture until something changes."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._box = box
        self._dots = Dots()
        self._looks: Sequence[DotKind] = ()
        self._line_color = QColor()
        self._image: QImage | None = None
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption, enabled=False)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        box.sigRangeChanged.connect(self.redraw)
        box.sigResized.connect(self._resized)

    def show_dots(self, dots: Dots, looks: Sequence[DotKind], line_color: QColor) -> None:
        """Draw these from the next frame on, one look for every kind."""
        self._dots, self._looks, self._line_color = dots, looks, line_color
        self.redraw()

    def redraw(self, *_: object) -> None:
        """Something has changed: the next frame shows it."""
        self._image = None
        self.update()

    def places(self) -> tuple[Floats, Floats]:
        """Where the dots are, in pixels from the upper left corner of the view box."""
        return self._pixels(self._dots.x, self._dots.y, 1.0)

    def boundingRect(self) -> QRectF:
        """All of the view box."""
        return QRectF(self._box.rect())

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        """Paint as a picture on a screen, as shapes into a file of vectors."""
        if self.boundingRect().isEmpty():
            return
        if painter.paintEngine().type() in _VECTORS:
            self._paint_vectors(painter)
            return
        ratio = abs(painter.deviceTransform().m11()) or 1.0
        if self._image is None or self._image.devicePixelRatio() != ratio:
            self._image = self._drawn(ratio)
        painter.drawImage(QPointF(0, 0), self._image)

    def _resized(self, *_: object) -> None:
        self.prepareGeometryChange()
        self.redraw()

    def _pixels(self, x: Floats, y: Floats, ratio: float) -> tuple[Floats, Floats]:
        (left, right), (low, high) = self._box.viewRange()
        rect = self.boundingRect()
        across = (x - left) * (rect.width() * ratio / (right - left))
        down = (high - y) * (rect.height() * ratio / (high - low))
        return across, down

    def _drawn(self, ratio: float) -> QImage:
        size = self.boundingRect().size() * ratio
        image = QImage(
            max(1, round(size.width())),
            max(1, round(size.height())),
            QImage.Format.Format_ARGB32_Premultiplied,
        )
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        self._draw_line(painter, ratio)
        x, y = self._pixels(self._dots.x, self._dots.y, ratio)
        for kind, look in enumerate(self._looks):
            sprite = _sprite(look, ratio)
            edge = sprite.width()
            seen = (self._dots.kinds == kind) & (x > -edge) & (x < image.width() + edge)
            seen &= (y > -edge) & (y < image.height() + edge)
            _draw_sprites(painter, sprite, x[seen], y[seen])
        painter.end()
        image.setDevicePixelRatio(ratio)
        return image

    def _draw_line(self, painter: QPainter, ratio: float) -> None:
        x, y = self._pixels(self._dots.line_x, self._dots.line_y, ratio)
        if len(x) < 2:
            return
        # What lies far outside would run over in the numbers of the painter.
        x, y = (np.clip(each, -1e5, 1e5) for each in (x, y))
        lines = PrimitiveArray(QLineF, 4)
        lines.resize(len(x) - 1)
        lines.ndarray()[:] = np.stack([x[:-1], y[:-1], x[1:], y[1:]], axis=1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._line_color, _LINE * ratio))
        painter.drawLines(*lines.drawargs())

    def _paint_vectors(self, painter: QPainter) -> None:
        painter.save()
        painter.setClipRect(self.boundingRect())
        self._draw_line(painter, 1.0)
        x, y = self.places()
        painter.setPen(Qt.PenStyle.NoPen)
        for kind, look in enumerate(self._looks):
            painter.setBrush(look.color)
            for at in np.flatnonzero((self._dots.kinds == kind) & np.isfinite(x)).tolist():
                _draw_shape(painter, look, QPointF(x[at], y[at]), look.size / 2)
        painter.restore()


def _sprite(look: DotKind, ratio: float) -> QPixmap:
    edge = int(np.ceil(look.size * ratio)) + 2
    sprite = QPixmap(edge, edge)
    sprite.fill(Qt.GlobalColor.transparent)
    painter = QPainter(sprite)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.color)
    _draw_shape(painter, look, QPointF(edge / 2, edge / 2), look.size * ratio / 2)
    painter.end()
    return sprite


def _draw_shape(painter: QPainter, look: DotKind, center: QPointF, radius: float) -> None:
    if look.shape == "circle":
        painter.drawEllipse(center, radius, radius)
    elif look.shape == "square":
        half = radius * 0.87  # as much ink as the circle
        painter.drawRect(QRectF(center.x() - half, center.y() - half, 2 * half, 2 * half))
    else:
        top = QPointF(center.x(), center.y() - radius)
        left = QPointF(center.x() - radius, center.y() + 0.8 * radius)
        right = QPointF(center.x() + radius, center.y() + 0.8 * radius)
        painter.drawPolygon(QPolygonF([top, right, left]))


def _draw_sprites(painter: QPainter, sprite: QPixmap, x: Floats, y: Floats) -> None:
    if not len(x):
        return
    pieces = PrimitiveArray(QPainter.PixmapFragment, 10)
    pieces.resize(len(x))
    table = pieces.ndarray()
    table[:, 0], table[:, 1] = x, y
    table[:, 2:4], table[:, 4:6] = 0, sprite.width()
    table[:, 6:10] = 1.0, 1.0, 0.0, 1.0
    first, count = pieces.drawargs()  # PySide takes the first of an array, its stub a list
    painter.drawPixmapFragments(first, count, sprite)
