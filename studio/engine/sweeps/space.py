"""The space of a sweep: its grid, its size, what is wrong with it, and the plan of one trial."""

from __future__ import annotations

import importlib.util
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping

from studio.engine.errors import Problem, did_you_mean
from studio.engine.plans import FieldKind
from studio.engine.sweeps.fields import NETWORK, sweepable
from studio.engine.sweeps.objectives import OBJECTIVES
from studio.engine.sweeps.parsing import outside
from studio.engine.sweeps.plan import GRID, NO_PRUNER, Dimension, SweepPlan, Value
from studio.engine.training.plan import TrainingPlan

Values = Mapping[str, Value]
"""The values of one trial, by the dotted names of their fields."""

LARGEST_SEED = 2**31 - 1


def points_of(dimension: Dimension) -> tuple[Value, ...]:
    """The values that a grid takes of a dimension, in their order; none of an endless range."""
    low, high = dimension.low, dimension.high
    if low is None or high is None:
        return dimension.values
    whole = is_whole(dimension)
    step = dimension.step
    if step is None and dimension.count is None and whole and dimension.scale == "linear":
        step = 1.0
    if step is not None:
        # A hair of tolerance: 0 to 0.3 by 0.1 has four values although 0.1 is none in binary.
        count = math.floor((high - low) / step + 1e-9) + 1
        numbers = [low + index * step for index in range(count)]
    elif dimension.count is not None:
        shares = [index / (dimension.count - 1) for index in range(dimension.count)]
        if dimension.scale == "log":
            numbers = [low * (high / low) ** share for share in shares]
        else:
            numbers = [low + (high - low) * share for share in shares]
        numbers[-1] = high
    else:
        return ()
    rounded = (round(each) if whole else float(f"{each:.12g}") for each in numbers)
    return tuple(dict.fromkeys(rounded))


def is_whole(dimension: Dimension) -> bool:
    """Whether a dimension takes whole numbers only."""
    field = sweepable().get(dimension.field)
    return field is not None and field.kind == FieldKind.INTEGER


def grid_size(plan: SweepPlan) -> int:
    """How many combinations the grid has; 0 where a range says no number of values."""
    return math.prod(len(points_of(each)) for each in plan.dimensions)


def grid(plan: SweepPlan) -> Iterator[dict[str, Value]]:
    """Every combination; the last dimension changes fastest."""
    names = [dimension.field for dimension in plan.dimensions]
    for point in itertools.product(*(points_of(each) for each in plan.dimensions)):
        yield dict(zip(names, point, strict=True))


def is_finite(plan: SweepPlan) -> bool:
    """Whether there are only so many different trials, be they a grid or drawn from lists."""
    return plan.sampler == GRID or not any(each.is_range for each in plan.dimensions)


def trial_count(plan: SweepPlan) -> int | None:
    """How many trials there will be at most; None where only the hours say."""
    if is_finite(plan):
        size = grid_size(plan)
        return size if plan.trials is None else min(size, plan.trials)
    return plan.trials


def trial_plan(plan: SweepPlan, values: Values, repeat: int = 0) -> TrainingPlan:
    """What one run of a trial trains.

    Args:
        plan: The sweep.
        values: What varies.
        repeat: Which of its seeds, from 0.

    Raises:
        StudioError: The values do not go together with the rest of the plan.
    """
    base = plan.base
    changes: dict[str, object] = dict(values)
    for name in ("optimizer", "schedule"):
        if values.get(name, getattr(base, name)) != getattr(base, name):
            # Numbers of another one; those that vary come back with the values.
            base = base.changed(**{f"{name}_options": {}})
    if repeat:
        seed = int(values.get("seed", base.seed))
        changes["seed"] = (seed + repeat) % (LARGEST_SEED + 1)
    if plan.workers > base.runs_per_device:
        changes["runs_per_device"] = plan.workers
    if "latency" in plan.objectives:
        changes["measure_latency"] = True
    return base.changed(**changes)


def space_problems(plan: SweepPlan) -> list[Problem]:
    """Everything that is wrong with a sweep but for its training plan, all at once."""
    names = [dimension.field for dimension in plan.dimensions]
    problems = [] if names else [Problem("vary", "a sweep needs a field that varies.")]
    problems += [
        Problem(name, "it varies twice.", "Give all its values at once.")
        for name, times in Counter(names).items()
        if times > 1
    ]
    for dimension in plan.dimensions:
        problems += _dimension_problems(plan, dimension)
    return problems + _budget_problems(plan) + _objective_problems(plan) + _package_problems(plan)


def _dimension_problems(plan: SweepPlan, dimension: Dimension) -> list[Problem]:
    name = dimension.field
    field = sweepable().get(name)
    if field is None:
        hint = did_you_mean(name, sweepable())
        return [Problem(name, "there is no such field that can vary.", hint)]
    if dimension.is_range and field.kind not in (FieldKind.INTEGER, FieldKind.NUMBER):
        return [Problem(name, "only numbers have ranges.", "Give its values.")]
    ends = [end for end in (dimension.low, dimension.high) if end is not None]
    problems = [
        problem for value in (*dimension.values, *ends) for problem in outside(name, field, value)
    ]
    if name == NETWORK and plan.base.design is not None:
        problems.append(
            Problem(name, "a drawn network cannot vary.", "Choose one of the gallery as the base.")
        )
    if name == "seed" and plan.seeds > 1:
        problems.append(
            Problem(name, "it varies, and trials are repeated with other seeds, too.", "Do one.")
        )
    if plan.sampler == GRID and not points_of(dimension):
        problems.append(
            Problem(
                name,
                "a grid needs to know how many values of a range it takes.",
                "Add a step or a count, as in 0.001..0.1:log:count=5, or choose another sampler.",
            )
        )
    return problems


def _budget_problems(plan: SweepPlan) -> list[Problem]:
    if plan.sampler == GRID or plan.trials is not None or plan.hours is not None:
        return []
    return [
        Problem(
            "trials",
            f"the sampler {plan.sampler} never comes to an end by itself.",
            "Say how many trials, or how many hours.",
        )
    ]


def _objective_problems(plan: SweepPlan) -> list[Problem]:
    problems = []
    if not plan.objectives or len(set(plan.objectives)) != len(plan.objectives):
        problems.append(Problem("objectives", "one or more are needed, each once."))
    ends_early = plan.pruner != NO_PRUNER
    if ends_early and len(plan.objectives) > 1:
        problems.append(
            Problem("pruner", "trials end early by one objective only; received several.")
        )
    elif ends_early and not OBJECTIVES[plan.objectives[0]].per_epoch:
        problems.append(
            Problem("pruner", f"{plan.objectives[0]} is known only at the end of a run.")
        )
    if plan.sampler == "cmaes" and len(plan.objectives) > 1:
        problems.append(Problem("sampler", "CMA-ES looks for one objective; received several."))
    return problems


def _package_problems(plan: SweepPlan) -> list[Problem]:
    if plan.sampler == "cmaes" and sum(each.is_range for each in plan.dimensions) < 2:
        return [
            Problem(
                "sampler",
                "CMA-ES needs two or more fields that vary over ranges.",
                "Give ranges such as 0.001..0.1, or choose tpe.",
            )
        ]
    if plan.sampler == "gp" and importlib.util.find_spec("torch") is None:
        return [
            Problem(
                "sampler",
                "Gaussian processes need PyTorch, which is not installed.",
                'Install it with pip install "studio-trainer[torch]", or choose tpe.',
            )
        ]
    return []
