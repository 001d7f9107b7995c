"""What is to be added to a sweep: values, wider ranges, trials or hours. Free of Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from studio.engine.errors import Problem, StudioError
from studio.engine.sweeps.plan import Dimension, SweepPlan
from studio.engine.sweeps.requests import grow
from studio.engine.sweeps.space import trial_count
from studio.ui.pages.sweeps.draft import Row, row_of
from studio.ui.pages.sweeps.state import Trained, seconds_per_run


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
