"""One trial of a sweep as a row: its results and those of its runs. Free of Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from studio.engine.jobs.states import State
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.plan import OBJECTIVES, SweepPlan
from studio.engine.sweeps.requests import CAN_RERUN
from studio.engine.sweeps.rows import epoch_values, interval
from studio.engine.tasks import DEFAULT_TASK, MEASURED_METRICS
from studio.engine.training.comparison import best_of, last_of, seconds_of
from studio.engine.training.history import RunHistory
from studio.ui.language import translated
from studio.ui.widgets.small_charts import curve_words, thinned

NUMBER, STATE, INTERVAL, TIME, CURVE = "number", "state", "interval", "time", "curve"
FIELD, OBJECTIVE = "field:", "objective:"
"""Before the name of a varied field, and of an objective."""

Runs = Callable[[str], RunHistory | None]
"""Returns the history of a run by its id; None if it was deleted."""


def columns_of(plan: SweepPlan) -> list[str]:
    """Return the keys of the columns of a sweep, in their order."""
    fields = [f"{FIELD}{dimension.field}" for dimension in plan.dimensions]
    objectives = [f"{OBJECTIVE}{name}" for name in plan.objectives]
    repeated = [INTERVAL] if plan.seeds > 1 else []
    return [NUMBER, *fields, STATE, *objectives, *repeated, TIME, CURVE]


@dataclass(slots=True, eq=False)
class TrialRow:
    """A trial; values of its runs are cached until they change.

    Attributes:
        event: Its last event in the journal of the sweep.
        plan: The sweep.
        runs: Returns the history of a run.
        is_waiting: True if it has not started.
    """

    event: TrialChanged
    plan: SweepPlan
    runs: Runs
    is_waiting: bool = False
    _values: dict[str, object] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """Number of the trial, from 0."""
        return self.event.number

    @property
    def state(self) -> State:
        """State of the trial; that of its run until it is finished."""
        if self.event.state != State.RUNNING:
            return self.event.state
        history = self._last()
        return State.QUEUED if history is None else history.state

    @property
    def reason(self) -> str:
        """Reason why it failed or ended early, or empty."""
        history = self._last() if self.event.state == State.RUNNING else None
        return translated(self.event.reason if history is None else history.reason)

    @property
    def first_run(self) -> str:
        """Id of its first run; empty without one."""
        return self.event.runs[0].id if self.event.runs else ""

    def forget(self) -> None:
        """Drop cached values, because the trial or one of its runs changed."""
        self._values.clear()

    def value(self, key: str) -> object:
        """Return the value of a column; NaN, an empty list or None without a value."""
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
        """Return the 95 % interval of the first objective over repeated runs."""
        return interval([run.measured[0] for run in self.event.runs if run.measured])

    def _reached(self, name: str) -> float:
        index = self.plan.objectives.index(name)
        if self.event.state != State.RUNNING:
            measured = self.event.measured
            return measured[index] if index < len(measured) else math.nan
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
        """Return the seconds of its runs so far; NaN if they were deleted."""
        histories = [self.runs(run.id) for run in self.event.runs if run.id]
        seconds = [seconds_of(each) for each in histories if each is not None]
        known = [each for each in seconds if math.isfinite(each)]
        return sum(known) if known else math.nan

    def spoken_curve(self) -> str:
        """Return its curve for screen readers: “from 31 % to 97 % over 9 epochs”."""
        history, metric = self._last(), MEASURED_METRICS[self.curve_name()]
        if history is None:
            return ""
        values = [value for _, value in epoch_values(history, metric.name)]
        return curve_words(values, len(values), is_share=metric.is_fraction)

    def curve_name(self) -> str:
        """Return the metric of its curve: the first objective with a value per epoch."""
        names = [name for name in self.plan.objectives if OBJECTIVES[name].per_epoch]
        history = self._last()
        task = DEFAULT_TASK if history is None else history.task
        return [*names, task.primary.name][0]

    def curve(self) -> list[float]:
        """Return the values of its curve, which are cached."""
        curve = self.value(CURVE)
        return curve if isinstance(curve, list) else []

    def read_curve(self) -> list[float]:
        """Return the values of its curve over the epochs of the last run."""
        history = self._last()
        if history is None:
            return []
        return thinned([value for _, value in epoch_values(history, self.curve_name())])

    def _last(self) -> RunHistory | None:
        """Return the history of its last run."""
        return self.runs(self.event.runs[-1].id) if self.event.runs else None


_READ: dict[str, Callable[[TrialRow], object]] = {
    NUMBER: lambda row: row.number,
    STATE: lambda row: row.state.value,
    INTERVAL: TrialRow.read_interval,
    TIME: TrialRow.read_seconds,
    CURVE: TrialRow.read_curve,
}


def moved_before(waiting: Sequence[int], number: int, step: int) -> tuple[bool, int | None]:
    """Return the new position of a waiting trial that is moved by one row.

    Args:
        waiting: Numbers of the trials that wait, in their order.
        number: Number of the trial.
        step: -1 for up, 1 for down.

    Returns:
        True if it can be moved, and the trial that it comes before; None for the end.
    """
    if number not in waiting:
        return False, None
    index = list(waiting).index(number)
    if not 0 <= index + step < len(waiting):
        return False, None
    after = index + step + (1 if step > 0 else 0)
    return True, waiting[after] if after < len(waiting) else None


def can_rerun(sweep: State, trial: TrialChanged | None) -> bool:
    """Return True if a trial can be rerun: its sweep has a worker or is at rest."""
    settled = sweep in (State.STARTING, State.RUNNING) or sweep.is_at_rest
    return settled and trial is not None and trial.state in CAN_RERUN
