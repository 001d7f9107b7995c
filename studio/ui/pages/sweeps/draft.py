"""A sweep that is being planned: rows of its space, additions, and estimates of its time."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from studio.engine.errors import Problem, StudioError
from studio.engine.messages import message
from studio.engine.networks.catalog import zoo_entries
from studio.engine.plans import FieldKind, PlanField
from studio.engine.sweeps.expected_time import expected_run_time, expected_sweep_time
from studio.engine.sweeps.fields import NETWORK, field_of, parse_dimension
from studio.engine.sweeps.plan import Dimension, SweepPlan
from studio.engine.sweeps.requests import grow, sweep_problems
from studio.engine.sweeps.space import trial_count
from studio.engine.training.expected_time import ExpectedTime
from studio.engine.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Additions:
    """Additions to a sweep.

    Attributes:
        dimensions: New values, or wider ranges.
        trials: New maximum number of trials; None if unchanged.
        hours: New maximum duration in hours; None if unchanged.
        problems: Problems of each row.
        refused: Problems of the budget.
    """

    dimensions: tuple[Dimension, ...]
    trials: int | None
    hours: float | None
    problems: list[list[Problem]]
    refused: list[Problem]

    @property
    def is_something(self) -> bool:
        """True if anything is added."""
        return bool(self.dimensions) or self.trials is not None or self.hours is not None


def rows_to_add_to(plan: SweepPlan) -> list[DraftRow]:
    """Return a row for each varied field: empty lists, ranges as they are."""
    rows = [row_of(dimension) for dimension in plan.dimensions]
    return [row if row.is_range else DraftRow(row.field) for row in rows]


def additions(
    plan: SweepPlan, rows: Sequence[DraftRow], trials: object, hours: object
) -> Additions:
    """Return the additions in the edited rows of `rows_to_add_to` and in the budget."""
    found: list[Dimension] = []
    problems: list[list[Problem]] = []
    for before, row in zip(rows_to_add_to(plan), rows, strict=True):
        # An empty list adds nothing and is not an error.
        dimension, wrong = (None, []) if row == before else row.dimension()
        problems.append(wrong)
        if dimension is not None:
            found.append(dimension)
    more_trials = trials if isinstance(trials, int) and trials != plan.trials else None
    more_hours = float(hours) if isinstance(hours, int | float) and hours != plan.hours else None
    refused = [
        *_taken_away("trials", plan.trials, trials),
        *_taken_away("hours", plan.hours, hours),
    ]
    return Additions(tuple(found), more_trials, more_hours, problems, refused)


def _taken_away(name: str, before: float | None, now: object) -> list[Problem]:
    if before is None or now is not None:
        return []
    text = message("a limit can be changed, not removed; it is {limit:g}.", limit=before)
    return [Problem(name, text, "Enter another number.")]


@dataclass(frozen=True, slots=True)
class Further:
    """A sweep after additions.

    Attributes:
        total: Number of all trials; None if only the hours limit it.
        left: Number of trials that have not finished.
        time: Time that these take; None if unknown.
    """

    total: int | None
    left: int | None
    time: ExpectedTime | None


def find_more(
    workspace: Workspace, plan: SweepPlan, asked: Additions, over: int
) -> Further | None:
    """Estimate a sweep after additions; None if they do not fit it.

    Args:
        workspace: Workspace of earlier runs.
        plan: The sweep as it is.
        asked: The additions.
        over: Number of finished trials.
    """
    try:
        grown = grow(plan.dimensions, asked.dimensions)
    except StudioError:
        return None  # the engine reports it when the additions are submitted
    changes = {"trials": asked.trials, "hours": asked.hours}
    known = {name: value for name, value in changes.items() if value is not None}
    further = plan.model_copy(update={"dimensions": grown, **known})
    total = trial_count(further)
    left = None if total is None else max(0, total - over)
    per_run = None if left is None else expected_run_time(workspace, further)
    time = None if per_run is None else expected_sweep_time(further, per_run, left)
    return Further(total, left, time)


MAX_CHOICES = 3
_LOG_FACTOR = 10**0.5
_SMALL_RANGE = 100
FIRST_FIELDS = ("learning_rate", "head_solver", "batch_size")
"""Fields of which a new sweep varies the first one that has an effect."""
ADDED_FIELDS = ("learning_rate", "batch_size")
"""Fields that are added first, if they have an effect."""
FIRST_VALUES = {"learning_rate": "0.01, 0.001"}
"""Values that the first row of a sweep starts with; other fields start around the current one."""


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A row of the search space, as it was typed.

    Attributes:
        field: Dotted name of the field.
        values: List of values, if it is not a range.
        is_range: True for a range.
        low: Least value of the range.
        high: Greatest value of the range.
        scale: `linear` or `log`.
        step: Distance of the values; may be empty.
        count: Number of values of a grid; may be empty.
    """

    field: str
    values: str = ""
    is_range: bool = False
    low: str = ""
    high: str = ""
    scale: str = "linear"
    step: str = ""
    count: str = ""

    def text(self) -> str:
        """Return the text for the command line: `0.1, 0.01` or `0.001..0.1:log:count=3`."""
        if not self.is_range:
            return self.values
        parts = [f"{self.low}..{self.high}", self.scale]
        parts += [f"step={self.step.strip()}"] if self.step.strip() else []
        parts += [f"count={self.count.strip()}"] if self.count.strip() else []
        return ":".join(parts)

    def dimension(self) -> tuple[Dimension | None, list[Problem]]:
        """Return the dimension, or all problems of the row."""
        if self.is_range:
            empty = [
                Problem(self.field, "a range needs both of its ends.")
                for end in (self.low, self.high)
                if not end.strip()
            ]
            if empty:
                return None, empty[:1]
        elif not self.values.strip():
            return None, [Problem(self.field, "one or more values are needed.")]
        return parse_dimension(self.field, self.text())


