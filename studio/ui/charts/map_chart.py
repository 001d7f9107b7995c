"""Map of images: colored dots that can be selected with a lasso."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from studio.ui.charts.axes import Ends
from studio.ui.charts.chart import MAX_LINES, Chart
from studio.ui.charts.dots import Dots, PointPlot, bounds_around
from studio.ui.charts.header import DotShape, DotStyle, Tools
from studio.ui.charts.series import Array
from studio.ui.charts.table import DataColumn, DataTable
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CHART_COLORS, SPLIT_COLORS, ColorPalette, chart_color, mix
from studio.ui.widgets.bars import split_word
from studio.ui.widgets.figures import count

_tr = partial(QCoreApplication.translate, "map")
_spoken = partial(QCoreApplication.translate, "spoken")

MapColoring = Literal["class", "split", "error"]
SHAPES: tuple[DotShape, ...] = ("circle", "square", "triangle")
_FEW = 2000
"""Most dots that are drawn large."""
_FADED = 0.22
_MARGIN = 0.04
_STEP = 3.0
"""Least distance in pixels between points of the lasso."""


@dataclass(frozen=True)
class MapPoints:
    """Content of a map.

    Attributes:
        positions: Coordinates, shape (N, 2).
        labels: Class of each image, (N,).
        splits: 0 for training, 1 for validation, 2 for test, (N,).
        right: True if the prediction is correct, (N,); None if not known.
        classes: Names of the classes.
    """

    positions: NDArray[np.float32]
    labels: NDArray[np.int32]
    splits: NDArray[np.int8]
    right: NDArray[np.bool_] | None
    classes: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.labels)


@dataclass(frozen=True)
class Coloring:
    """Colors and shapes of the dots.

    Attributes:
        kinds: Index into `names` for each dot, (N,).
        names: Name of each kind; with more classes than styles, several share one.
        styles: Color and shape of each kind.
    """

    kinds: NDArray[np.intp]
    names: tuple[str, ...]
    styles: tuple[DotStyle, ...]


class MapPlot(PointPlot):
    """Dots of a map.

    Drag around dots to select them; turn the wheel to zoom, Shift-drag to pan. Double click shows
    everything again, a click on a dot chooses it, a click beside dots clears the selection.

    Attributes:
        has_lasso: False to zoom into the rectangle of a drag instead of selecting dots.

    Signals:
        selected: Indices of the dots inside the lasso, an array.
    """

    wheel_zoom = "both"
    has_axes = False

    selected = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.points: MapPoints | None = None
        self.coloring: Coloring | None = None
        self.selection = np.empty(0, np.intp)
        self._by: MapColoring = "class"
        self._only = -1
        self._hidden: set[int] = set()
        self.has_lasso = True
        self._lasso = QPolygonF()

    def view_range(self) -> tuple[Ends, Ends]:
        """Return the visible ranges, widened to one unit for both axes."""
        ranges, area = (self.across.ends, self.up.ends), self.area()
        unit = max(
            (last - first) / max(1.0, side)
            for (first, last), side in zip(ranges, (area.width(), area.height()), strict=True)
        )
        (left, right), (low, high) = ranges
        x, y = (left + right) / 2, (low + high) / 2
        half_x, half_y = unit * area.width() / 2, unit * area.height() / 2
        return (x - half_x, x + half_x), (y - half_y, y + half_y)

    def show_points(self, points: MapPoints | None) -> None:
        """Show another map, all of it."""
        self.points = points
        self.selection = np.empty(0, np.intp)
        self._hidden.clear()
        self.point_at(None)
        self._color()
        if points is not None and len(points):
            x, y = points.positions.astype(np.float64).T
            self.set_dots(self.dots, bounds_around(x, y, _MARGIN))

    def color_by(self, by: MapColoring) -> None:
        """Color the dots by another property."""
        self._by = by
        self._hidden.clear()
        self.recolor()

    def show_only(self, label: int) -> None:
        """Fade all but one class; -1 fades none."""
        self._only = label
        self.recolor()

    def set_kind_visible(self, kind: int, *, visible: bool) -> None:
        """Show or hide the dots of a kind.

        Args:
            kind: Index of the kind.
            visible: True to show it.
        """
        (self._hidden.discard if visible else self._hidden.add)(kind)
        self.recolor()

    def select(self, indices: NDArray[np.intp]) -> None:
        """Fade all but these dots; without any, fade none."""
        self.selection = indices
        self.recolor()

    def is_zoomed(self) -> bool:
        """Return True: the fixed aspect ratio makes the view differ from the bounds."""
        return self.points is not None

    def styles(self) -> tuple[Sequence[DotStyle], QPen]:
        """Return faded styles, then the full ones."""
        if self.coloring is None:
            return (), QPen()
        palette = self._theme.palette
        styles = self.coloring.styles
        return (*(_faded(each, palette) for each in styles), *styles), QPen()

    def reachable(self) -> Array:
        """Return an extra distance for each dot, infinite for faded and hidden ones."""
        if self.points is None:
            return np.empty(0)
        return np.where(self._is_active(self.points), 0.0, np.inf)

    def recolor(self) -> None:
        """Use the current colors of the theme."""
        self._color()
        super().recolor()

    def inside(self, line: QPolygonF) -> NDArray[np.intp]:
        """Return the shown dots inside a closed line in pixels."""
        if self.points is None or line.size() < 3:
            return np.empty(0, np.intp)
        mask = _mask(line, self.canvas.size)
        x, y = (np.floor(each).astype(np.int64) for each in self.canvas.positions())
        seen = (x >= 0) & (y >= 0) & (x < mask.shape[1]) & (y < mask.shape[0])
        seen &= self._is_shown(self.points)
        there = np.flatnonzero(seen)
        return there[mask[y[there], x[there]]]

    def _color(self) -> None:
        points = self.points
        if points is None:
            self.coloring, self.dots = None, Dots()
            return
        self.coloring = coloring_of(points, self._by, self._theme.palette)
        kinds = self.coloring.kinds + len(self.coloring.styles) * self._is_active(points)
        if self._hidden:
            kinds = np.where(np.isin(self.coloring.kinds, list(self._hidden)), -1, kinds)
        x, y = points.positions.astype(np.float64).T
        self.dots = Dots(x, y, kinds.astype(np.intp))

    def _is_shown(self, points: MapPoints) -> NDArray[np.bool_]:
        shown = np.ones(len(points), np.bool_)
        if self._only >= 0:
            shown &= points.labels == self._only
        if self._hidden and self.coloring is not None:
            shown &= ~np.isin(self.coloring.kinds, list(self._hidden))
        return shown

    def _is_active(self, points: MapPoints) -> NDArray[np.bool_]:
        active = self._is_shown(points)
        if len(self.selection):
            chosen = np.zeros(len(points), np.bool_)
            chosen[self.selection] = True
            active &= chosen
        return active

    def drag(self, now: QPointF) -> None:
        """Draw the lasso."""
        if not self.has_lasso:
            super().drag(now)
            return
        if self._lasso.isEmpty() or (now - self._lasso.last()).manhattanLength() >= _STEP:
            self._lasso.append(now)
        self.point_at(None)
        self.update()

    def drop(self, start: QPointF, end: QPointF) -> None:
        """Select the dots inside the lasso; see `Plot.drop`."""
        if not self.has_lasso:
            super().drop(start, end)
            return
        line, self._lasso = self._lasso, QPolygonF()
        line.append(end)
        self.select(self.inside(line))
        self.selected.emit(self.selection)

    def on_click(self, position: QPointF) -> None:
        """Choose the nearest dot; beside dots, select nothing."""
        super().on_click(position)
        if len(self.selection) and self.nearest(position) is None:
            self.select(np.empty(0, np.intp))
            self.selected.emit(self.selection)

    def paint_over(self, painter: QPainter, area: QRectF) -> None:
        """Paint the lasso; see `Plot.paint_over`."""
        super().paint_over(painter, area)
        painter.setPen(QPen(self._theme.color("accent"), 1.5))
        painter.setBrush(self.shade())
        painter.drawPolygon(self._lasso)


class MapChart(Chart):
    """Map of images with a legend whose entries show and hide dots."""

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, title, Tools.ZOOM, parent)
        self.set_title(title, in_header=False)  # the page adds its controls there
        self.plot = MapPlot(theme)
        self.set_plot(self.plot)
        self.follow_zoom(self.plot.zoomed, self.plot.show_all)
        self.plot.selected.connect(self.description.write)
        self.legend.switched.connect(self._on_switched)
        theme.changed.connect(self._show_legend)

    def show_points(self, points: MapPoints | None) -> None:
        """Show another map, all of it."""
        self.plot.show_points(points)
        self.legend.clear()
        self._show_legend()
        self.update_texts()

    def color_by(self, by: MapColoring) -> None:
        """Color the dots by another property."""
        self.plot.color_by(by)
        self.legend.clear()
        self._show_legend()

    def select(self, indices: NDArray[np.intp]) -> None:
        """Fade all but these dots; without any, fade none."""
        self.plot.select(indices)
        self.description.write()

    def data_table(self) -> DataTable:
        """Return position, class, split and correctness of each image."""
        points = self.plot.points
        if points is None:
            return DataTable()
        splits = _split_names()
        x, y = points.positions.astype(np.float64).T
        columns = [
            DataColumn("x", x),
            DataColumn("y", y),
            DataColumn(
                _tr("Class"), [points.classes[at] for at in points.labels.tolist()], key="class"
            ),
            DataColumn(_tr("Split"), [splits[at] for at in points.splits.tolist()], key="split"),
        ]
        if points.right is not None:
            words = [_tr("Right") if each else _tr("Wrong") for each in points.right.tolist()]
            columns.append(DataColumn(_tr("Prediction"), words, key="prediction"))
        return DataTable(columns)

    def summary(self) -> str:
        """Return the numbers of images, classes, errors and selected images."""
        points, selected = self.plot.points, len(self.plot.selection)
        if points is None or not len(points):
            return ""
        shown = points.classes[:MAX_LINES]
        more = "" if len(shown) == len(points.classes) else ", …"
        text = _spoken("Images: {number}, classes: {count} ({names})").format(
            number=count(len(points)),
            count=count(len(points.classes)),
            names=", ".join(shown) + more,
        )
        if points.right is not None:
            wrong = int((~points.right).sum())
            text += _spoken("; {number} misclassified").format(number=count(wrong))
        if selected:
            text += _spoken("; {number} selected").format(number=count(selected))
        return text + "."

    def _show_legend(self) -> None:
        coloring = self.plot.coloring
        there = set() if coloring is None else set(coloring.kinds.tolist())
        if coloring is not None:
            for kind, (name, style) in enumerate(
                zip(coloring.names, coloring.styles, strict=True)
            ):
                if kind in there:
                    self.legend.entry(str(kind)).set_dot(name, style)
        self.legend.setVisible(bool(there))

    def _on_switched(self, key: str, shown: bool) -> None:
        self.plot.set_kind_visible(int(key), visible=shown)


def coloring_of(points: MapPoints, by: MapColoring, palette: ColorPalette) -> Coloring:
    """Return the kinds of dots, distinguished by color and, for many, by shape.

    Args:
        points: The points.
        by: Property that the color shows.
        palette: Palette of the theme.
    """
    dark = palette.name == "dark"
    size = 7.0 if len(points) <= _FEW else 4.0
    if by == "split":
        styles = [_style(at, size, dark=dark, shape=SHAPES[at]) for at in range(3)]
        return Coloring(points.splits.astype(np.intp), _split_names(), tuple(styles))
    if by == "error" and points.right is not None:
        # Errors are on top, larger and of another shape.
        right = DotStyle(QColor(mix(palette.surface, chart_color(0, dark=dark), 0.6)), size)
        wrong = DotStyle(QColor(chart_color(3, dark=dark)), size + 2, shape="triangle")
        kinds = np.where(points.right, 0, 1).astype(np.intp)
        return Coloring(kinds, (_tr("Right"), _tr("Wrong")), (right, wrong))
    number = min(len(points.classes), len(CHART_COLORS) * len(SHAPES))
    found = tuple(
        _style(at, size, dark=dark, shape=SHAPES[at // len(CHART_COLORS)]) for at in range(number)
    )
    names = tuple(", ".join(points.classes[at::number]) for at in range(number))
    return Coloring((points.labels % max(1, number)).astype(np.intp), names, found)


def _split_names() -> tuple[str, ...]:
    return tuple(map(split_word, SPLIT_COLORS))


def _style(index: int, size: float, *, dark: bool, shape: DotShape) -> DotStyle:
    return DotStyle(QColor(chart_color(index, dark=dark)), size, shape=shape)


def _faded(style: DotStyle, palette: ColorPalette) -> DotStyle:
    color = QColor(mix(palette.surface, style.color.name(), _FADED))
    return DotStyle(color, style.size, shape=style.shape)


def _mask(line: QPolygonF, size: QSize) -> NDArray[np.bool_]:
    """Return True for each pixel inside a line; faster than testing each dot."""
    image = QImage(size, QImage.Format.Format_Grayscale8)
    image.fill(Qt.GlobalColor.black)
    painter = QPainter(image)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(Qt.GlobalColor.white)
    painter.drawPolygon(line)
    painter.end()
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return rows[:, : image.width()] > 127
