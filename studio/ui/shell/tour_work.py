"""What the tour lets others do. The functions are called in background threads."""

from __future__ import annotations

from pathlib import Path

from studio.engine.inference.sources import Picture
from studio.engine.jobs.queue import JobQueue
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.workspace import RecordKind

# Enough for 96 % of digits that it has never seen, in a quarter of a minute on two cores.
EPOCHS = 12
PICTURES = 5


def train_lenet(queue: JobQueue, dataset_id: str) -> str:
    """Ask for the run of the tour; returns the id of its record.

    Raises:
        StudioError: The dataset cannot be learned from.
    """
    plan = TrainingPlan.parse({"dataset": dataset_id, "epochs": EPOCHS})
    name = queue.workspace.unused_name(RecordKind.RUN, "lenet-digits")
    return request_training(queue, plan, name).record.id


def pictures_to_try(dataset: Path, run: Path, step: int) -> list[Picture]:
    """Choose validation images of different classes, one predicted wrongly if possible.

    Without a wrong one, the image with the least certain prediction takes its place.

    Args:
        dataset: Folder of the dataset.
        run: Folder of the run.
        step: The step whose model predicts; its stored validation predictions are read.

    Raises:
        StudioError: The dataset or the predictions cannot be read.
    """
    import numpy as np  # noqa: PLC0415 - the window starts without it

    from studio.engine.datasets.store import Store  # noqa: PLC0415 - it takes NumPy
    from studio.engine.training.insight_files import (  # noqa: PLC0415 - as above
        insight_path,
        read_insight,
    )

    store = Store.open(dataset)
    answers = read_insight(insight_path(run, step)).answers
    wrong = answers.mistakes(1)
    special = int(wrong[0]) if len(wrong) else int(np.argmin(answers.scores))
    right = np.flatnonzero(answers.truth == answers.predicted)
    right = right[answers.truth[right] != answers.truth[special]]
    _, first = np.unique(answers.truth[right], return_index=True)
    chosen = [int(position) for position in right[first][: PICTURES - 1]]
    chosen.insert(PICTURES // 2, special)
    rows = [int(answers.rows[position]) for position in chosen]
    source = Path(store.recipe.source)
    return [
        Picture(source / store.paths[row], store.classes[int(store.labels[row])]) for row in rows
    ]
