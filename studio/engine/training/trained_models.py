"""Models of runs: the file, the dataset behind it, and the checkpoints."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from studio.engine.errors import StudioError
from studio.engine.files import remove
from studio.engine.jobs.events import ArtifactRemoved
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.types import read_plan
from studio.engine.training.artifacts import MODEL_ARTIFACT, checkpoint_artifact, checkpoints_of
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace


def run_with_model(workspace: Workspace, run: str) -> Record:
    """The run of that id, if it has a model to use.

    Raises:
        StudioError: There is no such run, or it has no model yet.
    """
    record = workspace.record(RecordKind.RUN, run)
    if record is None:
        raise StudioError(f'There is no run "{run}" (any more).', where="run")
    job = Job(record)
    job.refresh()
    if MODEL_ARTIFACT not in job.history.artifacts:
        raise StudioError(
            f'The run "{record.name}" is {job.history.state.value} and has no model yet.',
            "A model is there after the first epoch.",
            "run",
        )
    return record


def dataset_of(workspace: Workspace, run: Record) -> Record:
    """The dataset that a run learned from.

    Raises:
        StudioError: It was deleted.
    """
    plan = Job(run).plan(TrainingPlan)
    record = workspace.record(RecordKind.DATASET, plan.dataset)
    if record is None:
        raise missing_dataset(plan.dataset, run.name)
    return record


def missing_dataset(dataset: str, run: str) -> StudioError:
    """Return the error for work that needs the images of a deleted dataset.

    Args:
        dataset: Its id.
        run: Name of the run that was trained on it.
    """
    return StudioError(
        f'The dataset of the run "{run}" was deleted, and this needs its images.',
        f"Restore it from the trash: studio trash restore {dataset}",
        "dataset",
    )


def trained_version(run: Record) -> int:
    """The version of its dataset that a run learned from."""
    return Job(run).plan(TrainingPlan).dataset_version or 0


def model_file(run: Record, moment: str = "") -> Path:
    """Where the model of a run lies, or one of its checkpoints; see `run_with_model`.

    Args:
        run: The run.
        moment: Empty for the model as it is kept; `best` where that is the best; or the number
            of epochs after which weights were kept.

    Raises:
        StudioError: There is no such checkpoint.
    """
    job = Job(run)
    job.refresh()
    artifacts = job.history.artifacts
    plan = read_plan(run)
    keeps_best = isinstance(plan, TrainingPlan) and plan.keep == "best"
    if not moment or (moment == "best" and keeps_best):
        return run.file(artifacts[MODEL_ARTIFACT])
    name = ""
    with contextlib.suppress(ValueError):  # a word is no epoch, and told as one that is not there
        name = checkpoint_artifact(float(moment))
    if name not in artifacts:
        there = [f"{epoch:g}" for epoch in checkpoints_of(job.history)]
        raise StudioError(
            f'The run "{run.name}" has no checkpoint "{moment}".',
            f"There are: {', '.join([*(['best'] if keeps_best else []), *there]) or 'none'}. "
            "Train with checkpoint_every to keep some.",
            "weights",
        )
    return run.file(artifacts[name])


def remove_checkpoints(queue: JobQueue, run: Job, epochs: Sequence[float]) -> None:
    """Delete checkpoints of a run that is not at work; its model stays.

    Args:
        queue: The queue of its workspace.
        run: The run.
        epochs: Of `checkpoints_of`.

    Raises:
        StudioError: A worker is at it, or it has no such checkpoint.
    """
    with queue.changing(run):
        artifacts = run.history.artifacts
        names = [checkpoint_artifact(epoch) for epoch in epochs]
        for epoch, name in zip(epochs, names, strict=True):
            if name not in artifacts:
                there = ", ".join(f"{each:g}" for each in checkpoints_of(run.history))
                raise StudioError(
                    f'The run "{run.record.name}" has no checkpoint of epoch {epoch:g}.',
                    f"It has: {there or 'none'}.",
                    "delete",
                )
        paths = [run.record.file(artifacts[name]) for name in names]
        run.append(*(ArtifactRemoved(name=name) for name in names))
    for path in paths:
        remove(path)
