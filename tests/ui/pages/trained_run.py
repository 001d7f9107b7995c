"""LeNet trained on the digits by a real worker, as the window names them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from helpers.digits import Digits, copy_of
from helpers.runs import append_events
from studio.engine.datasets.store import Store
from studio.engine.jobs.events import Artifact
from studio.engine.training.history import EpochDone
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace


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


def trained_run_of(digits: Digits, folder: Path) -> TrainedRun:
    """Copy the digits and their run into a workspace, with the names that the window gives."""
    own = copy_of(digits, folder, with_run=True)
    own.workspace.rename(own.dataset.record, "digits")
    own.workspace.rename(own.run.record, "lenet-digits")
    store = Store.open(own.dataset.record.folder)
    held_back = tuple(
        (own.pictures / store.paths[row], store.classes[store.labels[row]])
        for row in store.rows("test")
    )
    return TrainedRun(folder, own.run.record.id, own.dataset.record.id, held_back)
