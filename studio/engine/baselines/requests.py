"""Finds the baselines of a dataset in a workspace."""

from __future__ import annotations

from studio.engine.baselines.report import BaselinePlan, BaselineReport
from studio.engine.datasets.edits import current_version
from studio.engine.datasets.requests import completed_dataset
from studio.engine.datasets.summary import read_summary
from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.messages import as_message
from studio.engine.tasks import TASKS
from studio.engine.workspace import RecordKind, Workspace


def newest_baseline(workspace: Workspace, dataset: str) -> BaselineReport | None:
    """Return the newest baseline of a dataset, preferably one on pretrained features.

    Args:
        workspace: The workspace.
        dataset: Id of the dataset; any version of it counts.

    Returns:
        None if there is none; unreadable ones are skipped.
    """
    found: BaselineReport | None = None
    for record, _ in workspace.infos(RecordKind.BASELINE):
        try:
            if Job(record).plan(BaselinePlan).dataset != dataset:
                continue
            report = BaselineReport.read(record.folder)
        except StudioError:
            continue
        is_better = found is None or not found.features.is_pretrained
        if report is not None and (is_better or report.features.is_pretrained):
            found = report
    return found


def request_baseline(queue: JobQueue, plan: BaselinePlan) -> Job:
    """Submit a baseline of a dataset, of its newest version unless the plan names one.

    Args:
        queue: Queue of the workspace.
        plan: Dataset, time limit and extractor.

    Raises:
        StudioError: There is no such dataset, its import is not completed, or its task has no
            baseline.
    """
    record = completed_dataset(queue.workspace, plan.dataset, "a baseline")
    task = TASKS[read_summary(record.folder).task]
    if task.no_baseline:
        raise StudioError(
            "There is no baseline for {task:lower}: {reason}.",
            "Train a small network for a few epochs instead.",
            "dataset",
            task=as_message(task.label),
            reason=as_message(task.no_baseline),
        )
    if plan.dataset_version is None:
        plan = plan.changed(dataset_version=current_version(record.folder))
    return queue.submit(plan, record.name, or_similar=True)
