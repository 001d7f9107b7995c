"""The objective of every trial, and how the best one so far rose or fell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.ui.charts.sweep_data import Floats
from studio.ui.charts.sweep_dots import Dots
from studio.ui.charts.sweep_plot import DotPlot, kinds_of
from studio.ui.charts.sweep_view import SweepView
from studio.ui.theme.theme import Theme


class DotView(SweepView):
    """A view that is one plot of dots, one for each trial."""

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        whole_x: bool = False,
        on_picture: bool = False,
    ) -> None:
        super().__init__(theme, parent)
        self.plot = DotPlot(theme, whole_x=whole_x, on_picture=on_picture)
        self.plot.pointed.connect(self._pointed)
        self.plot.chosen.connect(self.choose)
        theme.changed.connect(self.plot.recolor)
        self.setFocusProxy(self.plot)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.addWidget(self.plot, 1)

    def _pointed(self, index: int, place: QPoint) -> None:
        self.plot.setAccessibleDescription("" if index < 0 else self.describe(index))
        self.tell(None if index < 0 else index, place)


class BestView(DotView):
    """The first objective by the number of the trial, with the best so far as a line of steps."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent, whole_x=True)
        self.plot.setAccessibleName(self.tr("Best so far"))

    def refresh(self) -> None:
        """Draw the trials anew."""
        if self.trials is None or not len(self.trials):
            return
        trials, objective = self.trials, self.trials.objectives[0]
        values = objective.plotted()
        best = running_best(values, maximize=trials.maximize[0])
        records = records_of(best)
        x = trials.numbers.astype(np.float64)
        line_x, line_y = steps(np.append(x[records], x[-1]), np.append(best[records], best[-1]))
        dots = Dots(x, values, kinds_of(records), line_x, line_y)
        self.plot.show_dots(dots, self.tr("Trial"), objective)


def running_best(values: Floats, *, maximize: bool) -> Floats:
    """The best of every value and those before it, (n,)."""
    best: Floats = (np.maximum if maximize else np.minimum).accumulate(values)
    return best


def steps(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Corners of a line that stays at a value until the next one begins."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def records_of(best: Floats) -> NDArray[np.bool_]:
    """Of each trial, whether it was better than all before it, by the running best."""
    records: NDArray[np.bool_] = np.append(True, np.diff(best) != 0)
    return records
