"""A run as a person gets it: the real digits, imported, and learned by LeNet in a real worker."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from helpers.runs import append_events
from helpers.waiting import wait_until
from studio.engine.datasets.requests import request_import
from studio.engine.datasets.samples import SAMPLES
from studio.engine.datasets.store import Store
from studio.engine.jobs.events import Artifact
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.progress import SilentProgress
from studio.engine.training.history import EpochDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.workspace import RecordKind, Workspace

EPOCHS = 6
SECONDS = 240


@dataclass(frozen=True, slots=True)
class TrainedRun:
    """Where it lies. Tests change only copies of the workspace (`copy_to`).

    Attributes:
        root: The workspace.
        run: Id of the run's record.
        dataset: Id of the dataset's record.
        held_back: Pictures of the test split with their classes.
    """

    root: Path
    run: str
    dataset: str
    held_back: tuple[tuple[Path, str], ...]

    def copy_to(self, root: Path) -> Workspace:
        """The workspace once more, for a test to work in."""
        shutil.copytree(self.root, root)
        return Workspace.open(root)

    def copy_run(self, workspace: Workspace, name: str) -> str:
        """Add another run with the same model; returns its id."""
        source = workspace.record(RecordKind.RUN, self.run)
        assert source is not None
        plan = TrainingPlan(dataset=self.dataset)
        record = workspace.create(RecordKind.RUN, name, plan.to_json())
        shutil.copy(source.folder / "model.keras", record.folder)
        epoch = EpochDone(
            epoch=1,
            step=1,
            metrics={"loss": 1.0, "accuracy": 0.5, "val_accuracy": 0.5},
            learning_rate=1e-3,
            seconds=1.0,
            images_per_second=1.0,
            is_best=True,
        )
        append_events(record, [epoch, Artifact(name="model", path="model.keras")])
        return record.id


def train_digits(folder: Path) -> TrainedRun:
    """Import and train in a new workspace inside a folder."""
    workspace = Workspace.open(folder / "trained")
    queue = JobQueue(workspace)
    sample = SAMPLES["digits"]
    source = sample.write(folder / "digits", SilentProgress())
    dataset = request_import(queue, sample.recipe(source), "digits")
    _finish(queue, dataset)
    plan = TrainingPlan(dataset=dataset.record.id, network="lenet", epochs=EPOCHS)
    run = request_training(queue, plan, "lenet-digits")
    _finish(queue, run)
    store = Store.open(dataset.record.folder)
    held_back = tuple(
        (source / store.paths[row], store.classes[store.labels[row]]) for row in store.rows("test")
    )
    return TrainedRun(workspace.root, run.record.id, dataset.record.id, held_back)


def _finish(queue: JobQueue, job: Job) -> None:
    def is_over() -> bool:
        queue.dispatch()
        job.refresh()
        return job.history.state.is_finished

    wait_until(is_over, f"{job.record.id} is over", SECONDS)
    assert job.history.state == State.COMPLETED, job.history.reason
