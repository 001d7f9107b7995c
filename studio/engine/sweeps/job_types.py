"""The job of a sweep."""

from __future__ import annotations

from studio.engine.jobs.types import JobType, register
from studio.engine.sweeps.history import SweepHistory, TrialChanged, TrialMoved
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.workspace import RecordKind

SWEEP = JobType(
    record=RecordKind.SWEEP,
    plan=SweepPlan,
    handler="studio.engine.worker.sweep_runner:run_sweep",
    verb="sweep",
    slots=8,
    events=(TrialChanged, TrialMoved),
    history=SweepHistory,
    reference="base.dataset",
    is_coordinator=True,
    can_pause=True,
)

register(SWEEP)
