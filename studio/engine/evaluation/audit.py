"""Boxes that evaluated models predicted, with which an audit compares those of a dataset."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.box_errors import PredictedBoxes
from studio.engine.datasets.audit.run import no_predicted_boxes
from studio.engine.datasets.splits import SKIPPED
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs
from studio.engine.evaluation.report import EvaluatedModel, Report
from studio.engine.evaluation.requests import has_report
from studio.engine.jobs.job import Job
from studio.engine.messages import as_message, message
from studio.engine.tasks import TASKS, find_task
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace

MIN_SCORE: Final = 0.5
"""Score of a model, such as AP50, from which on boxes are doubted by its predictions."""


def evaluated_boxes(
    workspace: Workspace, dataset: Record, store: Store
) -> list[PredictedBoxes] | str:
    """Return the boxes that evaluations predicted in images that their models did not learn from.

    Each image has the predictions of the best such model.

    Args:
        workspace: Holds evaluations and runs.
        dataset: The dataset.
        store: The version of it that is audited.

    Returns:
        The predictions, or the reason why there are none.
    """
    evaluations = [
        each
        for record in workspace.records(RecordKind.EVALUATION)
        if (each := _evaluation(workspace, record, dataset)) is not None
    ]
    evaluations.sort(key=_score, reverse=True)
    left, found = store.split != SKIPPED, []
    for each in evaluations:
        if _score(each) < MIN_SCORE:
            break
        usable = left[each.rows] & ~np.isin(each.rows, _learned(workspace, each, dataset))
        rows = each.rows[usable]
        left[rows] = False
        if len(rows):
            detections = each.outputs[np.flatnonzero(usable)]
            found.append(PredictedBoxes(rows, detections, each.calibration))
    if found:
        return found
    if evaluations and _score(evaluations[0]) < MIN_SCORE:
        return message(
            "the best model that was evaluated on the dataset has {metric} {value:.0%}, but "
            "{least:.0%} is needed",
            metric="" if store.task.score is None else as_message(store.task.score.label),
            value=_score(evaluations[0]),
            least=MIN_SCORE,
        )
    return no_predicted_boxes(store)


def _score(evaluation: EvaluatedOutputs) -> float:
    report = evaluation.report
    return report.metrics.get(TASKS[report.task].score_metric) or 0.0


def _evaluation(workspace: Workspace, record: Record, dataset: Record) -> EvaluatedOutputs | None:
    """Open an evaluation if it is of the boxes of a dataset and its classes."""
    try:
        if not has_report(Job.read(record)):
            return None
        report = Report.read(record.folder)
        if report is None or report.subject.dataset != dataset.id:
            return None
        task = find_task(report.task)
        if task is None or not task.reporter.finds_doubts:
            return None
        found = EvaluatedOutputs.open(workspace, record.folder)
    except StudioError:
        return None  # a damaged one tells nothing; its own page says so
    names = [each.name for each in report.outputs]
    return found if found.store is not None and found.store.classes == names else None


def _learned(
    workspace: Workspace, evaluation: EvaluatedOutputs, dataset: Record
) -> NDArray[np.int64]:
    """Return the rows of a dataset that the model of an evaluation may have been trained on."""
    subject = evaluation.report.subject
    run = _run_of(workspace, subject)
    if run is None:  # of a file or of a deleted run the splits are all that is known
        store = evaluation.store
        return np.empty(0, np.int64) if store is None else store.rows("train")
    rows, seen = [np.empty(0, np.int64)], set[str]()
    while run is not None and run.id not in seen:
        seen.add(run.id)
        plan = Job(run).plan(TrainingPlan)
        if plan.dataset == dataset.id:
            rows.append(Store.open(dataset.folder, plan.dataset_version or 0).rows("train"))
        start = plan.weights
        is_run = start.startswith(RUN_PREFIX)
        name = start.removeprefix(RUN_PREFIX).partition("@")[0] if is_run else ""
        run = workspace.record(RecordKind.RUN, name) if name else None
    return np.concatenate(rows)


def _run_of(workspace: Workspace, subject: EvaluatedModel) -> Record | None:
    return workspace.record(RecordKind.RUN, subject.run) if subject.run else None