def row_of(dimension: Dimension) -> DraftRow:
    """Return a dimension as a user would type it."""
    if dimension.low is None or dimension.high is None:
        values = ", ".join(_word(value) for value in dimension.values)
        return DraftRow(dimension.field, values)
    return DraftRow(
        dimension.field,
        is_range=True,
        low=_word(dimension.low),
        high=_word(dimension.high),
        scale=dimension.scale,
        step="" if dimension.step is None else _word(dimension.step),
        count="" if dimension.count is None else str(dimension.count),
    )


def can_be_range(field: str) -> bool:
    """Return True if a field takes numbers; only numbers have ranges."""
    known = field_of(field)
    return known is not None and known.kind in (FieldKind.INTEGER, FieldKind.NUMBER)


def usual_scale(field: str) -> str:
    """Return the default scale of a range of a field, which is that of its slider."""
    known = field_of(field)
    return "linear" if known is None else known.scale


def choices_of(field: str) -> list[tuple[str, str]]:
    """Return the values of a field with their labels; none for numbers."""
    known = field_of(field)
    if field == NETWORK:
        return [(entry.name, entry.label) for entry in zoo_entries()]
    if known is not None and known.kind == FieldKind.SWITCH:
        return [("on", "on"), ("off", "off")]
    if known is not None and known.kind == FieldKind.CHOICE:
        return list(zip(known.choices, known.choice_labels or known.choices, strict=True))
    return []


def words_of(values: str) -> list[str]:
    """Return the values of a comma-separated list, with or without brackets."""
    words = (word.strip() for word in values.strip().strip("[]").split(","))
    return [word for word in words if word]


def ticked(values: str, choices: Sequence[str], chosen: Sequence[str]) -> str:
    """Return a comma-separated list after choosing from a menu; other typed values stay."""
    there = words_of(values)
    remaining = [word for word in there if word in chosen or word not in choices]
    return ", ".join([*remaining, *(each for each in chosen if each not in remaining)])


