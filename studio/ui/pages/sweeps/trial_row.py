"""One trial of a sweep as a row: what was measured, and what its runs tell. Free of Qt."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from studio.engine.jobs.states import State
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.plan import OBJECTIVES, SweepPlan
from studio.engine.sweeps.rows import epoch_values, interval
from studio.engine.tasks import DEFAULT_TASK, MEASURED_METRICS
from studio.engine.training.comparison import best_of, last_of, seconds_of
from studio.engine.training.history import RunHistory
from studio.ui.engine_text import engine_text
from studio.ui.widgets.small_charts import curve_words

NUMBER, STATE, INTERVAL, TIME, CURVE = "number", "state", "interval", "time", "curve"
FIELD, OBJECTIVE = "field:", "objective:"
"""Before the name of a varied field, and of an objective."""
CURVE_POINTS = 60

Runs = Callable[[str], RunHistory | None]
"""The history of a run by its id; None of one that is gone."""


def columns_of(plan: SweepPlan) -> list[str]:
    """The keys of the columns of a sweep, in their order."""
    fields = [f"{FIELD}{dimension.field}" for dimension in plan.dimensions]
    objectives = [f"{OBJECTIVE}{name}" for name in plan.objectives]
    repeated = [INTERVAL] if plan.seeds > 1 else []
    return [NUMBER, *fields, STATE, *objectives, *repeated, TIME, CURVE]


@dataclass(slots=True, eq=False)
class TrialRow:
    """A trial; what was read of its runs is kept until they go on.

    Attributes:
        event: What the sweep says of it.
        plan: The sweep.
        runs: Where its runs are found.
    """

    event: TrialChanged
    plan: SweepPlan
    runs: Runs
    _values: dict[str, object] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """From 0."""
        return self.event.number

    @property
    def state(self) -> State:
        """That of its run as long as it is not over."""
        if self.event.state != State.RUNNING:
            return self.event.state
        history = self._last()
        return State.QUEUED if history is None else history.state

    @property
    def reason(self) -> str:
        """Why it failed or ended early; empty where there is nothing to say."""
        history = self._last() if self.event.state == State.RUNNING else None
        return engine_text(self.event.reason if history is None else history.reason)

    @property
    def first_run(self) -> str:
        """The id of its first run; empty while it has none."""
        return self.event.runs[0].id if self.event.runs else ""

    def forget(self) -> None:
        """It, or one of its runs, is not as it was."""
        self._values.clear()

    def value(self, key: str) -> object:
        """The value of a column; NaN, an empty list or None where there is none."""
        if key == TIME and self.event.state == State.RUNNING:
            return self.read_seconds()  # it grows without an event
        if key not in self._values:
            self._values[key] = self._read(key)
        return self._values[key]

    def _read(self, key: str) -> object:
        if key in _READ:
            return _READ[key](self)
        if key.startswith(FIELD):
            return self.event.values.get(key.removeprefix(FIELD))
        return self._reached(key.removeprefix(OBJECTIVE))

    def read_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the first objective, where it was repeated."""
        return interval([run.measured[0] for run in self.event.runs if run.measured])

    def _reached(self, name: str) -> float:
        place = self.plan.objectives.index(name)
        if self.event.state != State.RUNNING:
            measured = self.event.measured
            return measured[place] if place < len(measured) else math.nan
        history = self._last()
        if history is None:
            return math.nan
        if name in MEASURED_METRICS:
            measure = best_of if self.plan.base.keep == "best" else last_of
            return measure(history, MEASURED_METRICS[name])
        if name == "parameters" and history.training is not None:
            return float(history.training.parameters)
        return math.nan  # known at the end

    def read_seconds(self) -> float:
        """What its runs took, or have taken so far; NaN where they are gone."""
        histories = [self.runs(run.id) for run in self.event.runs if run.id]
        seconds = [seconds_of(each) for each in histories if each is not None]
        known = [each for each in seconds if math.isfinite(each)]
        return sum(known) if known else math.nan

    def spoken_curve(self) -> str:
        """Its curve for those who do not see it: “from 31 % to 97 % over 9 epochs”."""
        history, metric = self._last(), MEASURED_METRICS[self.curve_name()]
        if history is None:
            return ""
        values = [value for _, value in epoch_values(history, metric.name)]
        return curve_words(values, len(values), is_share=metric.is_fraction)

    def curve_name(self) -> str:
        """What its curve shows: the first objective that epochs tell, or how good runs are."""
        names = [name for name in self.plan.objectives if OBJECTIVES[name].per_epoch]
        history = self._last()
        task = DEFAULT_TASK if history is None else history.task
        return [*names, task.primary.name][0]

    def read_curve(self) -> list[float]:
        """The first objective that epochs tell, over the epochs of the last run."""
        history = self._last()
        if history is None:
            return []
        values = [value for _, value in epoch_values(history, self.curve_name())]
        step = max(1, math.ceil(len(values) / CURVE_POINTS))
        return [*values[:-1:step], values[-1]] if values else []

    def _last(self) -> RunHistory | None:
        """The history of its last run."""
        return self.runs(self.event.runs[-1].id) if self.event.runs else None


_READ: dict[str, Callable[[TrialRow], object]] = {
    NUMBER: lambda row: row.number,
    STATE: lambda row: row.state.value,
    INTERVAL: TrialRow.read_interval,
    TIME: TrialRow.read_seconds,
    CURVE: TrialRow.read_curve,
}
