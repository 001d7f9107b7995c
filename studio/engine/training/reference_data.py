"""The part of its training data that a run keeps when its dataset is deleted.

A run needs its dataset for the class names and the preprocessing of predictions, and for some
images that exports are calibrated and certified with. While the dataset exists they are read from
there. When it is deleted, or the run is packed, a small dataset with those is stored in the run's
own folder.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import write_summary
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import move, remove_folder, write_atomically
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.training.artifacts import MODEL_ARTIFACT
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trained_models import missing_dataset, trained_version
from studio.engine.workspace import Record, RecordKind, Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.store import Store

FOLDER: Final = "reference"
LARGEST_BYTES: Final = 2_000_000
"""Pixels of the stored images; at least `FEWEST_IMAGES` are stored."""
MOST_IMAGES: Final = 256
FEWEST_IMAGES: Final = 16


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Where the data of a run is.

    Attributes:
        folder: A dataset's folder, or one of the same form inside the run.
        version: The version that the run was trained on.
        recipe: Preprocessing of the images.
        is_complete: False if only class names, preprocessing and a few images are left.
    """

    folder: Path
    version: int
    recipe: DatasetRecipe
    is_complete: bool


def training_data(workspace: Workspace, run: Record) -> TrainingData:
    """Find the data of a run: its dataset, or what the run stored of it.

    Raises:
        StudioError: The dataset was deleted and nothing was stored.
    """
    plan = Job(run).plan(TrainingPlan)
    dataset = workspace.record(RecordKind.DATASET, plan.dataset)
    if dataset is not None:
        recipe = Job(dataset).plan(DatasetRecipe)
        return TrainingData(dataset.folder, plan.dataset_version or 0, recipe, is_complete=True)
    folder = run.folder / FOLDER
    if not folder.is_dir():
        raise missing_dataset(plan.dataset, run.name)
    try:
        text = (folder / RecordKind.DATASET.plan_name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadDataError(
            f'The stored data of the run "{run.name}" cannot be read.',
            "Restore its dataset from the trash.",
            str(folder),
        ) from error
    return TrainingData(folder, 0, DatasetRecipe.model_validate_json(text), is_complete=False)


def store_before_deletion(workspace: Workspace, record: Record) -> None:
    """Store in the runs that were trained on a dataset what they need without it.

    Raises:
        DiskFullError: No space was left.
    """
    if record.kind != RecordKind.DATASET:
        return
    job = Job(record)
    job.refresh()
    if job.history.state == State.COMPLETED:
        store_references(record, runs_trained_on(workspace, record))


def runs_trained_on(workspace: Workspace, dataset: Record) -> list[Record]:
    """Return the runs with a model that were trained on a dataset, the oldest first."""
    found = []
    for record, _ in workspace.infos(RecordKind.RUN):
        job = Job(record)
        try:
            is_ours = job.plan(TrainingPlan).dataset == dataset.id
        except StudioError:
            continue  # its plan cannot be read, so it does not predict anyway
        if is_ours:
            job.refresh()
            if MODEL_ARTIFACT in job.history.artifacts:
                found.append(record)
    return found


def store_references(dataset: Record, runs: list[Record]) -> list[Record]:
    """Store in each run what it needs when its dataset is gone.

    Runs of the same version share the files where the disk can link them.

    Args:
        dataset: The dataset of all of them; its import is completed.
        runs: Runs with a model.

    Returns:
        The runs in which nothing could be stored, because the dataset is damaged.

    Raises:
        DiskFullError: No space was left.
    """
    first: dict[int, Path] = {}
    failed = []
    for run in runs:
        target = run.folder / FOLDER
        if target.is_dir():
            continue
        version = trained_version(run)
        try:
            if version in first:
                _copy(first[version], target)
            else:
                _store(dataset, version, target)
                first[version] = target
        except BadDataError:
            failed.append(run)
    return failed


def _store(dataset: Record, version: int, target: Path) -> None:
    """Write a small dataset; its folder appears whole or not at all."""
    # Imported here: they take NumPy and h5py, and the window imports this module at its start.
    from studio.engine.datasets.store import Store, StoreWriter  # noqa: PLC0415

    store = Store.open(dataset.folder, version)
    rows = _sample(store)
    recipe = store.recipe.model_copy(update={"encoding": "raw"})
    with _appearing(target) as folder:
        paths = [store.paths[row] for row in rows.tolist()]
        with StoreWriter.create(folder, recipe, paths, store.classes, "reference") as writer:
            for place, row in enumerate(rows.tolist()):
                writer.write(place, store.images[row], store.hashes[row].tobytes())
            writer.finish(store.labels[rows], store.split[rows], store.classes)
        write_atomically(folder / RecordKind.DATASET.plan_name, recipe.to_json())
        # The counts of the whole dataset: README files of exports name them.
        write_summary(folder, dataset_summary(dataset.folder, version))


def _sample(store: Store) -> NDArray[np.int64]:
    """Choose rows, ascending: half to measure on, half of the training images, of all classes."""
    import numpy as np  # noqa: PLC0415

    height, width, channels = store.shape
    fits = LARGEST_BYTES // (height * width * channels)
    count = min(MOST_IMAGES, max(FEWEST_IMAGES, fits)) // 2
    held_out = next((s for s in ("test", "val") if len(store.rows(s))), "train")
    chosen = []
    for split in dict.fromkeys((held_out, "train")):
        rows = store.rows(split)
        by_class = rows[np.argsort(store.labels[rows], kind="stable")]
        places = np.linspace(0, len(rows) - 1, min(count, len(rows))).round().astype(np.int64)
        chosen.append(by_class[places])
    return np.unique(np.concatenate(chosen))


@contextlib.contextmanager
def _appearing(target: Path) -> Iterator[Path]:
    """Yield a hidden folder that becomes `target` when the block ends without an error."""
    folder = target.with_name(f".{target.name}-{secrets.token_hex(4)}")
    folder.mkdir()
    try:
        yield folder
        move(folder, target)
    finally:
        remove_folder(folder, ignore_errors=True)


def _copy(source: Path, target: Path) -> None:
    with _appearing(target) as folder:
        for path in source.iterdir():
            try:
                os.link(path, folder / path.name)
            except OSError:
                shutil.copyfile(path, folder / path.name)
