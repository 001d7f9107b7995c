"""Dots and a line in a plot, painted at once however many there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPixmap, QPolygonF

from studio.ui.charts.canvas import PlotPicture
from studio.ui.charts.series import Array as Floats

Pixels = NDArray[np.uint32]
"""Premultiplied pixels of a picture, (height, width)."""
_FORMAT = QImage.Format.Format_ARGB32_Premultiplied


def color_table(colors: Sequence[QColor]) -> NDArray[np.uint32]:
    """Return opaque colors as pixels, (n,)."""
    return np.array([color.rgb() for color in colors], np.uint32)


def paint_indexed(image: QImage, indexes: NDArray[np.uint8], colors: NDArray[np.uint32]) -> None:
    """Fill a picture with at most 256 colors.

    Args:
        image: Where nothing that was there stays.
        indexes: Color of each pixel, (height, width), as large as the picture.
        colors: Pixels, (n,); as many as there are indexes.
    """
    height, width = indexes.shape
    indexed = QImage(indexes.data, width, height, width, QImage.Format.Format_Indexed8)
    indexed.setColorTable(colors.tolist())
    painter = QPainter(image)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
    painter.drawImage(0, 0, indexed)
    painter.end()


def paint_stamped(painter: QPainter, pixels: Pixels, stamp: QSize) -> None:
    """Paint what `stamped` made, from the upper left corner.

    Args:
        painter: Paints into a picture.
        pixels: The stamps, with a margin as wide and high as one of them.
        stamp: Size of a stamp.
    """
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, 4 * width, _FORMAT)
    painter.drawImage(QPoint(-stamp.width(), -stamp.height()), image)


def stamped(
    sprite: QImage,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    size: QSize,
    last: Pixels | None = None,
) -> Pixels:
    """Return a small picture at many places; where they overlap, the more opaque pixel is seen.

    Ten thousand stamps of five by five pixels take a millisecond, a painter needs ten.

    Args:
        sprite: The small picture.
        x: Middles of the stamps in pixels, (n,); they are rounded.
        y: The same.
        size: Of the whole picture.
        last: What this made before; its memory is used again where it is of this size.

    Returns:
        The picture with a margin all around, as wide and high as a stamp.
    """
    small = _pixels_of(sprite)
    height, width = small.shape
    # With the margin, no stamp has to be cut.
    shape = size.height() + 2 * height, size.width() + 2 * width
    whole = np.empty(shape, np.uint32) if last is None or last.shape != shape else last
    whole.fill(0)
    flat = whole.reshape(-1)
    left = np.rint(x - width / 2).astype(np.intp) + width
    top = np.rint(y - height / 2).astype(np.intp) + height
    inside = (left >= 0) & (left <= size.width() + width)
    inside &= (top >= 0) & (top <= size.height() + height)
    first = top[inside] * whole.shape[1] + left[inside]
    alphas = small >> 24
    for place in np.argsort(alphas, axis=None, kind="stable").tolist():
        row, column = divmod(place, width)
        if alphas[row, column]:
            flat[first + row * whole.shape[1] + column] = small[row, column]
    return whole


def _pixels_of(image: QImage) -> Pixels:
    image = image.convertToFormat(_FORMAT)
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return rows[:, : image.width()].copy()


_FEW = 500
"""So many dots are painted one by one, between the pixels; more are stamped onto whole ones."""


def _none() -> Floats:
    return np.empty(0)


DotShape = Literal["circle", "square", "triangle"]


@dataclass(frozen=True)
class DotStyle:
    """How some of the dots style: color, pixels across, the color of a rim if any, and shape."""

    color: QColor
    size: float
    rim: QColor | None = None
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


class DotCanvas(PlotPicture):
    """Dots and a line in the window of a view box."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(box)
        self._dots = Dots()
        self._styles: Sequence[DotStyle] = ()
        self._line_pen = QPen()
        self._stamps: Pixels | None = None

    def show_dots(self, dots: Dots, styles: Sequence[DotStyle], line_pen: QPen) -> None:
        """Draw these from the next frame on, one style for every kind."""
        self._dots, self._styles, self._line_pen = dots, styles, line_pen
        self.redraw()

    def positions(self) -> tuple[Floats, Floats]:
        """Return where the dots are, in pixels from the upper left corner of the view box."""
        return self.pixels(self._dots.x, self._dots.y)

    def drawn(self, size: QSize, ratio: float) -> QImage:
        """Return the line, and the dots over it."""
        image = self.sheet(size)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        self._draw_line(painter, ratio)
        x, y = self.pixels(self._dots.x, self._dots.y, ratio)
        for kind, style in enumerate(self._styles):
            edge = style.size * ratio + 2
            seen = (self._dots.kinds == kind) & (x > -edge) & (x < image.width() + edge)
            seen &= (y > -edge) & (y < image.height() + edge)
            if np.count_nonzero(seen) > _FEW:
                sprite = _sprite(style, ratio).toImage()
                self._stamps = stamped(sprite, x[seen], y[seen], image.size(), self._stamps)
                paint_stamped(painter, self._stamps, sprite.size())
            else:
                _draw_sprites(painter, _sprite(style, ratio), x[seen], y[seen])
        painter.end()
        return image

    def paint_vectors(self, painter: QPainter) -> None:
        """Paint every dot as a shape."""
        self._draw_line(painter, 1.0)
        x, y = self.positions()
        for kind, style in enumerate(self._styles):
            painter.setPen(Qt.PenStyle.NoPen if style.rim is None else QPen(style.rim, 1))
            painter.setBrush(style.color)
            for at in np.flatnonzero((self._dots.kinds == kind) & np.isfinite(x)).tolist():
                draw_shape(painter, style.shape, QPointF(x[at], y[at]), style.size / 2)

    def _draw_line(self, painter: QPainter, ratio: float) -> None:
        x, y = self.pixels(self._dots.line_x, self._dots.line_y, ratio)
        if len(x) < 2:
            return
        # What lies far outside would run over in the numbers of the painter.
        x, y = (np.clip(each, -1e5, 1e5) for each in (x, y))
        lines = PrimitiveArray(QLineF, 4)
        lines.resize(len(x) - 1)
        lines.ndarray()[:] = np.stack([x[:-1], y[:-1], x[1:], y[1:]], axis=1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._line_pen)
        pen.setWidthF(pen.widthF() * ratio)
        painter.setPen(pen)
        painter.drawLines(*lines.drawargs())


def _sprite(style: DotStyle, ratio: float) -> QPixmap:
    rim = 0.0 if style.rim is None else ratio
    edge = int(np.ceil(style.size * ratio + rim)) + 2
    sprite = QPixmap(edge, edge)
    sprite.fill(Qt.GlobalColor.transparent)
    painter = QPainter(sprite)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen if style.rim is None else QPen(style.rim, rim))
    painter.setBrush(style.color)
    draw_shape(painter, style.shape, QPointF(edge / 2, edge / 2), style.size * ratio / 2)
    painter.end()
    return sprite


def draw_shape(painter: QPainter, shape: DotShape, center: QPointF, radius: float) -> None:
    """Draw a circle, square or triangle of about the same area."""
    if shape == "circle":
        painter.drawEllipse(center, radius, radius)
    elif shape == "square":
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
