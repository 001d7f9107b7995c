"""Finished trials of a sweep as arrays, their axes, and their values as text."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QLocale, QObject

from studio.engine.arrays import Floats
from studio.engine.jobs.states import State
from studio.engine.plans import FieldKind, PlanField
from studio.engine.sweeps.fields import sweepable
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.plan import OBJECTIVES, Dimension, SweepPlan
from studio.engine.sweeps.rows import best_trials
from studio.engine.tasks import MEASURED_METRICS
from studio.ui.charts.axes import log_numbers, round_step
from studio.ui.charts.table import DataColumn, DataTable
from studio.ui.language import translated
from studio.ui.widgets.figures import NO_VALUE, count, duration, large, percent, size

_tr = partial(QCoreApplication.translate, "SweepTrials")
_spoken = partial(QCoreApplication.translate, "spoken")

_NUMBERS = (FieldKind.INTEGER, FieldKind.NUMBER)


@dataclass(frozen=True, eq=False)
class SweepAxis:
    """Varied field or objective, with its value in each trial.

    Attributes:
        name: Dotted name of the field, or name of the objective.
        label: Short name.
        values: Value in each trial, (n,); NaN for none; codes of categories.
        ticks: Code and name of each category; empty for numbers.
        is_log: True for a logarithmic axis; then all values are positive.
    """

    name: str
    label: str
    values: Floats
    ticks: tuple[tuple[float, str], ...] = ()
    is_log: bool = False

    def plotted(self) -> Floats:
        """Return the plotted values, (n,): logarithms to base 10 on a logarithmic axis."""
        logs: Floats = np.log10(self.values) if self.is_log else self.values
        return logs

    def raw(self, plotted: float) -> float:
        """Return the value at a plotted position."""
        return float(10.0**plotted) if self.is_log else plotted


@dataclass(frozen=True, eq=False)
class SweepTrials:
    """Finished trials of a sweep, by ascending number.

    Attributes:
        numbers: Numbers of the trials, (n,).
        axes: Varied fields, in the order of the plan.
        objectives: Objectives, in the order of the plan.
        maximize: True for each objective that is maximized.
        best: Numbers of the best trials: one for one objective, the Pareto front for several.
    """

    numbers: NDArray[np.int64]
    axes: tuple[SweepAxis, ...]
    objectives: tuple[SweepAxis, ...]
    maximize: tuple[bool, ...]
    best: tuple[int, ...]

    def __len__(self) -> int:
        """Return the number of trials."""
        return len(self.numbers)

    def is_best(self) -> NDArray[np.bool_]:
        """Return True for each of the best trials, (n,)."""
        return np.isin(self.numbers, np.array(self.best, np.int64))


NO_TRIALS = SweepTrials(np.empty(0, np.int64), (), (), (), ())


def sweep_trials(plan: SweepPlan, rows: Mapping[int, TrialChanged]) -> SweepTrials:
    """Return the trials that were completed with a value for each objective.

    Args:
        plan: The sweep.
        rows: Last event of each trial in the journal, by its number.
    """
    count = len(plan.objectives)
    done = {number: rows[number] for number in sorted(rows) if _is_done(rows[number], count)}
    directions = [OBJECTIVES[name].direction for name in plan.objectives]
    objectives = tuple(
        SweepAxis(
            name,
            translated(OBJECTIVES[name].label),
            _floats(r.measured[at] for r in done.values()),
        )
        for at, name in enumerate(plan.objectives)
    )
    return SweepTrials(
        np.array(list(done), np.int64),
        tuple(
            _axis(each, [row.values.get(each.field) for row in done.values()])
            for each in plan.dimensions
        ),
        objectives,
        tuple(direction == "maximize" for direction in directions),
        tuple(best_trials({number: row.measured for number, row in done.items()}, directions)),
    )


def _is_done(row: TrialChanged, objectives: int) -> bool:
    whole = row.state == State.COMPLETED and len(row.measured) == objectives
    return whole and all(map(math.isfinite, row.measured))


def _axis(dimension: Dimension, values: Sequence[object]) -> SweepAxis:
    field = sweepable().get(dimension.field)
    label = translated(field.label) if field is not None else dimension.field
    numbers = _numbers(values) if field is None or field.kind in _NUMBERS else None
    if numbers is not None:
        scale = dimension.scale if dimension.is_range or field is None else field.scale
        # A list may contain 0 although the field has a logarithmic scale.
        is_log = scale == "log" and not (numbers <= 0).any()
        return SweepAxis(dimension.field, label, numbers, (), is_log)
    # The plan may have changed: a trial can have a value that is no longer in it.
    seen = dict.fromkeys([*dimension.values, *(each for each in values if each is not None)])
    codes = {value: float(code) for code, value in enumerate(seen)}
    ticks = tuple((code, _category_name(field, value)) for value, code in codes.items())
    coded = _floats(math.nan if each is None else codes[each] for each in values)
    return SweepAxis(dimension.field, label, coded, ticks or ((0.0, ""),))


def _numbers(values: Sequence[object]) -> Floats | None:
    """Return the values as numbers, NaN for None; None if one is not a number."""
    found = [math.nan if each is None else each for each in values]
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in found):
        return np.array(found, np.float64)
    return None


def _category_name(field: PlanField | None, value: object) -> str:
    if isinstance(value, bool):
        return translated("on" if value else "off")
    if field is not None and value in field.choices and field.choice_labels:
        return translated(field.choice_labels[field.choices.index(str(value))])
    return str(value)


def _floats(values: Iterable[float]) -> Floats:
    return np.fromiter(values, np.float64)


_PERCENT = "\N{NO-BREAK SPACE}%"
_WHOLE = 1e6


def is_fraction(axis: SweepAxis) -> bool:
    """Return True if values are fractions, shown in percent."""
    metric = MEASURED_METRICS.get(axis.name)
    return metric is not None and metric.is_fraction


def has_unit(axis: SweepAxis) -> bool:
    """Return True if values are bytes, seconds or numbers of parameters."""
    return axis.name in _UNITS


def value_text(axis: SweepAxis, value: float) -> str:
    """Format a value of an axis; for categories, return the name.

    Args:
        axis: The axis.
        value: The value.
    """
    if not math.isfinite(value):
        return NO_VALUE
    if axis.ticks:
        return dict(axis.ticks).get(value, NO_VALUE)
    if is_fraction(axis):
        return QLocale().toString(float(value) * 100, "g", 3) + _PERCENT
    if has_unit(axis):
        return _UNITS[axis.name](value)
    if value.is_integer() and abs(value) < _WHOLE:
        return count(value)
    return QLocale().toString(float(value), "g", 3)


def cell_text(axis: SweepAxis, value: float) -> str:
    """Format a value for a table; percentages have the same number of decimals.

    Args:
        axis: The axis.
        value: The value.
    """
    if is_fraction(axis) and math.isfinite(value) and not axis.ticks:
        return percent(value)
    return value_text(axis, value)


def trial_text(trials: SweepTrials, index: int, title: str) -> str:
    """Describe a trial in lines: title, objectives, varied fields.

    Args:
        trials: The trials.
        index: Index of the trial.
        title: For example "Trial 7".
    """
    axes = (*trials.objectives, *trials.axes)
    lines = [f"{axis.label}: {value_text(axis, float(axis.values[index]))}" for axis in axes]
    return "\n".join([title, *lines])


def trials_table(trials: SweepTrials) -> DataTable:
    """Return a row for each trial: number, varied fields, objectives."""
    columns = [DataColumn(_tr("Trial"), trials.numbers.astype(np.float64), count, "trial")]
    for axis in (*trials.axes, *trials.objectives):
        if axis.ticks:
            names = dict(axis.ticks)
            texts = [names.get(value, "") for value in axis.values.tolist()]
            columns.append(DataColumn(axis.label, texts, key=axis.name))
        else:
            text = functools.partial(cell_text, axis)
            columns.append(DataColumn(axis.label, axis.values, text, axis.name))
    return DataTable(columns)


def trials_text(trials: SweepTrials) -> str:
    """Return the number of trials and the best one."""
    text = _spoken("Trials: {number}, fields: {fields}").format(
        number=count(len(trials)), fields=len(trials.axes)
    )
    numbers = trials.numbers.tolist()
    best = next((number for number in trials.best if number in numbers), None)
    if best is None:
        return text + "."
    title = _spoken("Trial {number}").format(number=best)
    text_of_best = trial_text(trials, numbers.index(best), title).replace("\n", ", ")
    return _spoken("{trials}. One of the best: {best}.").format(trials=text, best=text_of_best)


_UNITS = {"parameters": large, "size": size, "seconds": duration}


_FEW = 6


@dataclass(frozen=True, eq=False)
class PlottedScale:
    """Range of an axis, in plotted numbers."""

    axis: SweepAxis
    low: float
    high: float

    @classmethod
    def of(cls, axis: SweepAxis) -> PlottedScale:
        """Return the range of the values; for categories half a step wider at each end."""
        if axis.ticks:
            return cls(axis, -0.5, max(code for code, _ in axis.ticks) + 0.5)
        values = axis.plotted()
        there = values[np.isfinite(values)]
        if not len(there):
            return cls(axis, 0.0, 1.0)
        low, high = float(there.min()), float(there.max())
        if low == high:
            return cls(axis, low - 0.5, high + 0.5)
        return cls(axis, low, high)

    def fractions(self) -> Floats:
        """Return the position of each value, from 0 at the low end to 1, (n,)."""
        fractions: Floats = (self.axis.plotted() - self.low) / (self.high - self.low)
        return fractions

    def plotted_at(self, fraction: float) -> float:
        """Return the plotted number at a position from 0 to 1."""
        return self.low + fraction * (self.high - self.low)

    def fraction_of(self, plotted: float) -> float:
        """Return the position of a plotted number, from 0 to 1."""
        return (plotted - self.low) / (self.high - self.low)

    def text_at(self, fraction: float) -> str:
        """Return the value at a position from 0 to 1; of categories the nearest one."""
        plotted = self.plotted_at(fraction)
        if self.axis.ticks:
            nearest = min(self.axis.ticks, key=lambda tick: abs(tick[0] - plotted))
            return nearest[1]
        return value_text(self.axis, self.axis.raw(plotted))

    def ticks(self, length: float) -> list[tuple[float, str]]:
        """Return positions from 0 to 1 and texts of the ticks, for a length in pixels."""
        span = self.high - self.low
        if self.axis.ticks:
            return [((code - self.low) / span, word) for code, word in self.axis.ticks]
        few = self._few
        if few:
            positions = few
        elif self.axis.is_log and span > 1.0:
            positions = log_numbers(self.low, self.high, int(length / 60))
        else:
            positions = self._even(max(2, int(length / 70)))
        return [
            ((at - self.low) / span, value_text(self.axis, rounded(self.axis.raw(at))))
            for at in positions
        ]

    @functools.cached_property
    def _few(self) -> list[float]:
        """Values themselves if they are few, else empty."""
        indices = np.unique(self.axis.plotted())
        there = indices[np.isfinite(indices)]
        return there.tolist() if len(there) <= _FEW else []

    def _even(self, most: int) -> list[float]:
        low, high = self.axis.raw(self.low), self.axis.raw(self.high)
        step = round_step((high - low) / most, (1.0, 2.0, 2.5, 5.0))
        values = np.arange(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1) * step
        return [math.log10(at) if self.axis.is_log else float(at) for at in values.tolist()]


def rounded(value: float, digits: int = 12) -> float:
    """Return a value with fewer digits, by default 0.1 in place of 0.10000000000000002.

    Args:
        value: The value.
        digits: Number of significant digits.
    """
    return float(f"{value:.{digits}g}")


class BackgroundWork(NamedTuple):
    """Function to be called in a background thread.

    Attributes:
        owner: The result is dropped if it is deleted.
        call: The function, which must not use widgets.
        done: Called in the thread of the window with the result.
    """

    owner: QObject
    call: Callable[[], Any]
    done: Callable[[Any], None]
