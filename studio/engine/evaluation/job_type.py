"""The jobs of evaluations."""

from __future__ import annotations

from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import target_of
from studio.engine.jobs.placed_plan import placed_requirements
from studio.engine.jobs.types import JobType, register
from studio.engine.training.trained_models import dataset_of
from studio.engine.workspace import Record, RecordKind, Workspace


def _inputs(workspace: Workspace, plan: EvaluationPlan) -> list[Record]:
    """Return the run, its dataset, and that on which it is measured."""
    target = target_of(workspace, plan)
    if target.run is None:
        raise TypeError("the model is no run")
    records = [target.run, dataset_of(workspace, target.run), target.dataset]
    return list({each.id: each for each in records}.values())


register(
    JobType(
        record=RecordKind.EVALUATION,
        plan=EvaluationPlan,
        handler="studio.engine.compute.evaluate:evaluate",
        verb="evaluation",
        requirements=placed_requirements,
        inputs=_inputs,
    )
)
