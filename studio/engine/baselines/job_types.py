"""The job of a baseline."""

from __future__ import annotations

from studio.engine.baselines.plan import BaselinePlan
from studio.engine.jobs.types import JobType, register
from studio.engine.workspace import RecordKind


def _dataset(plan: BaselinePlan) -> tuple[str, ...]:
    return (plan.dataset,)


BASELINE = JobType(
    record=RecordKind.BASELINE,
    plan=BaselinePlan,
    handler="studio.engine.compute.baseline:baseline",
    verb="baseline",
    references=_dataset,
)

register(BASELINE)
