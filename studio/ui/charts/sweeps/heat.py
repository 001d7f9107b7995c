"""An objective over two fields, as colored cells."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from studio.ui.charts.colors import area_ramp, levels_of, scale_ends
from studio.ui.charts.export import VECTORS
from studio.ui.charts.header import Tools
from studio.ui.charts.sweeps.data import Floats, SweepAxis, cell_text, value_text
from studio.ui.charts.sweeps.views import SweepView
from studio.ui.charts.table import Column, Table
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, TYPE, contrast
from studio.ui.widgets.eliding import elided

Statistic = Literal["best", "mean"]
_FEW = 12
"""Up to so many different numbers have a cell each."""
_BINS = 10


@dataclass(frozen=True, eq=False)
class Bins:
    """The values of one field in cells, from low to high.

    Attributes:
        places: Cell of each trial, (n,); -1 for none.
        words: What is written beside each cell.
        ranges: What a cell holds, in words.
    """

    places: NDArray[np.intp]
    words: tuple[str, ...]
    ranges: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Grid:
    """An objective by two fields.

    Attributes:
        x, y: The fields.
        values: Best or mean of the objective, (rows, columns); NaN in empty cells.
        counts: Trials in each cell, (rows, columns).
        best: Place of the best trial of each cell among the trials, -1 in empty cells.
    """

    x: Bins
    y: Bins
    values: Floats
    counts: NDArray[np.intp]
    best: NDArray[np.intp]


@functools.lru_cache(maxsize=16)
def bins_of(axis: SweepAxis) -> Bins:
    """A cell for each category or each of a few numbers, else ten stretches of equal length.

    On a logarithmic axis it is ratios that are equal.
    """
    if axis.ticks:
        codes = np.array([code for code, _ in axis.ticks])
        words = tuple(word for _, word in axis.ticks)
        return Bins(_place(axis.values, codes), words, words)
    there = axis.values[np.isfinite(axis.values)]
    distinct = np.unique(there)
    if len(distinct) <= _FEW:
        words = tuple(value_text(axis, value) for value in distinct.tolist())
        return Bins(_place(axis.values, distinct), words, words)
    places = axis.plotted()
    edges = np.linspace(np.nanmin(places), np.nanmax(places), _BINS + 1)
    found = np.clip(np.searchsorted(edges, places, side="right") - 1, 0, _BINS - 1)
    texts = [value_text(axis, float(f"{axis.raw(edge):.3g}")) for edge in edges.tolist()]
    middles = (edges[:-1] + edges[1:]) / 2
    return Bins(
        np.where(np.isfinite(places), found, -1),
        tuple(value_text(axis, float(f"{axis.raw(at):.2g}")) for at in middles.tolist()),
        tuple(f"{low} \N{EN DASH} {high}" for low, high in itertools.pairwise(texts)),
    )


def grid_of(
    x: SweepAxis, y: SweepAxis, objective: SweepAxis, statistic: Statistic, *, maximize: bool
) -> Grid:
    """The best or the mean of an objective in every cell of two fields."""
    columns, rows = bins_of(x), bins_of(y)
    width, height = len(columns.words), len(rows.words)
    values = objective.values
    there = (columns.places >= 0) & (rows.places >= 0) & np.isfinite(values)
    trials = np.flatnonzero(there)
    cells = rows.places[trials] * width + columns.places[trials]
    counts = np.bincount(cells, minlength=width * height).astype(np.intp)
    # The last one that is written stays: the best of each cell comes last.
    costs = -values[trials] if maximize else values[trials]
    order = np.argsort(costs, kind="stable")[::-1]
    best = np.full(width * height, -1, np.intp)
    best[cells[order]] = trials[order]
    if statistic == "mean":
        sums = np.bincount(cells, values[trials], minlength=width * height)
        found = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    else:
        found = np.where(best >= 0, values[best], np.nan) if len(values) else np.full(0, np.nan)
    shape = height, width
    return Grid(columns, rows, found.reshape(shape), counts.reshape(shape), best.reshape(shape))


def _place(values: Floats, known: Floats) -> NDArray[np.intp]:
    if not len(known):
        return np.full(len(values), -1, np.intp)
    found = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[found] == values, found, -1)


Cell = tuple[int, int]
"""Row, counted from below, and column."""
_MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (1, 0),
    Qt.Key.Key_Down: (-1, 0),
}
_SIDE = 110.0
_GAP = 1.0


class HeatCells(QWidget):
    """A grid of cells, the low end of both fields in the lower left corner.

    Signals:
        pointed: The cell under the pointer or reached by keys, or None; and the place.
        chosen: The cell that was clicked, or on which Return was pressed.
    """

    pointed = Signal(object, QPointF)
    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._grid: Grid | None = None
        self._names = "", ""
        self._texts: list[list[str]] = []
        self._levels: NDArray[np.intp] = np.empty((0, 0), np.intp)
        self._current: Cell | None = None
        self._picture = QPixmap()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Heat map"))
        theme.changed.connect(self._redraw)

    def show_grid(
        self, grid: Grid, x_name: str, y_name: str, values: SweepAxis, *, maximize: bool
    ) -> None:
        """Show these cells.

        Args:
            grid: The cells.
            x_name: Of the field across.
            y_name: Of the field upwards.
            values: The objective, for the figures in the cells.
            maximize: Whether more of it is better.
        """
        self._grid, self._names = grid, (x_name, y_name)
        self._current = None
        shape = grid.values.shape
        self._levels = levels_of(grid.values.ravel(), maximize=maximize).reshape(shape)
        self._texts = [[cell_text(values, value) for value in row] for row in grid.values.tolist()]
        self._redraw()

    def current(self) -> Cell | None:
        """The cell that is pointed at."""
        return self._current

    def cell_rect(self, cell: Cell) -> QRectF:
        """Where a cell is."""
        area = self._area()
        rows, columns = self._levels.shape
        width, height = area.width() / max(1, columns), area.height() / max(1, rows)
        top = area.bottom() - (cell[0] + 1) * height
        return QRectF(area.left() + cell[1] * width, top, width - _GAP, height - _GAP)

    def cell_at(self, place: QPointF) -> Cell | None:
        """The cell at a place."""
        area = self._area()
        if not area.contains(place) or not self._levels.size:
            return None
        rows, columns = self._levels.shape
        row = int((area.bottom() - place.y()) / area.height() * rows)
        column = int((place.x() - area.left()) / area.width() * columns)
        return min(row, rows - 1), min(column, columns - 1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what is under the pointer."""
        self._point_at(self.cell_at(event.position()), event.position())

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the pointer."""
        super().leaveEvent(event)
        self._point_at(None, QPointF())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a cell."""
        cell = self.cell_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None:
            self.chosen.emit(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys go from cell to cell, Return chooses."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current is not None:
            self.chosen.emit(self._current)
            return
        move = _MOVES.get(key)
        if move is None or not self._levels.size:
            super().keyPressEvent(event)
            return
        rows, columns = self._levels.shape
        row, column = self._current or (0, 0)
        if self._current is not None:
            row = min(max(row + move[0], 0), rows - 1)
            column = min(max(column + move[1], 0), columns - 1)
        self._point_at((row, column), self.cell_rect((row, column)).center())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint cells, figures and names, once for all frames until something changes."""
        if self._grid is None:
            return
        painter = QPainter(self)
        if painter.paintEngine().type() in VECTORS:
            self._paint_all(painter, self._grid)
        else:
            ratio = abs(painter.deviceTransform().m11()) or 1.0
            if self._picture.isNull() or self._picture.devicePixelRatio() != ratio:
                self._picture = self._painted(self._grid, ratio)
            painter.drawPixmap(0, 0, self._picture)
        if self._current is not None:
            painter.setPen(QPen(QColor(self._theme.palette.text), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.cell_rect(self._current))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cells are painted for a size."""
        super().resizeEvent(event)
        self._redraw()

    def changeEvent(self, event: QEvent) -> None:
        """Another font or style, another picture."""
        super().changeEvent(event)
        self._redraw()

    def _redraw(self) -> None:
        self._picture = QPixmap()
        self.update()

    def _painted(self, grid: Grid, ratio: float) -> QPixmap:
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        painter = QPainter(picture)
        self._paint_all(painter, grid)
        painter.end()
        return picture

    def _paint_all(self, painter: QPainter, grid: Grid) -> None:
        painter.fillRect(self.rect(), QColor(self._theme.palette.surface))
        font = QFont(self.font())
        font.setPixelSize(TYPE.caption)
        painter.setFont(font)
        self._paint_cells(painter, grid)
        self._paint_words(painter, grid)

    def _area(self) -> QRectF:
        line = self.fontMetrics().height()
        return QRectF(self.rect()).adjusted(_SIDE, SPACE.s + line, -SPACE.m, -2.0 * line - SPACE.m)

    def _paint_cells(self, painter: QPainter, grid: Grid) -> None:
        palette, colors = self._theme.palette, area_ramp()
        metrics = QFontMetricsF(painter.font())
        widest = max((metrics.horizontalAdvance(t) for row in self._texts for t in row), default=0)
        room = self.cell_rect((0, 0))
        fits = room.width() > widest + SPACE.xs and room.height() > metrics.height()
        hatched = QBrush(QColor(palette.border), Qt.BrushStyle.BDiagPattern)
        inks = [QColor(_ink(each.name(), palette.text, palette.surface)) for each in colors]
        counts, levels = grid.counts.tolist(), self._levels.tolist()
        for row, texts in enumerate(self._texts):
            box = self.cell_rect((row, 0))
            across = self.cell_rect((row, 1)).left() - box.left()
            for column, text in enumerate(texts):
                if not counts[row][column]:
                    painter.fillRect(box, hatched)
                else:
                    level = levels[row][column]
                    painter.fillRect(box, colors[level])
                    if fits:
                        painter.setPen(inks[level])
                        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
                box.translate(across, 0)

    def _paint_words(self, painter: QPainter, grid: Grid) -> None:
        metrics, area = QFontMetricsF(painter.font()), self._area()
        painter.setPen(QColor(self._theme.palette.muted))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for row, word in enumerate(grid.y.words):
            box = self.cell_rect((row, 0))
            side = QRectF(0, box.top(), area.left() - SPACE.s, box.height())
            painter.drawText(side, right, elided(metrics, word, side.width()))
        for column, word in enumerate(grid.x.words):
            box = self.cell_rect((0, column))
            foot = QRectF(box.left(), area.bottom() + SPACE.xs, box.width(), metrics.height())
            text = elided(metrics, word, foot.width())
            painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, text)
        painter.setPen(QColor(self._theme.palette.text))
        line = metrics.height()
        head = QRectF(0, 0, self.width(), line + SPACE.xs)
        painter.drawText(head, Qt.AlignmentFlag.AlignLeft, self._names[1])
        foot = QRectF(area.left(), self.height() - line - 2, area.width(), line)
        painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, self._names[0])

    def _point_at(self, cell: Cell | None, place: QPointF) -> None:
        if cell is None and self._current is None:
            return
        self._current = cell
        self.pointed.emit(cell, place)
        self.update()


