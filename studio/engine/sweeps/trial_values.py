"""What a run of a sweep reached: values of objectives, by its journal and its files."""

from __future__ import annotations

import math
from collections.abc import Sequence

from studio.engine.tasks import MEASURED_METRICS
from studio.engine.training.artifacts import LATENCY, MODEL_ARTIFACT
from studio.engine.training.comparison import best_of, last_of, seconds_of
from studio.engine.training.history import RunHistory, RunJob


def measured(job: RunJob, objectives: Sequence[str], keep: str) -> tuple[float, ...]:
    """The values of objectives; NaN for what was not measured.

    Args:
        job: The run, its journal read.
        objectives: Names out of `OBJECTIVES`.
        keep: Which weights the run keeps, `best` or `last`: the metrics are theirs.
    """
    return tuple(_value(job, name, keep) for name in objectives)


def epoch_values(history: RunHistory, objective: str, after: int = 0) -> list[tuple[int, float]]:
    """What the epochs of a run reached, by their numbers from 1; those alone with a value.

    Args:
        history: Of the run.
        objective: Its name; nothing for one that epochs do not tell.
        after: Only later epochs.
    """
    if objective not in MEASURED_METRICS:
        return []
    found = [
        (epoch.epoch, epoch.value(objective)) for epoch in history.epochs if epoch.epoch > after
    ]
    return [(number, value) for number, value in found if math.isfinite(value)]


def _value(job: RunJob, objective: str, keep: str) -> float:
    history = job.history
    if objective in MEASURED_METRICS:
        metric = MEASURED_METRICS[objective]
        return best_of(history, metric) if keep == "best" else last_of(history, metric)
    if objective == "parameters":
        return float(history.training.parameters) if history.training else math.nan
    if objective == "seconds":
        return seconds_of(history)
    if objective == "latency":
        return float(history.result.get(LATENCY, math.nan))
    path = history.artifacts.get(MODEL_ARTIFACT)
    model = job.record.folder / path if path else None
    return float(model.stat().st_size) if model is not None and model.exists() else math.nan
