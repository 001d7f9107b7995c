"""Finds what the model of a run took images for, among the evaluations of a workspace."""

from __future__ import annotations

from datetime import datetime

import numpy as np

from studio.engine.evaluation.plan import EvaluationPlan
from studio.engine.evaluation.predictions import Predictions, read_predictions
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.workspace import Record, RecordKind, Workspace

PREDICTIONS = "predictions"
"""Name of the artifact of an evaluation."""


def _created(record: Record) -> datetime:
    return record.info().created


def predictions_of(workspace: Workspace, run: Record) -> Predictions | None:
    """What the model of a run took images for, from the newest evaluation of each split.

    Returns:
        None when the run was never evaluated.

    Raises:
        BadDataError: A file of predictions is damaged.
    """
    newest: dict[str, Record] = {}
    for record in sorted(workspace.records(RecordKind.EVALUATION), key=_created):
        job = Job(record)
        plan = job.plan(EvaluationPlan)
        if not plan.is_of(run.id):
            continue
        job.refresh()
        if job.history.state == State.COMPLETED and PREDICTIONS in job.history.artifacts:
            newest[plan.split] = record
    if not newest:
        return None
    # All are of the version that the run learned from, where a row is in one split only.
    parts = [read_predictions(record.folder) for record in newest.values()]
    rows = np.concatenate([part.rows for part in parts])
    order = np.argsort(rows)
    return Predictions(
        rows[order],
        np.concatenate([part.classes for part in parts])[order],
        np.concatenate([part.scores for part in parts])[order],
    )
