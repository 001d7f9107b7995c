"""Requests for evaluations: resolving plans, submitting jobs, finding results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.engine.datasets.edits import current_version
from studio.engine.datasets.requests import completed_dataset, dataset_summary
from studio.engine.documents import REPORT
from studio.engine.errors import BadDataError, StudioError
from studio.engine.evaluation.report import EvaluationPlan, Report
from studio.engine.inference.models import ModelSource, model_of_run, read_source
from studio.engine.jobs.executors.host import find_machine
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import as_message, message
from studio.engine.tasks import TASKS
from studio.engine.training.trained_models import (
    dataset_of,
    run_with_model,
    trained_at,
    trained_version,
)
from studio.engine.workspace import Record, RecordKind, Workspace


@dataclass(frozen=True, slots=True)
class Target:
    """Records that a plan refers to in a workspace.

    Attributes:
        source: The model.
        run: Its run, or None for a file.
        dataset: The dataset that is measured on.
        version: Version of the dataset.
    """

    source: ModelSource
    run: Record | None
    dataset: Record
    version: int


def target_of(workspace: Workspace, plan: EvaluationPlan) -> Target:
    """Resolve model and dataset of a plan.

    Args:
        workspace: Holds the records.
        plan: The evaluation.

    Raises:
        StudioError: Model or dataset are missing or incomplete.
    """
    if plan.model_file:
        dataset = completed_dataset(workspace, plan.dataset, "an evaluation")
        path = Path(plan.model_file)
        source = read_source(path, any_format=True, options=plan.model_options)
        _refuse_decoded(source)
        return Target(source, None, dataset, _version(dataset, plan))
    run = run_with_model(workspace, plan.run)
    source = model_of_run(workspace, run, plan.checkpoint)
    if not plan.dataset:
        return Target(source, run, dataset_of(workspace, run), trained_version(run))
    dataset = completed_dataset(workspace, plan.dataset, "an evaluation")
    return Target(source, run, dataset, _version(dataset, plan))


def _refuse_decoded(source: ModelSource) -> None:
    if source.decoded:
        raise StudioError(
            "The file of {name} returns only the boxes above a threshold, so that its average "
            "precision cannot be measured.",
            "Evaluate the run, or an export with the boxes outside the file.",
            "model",
            name=source.name,
        )


def on_available_split(workspace: Workspace, plan: EvaluationPlan) -> EvaluationPlan:
    """Return an evaluation on test images, or on validation images where there are no others.

    Args:
        workspace: The workspace of the model.
        plan: Model and dataset.

    Raises:
        StudioError: There is no such model or dataset.
    """
    target = target_of(workspace, plan)
    counts = dataset_summary(target.dataset.folder, target.version).count
    split = next((name for name in ("test", "val", "train") if counts[name]), "test")
    return plan.changed(split=split)


def request_evaluation(queue: JobQueue, plan: EvaluationPlan) -> Job:
    """Submit an evaluation.

    Args:
        queue: Queue of the workspace.
        plan: Model, dataset and split.

    Raises:
        StudioError: There is no such model, the split is empty, or the model does not know
            the classes of the dataset, or the machine is not known.
    """
    if plan.machine:
        find_machine(plan.machine)
    target = target_of(queue.workspace, plan)
    summary = dataset_summary(target.dataset.folder, target.version)
    if not summary.count[plan.split]:
        raise StudioError(
            'The dataset "{dataset}" has no {split} images.',
            "Choose another split, or import the images again with a larger share for it.",
            "split",
            dataset=target.dataset.name,
            split=as_message(plan.split),
        )
    task = TASKS[summary.task]
    reason = task.capabilities.reason("robustness")
    if plan.robustness and reason:
        raise StudioError(
            "Robustness cannot be measured for {task:lower}: {reason}.",
            "Leave it out.",
            "robustness",
            task=as_message(task.label),
            reason=as_message(reason),
        )
    if target.source.classes:
        counts = summary.class_counts[plan.split]
        missing = missing_classes(target.source.classes, summary.classes, counts)
        refuse_missing(missing, target.source.name)
    if plan.dataset:
        plan = plan.changed(dataset_version=target.version)
    return queue.submit(plan, target.source.name, or_similar=True)


def has_report(job: Job) -> bool:
    """Return True if an evaluation is complete and has a report."""
    return job.history.state == State.COMPLETED and REPORT in job.history.artifacts


def find_evaluation(workspace: Workspace, plan: EvaluationPlan) -> Record | None:
    """Return the newest completed evaluation of the same model on the same images, or None.

    Those from before the run was trained further, or got another calibration, do not count.

    Args:
        workspace: Holds the evaluations.
        plan: Model, dataset and split.
    """
    requested = _key(workspace, plan)
    records = workspace.records(RecordKind.EVALUATION)
    for record in sorted(records, key=lambda each: each.info().created, reverse=True):
        job = Job.read(record)
        if not has_report(job):
            continue
        try:
            key = _key(workspace, job.plan(EvaluationPlan))
        except StudioError:
            continue  # its run or its dataset was deleted, so it is of another
        if key == requested and _is_of_present(record, target_of(workspace, plan)):
            return record
    return None


def _is_of_present(record: Record, target: Target) -> bool:
    """Return True if an evaluation measured the model as it is, with its calibration."""
    report = Report.read(record.folder)
    if report is None:
        return False
    trained = report.subject.trained_at
    if target.run is not None and trained not in (0.0, trained_at(target.run)):
        return False
    return report.is_calibrated_as(target.source.calibration)


def _key(workspace: Workspace, plan: EvaluationPlan) -> tuple[object, ...]:
    target = target_of(workspace, plan)
    file = (plan.model_file, plan.preprocessing, plan.class_names)
    model = (plan.run, plan.checkpoint, *file)
    return (*model, target.dataset.id, target.version, plan.split)


def _version(dataset: Record, plan: EvaluationPlan) -> int:
    newest = current_version(dataset.folder)
    return newest if plan.dataset_version is None else plan.dataset_version


_SHOWN = 5


def missing_classes(
    model: Sequence[str], dataset: Sequence[str], counts: Sequence[int]
) -> list[str]:
    """Return the classes of a dataset that have images, and that a model does not know.

    Args:
        model: Names of what the model answers.
        dataset: Names of the classes of the dataset.
        counts: Images of each of them on which is measured.
    """
    known = set(model)
    return [
        name for name, count in zip(dataset, counts, strict=True) if count and name not in known
    ]


def refuse_missing(missing: Sequence[str], model: str) -> None:
    """Raise if the dataset has classes that the model does not know.

    Args:
        missing: Names of the unknown classes.
        model: Name of the model.

    Raises:
        BadDataError: There are unknown classes.
    """
    if not missing:
        return
    names = ", ".join(f'"{name}"' for name in missing[:_SHOWN])
    if len(missing) > _SHOWN:
        names = message("{names} and {number} more", names=names, number=len(missing) - _SHOWN)
    raise BadDataError(
        "The model {model} does not have the classes {classes} of the dataset.",
        "Choose a dataset with the classes of the model, rename the classes, or exclude these "
        "images.",
        "dataset",
        model=model,
        classes=names,
    )
