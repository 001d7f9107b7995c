"""The charts of the sweep that is shown; what they draw is made outside the window's thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from studio.engine.errors import StudioError
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.ui.charts.sweeps.charts import SweepCharts
from studio.ui.context import AppContext
from studio.ui.widgets.explain import explain

if TYPE_CHECKING:
    from studio.ui.charts.sweeps.data import SweepTrials, Work

SETTLE_MS = 500
Trials = Mapping[int, TrialChanged]


class TrialCharts(SweepCharts):
    """Draws the trials of one sweep, again when some more have ended.

    Args:
        context: The application.
        trials: What there is of the shown sweep now: its plan and the rows of its journal.
    """

    def __init__(
        self,
        context: AppContext,
        trials: Callable[[], tuple[SweepPlan, Trials] | None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(context.theme, parent)
        self._context = context
        self._asked_of = trials
        self._turn = 0
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self.draw)
        self.work_wanted.connect(self._do)
        self.importance_wanted.connect(self._find_importance)
        self.failed.connect(context.navigator.show_failure)
        explain(self.tabs, self.tr("Ways to look at the same trials."))

    def draw_soon(self) -> None:
        """Trials went on: draw them when no more come for a moment."""
        if not self._settle.isActive():
            self._settle.start()

    def draw(self) -> None:
        """Draw what there is now; an answer for a sweep that is no longer shown is dropped."""
        self._settle.stop()
        found = self._asked_of()
        self._turn += 1
        if found is not None:
            plan, trials = found
            # A copy: the history goes on in the window's thread meanwhile.
            work = partial(_arrays, plan, dict(trials))
            self._context.background.run(self, work, partial(self._on_arrays, self._turn))

    def _on_arrays(self, turn: int, trials: SweepTrials) -> None:
        if turn == self._turn:
            self.set_trials(trials)

    def _do(self, work: Work) -> None:
        self._context.background.run(work.owner, work.call, work.done)

    def _find_importance(self) -> None:
        found = self._asked_of()
        if found is not None:
            plan, trials = found
            work = partial(_importance, plan, dict(trials))
            self._context.background.run(self, work, partial(self._on_importance, self._turn))

    def _on_importance(self, turn: int, shares: Mapping[str, float]) -> None:
        if turn == self._turn:
            self.set_importance(shares)


def _arrays(plan: SweepPlan, trials: Trials) -> SweepTrials:
    from studio.ui.charts.sweeps.data import sweep_trials  # noqa: PLC0415 - NumPy

    return sweep_trials(plan, trials)


def _importance(plan: SweepPlan, trials: Trials) -> Mapping[str, float]:
    from studio.engine.sweeps.importance import importances  # noqa: PLC0415 - Optuna, at its use

    try:
        return importances(plan, trials)
    except StudioError:
        return {}  # too few trials: the chart says so itself
