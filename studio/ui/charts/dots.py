"""Plots of dots with a line, and the scatter chart of predicted against true values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from studio.ui.charts.chart import Chart
from studio.ui.charts.header import DotStyle, Tools, draw_shape
from studio.ui.charts.plot import Plot, PlotPicture
from studio.ui.charts.primitives import draw_segments, draw_sprites
from studio.ui.charts.series import Array as Floats
from studio.ui.charts.table import DataColumn, DataTable
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import chart_color
from studio.ui.widgets.figures import counted, significant
from studio.ui.widgets.painting import FocusRing

ColorValues = NDArray[np.uint32]
"""Premultiplied pixels of an image, (height, width)."""
_FORMAT = QImage.Format.Format_ARGB32_Premultiplied


def color_table(colors: Sequence[QColor]) -> NDArray[np.uint32]:
    """Return opaque colors as pixels, (n,)."""
    return np.array([color.rgb() for color in colors], np.uint32)


def paint_indexed(image: QImage, indexes: NDArray[np.uint8], colors: NDArray[np.uint32]) -> None:
    """Fill an image with at most 256 colors.

    Args:
        image: The image, which is overwritten.
        indexes: Color of each pixel, (height, width), of the size of the image.
        colors: Colors as pixels, (n,).
    """
    height, width = indexes.shape
    indexed = QImage(indexes.data, width, height, width, QImage.Format.Format_Indexed8)
    indexed.setColorTable(colors.tolist())
    painter = QPainter(image)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
    painter.drawImage(0, 0, indexed)
    painter.end()


def paint_stamped(painter: QPainter, pixels: ColorValues, stamp: QSize) -> None:
    """Paint the result of `stamped` from the upper left corner.

    Args:
        painter: Painter of an image.
        pixels: The stamps, with a margin of the size of one.
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
    last: ColorValues | None = None,
) -> ColorValues:
    """Return copies of a small image at many positions; the most opaque pixel is on top.

    Ten thousand stamps of five by five pixels take a millisecond, a painter needs ten.

    Args:
        sprite: The small image.
        x: Horizontal centers in pixels, (n,), rounded.
        y: Vertical centers.
        size: Size of the result without its margin.
        last: Earlier result, whose memory is reused if it has the same size.

    Returns:
        The image with a margin of the size of a stamp on each side.
    """
    small = _pixels_of(sprite)
    height, width = small.shape
    # With the margin, no stamp has to be clipped.
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
    for index in np.argsort(alphas, axis=None, kind="stable").tolist():
        row, column = divmod(index, width)
        if alphas[row, column]:
            flat[first + row * whole.shape[1] + column] = small[row, column]
    return whole


def _pixels_of(image: QImage) -> ColorValues:
    image = image.convertToFormat(_FORMAT)
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return rows[:, : image.width()].copy()


_FEW = 500
"""Most dots that are painted one by one, antialiased; more are stamped on whole pixels."""


def _none() -> Floats:
    return np.empty(0)


@dataclass(frozen=True)
class Dots:
    """Dots and line of a plot, in plotted numbers.

    Attributes:
        x: x of each dot, (n,); NaN for none.
        y: y of each dot, (n,).
        kinds: Index of the style of each dot, (n,); higher ones are painted on top.
        line_x: x of the points of the line, (m,).
        line_y: y of the points of the line, (m,).
    """

    x: Floats = field(default_factory=_none)
    y: Floats = field(default_factory=_none)
    kinds: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))
    line_x: Floats = field(default_factory=_none)
    line_y: Floats = field(default_factory=_none)


class DotCanvas(PlotPicture):
    """Dots and a line of a plot."""

    def __init__(self, plot: Plot) -> None:
        super().__init__(plot)
        self._dots = Dots()
        self._styles: Sequence[DotStyle] = ()
        self._line_pen = QPen()
        self._stamps: ColorValues | None = None

    def show_dots(self, dots: Dots, styles: Sequence[DotStyle], line_pen: QPen) -> None:
        """Set the dots, drawn with the next frame.

        Args:
            dots: Positions and kinds.
            styles: Style of each kind.
            line_pen: Pen of the connecting line.
        """
        self._dots, self._styles, self._line_pen = dots, styles, line_pen
        self.redraw()

    def positions(self) -> tuple[Floats, Floats]:
        """Return the positions of the dots in pixels from the upper left corner."""
        return self.pixels(self._dots.x, self._dots.y)

    def drawn(self, size: QSize, ratio: float) -> QImage:
        """Return the image of the line with the dots on top.

        Args:
            size: In device pixels.
            ratio: Device pixels per logical pixel.
        """
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
                draw_sprites(painter, _sprite(style, ratio), x[seen], y[seen])
        painter.end()
        return image

    def paint_vectors(self, painter: QPainter) -> None:
        """Paint each dot as a shape."""
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
        # Positions far outside would overflow in the painter.
        x, y = (np.clip(each, -1e5, 1e5) for each in (x, y))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._line_pen)
        pen.setWidthF(pen.widthF() * ratio)
        painter.setPen(pen)
        draw_segments(painter, np.stack([x[:-1], y[:-1], x[1:], y[1:]], axis=1))


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


