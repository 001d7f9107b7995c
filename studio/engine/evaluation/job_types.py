"""The job of an evaluation."""

from __future__ import annotations

from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.jobs.types import JobType, register
from studio.engine.workspace import RecordKind

EVALUATION = JobType(
    record=RecordKind.EVALUATION,
    plan=EvaluationPlan,
    handler="studio.engine.compute.evaluate:evaluate",
    verb="evaluation",
)

register(EVALUATION)
