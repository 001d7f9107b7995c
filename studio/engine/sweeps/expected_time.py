"""Expected time of a sweep, from that of its runs."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator, Sequence

from studio.engine.datasets.requests import dataset_summary
from studio.engine.errors import StudioError
from studio.engine.sweeps.fields import NETWORK
from studio.engine.sweeps.plan import SweepPlan, Value
from studio.engine.sweeps.space import points_of, trial_count
from studio.engine.training.expected_time import ExpectedTime, expected_time
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

_DECISIVE = (NETWORK, "epochs", "batch_size")
"""Fields whose values change the time of a run most."""
_MOST_PLANS = 12
"""Different runs of a sweep that are estimated at most."""


def expected_run_time(workspace: Workspace, plan: SweepPlan) -> ExpectedTime | None:
    """Estimate the mean time of a run of a sweep; None if it is unknown for some networks.

    Args:
        workspace: Workspace of preflight checks and earlier runs.
        plan: The sweep.
    """
    dataset = workspace.record(RecordKind.DATASET, plan.base.dataset)
    if dataset is None:
        return None
    try:
        summary = dataset_summary(dataset.folder, plan.base.dataset_version)
    except StudioError:  # it is among the problems of the sweep
        return None
    times = [expected_time(workspace, each, summary) for each in _representatives(plan)]
    known = [each for each in times if each is not None]
    if not known or len(known) < len(times):
        return None
    least_certain = max(known, key=lambda each: each.uncertainty)
    mean = statistics.fmean(each.seconds for each in known)
    return ExpectedTime(mean, least_certain.source)


def expected_sweep_time(
    plan: SweepPlan, per_run: ExpectedTime | None, trials: int | None = None
) -> ExpectedTime | None:
    """Estimate the time of a sweep; None if unknown.

    Args:
        plan: The sweep.
        per_run: Time of one of its runs (`expected_run_time`).
        trials: Number of trials; None for all of the plan.
    """
    count = trial_count(plan) if trials is None else trials
    limit = math.inf if plan.hours is None else plan.hours * 3600
    if count is None:  # trials are started until then
        return None if math.isinf(limit) else ExpectedTime(limit, "preflight")
    if per_run is None:
        return None
    runs = count * plan.seeds
    seconds = math.ceil(runs / max(1, min(plan.workers, runs))) * per_run.seconds
    return ExpectedTime(min(seconds, limit), per_run.source)


def _representatives(plan: SweepPlan) -> Iterator[TrainingPlan]:
    """Yield plans with the values of the decisive fields, spread evenly over all of them."""
    values = [_values(plan, field) for field in _DECISIVE]
    combinations = list(itertools.product(*values))
    step = max(1, math.ceil(len(combinations) / _MOST_PLANS))
    for network, epochs, batch_size in combinations[::step]:
        changes: dict[str, object] = {"epochs": int(epochs), "batch_size": int(batch_size)}
        if network != plan.base.network:
            changes |= {"network": network, "design": plan.designs.get(str(network))}
        yield plan.base.model_copy(update=changes)


def _values(plan: SweepPlan, field: str) -> Sequence[Value]:
    """Return the values of a field in a sweep; both ends of a continuous range."""
    for dimension in plan.dimensions:
        if dimension.field == field:
            points = points_of(dimension)
            ends = [end for end in (dimension.low, dimension.high) if end is not None]
            return points or ends
    value: Value = getattr(plan.base, field)
    return (value,)
