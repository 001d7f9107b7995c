"""One objective against one field: where the good trials lie."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QWidget

from studio.ui.charts.sweep_best import DotView
from studio.ui.charts.sweep_choice import ChoiceRow
from studio.ui.charts.sweep_data import Floats, SweepAxis
from studio.ui.charts.sweep_dots import Dots
from studio.ui.charts.sweep_plot import kinds_of
from studio.ui.theme.theme import Theme

_SPREAD = 0.6
_GOLDEN = 0.6180339887
"""Its multiples fill the room between 0 and 1 evenly, however many there are."""


class SliceView(DotView):
    """Every trial as a dot; those of a category are spread a little, so that all can be seen."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.choices = ChoiceRow(self)
        self.field = self.choices.add(self.tr("Field"))
        self.objective = self.choices.add(self.tr("Objective"))
        self.choices.changed.connect(self.refresh)
        self.column.insertWidget(0, self.choices)
        self.plot.setAccessibleName(self.tr("Slice: an objective against a field"))

    def refresh(self) -> None:
        """Draw the trials anew."""
        if self.trials is None or not len(self.trials) or not self.trials.axes:
            return
        trials = self.trials
        self.choices.fill(self.field, [axis.label for axis in trials.axes])
        self.choices.fill(self.objective, [axis.label for axis in trials.objectives])
        axis = trials.axes[self.field.currentIndex()]
        objective = trials.objectives[self.objective.currentIndex()]
        dots = Dots(spread(axis), objective.plotted(), kinds_of(trials.is_best()))
        self.plot.show_dots(dots, axis, objective)


def spread(axis: SweepAxis) -> Floats:
    """Where the dots are along an axis, (n,): trials of a category stand beside each other."""
    places = axis.plotted()
    if not axis.ticks:
        return places
    shifts = np.arange(len(places)) * _GOLDEN % 1.0 - 0.5
    return np.asarray(places + shifts * _SPREAD)
