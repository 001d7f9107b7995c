"""The job of a baseline."""

from __future__ import annotations

from studio.engine.baselines.report import BaselinePlan
from studio.engine.jobs.types import JobType, register
from studio.engine.workspace import RecordKind

BASELINE = JobType(
    record=RecordKind.BASELINE,
    plan=BaselinePlan,
    handler="studio.engine.compute.baseline:baseline",
    verb="baseline",
    reference="dataset",
)

register(BASELINE)
