"""What the home page shows, decided without Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studio.engine.jobs.history import JobHistory
from studio.engine.sweeps.history import SweepHistory
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.tasks.metric import MetricSpec
from studio.engine.training.comparison import primary_metric
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_label

LATEST = 6


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run in one line.

    Attributes:
        best: Best value of its metric so far; None before the first epoch.
        metric: What it is known by: measured on validation images, or on training images where a
            dataset has no others. None for a sweep whose objective no epoch tells.
        curve: The same metric by epoch.
    """

    network: str
    best: float | None
    metric: MetricSpec | None
    curve: list[float]


def run_facts(plan: TrainingPlan, history: RunHistory) -> RunFacts:
    """What a line says of a run."""
    metric = primary_metric(history)
    curve = [epoch.value(metric.name) for epoch in history.epochs]
    return RunFacts(network_label(plan), _best(metric, curve), metric, curve)


def sweep_facts(plan: SweepPlan, history: SweepHistory, words: str) -> RunFacts:
    """What a line says of a sweep: what its trials reached, where epochs tell it.

    The `words` stand where a run names its network.
    """
    metric = MEASURED_METRICS.get(plan.objectives[0])
    reached: list[float] = []
    if metric is not None:
        rows = (history.trials[number] for number in sorted(history.trials))
        reached = [row.measured[0] for row in rows if row.measured]
    return RunFacts(words, _best(metric, reached), metric, reached)


def _best(metric: MetricSpec | None, values: Sequence[float]) -> float | None:
    best = math.nan if metric is None else metric.best(values)
    return best if math.isfinite(best) else None


def of_sweeps(histories: Iterable[JobHistory]) -> set[str]:
    """Return the ids of the runs that sweeps started; these are not listed as latest runs."""
    return {run for history in histories for run in history.children}
