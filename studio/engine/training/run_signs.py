"""What a run's journal and insights tell its doctor."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from studio.engine.errors import StudioError
from studio.engine.training.doctor import Signs
from studio.engine.training.history import RunHistory
from studio.engine.training.insight_files import insight_path, read_insight
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

LATE_INSIGHTS = 3
"""So many of the last insights are read."""


def signs_of(history: RunHistory, plan: TrainingPlan) -> Signs:
    """What the journal tells, copied: takes about a millisecond per million steps.

    Args:
        history: What the journal says.
        plan: What was asked for; what became of it is taken from the history.
    """
    epochs = history.epochs
    loss, accuracy, val_loss, val_accuracy, rates = (
        np.array(
            [
                (
                    *(
                        each.value(name)
                        for name in ("loss", "accuracy", "val_loss", "val_accuracy")
                    ),
                    each.learning_rate,
                )
                for each in epochs
            ],
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
        accuracy,
        val_loss,
        val_accuracy,
        rates,
        not_finite=history.category == "not_finite",
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
    found = []
    for step in steps:
        try:
            insight = read_insight(insight_path(folder, step))
        except StudioError:
            continue
        if insight.targets is None:
            found.append(insight.confusion())
    return dataclasses.replace(signs, confusions=tuple(found), classes=tuple(classes))


def class_names(workspace: Workspace, plan: TrainingPlan) -> list[str]:
    """The classes that a run learns; none where its dataset is gone, or has other targets."""
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - h5py takes 0.2 s

    record = workspace.record(RecordKind.DATASET, plan.dataset)
    if record is None:
        return []
    try:
        store = Store.open(record.folder, plan.dataset_version or 0)
        return [] if store.task.has_targets else list(store.classes)
    except StudioError:
        return []