_REACH = 9.0
"""Distance in pixels within which the pointer is at a dot."""
_RING = 6.5


class PointPlot(Plot):
    """Plot of dots, with or without a line.

    Arrow keys move between dots from left to right; Return chooses.

    Attributes:
        dots: The shown dots.

    Signals:
        pointed: Index of the dot under the pointer or reached by keys, -1 for none; and its
            position on the screen, a `QPoint`.
        chosen: Index of the dot that was clicked.
        zoomed: True if the user shows only a part.
    """

    pointed = Signal(int, object)
    chosen = Signal(int)
    zoomed = Signal(bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.dots = Dots()
        self._under: int | None = None
        self._bounds = (0.0, 1.0, 0.0, 1.0)
        self.canvas = DotCanvas(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        FocusRing(theme, self)
        self.double_clicked.connect(self.show_all)
        self.view_changed.connect(self._on_view_changed)
        theme.changed.connect(self.recolor)

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
        self.dots, self._bounds = dots, bounds
        self.point_at(None)
        self.recolor()
        if not stays:
            self.show_all()

    def styles(self) -> tuple[Sequence[DotStyle], QPen]:
        """Return the style of each kind of dot, and the pen of the line."""
        raise NotImplementedError

    def reachable(self) -> Floats:
        """Return an extra distance for each dot, (n,): infinite if it cannot be pointed at."""
        return np.zeros(len(self.dots.x))

    def recolor(self) -> None:
        """Use the current colors of the theme."""
        self.canvas.show_dots(self.dots, *self.styles())

    def show_all(self) -> None:
        """Show all dots again."""
        left, right, low, high = self._bounds
        self.set_view((left, right), (low, high))
        self.zoomed.emit(False)

    def is_zoomed(self) -> bool:
        """Return True if the user zoomed into a part."""
        (left, right), (low, high) = self.view_range()
        return not np.allclose((left, right, low, high), self._bounds)

    def under(self) -> int | None:
        """Return the index of the dot under the pointer."""
        return self._under

    def position_of(self, index: int) -> QPointF:
        """Return the position of a dot in the widget, in pixels."""
        return self.position(float(self.dots.x[index]), float(self.dots.y[index]))

    def nearest(self, position: QPointF | None) -> int | None:
        """Return the index of the dot at a position in the widget."""
        if position is None or not len(self.dots.x) or not self.area().contains(position):
            return None
        at = position - self.area().topLeft()
        x, y = self.canvas.positions()
        far = np.hypot(x - at.x(), y - at.y()) + self.reachable()
        index = int(np.where(np.isnan(far), np.inf, far).argmin())
        return index if far[index] <= _REACH else None

    def point_at(self, index: int | None) -> None:
        """Put a ring around a dot, or remove it."""
        if index == self._under:
            return
        self._under = index
        self.update()
        if index is None:
            self.pointed.emit(-1, self.mapToGlobal(self.rect().center()))
            return
        self.pointed.emit(index, self.mapToGlobal(self.position_of(index).toPoint()))

    def paint_over(self, painter: QPainter, _area: QRectF) -> None:
        """Paint the ring around the dot under the pointer; see `Plot.paint_over`."""
        if self._under is not None:
            painter.setPen(QPen(self._theme.color("text"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(self.position_of(self._under), _RING, _RING)

    def on_pointer(self, position: QPointF | None) -> None:
        """Point at the nearest dot."""
        self.point_at(self.nearest(position))

    def on_click(self, position: QPointF) -> None:
        """Choose the nearest dot."""
        index = self.nearest(position)
        if index is not None:
            self.chosen.emit(index)

    def choose_point(self) -> None:
        """Choose the dot under the pointer or reached by keys."""
        if self._under is not None:
            self.chosen.emit(self._under)

    def step(self, along: int, across: int) -> None:
        """Go to another dot; up goes to the right, too; see `Plot.step`."""
        if len(self.dots.x):
            self.point_at(self._next(along or -across))

    def _next(self, step: int) -> int:
        there = np.flatnonzero(np.isfinite(self.dots.x) & np.isfinite(self.reachable()))
        order = there[np.lexsort((self.dots.y[there], self.dots.x[there]))]
        if self._under is None or not len(order):
            return int(order[0 if step > 0 else -1]) if len(order) else 0
        at = int(np.flatnonzero(order == self._under)[0]) + step
        return int(order[min(max(at, 0), len(order) - 1)])

    def _on_view_changed(self) -> None:
        self.zoomed.emit(self.is_zoomed())


def bounds_around(x: Floats, y: Floats, margin: float) -> tuple[float, float, float, float]:
    """Return left, right, low and high around points.

    Args:
        x: Positions, (n,).
        y: Positions, (m,).
        margin: Fraction of the range that is added on each side.
    """
    return *_span(x, margin), *_span(y, margin)


def _span(values: Floats, margin: float) -> tuple[float, float]:
    there = values[np.isfinite(values)]
    if not len(there):
        return 0.0, 1.0
    low, high = float(there.min()), float(there.max())
    room = (high - low) * margin or max(abs(low) * margin, 0.5)
    return low - room, high + room


_SCATTER_MARGIN = 0.04
_ALPHA = 150


class ScatterPlot(PointPlot):
    """Dots of predicted by true values; the marked one is larger."""

    def show_values(self, true: Floats, predicted: Floats, marked: int | None) -> None:
        """Show predicted against true values.

        Args:
            true: Shape (n,).
            predicted: Shape (n,).
            marked: Index of the marked point, or None.
        """
        ends = np.concatenate([true, predicted])
        reach = bounds_around(ends, ends, _SCATTER_MARGIN)
        kinds = np.zeros(len(true), np.intp)
        if marked is not None:
            kinds[marked] = 1
        line = np.array(reach[:2])
        self.set_dots(Dots(true, predicted, kinds, line, line), reach, stays=True)

    def styles(self) -> tuple[Sequence[DotStyle], QPen]:
        """Return the style of dots and of the marked one, and the pen of the diagonal."""
        palette, dark = self._theme.palette, self._theme.is_dark
        color = QColor(chart_color(0, dark=dark))
        marked = DotStyle(QColor(color), 12.0, QColor(palette.text))
        color.setAlpha(_ALPHA)
        pen = QPen(QColor(palette.muted), 1.0, Qt.PenStyle.DashLine)
        return (DotStyle(color, 7.0), marked), pen


class ScatterChart(Chart):
    """True values across, predicted values up.

    Signals:
        pointed: Index of the point under the pointer; -1 for none.
        chosen: Index of the point that was clicked.
    """

    pointed = Signal(int)
    chosen = Signal(int)

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, title, Tools.ZOOM, parent)
        self._true = self._predicted = np.zeros(0)
        self._labels = ("", "")
        self._marked: int | None = None
        self.plot = ScatterPlot(theme)
        self.plot.pointed.connect(self._on_pointed)
        self.plot.chosen.connect(self.chosen)
        self.set_plot(self.plot)
        self.follow_zoom(self.plot.zoomed, self.plot.show_all)
        self.legend.hide()

    def show_values(self, true: Floats, predicted: Floats, labels: tuple[str, str]) -> None:
        """Show other points.

        Args:
            true: n values.
            predicted: n values; NaN values are not drawn.
            labels: Names of the axes, x first.
        """
        self._true, self._labels = true, labels
        self._predicted = np.where(np.isfinite(predicted), predicted, np.nan)
        plot = self.plot
        plot.set_scales(replace(plot.across, label=labels[0]), replace(plot.up, label=labels[1]))
        still = self._marked is not None and self._marked < len(true)
        self.mark(self._marked if still else None)
        self.update_texts()

    def mark(self, index: int | None) -> None:
        """Mark a point, or none."""
        self._marked = index
        self.plot.show_values(self._true, self._predicted, index)

    def data_table(self) -> DataTable:
        """Return true and predicted values."""
        x, y = self._labels
        return DataTable([DataColumn(x, self._true), DataColumn(y, self._predicted)])

    def summary(self) -> str:
        """Return the number of points and their mean distance from the diagonal."""
        if not len(self._true):
            return ""
        error = float(np.nanmean(np.abs(self._predicted - self._true)))
        one = self.tr("1 point, absolute error {error}")
        many = self.tr("{n} points, mean absolute error {error}")
        text = counted(len(self._true), one, many).format(error=significant(error))
        return f"{self._labels[1]}, {self._labels[0]}: {text}"

    def _on_pointed(self, index: int, _position: object) -> None:
        self.pointed.emit(index)