def example(field: str) -> str:
    """Return example values of a field."""
    known = field_of(field)
    if known is None:
        return ""
    if field == NETWORK:
        return "lenet, mlp"
    if known.kind == FieldKind.SWITCH:
        return "on, off"
    if known.kind == FieldKind.CHOICE:
        return ", ".join(known.choices[:MAX_CHOICES])
    if known.kind == FieldKind.INTEGER:
        return "16, 32, 64"
    return "0.1, 0.01"


def first_values(field: str, base: Mapping[str, object]) -> str:
    """Return values that a new row of a field starts with, around the current one.

    Args:
        field: Dotted name of the field.
        base: Values of the plan of all runs.
    """
    known = field_of(field)
    current = base.get(field, None if known is None else known.default)
    if known is None or field == NETWORK:
        return example(field)
    if known.kind == FieldKind.CHOICE:
        chosen = dict.fromkeys([str(current), *known.choices])
        return ", ".join([each for each in chosen if each in known.choices][:MAX_CHOICES])
    if known.kind not in (FieldKind.INTEGER, FieldKind.NUMBER):
        return example(field)
    values = DraftRow(field, ", ".join(map(_word, _around(known, current))))
    return values.values if values.dimension()[0] is not None else example(field)


def first_row(base: Mapping[str, object], idle: Collection[str]) -> DraftRow:
    """Return the row that a new sweep starts with.

    Args:
        base: Values of the plan of all runs.
        idle: Fields without effect in it.
    """
    name = next((each for each in FIRST_FIELDS if each not in idle), FIRST_FIELDS[-1])
    values = FIRST_VALUES.get(name) or first_values(name, base)
    return DraftRow(name, values, scale=usual_scale(name))


def _around(field: PlanField, current: object) -> list[float]:
    """Return a smaller value, the current one and a larger one, within the limits."""
    value = float(current) if isinstance(current, int | float) else 0.0
    high = math.inf if field.maximum is None else field.maximum
    low = -math.inf if field.minimum is None else field.minimum
    factor = _LOG_FACTOR if field.scale == "log" and field.kind == FieldKind.NUMBER else 2
    near = [value / factor, value, value * factor]
    if not value:
        top = high if math.isfinite(high) and high <= _SMALL_RANGE else 1.0
        near = [0.0, top / 10, top / 5]
    if field.kind == FieldKind.INTEGER:
        near = [round(each) for each in (near if value else (0, 1, 2))]
    rounded = (float(f"{each:.1g}") if each != value else each for each in near)
    kept = rounded if field.kind == FieldKind.NUMBER else near
    return [each for each in dict.fromkeys(kept) if low <= each <= high]


def dimensions_of(rows: Sequence[DraftRow]) -> tuple[tuple[Dimension, ...], list[list[Problem]]]:
    """Return the dimensions of rows, and the problems of each row."""
    parsed = [row.dimension() for row in rows]
    found = tuple(dimension for dimension, _ in parsed if dimension is not None)
    return found, [problems for _, problems in parsed]


@dataclass(frozen=True, slots=True)
class SweepOutlook:
    """Estimates of a sweep before it starts.

    Attributes:
        plan: The sweep.
        problems: Errors and warnings.
        trials: Number of trials; None if only the hours limit it.
        per_run: Time of one run; None if unknown.
        total: Time of the whole sweep; None if unknown.
    """

    plan: SweepPlan
    problems: tuple[Problem, ...]
    trials: int | None
    per_run: ExpectedTime | None
    total: ExpectedTime | None


def estimate(workspace: Workspace, plan: SweepPlan) -> SweepOutlook:
    """Check and estimate a sweep; reads files, so call it in a background thread."""
    per_run = expected_run_time(workspace, plan)
    problems = tuple(sweep_problems(workspace, plan))
    return SweepOutlook(
        plan, problems, trial_count(plan), per_run, expected_sweep_time(plan, per_run)
    )


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.12g}" if isinstance(value, float) else str(value)
