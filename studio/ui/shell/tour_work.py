"""What the tour lets others do. The functions are called in background threads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studio.engine.jobs.queue import JobQueue
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.workspace import RecordKind

# Enough for 96 % of digits that it has never seen, in a quarter of a minute on two cores.
EPOCHS = 12


@dataclass(frozen=True, slots=True)
class KnownPicture:
    """A picture that the network was not trained with, and what it shows."""

    path: Path
    label: str


def train_lenet(queue: JobQueue, dataset_id: str) -> str:
    """Ask for the run of the tour; returns the id of its record.

    Raises:
        StudioError: The dataset cannot be learned from.
    """
    plan = TrainingPlan.parse({"dataset": dataset_id, "epochs": EPOCHS})
    name = queue.workspace.unused_name(RecordKind.RUN, "lenet-digits")
    return request_training(queue, plan, name).record.id


def unseen_picture(folder: Path) -> KnownPicture:
    """The first picture of the test split of a dataset.

    Raises:
        StudioError: The dataset cannot be read.
    """
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - it takes NumPy

    store = Store.open(folder)
    row = int(store.rows("test")[0])
    label = store.classes[int(store.labels[row])]
    return KnownPicture(Path(store.recipe.source) / store.paths[row], label)
