"""Records that a job reads, which go with it to another machine."""

from __future__ import annotations

from studio.engine.errors import BadDataError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import target_of
from studio.engine.jobs.job import Job
from studio.engine.jobs.types import read_plan
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.trained_models import dataset_of
from studio.engine.workspace import Record, RecordKind, Workspace


def placed_plan(job: Job) -> TrainingPlan | EvaluationPlan:
    """Return the plan, with its changes, of a job that has a machine and a device.

    Args:
        job: The job, its journal read.

    Raises:
        StudioError: The file of the plan is damaged.
        TypeError: Jobs of this kind run only on this machine.
    """
    plan = read_plan(job.record)
    if not isinstance(plan, TrainingPlan | EvaluationPlan):
        raise TypeError(f"a {type(plan).__name__} has no machine")
    return plan.changed(**job.history.changes)


def needed_records(workspace: Workspace, plan: TrainingPlan | EvaluationPlan) -> list[Record]:
    """Return the records that a job reads besides its own.

    Args:
        workspace: Holds them.
        plan: Plan of the job.

    Raises:
        StudioError: One of them was deleted.
    """
    if isinstance(plan, EvaluationPlan):
        return _of_evaluation(workspace, plan)
    return _of_training(workspace, plan)


def _of_training(workspace: Workspace, plan: TrainingPlan) -> list[Record]:
    """Return the dataset of a run, and the run whose weights it starts from."""
    dataset = workspace.record(RecordKind.DATASET, plan.dataset)
    if dataset is None:
        raise BadDataError(
            'The dataset "{dataset}" was deleted.',
            "Restore it from the trash.",
            "dataset",
            dataset=plan.dataset,
        )
    run_id = plan.weights.removeprefix(RUN_PREFIX).partition("@")[0]
    is_run = plan.weights.startswith(RUN_PREFIX)
    run = workspace.record(RecordKind.RUN, run_id) if is_run else None
    return [dataset] if run is None else [dataset, run]


def _of_evaluation(workspace: Workspace, plan: EvaluationPlan) -> list[Record]:
    """Return the run, its dataset, and that on which it is measured."""
    target = target_of(workspace, plan)
    if target.run is None:
        raise TypeError("the model is no run")
    records = [target.run, dataset_of(workspace, target.run), target.dataset]
    return list({each.id: each for each in records}.values())
