"""An objective over two fields, as colored cells."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.ui.charts.sweep_choice import ChoiceRow
from studio.ui.charts.sweep_colors import scale_ends
from studio.ui.charts.sweep_data import SweepAxis
from studio.ui.charts.sweep_grid import Grid, Statistic, grid_of
from studio.ui.charts.sweep_heat_cells import Cell, HeatCells
from studio.ui.charts.sweep_scale_bar import ScaleBar
from studio.ui.charts.sweep_text import value_text
from studio.ui.charts.sweep_view import SweepView
from studio.ui.theme.theme import Theme


class HeatView(SweepView):
    """Best or mean of an objective by two fields; a click chooses the best trial of a cell.

    Two ranges are shown as cells, too, ten by ten.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.choices = ChoiceRow(self)
        self.across = self.choices.add(self.tr("Across"))
        self.up = self.choices.add(self.tr("Up"))
        self.objective = self.choices.add(self.tr("Objective"))
        self.statistic = self.choices.add(self.tr("Show"))
        self.choices.changed.connect(self.refresh)
        self.cells = HeatCells(theme, self)
        self.cells.pointed.connect(self._pointed)
        self.cells.chosen.connect(self._chosen)
        self.setFocusProxy(self.cells)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.choices)
        column.addWidget(self.cells, 1)
        self.scale_bar = ScaleBar(self)
        column.addWidget(self.scale_bar)
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

        self._show_scale(self._grid, self._value_axis, maximize=maximize)

    def _show_scale(self, grid: Grid, axis: SweepAxis, *, maximize: bool) -> None:
        ends = scale_ends(grid.values.ravel(), maximize=maximize)
        texts = ("", "") if ends is None else tuple(value_text(axis, end) for end in ends)
        self.scale_bar.show_scale(texts[0], texts[1])

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
        self.tell_text(text, self.cells.mapToGlobal(place.toPoint()))

    def _chosen(self, cell: Cell) -> None:
        if self._grid is not None and self._grid.best[cell] >= 0:
            self.choose(int(self._grid.best[cell]))
