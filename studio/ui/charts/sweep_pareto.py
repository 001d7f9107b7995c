"""Two objectives against each other, and the front of those that nothing beats in both."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QWidget

from studio.engine.sweeps.objectives import Direction
from studio.engine.sweeps.rows import best_trials
from studio.ui.charts.sweep_best import DotView
from studio.ui.charts.sweep_choice import ChoiceRow
from studio.ui.charts.sweep_data import SweepTrials
from studio.ui.charts.sweep_dots import Dots
from studio.ui.charts.sweep_plot import kinds_of
from studio.ui.theme.theme import Theme


class ParetoView(DotView):
    """Every trial as a dot, and a line through the best compromises."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.choices = ChoiceRow(self)
        self.across = self.choices.add(self.tr("Across"))
        self.up = self.choices.add(self.tr("Up"))
        self.choices.changed.connect(self.refresh)
        self.column.insertWidget(0, self.choices)
        self.plot.setAccessibleName(self.tr("Pareto front of two objectives"))

    def missing(self) -> str:
        """Why there is nothing to show."""
        missing = super().missing()
        if not missing and self.trials is not None and len(self.trials.objectives) < 2:
            return self.tr("A front needs two objectives; this sweep has one.")
        return missing

    def refresh(self) -> None:
        """Draw the trials anew."""
        if self.trials is None or self.missing():
            return
        trials = self.trials
        names = [axis.label for axis in trials.objectives]
        # Of two there is nothing to choose: the first stands upwards.
        shown = names if len(names) > 2 else []
        self.choices.fill(self.across, shown, first=1)
        self.choices.fill(self.up, shown)
        across, up = (self.across.currentIndex(), self.up.currentIndex()) if shown else (1, 0)
        x, y = trials.objectives[across], trials.objectives[up]
        front = front_of(trials, across, up)
        order = np.array(front, np.intp)
        order = order[np.argsort(x.values[order], kind="stable")]
        is_front = np.zeros(len(trials), np.bool_)
        is_front[order] = True
        dots = Dots(x.values, y.values, kinds_of(is_front), x.values[order], y.values[order])
        self.plot.show_dots(dots, x, y)


def front_of(trials: SweepTrials, one: int, other: int) -> list[int]:
    """Places, among the trials, of those that none beats in two of the objectives."""
    if {one, other} == set(range(len(trials.objectives))):
        # All objectives: that is known since the trials were made, outside the window's thread.
        return [int(at) for at in np.searchsorted(trials.numbers, trials.best)]
    pair = (one,) if one == other else (one, other)
    columns = [trials.objectives[at].values.tolist() for at in pair]
    directions: list[Direction] = [
        "maximize" if trials.maximize[at] else "minimize" for at in pair
    ]
    measured = dict(enumerate(zip(*columns, strict=True)))
    return best_trials(measured, directions)
