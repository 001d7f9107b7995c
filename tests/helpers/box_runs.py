"""A run on boxes that all processes of these tests share: most of it is the tracing of graphs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from filelock import FileLock

from helpers.box_datasets import import_shapes
from helpers.processes import session_folder
from helpers.task_cases import TaskCase, trained_case
from studio.engine.jobs.job import Job
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

IMAGES = 96


def box_plan(dataset: Job, **values: object) -> TrainingPlan:
    """Return the plan of a short exact run on boxes, with augmentations of boxes."""
    wanted = {
        "network": "small_detector:filters=8,finest=4",
        "epochs": 4,
        "batch_size": 8,
        "learning_rate": 0.003,
        "deterministic": True,
        "checkpoint_interval_seconds": 86_400.0,
        "augmentation": {"mosaic": 50, "object_crop": 50, "horizontal_flip": True, "zoom": 10},
    }
    return TrainingPlan(dataset=dataset.record.id).changed(**(wanted | values))


def box_case(factory: pytest.TempPathFactory) -> TaskCase:
    """Return 96 images with squares and discs and a run on them, in a workspace of one's own.

    The pictures are shared. The first process that needs the run trains it.
    """
    shared = session_folder(factory) / "boxes"
    done = shared / "done"
    with FileLock(f"{shared}.lock"):
        if not done.exists():
            workspace = Workspace.open(shared / "workspace")
            dataset = import_shapes(workspace, shared / "in", IMAGES)
            trained_case(workspace, shared / "in" / "images", dataset, box_plan(dataset))
            done.touch()
    own = factory.mktemp("boxes") / "workspace"
    # The last worker may still be tidying up the queue.
    ignored = shutil.ignore_patterns(".warm", "queue", ".*.lock")
    shutil.copytree(shared / "workspace", own, ignore=ignored)
    return _opened(Workspace.open(own), shared / "in" / "images")


def _opened(workspace: Workspace, pictures: Path) -> TaskCase:
    (imported,) = workspace.records(RecordKind.DATASET)
    (trained,) = workspace.records(RecordKind.RUN)
    dataset: Job = Job.read(imported)
    return TaskCase(workspace, pictures, dataset, RunJob.read(trained))
