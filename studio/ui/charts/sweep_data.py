"""The finished trials of a sweep as arrays, as its charts draw them; free of Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.jobs.states import State
from studio.engine.plans import FieldKind, PlanField
from studio.engine.sweeps.fields import sweepable
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.objectives import OBJECTIVES
from studio.engine.sweeps.plan import Dimension, SweepPlan
from studio.engine.sweeps.rows import best_trials
from studio.ui.engine_text import plan_text

Floats = NDArray[np.float64]
_NUMBERS = (FieldKind.INTEGER, FieldKind.NUMBER)


@dataclass(frozen=True, eq=False)
class SweepAxis:
    """One varied field, or one objective, with its value in every trial.

    Attributes:
        name: Dotted name of the field, or name of the objective.
        label: Two or three words.
        values: One of each trial, (n,); NaN where a trial has none. Of categories, their codes.
        ticks: Code and word of every category; none of numbers.
        is_log: Whether ratios of the values count; then all of them are positive.
    """

    name: str
    label: str
    values: Floats
    ticks: tuple[tuple[float, str], ...] = ()
    is_log: bool = False

    def plotted(self) -> Floats:
        """The values as they are plotted, (n,): their logarithms to base 10 on a log axis."""
        logs: Floats = np.log10(self.values) if self.is_log else self.values
        return logs

    def raw(self, place: float) -> float:
        """The value at a plotted place."""
        return float(10.0**place) if self.is_log else place


@dataclass(frozen=True, eq=False)
class SweepTrials:
    """The finished trials of a sweep, by rising number.

    Attributes:
        numbers: Of the trials, (n,).
        axes: One for each varied field, in the order of the plan.
        objectives: One for each objective, in the order of the plan.
        maximize: Of each objective, whether more is better.
        best: Numbers of the best trials: one of one objective, the front of several.
    """

    numbers: NDArray[np.int64]
    axes: tuple[SweepAxis, ...]
    objectives: tuple[SweepAxis, ...]
    maximize: tuple[bool, ...]
    best: tuple[int, ...]

    def __len__(self) -> int:
        """How many trials there are."""
        return len(self.numbers)

    def is_best(self) -> NDArray[np.bool_]:
        """Of each trial, whether it is one of the best, (n,)."""
        return np.isin(self.numbers, np.array(self.best, np.int64))


def sweep_trials(plan: SweepPlan, rows: Mapping[int, TrialChanged]) -> SweepTrials:
    """The trials that came to their end with a value for every objective.

    Args:
        plan: The sweep.
        rows: The last row of each trial, by its number, as the journal tells it.
    """
    count = len(plan.objectives)
    done = {number: rows[number] for number in sorted(rows) if _is_done(rows[number], count)}
    directions = [OBJECTIVES[name].direction for name in plan.objectives]
    objectives = tuple(
        SweepAxis(
            name, plan_text(OBJECTIVES[name].label), _floats(r.measured[at] for r in done.values())
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
    label = plan_text(field.label) if field is not None else dimension.field
    numbers = _numbers(values) if field is None or field.kind in _NUMBERS else None
    if numbers is not None:
        scale = dimension.scale if dimension.is_range or field is None else field.scale
        # A list may hold 0 although the field is best seen by ratios.
        is_log = scale == "log" and not (numbers <= 0).any()
        return SweepAxis(dimension.field, label, numbers, (), is_log)
    # The plan may have been amended: a trial can have what is no longer offered.
    seen = dict.fromkeys([*dimension.values, *(each for each in values if each is not None)])
    codes = {value: float(code) for code, value in enumerate(seen)}
    ticks = tuple((code, _word(field, value)) for value, code in codes.items())
    coded = _floats(math.nan if each is None else codes[each] for each in values)
    return SweepAxis(dimension.field, label, coded, ticks or ((0.0, ""),))


def _numbers(values: Sequence[object]) -> Floats | None:
    """The values as numbers, NaN for None; None where one is no number."""
    found = [math.nan if each is None else each for each in values]
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in found):
        return np.array(found, np.float64)
    return None


def _word(field: PlanField | None, value: object) -> str:
    if isinstance(value, bool):
        return plan_text("on" if value else "off")
    if field is not None and value in field.choices and field.choice_labels:
        return plan_text(field.choice_labels[field.choices.index(str(value))])
    return str(value)


def _floats(values: Iterable[float]) -> Floats:
    return np.fromiter(values, np.float64)