def _ink(ground: str, one: str, other: str) -> str:
    """Whichever can be read better on a ground."""
    return one if contrast(one, ground) >= contrast(other, ground) else other


_SIZE = QSize(160, 12)


class _Strip(QWidget):
    """The colors, the worst at the left."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(_SIZE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint one box for each color."""
        painter = QPainter(self)
        colors = area_ramp()
        width = self.width() / len(colors)
        for index, color in enumerate(colors):
            painter.fillRect(QRectF(index * width, 0, width + 1, self.height()), color)
        painter.end()


class ScaleBar(QWidget):
    """The worst value, the colors, and the best value."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.worst, self.best = QLabel(self), QLabel(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.s)
        row.addStretch(1)
        for widget in (self.worst, _Strip(self), self.best):
            row.addWidget(widget)
        for label in (self.worst, self.best):
            label.setProperty("role", "caption")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_scale(self, worst: str, best: str) -> None:
        """Show a scale from one value to the other; two empty texts hide it."""
        self.worst.setText(self.tr("Worst: {value}").format(value=worst))
        self.best.setText(self.tr("Best: {value}").format(value=best))
        self.setAccessibleName(f"{self.worst.text()}, {self.best.text()}")
        self.setVisible(bool(best))


class HeatView(SweepView):
    """Best or mean of an objective by two fields; a click chooses the best trial of a cell.

    Two ranges are shown as cells, too, ten by ten.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.tr("Heat map"), Tools.NONE, parent)
        self.across = self.choices.add(self.tr("Across"))
        self.up = self.choices.add(self.tr("Up"))
        self.objective = self.choices.add(self.tr("Objective"))
        self.statistic = self.choices.add(self.tr("Show"))
        self.cells = HeatCells(theme, self)
        self.cells.pointed.connect(self._pointed)
        self.cells.chosen.connect(self._chosen)
        self.set_plot(self.cells)
        self.scale_bar = ScaleBar(self)
        self.column.addWidget(self.scale_bar)
        self._grid: Grid | None = None
        self._value_axis: SweepAxis | None = None

    def missing(self) -> str:
        """Why there is nothing to show."""
        missing = super().missing()
        if not missing and self.trials is not None and len(self.trials.axes) < 2:
            return self.tr("A heat map needs two fields that vary; in this sweep there is one.")
        return missing

    def refresh(self) -> None:
        """Draw the trials anew."""
        if self.trials is None or self.missing():
            return
        trials = self.trials
        fields = [axis.label for axis in trials.axes]
        self.choices.fill(self.across, fields)
        self.choices.fill(self.up, fields, first=1)
        self.choices.fill(self.objective, [axis.label for axis in trials.objectives])
        self.choices.fill(self.statistic, [self.tr("Best"), self.tr("Mean")])
        x, y = (trials.axes[box.currentIndex()] for box in (self.across, self.up))
        which = self.objective.currentIndex()
        statistic: Statistic = get_args(Statistic)[self.statistic.currentIndex()]
        self._value_axis = trials.objectives[which]
        maximize = trials.maximize[which]
        self._grid = grid_of(x, y, self._value_axis, statistic, maximize=maximize)
        self.cells.show_grid(self._grid, x.label, y.label, self._value_axis, maximize=maximize)
        self.refresh_table()
        self._show_scale(self._grid, self._value_axis, maximize=maximize)

    def _show_scale(self, grid: Grid, axis: SweepAxis, *, maximize: bool) -> None:
        ends = scale_ends(grid.values.ravel(), maximize=maximize)
        texts = ("", "") if ends is None else tuple(value_text(axis, end) for end in ends)
        self.scale_bar.show_scale(texts[0], texts[1])

    def own_table(self) -> Table | None:
        """Return the cells: a row for each value of the vertical field, the highest first."""
        grid, axis = self._grid, self._value_axis
        if grid is None or axis is None:
            return None
        text = functools.partial(cell_text, axis)
        rows = Column(self.up.currentText(), grid.y.ranges[::-1])
        cells = grid.values[::-1].T
        return Table([rows, *(map(Column, grid.x.ranges, cells, itertools.repeat(text)))])

    def grid(self) -> Grid | None:
        """What is shown."""
        return self._grid

    def describe_cell(self, cell: Cell) -> str:
        """What a cell holds, in lines."""
        grid, axis = self._grid, self._value_axis
        if grid is None or axis is None:
            return ""
        row, column = cell
        lines = [
            f"{self.across.currentText()}: {grid.x.ranges[column]}",
            f"{self.up.currentText()}: {grid.y.ranges[row]}",
        ]
        if not grid.counts[cell]:
            return "\n".join([*lines, self.tr("No trial")])
        value = value_text(axis, float(grid.values[cell]))
        lines.append(f"{axis.label} ({self.statistic.currentText()}): {value}")
        lines.append(self.tr("Trials: {count}").format(count=int(grid.counts[cell])))
        return "\n".join(lines)

    def _pointed(self, cell: Cell | None, place: QPointF) -> None:
        text = "" if cell is None else self.describe_cell(cell)
        self.cells.setAccessibleDescription(text.replace("\n", ", "))
        self.show_bubble(text, self.cells.mapToGlobal(place.toPoint()))

    def _chosen(self, cell: Cell) -> None:
        if self._grid is not None and self._grid.best[cell] >= 0:
            self.choose(int(self._grid.best[cell]))
