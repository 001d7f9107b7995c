"""Runs that are over, for what they say of the time of others."""

from __future__ import annotations

from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import Jobs
from studio.ui.pages.sweeps.state import Trained


def trained_on(jobs: Jobs, dataset: str) -> list[Trained]:
    """Completed runs on a dataset, newest first."""
    return [
        Trained(entry.plan, entry.history)
        for entry in jobs.entries(RecordKind.RUN)
        if isinstance(entry.plan, TrainingPlan)
        and entry.plan.dataset == dataset
        and entry.state == State.COMPLETED
    ]
