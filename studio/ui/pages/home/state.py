"""What the home page shows, decided without Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.engine.datasets.importable import importable
from studio.engine.jobs.history import JobHistory
from studio.engine.sweeps.history import SweepHistory
from studio.engine.sweeps.objectives import OBJECTIVES
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.training.comparison import primary_metric
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preprocessing import network_label
from studio.engine.workspace import RecordKind

LATEST = 6
_SHARES = ("val_accuracy", "accuracy")
# Ids that the datasets page understands besides those of its records.
ALL_SAMPLES = "sample:"
IMPORT_PREFIX = "import:"

PAGE_OF = {
    RecordKind.DATASET: "datasets",
    RecordKind.RUN: "train",
    RecordKind.EVALUATION: "evaluation",
    RecordKind.EXPORT: "export",
    RecordKind.AUDIT: "datasets",
    RecordKind.BASELINE: "datasets",
    RecordKind.PREFLIGHT: "train",
    RecordKind.SWEEP: "sweeps",
    RecordKind.EMBEDDING: "inside",
    RecordKind.BENCHMARK: "bench",
    RecordKind.OPERATIONS: "bench",
    RecordKind.PREDICTIONS: "bench",
}


@dataclass(frozen=True, slots=True)
class RunFacts:
    """A run in one line.

    Attributes:
        best: Best accuracy so far, 0 to 1: on validation images, or on training images where a
            dataset has no others; None before the first epoch.
        curve: The same accuracy by epoch.
    """

    network: str
    best: float | None
    is_validation: bool
    curve: list[float]


def run_facts(plan: TrainingPlan, history: RunHistory) -> RunFacts:
    """What a line says of a run."""
    metric = primary_metric(history)
    is_validation = metric.is_validation
    curve = [epoch.value(metric.name) for epoch in history.epochs]
    finite = [value for value in curve if math.isfinite(value)]
    return RunFacts(
        network=network_label(plan),
        best=max(finite, default=None),
        is_validation=is_validation,
        curve=curve,
    )


def sweep_facts(plan: SweepPlan, history: SweepHistory, words: str) -> RunFacts:
    """What a line says of a sweep: what its trials reached one after another, where it is a share.

    The `words` stand where a run names its network.
    """
    objective = plan.objectives[0]
    reached: list[float] = []
    if objective in _SHARES:
        rows = (history.trials[number] for number in sorted(history.trials))
        reached = [row.measured[0] for row in rows if row.measured]
    finite = [value for value in reached if math.isfinite(value)]
    return RunFacts(
        network=words,
        best=max(finite, default=None),
        is_validation=OBJECTIVES[objective].needs_validation,
        curve=reached,
    )


def of_sweeps(histories: Iterable[JobHistory]) -> set[str]:
    """Return the ids of the runs that sweeps started; these are not listed as latest runs."""
    return {run for history in histories for run in history.children}


def import_wish(paths: Sequence[Path]) -> str:
    """What the datasets page is asked for when these are dropped; empty if nothing can be done."""
    path = importable(paths)
    return "" if path is None else f"{IMPORT_PREFIX}{path}"
