"""Heat map of an objective over two fields of a sweep."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from studio.engine.arrays import Floats
from studio.ui.charts.colors import area_ramp, levels_of, scale_ends
from studio.ui.charts.header import Tools
from studio.ui.charts.heat_map import Cell, HeatMapChart
from studio.ui.charts.sweeps.data import SweepAxis, cell_text, rounded, value_text
from studio.ui.charts.sweeps.views import ColorScale, SweepView
from studio.ui.charts.table import DataColumn, DataTable
from studio.ui.theme.theme import Theme

Statistic = Literal["best", "mean"]
_FEW = 12
"""Most different numbers that have a cell each."""
_BINS = 10


@dataclass(frozen=True, eq=False)
class Bins:
    """Values of a field in cells, from low to high.

    Attributes:
        cells: Cell of each trial, (n,); -1 for none.
        names: Name of each cell.
        ranges: Range of values of each cell, as text.
    """

    cells: NDArray[np.intp]
    names: tuple[str, ...]
    ranges: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ObjectiveGrid:
    """Objective by two fields.

    Attributes:
        x: Horizontal field.
        y: Vertical field.
        values: Best or mean of the objective, (rows, columns); NaN in empty cells.
        counts: Trials in each cell, (rows, columns).
        best: Index of the best trial in each cell, (rows, columns); -1 in empty cells.
    """

    x: Bins
    y: Bins
    values: Floats
    counts: NDArray[np.intp]
    best: NDArray[np.intp]


@functools.lru_cache(maxsize=16)
def bins_of(axis: SweepAxis) -> Bins:
    """Return a cell for each category or each of few numbers, else ten equal intervals.

    On a logarithmic axis the ratios are equal.
    """
    if axis.ticks:
        codes = np.array([code for code, _ in axis.ticks])
        names = tuple(name for _, name in axis.ticks)
        return Bins(_cells(axis.values, codes), names, names)
    there = axis.values[np.isfinite(axis.values)]
    distinct = np.unique(there)
    if len(distinct) <= _FEW:
        names = tuple(value_text(axis, value) for value in distinct.tolist())
        return Bins(_cells(axis.values, distinct), names, names)
    plotted = axis.plotted()
    edges = np.linspace(np.nanmin(plotted), np.nanmax(plotted), _BINS + 1)
    found = np.clip(np.searchsorted(edges, plotted, side="right") - 1, 0, _BINS - 1)
    texts = [value_text(axis, rounded(axis.raw(edge), 3)) for edge in edges.tolist()]
    middles = (edges[:-1] + edges[1:]) / 2
    return Bins(
        np.where(np.isfinite(plotted), found, -1),
        tuple(value_text(axis, rounded(axis.raw(at), 2)) for at in middles.tolist()),
        tuple(f"{low} \N{EN DASH} {high}" for low, high in itertools.pairwise(texts)),
    )


def grid_of(
    x: SweepAxis, y: SweepAxis, objective: SweepAxis, statistic: Statistic, *, maximize: bool
) -> ObjectiveGrid:
    """Return the best or mean objective in each cell of two fields.

    Args:
        x: Field of the columns.
        y: Field of the rows.
        objective: The objective.
        statistic: Best or mean.
        maximize: True if higher is better.
    """
    columns, rows = bins_of(x), bins_of(y)
    width, height = len(columns.names), len(rows.names)
    values = objective.values
    there = (columns.cells >= 0) & (rows.cells >= 0) & np.isfinite(values)
    trials = np.flatnonzero(there)
    cells = rows.cells[trials] * width + columns.cells[trials]
    counts = np.bincount(cells, minlength=width * height).astype(np.intp)
    # Later assignments win: the best of each cell comes last.
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
    return ObjectiveGrid(
        columns, rows, found.reshape(shape), counts.reshape(shape), best.reshape(shape)
    )


def _cells(values: Floats, known: Floats) -> NDArray[np.intp]:
    if not len(known):
        return np.full(len(values), -1, np.intp)
    found = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[found] == values, found, -1)


class HeatCells(HeatMapChart):
    """Cells of two fields, both ascending from the lower left corner."""

    from_below = True
    has_gaps = True

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._grid: ObjectiveGrid | None = None
        self._texts: list[list[str]] = []
        self._levels: NDArray[np.intp] = np.empty((0, 0), np.intp)

    def show_grid(
        self, grid: ObjectiveGrid, titles: tuple[str, str], values: SweepAxis, *, maximize: bool
    ) -> None:
        """Show other cells.

        Args:
            grid: The cells.
            titles: Names of the vertical and of the horizontal field.
            values: Objective that formats the numbers.
            maximize: True if larger values are better.
        """
        self._grid = grid
        shape = grid.values.shape
        self._levels = levels_of(grid.values.ravel(), maximize=maximize).reshape(shape)
        self._texts = [[cell_text(values, value) for value in row] for row in grid.values.tolist()]
        self.set_cells(grid.y.names, grid.x.names, titles)

    def image(self, _most: int) -> QImage:
        """Return the colors; empty cells are transparent."""
        if self._grid is None:
            return QImage()
        pixels = np.array([color.rgba() for color in area_ramp()], np.uint32)[self._levels]
        pixels = np.ascontiguousarray(np.where(self._grid.counts > 0, pixels, 0)[::-1])
        height, width = pixels.shape
        image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32)
        return image.copy()

    def numbers(self) -> Iterable[tuple[Cell, str]]:
        """Return the values of the cells with trials."""
        if self._grid is not None:
            for row, column in np.argwhere(self._grid.counts > 0).tolist():
                yield (row, column), self._texts[row][column]

    def paint_under(self, painter: QPainter, area: QRectF) -> None:
        """Hatch empty cells; see `HeatMapChart.paint_under`."""
        painter.fillRect(area, QColor(self.theme.palette.surface))
        color = QColor(self.theme.palette.border)
        painter.fillRect(area, QBrush(color, Qt.BrushStyle.BDiagPattern))


class ObjectiveHeatView(SweepView):
    """Best or mean of an objective by two fields; a click chooses the best trial of a cell.

    Ranges are divided into ten cells.

    Attributes:
        grid: The shown cells.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.tr("Heat map"), Tools.NONE, parent)
        self.across = self.choices.add(self.tr("Horizontal"))
        self.up = self.choices.add(self.tr("Vertical"))
        self.objective = self.choices.add(self.tr("Objective"))
        self.statistic = self.choices.add(self.tr("Show"))
        self.cells = HeatCells(theme, self)
        self.cells.hovered.connect(self._pointed)
        self.cells.chosen.connect(self._chosen)
        self.set_plot(self.cells)
        self.color_scale = ColorScale(theme, self)
        self.column.addWidget(self.color_scale)
        self.grid: ObjectiveGrid | None = None
        self._value_axis: SweepAxis | None = None

    def missing(self) -> str:
        """Return why there is nothing to show."""
        missing = super().missing()
        if not missing and len(self.trials.axes) < 2:
            return self.tr("A heat map needs two fields that vary. This sweep has one.")
        return missing

    def refresh(self) -> None:
        """Draw the trials again."""
        if self.missing():
            return
        trials = self.trials
        x = self.chosen_axis(self.across, trials.axes)
        y = self.chosen_axis(self.up, trials.axes, first=1)
        self._value_axis = self.chosen_axis(self.objective, trials.objectives)
        self.choices.fill(self.statistic, [self.tr("Best"), self.tr("Mean")])
        statistic: Statistic = get_args(Statistic)[self.statistic.currentIndex()]
        maximize = trials.maximize[self.objective.currentIndex()]
        self.grid = grid_of(x, y, self._value_axis, statistic, maximize=maximize)
        titles = y.label, x.label
        self.cells.show_grid(self.grid, titles, self._value_axis, maximize=maximize)
        self.refresh_table()
        self._show_scale(self.grid, self._value_axis, maximize=maximize)

    def _show_scale(self, grid: ObjectiveGrid, axis: SweepAxis, *, maximize: bool) -> None:
        ends = scale_ends(grid.values.ravel(), maximize=maximize)
        if ends is None:
            self.color_scale.show_scale((), ())
            return
        worst, best = (value_text(axis, end) for end in ends)
        texts = (
            self.tr("Worst: {value}").format(value=worst),
            self.tr("Best: {value}").format(value=best),
        )
        self.color_scale.show_scale(area_ramp(), texts)

    def own_table(self) -> DataTable | None:
        """Return the cells, a row for each value of the vertical field in descending order."""
        grid, axis = self.grid, self._value_axis
        if grid is None or axis is None:
            return None
        text = functools.partial(cell_text, axis)
        rows = DataColumn(self.up.currentText(), grid.y.ranges[::-1])
        cells = grid.values[::-1].T
        return DataTable([rows, *(map(DataColumn, grid.x.ranges, cells, itertools.repeat(text)))])

    def describe_cell(self, cell: Cell) -> str:
        """Describe a cell in lines."""
        grid, axis = self.grid, self._value_axis
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

    def _pointed(self, cell: Cell | None) -> None:
        text = "" if cell is None else self.describe_cell(cell)
        position = QPointF() if cell is None else self.cells.cell_rect(cell).center()
        self.cells.setAccessibleDescription(text.replace("\n", ", "))
        self.show_bubble(text, self.cells.mapToGlobal(position.toPoint()))

    def _chosen(self, cell: Cell) -> None:
        if self.grid is not None and self.grid.best[cell] >= 0:
            self.choose(int(self.grid.best[cell]))
