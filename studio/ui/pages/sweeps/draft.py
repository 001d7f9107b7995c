"""A sweep as it is being written: rows of its space, and what is known of it. Free of Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from studio.engine.errors import Problem, StudioError
from studio.engine.networks.catalog import zoo_entries
from studio.engine.plans import FieldKind
from studio.engine.sweeps.fields import NETWORK, field_of, parse_dimension
from studio.engine.sweeps.plan import Dimension, SweepPlan
from studio.engine.sweeps.requests import grow, sweep_problems
from studio.engine.sweeps.space import trial_count
from studio.engine.workspace import Workspace
from studio.ui.pages.sweeps.state import Trained, estimated_seconds, seconds_per_run


@dataclass(frozen=True, slots=True)
class Additions:
    """What is to be added to a sweep.

    Attributes:
        dimensions: Further values, or wider ranges.
        trials: How many at most, all in all; None where that stays.
        hours: For how long, all in all; None where that stays.
        problems: Of each row, what is wrong with it.
        refused: What is wrong with the budget.
    """

    dimensions: tuple[Dimension, ...]
    trials: int | None
    hours: float | None
    problems: list[list[Problem]]
    refused: list[Problem]

    @property
    def is_something(self) -> bool:
        """Whether anything is added."""
        return bool(self.dimensions) or self.trials is not None or self.hours is not None


def rows_to_add_to(plan: SweepPlan) -> list[Row]:
    """A row for each field that varies: lists are empty, ranges as they are."""
    rows = [row_of(dimension) for dimension in plan.dimensions]
    return [row if row.is_range else Row(row.field) for row in rows]


def additions(plan: SweepPlan, rows: Sequence[Row], trials: object, hours: object) -> Additions:
    """What is new in the rows of `rows_to_add_to` and in the budget after they were edited."""
    found: list[Dimension] = []
    problems: list[list[Problem]] = []
    for before, row in zip(rows_to_add_to(plan), rows, strict=True):
        # An empty list adds nothing, and is no mistake.
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
    message = f"a limit can be moved, not taken away; it is {before:g}."
    return [Problem(name, message, "Type another number.")]


@dataclass(frozen=True, slots=True)
class Further:
    """What comes of additions.

    Attributes:
        total: How many trials there will be in all; None where only the hours say.
        left: How many of them are not over yet.
        seconds: What these take; None while that is not known.
    """

    total: int | None
    left: int | None
    seconds: float | None


def look_further(
    plan: SweepPlan, asked: Additions, over: int, runs: Sequence[Trained]
) -> Further | None:
    """What a sweep will be after additions; None where they do not go together with it.

    Args:
        plan: The sweep as it is.
        asked: What is added.
        over: How many trials are over.
        runs: Earlier runs, newest first.
    """
    try:
        grown = grow(plan.dimensions, asked.dimensions)
    except StudioError:
        return None  # said when it is asked for, in the words of the engine
    changes = {"trials": asked.trials, "hours": asked.hours}
    known = {name: value for name, value in changes.items() if value is not None}
    further = plan.model_copy(update={"dimensions": grown, **known})
    total, per_run = trial_count(further), seconds_per_run(further, runs)
    if total is None or per_run is None:
        return Further(total, None if total is None else max(0, total - over), None)
    left = max(0, total - over)
    workers = max(1, min(plan.workers, left * plan.seeds))
    return Further(total, left, math.ceil(left * plan.seeds / workers) * per_run)


MOST_CHOICES = 3
FIRST_FIELD = "learning_rate"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the space, as it was typed.

    Attributes:
        field: Dotted name of the field.
        values: Its values, where it is no range.
        is_range: Whether it takes any value between two.
        low: Least value of the range.
        high: Greatest value of the range.
        scale: `linear` or `log`.
        step: Distance of the values; may be empty.
        count: How many values a grid takes; may be empty.
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
        """What the command line would be given: `0.1, 0.01` or `0.001..0.1:log:count=3`."""
        if not self.is_range:
            return self.values
        parts = [f"{self.low}..{self.high}", self.scale]
        parts += [f"step={self.step.strip()}"] if self.step.strip() else []
        parts += [f"count={self.count.strip()}"] if self.count.strip() else []
        return ":".join(parts)

    def dimension(self) -> tuple[Dimension | None, list[Problem]]:
        """What it asks for, or everything that is wrong with it."""
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


def row_of(dimension: Dimension) -> Row:
    """A dimension as one would have typed it."""
    if dimension.low is None or dimension.high is None:
        values = ", ".join(_word(value) for value in dimension.values)
        return Row(dimension.field, values)
    return Row(
        dimension.field,
        is_range=True,
        low=_word(dimension.low),
        high=_word(dimension.high),
        scale=dimension.scale,
        step="" if dimension.step is None else _word(dimension.step),
        count="" if dimension.count is None else str(dimension.count),
    )


def can_be_range(field: str) -> bool:
    """Whether a field takes numbers, which alone have ranges."""
    known = field_of(field)
    return known is not None and known.kind in (FieldKind.INTEGER, FieldKind.NUMBER)


def usual_scale(field: str) -> str:
    """How a range of a field is walked unless one says so: as its slider."""
    known = field_of(field)
    return "linear" if known is None else known.scale


def choices_of(field: str) -> list[tuple[str, str]]:
    """The values of a field, as they are written and as they are called; none of numbers."""
    known = field_of(field)
    if field == NETWORK:
        return [(entry.name, entry.label) for entry in zoo_entries()]
    if known is not None and known.kind == FieldKind.SWITCH:
        return [("on", "on"), ("off", "off")]
    if known is not None and known.kind == FieldKind.CHOICE:
        return list(zip(known.choices, known.choice_labels or known.choices, strict=True))
    return []


def words_of(values: str) -> list[str]:
    """The values of a comma list, with or without brackets."""
    words = (word.strip() for word in values.strip().strip("[]").split(","))
    return [word for word in words if word]


def ticked(values: str, choices: Sequence[str], chosen: Sequence[str]) -> str:
    """A comma list after values were chosen from a list: what was typed besides these stays."""
    there = words_of(values)
    kept = [word for word in there if word in chosen or word not in choices]
    return ", ".join([*kept, *(each for each in chosen if each not in kept)])


def example(field: str) -> str:
    """Values that could be typed for a field."""
    known = field_of(field)
    if known is None:
        return ""
    if field == NETWORK:
        return "lenet, mlp"
    if known.kind == FieldKind.SWITCH:
        return "on, off"
    if known.kind == FieldKind.CHOICE:
        return ", ".join(known.choices[:MOST_CHOICES])
    if known.kind == FieldKind.INTEGER:
        return "16, 32, 64"
    return "0.1, 0.01"


def dimensions_of(rows: Sequence[Row]) -> tuple[tuple[Dimension, ...], list[list[Problem]]]:
    """What rows ask for, and for each of them what is wrong with it."""
    found: list[Dimension] = []
    problems: list[list[Problem]] = []
    for row in rows:
        dimension, wrong = row.dimension()
        problems.append(wrong)
        if dimension is not None:
            found.append(dimension)
    return tuple(found), problems


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is known of a sweep before it begins.

    Attributes:
        plan: The sweep.
        problems: What is wrong with it, or unwise.
        trials: How many there will be; None where only the hours say.
        per_run: Seconds of one run; None where nothing like it was trained.
        total: Seconds all in all; None while that is not known.
    """

    plan: SweepPlan
    problems: tuple[Problem, ...]
    trials: int | None
    per_run: float | None
    total: float | None


def look(workspace: Workspace, plan: SweepPlan, runs: Sequence[Trained]) -> Outlook:
    """Look at a sweep from all sides; it reads files, so not in the window's thread."""
    per_run = seconds_per_run(plan, runs)
    problems = tuple(sweep_problems(workspace, plan))
    return Outlook(plan, problems, trial_count(plan), per_run, estimated_seconds(plan, per_run))


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.12g}" if isinstance(value, float) else str(value)
