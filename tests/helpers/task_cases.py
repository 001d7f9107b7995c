"""A dataset of each task, and a run on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from helpers.digits import do_here
from helpers.target_datasets import squares, target_recipe
from studio.engine.datasets.store import Store
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.tasks import TASKS
from studio.engine.tasks.outputs import ANOMALY_MAP, OBJECT_MASKS, PIXELS, POSITIONS, STARS, VECTOR
from studio.engine.tasks.prediction import Reporter
from studio.engine.tasks.task import Task
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace

IMAGES = 160


@dataclass(frozen=True, slots=True)
class TaskCase:
    """A workspace with a dataset of a task, and a run on it."""

    workspace: Workspace
    pictures: Path
    dataset: Job
    run: RunJob

    @property
    def store(self) -> Store:
        """The dataset as it is now."""
        return Store.open(self.dataset.record.folder)

    @property
    def plan(self) -> TrainingPlan:
        """The plan of the run."""
        return self.run.current_plan(TrainingPlan)

    @property
    def reporter(self) -> Reporter:
        """What makes reports of the task."""
        return self.store.task.reporter


_NETWORKS = {
    VECTOR: "mlp",
    PIXELS: "small_unet:filters=4,depth=2",
    POSITIONS: "small_detector:filters=4,finest=4",
    ANOMALY_MAP: "small_padim:filters=4",
    STARS: "star_unet:filters=4,depth=2,features=8",
    OBJECT_MASKS: "small_masks:filters=4,finest=4",
}


def families() -> list[str]:
    """Return the tasks, and `task/output` for networks of another family than the first."""
    others = (
        f"{task.name}/{family.output.name}"
        for task in TASKS.values()
        for family in task.other_families
    )
    return [*TASKS, *others]


def small_network(task: Task, output: str = "") -> str:
    """Return a small network for a task.

    Args:
        task: The task.
        output: Name of its output; empty for that of the first family.
    """
    return _NETWORKS[task.family(output or task.output).output]


def case_plan(dataset: Job, **values: object) -> TrainingPlan:
    """Return the plan of a short exact run on a dataset."""
    requested = {
        "network": small_network(Store.open(dataset.record.folder).task),
        "epochs": 2,
        "batch_size": 16,
        "deterministic": True,
        "checkpoint_interval_seconds": 86_400.0,
    }
    return TrainingPlan(dataset=dataset.record.id).changed(**(requested | values))


class ImportedCase(NamedTuple):
    """A workspace with a dataset of a task."""

    workspace: Workspace
    pictures: Path
    dataset: Job

    @property
    def store(self) -> Store:
        """The dataset as it is now."""
        return Store.open(self.dataset.record.folder)


def import_case(folder: Path, task: str) -> ImportedCase:
    """Import 160 pictures with targets of a task into a new workspace."""
    tables = squares(folder / "squares", IMAGES)
    workspace = Workspace.open(folder / "workspace")
    dataset = do_here(workspace, target_recipe(tables, task), "squares")
    assert dataset.history.state == State.COMPLETED, dataset.history.detail
    return ImportedCase(workspace, folder / "squares" / "pictures", dataset)


def make_case(folder: Path, task: str) -> TaskCase:
    """Import 160 pictures with targets of a task into a new workspace, and train on them."""
    imported = import_case(folder, task)
    return trained_case(*imported, case_plan(imported.dataset))


def trained_case(
    workspace: Workspace, pictures: Path, dataset: Job, plan: TrainingPlan
) -> TaskCase:
    """Train on a dataset."""
    run = do_here(workspace, plan, "run")
    assert run.history.state == State.COMPLETED, run.history.detail
    return TaskCase(workspace, pictures, dataset, run)
