"""The plan of a run for another run."""

from __future__ import annotations

from studio.engine.training.plan import TrainingPlan
from studio.engine.training.starting_weights import with_available_weights
from studio.ui.bridge.jobs import RunEntry


def clone_plan(entry: RunEntry) -> TrainingPlan:
    """Return the plan of a run for a new run; its copy of a weights file stands in for a lost one.

    Raises:
        TypeError: The entry is not a run.
    """
    if not isinstance(entry.plan, TrainingPlan):
        raise TypeError(f"{entry.name} is not a run")
    return with_available_weights(entry.plan, entry.record.folder)
