"""What a run's journal and insights tell its doctor."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError
from studio.engine.tasks.answer import Calibration
from studio.engine.tasks.metric import VALIDATION
from studio.engine.tasks.task import Task
from studio.engine.training.doctor import Signs
from studio.engine.training.doctor.signs import ValidationFigures
from studio.engine.training.history import RunHistory
from studio.engine.training.insight_files import insight_path, read_insight
from studio.engine.training.insights import TargetAnswers
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

LATE_INSIGHTS = 3
"""So many of the last insights are read."""
MOST_IMAGES = 2000
"""Validation images of an insight that are measured: a label takes a millisecond for so many."""


def signs_of(history: RunHistory, plan: TrainingPlan) -> Signs:
    """What the journal tells, copied: takes about a millisecond per million steps.

    Args:
        history: What the journal says.
        plan: What was asked for; what became of it is taken from the history.
    """
    epochs, score = history.epochs, history.task.score_metric
    names = ("loss", score, "val_loss", f"{VALIDATION}{score}")
    loss, train_score, val_loss, val_score, rates = (
        np.array(
            [(*(each.value(name) for name in names), each.learning_rate) for each in epochs],
            dtype=np.float64,
        )
        .reshape(-1, 5)
        .T
    )
    return Signs(
        plan.changed(**history.changes) if history.changes else plan,
        history.training.steps_per_epoch if history.training else 1,
        np.array(history.steps_of("loss"), dtype=np.float64),
        loss,
        train_score,
        val_loss,
        val_score,
        rates,
        not_finite=history.category == "not_finite",
        task=history.task,
    )


def late_steps(history: RunHistory) -> list[int]:
    """The steps of the last insights."""
    return [each.step for each in history.insights[-LATE_INSIGHTS:]]


def with_answers(
    signs: Signs, folder: Path, steps: Sequence[int], classes: Sequence[str] = ()
) -> Signs:
    """The same with what the network answered; reads files, which may be gone.

    Args:
        signs: What is known already.
        folder: Of the run.
        steps: Of the insights to read.
        classes: Their names.
    """
    confusions, validations = [], []
    for step in steps:
        try:
            insight = read_insight(insight_path(folder, step))
        except StudioError:
            continue
        if insight.targets is None:
            confusions.append(insight.confusion())
        elif len(insight.targets.rows):
            validations.append(_figures(signs.task, insight.targets))
    return dataclasses.replace(
        signs,
        confusions=tuple(confusions),
        validations=tuple(validations),
        classes=tuple(classes),
    )


def _figures(task: Task, answers: TargetAnswers) -> ValidationFigures:
    """Return what the answers to validation images are worth, on `MOST_IMAGES` of them."""
    reporter, every = task.reporter, -(-len(answers.rows) // MOST_IMAGES)
    truth, outputs = answers.truth[::every], answers.outputs[::every]
    if reporter is None:
        raise TypeError(f"{task.name} has no targets")

    def scores(given: NDArray[np.float32]) -> NDArray[np.float64]:
        found = reporter.measure(given, truth, Calibration())
        main = reporter.outputs[0].name if reporter.outputs else ""
        each = found.outputs.get(task.score_metric, found.outputs.get(main, np.zeros(0)))
        return np.array([found.whole.get(task.score_metric, np.nan), *each])

    constant = np.repeat(truth.mean(axis=0)[None], len(truth), axis=0)
    return ValidationFigures(
        *reporter.recognized(outputs, truth), scores(outputs), scores(constant)
    )


def class_names(workspace: Workspace, plan: TrainingPlan) -> list[str]:
    """Return the names of the outputs of a run; none where its dataset is gone."""
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

    record = workspace.record(RecordKind.DATASET, plan.dataset)
    if record is None:
        return []
    try:
        return list(Store.open(record.folder, plan.dataset_version or 0).classes)
    except StudioError:
        return []
