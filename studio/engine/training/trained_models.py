"""Models of runs: the file, the dataset behind it, and the checkpoints."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary
from studio.engine.datasets.summary import read_summary, write_summary
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import move, remove, remove_folder, write_atomically
from studio.engine.jobs.events import ArtifactRemoved
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.types import read_plan
from studio.engine.messages import message
from studio.engine.training.artifacts import MODEL_ARTIFACT, checkpoint_artifact, checkpoints_of
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record, RecordKind, Workspace


def run_with_model(workspace: Workspace, run: str) -> Record:
    """Return the run with an id, if it has a model.

    Args:
        workspace: Holds the run.
        run: Id of the run.

    Raises:
        StudioError: There is no such run, or it has no model yet.
    """
    record = workspace.require(RecordKind.RUN, run)
    job = Job.read(record)
    if MODEL_ARTIFACT not in job.history.artifacts:
        raise StudioError(
            'The run "{run}" is {state} and has no model yet.',
            "The model is available after the first epoch.",
            "run",
            run=record.name,
            state=job.history.state.label,
        )
    return record


def dataset_of(workspace: Workspace, run: Record) -> Record:
    """Return the dataset that a run was trained on.

    Args:
        workspace: Holds the dataset.
        run: Record of the run.

    Raises:
        StudioError: The dataset was deleted.
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
        'The dataset of the run "{run}" was deleted, and this needs its images.',
        message("Restore it from the trash: studio trash restore {dataset}", dataset=dataset),
        "dataset",
        run=run,
    )


def trained_version(run: Record) -> int:
    """Return the version of its dataset that a run was trained on."""
    return Job(run).plan(TrainingPlan).dataset_version or 0


def trained_at(run: Record) -> float:
    """Return when a run last trained, in seconds since 1970; 0 if it is not known.

    It changes with every resumed training.
    """
    history = Job.read(run).history
    return history.ended_at or history.updated_at or 0.0


def model_file(run: Record, checkpoint: str = "") -> Path:
    """Return the path of the model of a run, or of a checkpoint; see `run_with_model`.

    Args:
        run: The run.
        checkpoint: Empty for the stored model; `best` where that is the best; or the number
            of epochs after which weights were kept.

    Raises:
        StudioError: There is no such checkpoint.
    """
    job = Job.read(run)
    artifacts = job.history.artifacts
    plan = read_plan(run)
    keeps_best = isinstance(plan, TrainingPlan) and plan.keep == "best"
    if not checkpoint or (checkpoint == "best" and keeps_best):
        return run.file(artifacts[MODEL_ARTIFACT])
    name = ""
    with contextlib.suppress(ValueError):  # a word is no epoch; reported as a missing checkpoint
        name = checkpoint_artifact(float(checkpoint))
    if name not in artifacts:
        there = [f"{epoch:g}" for epoch in checkpoints_of(job.history)]
        names = ["best", *there] if keeps_best else there
        raise StudioError(
            'The run "{run}" has no checkpoint "{checkpoint}".',
            message(
                "Available: {checkpoints}. Train with snapshot_interval_epochs to store more.",
                checkpoints=", ".join(names) or message("none"),
            ),
            "weights",
            run=run.name,
            checkpoint=checkpoint,
        )
    return run.file(artifacts[name])


def remove_checkpoints(queue: JobQueue, run: Job, epochs: Sequence[float]) -> None:
    """Delete checkpoints of a run that is not running; its model stays.

    Args:
        queue: The queue of its workspace.
        run: The run.
        epochs: Epochs from `checkpoints_of`.

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
                    'The run "{run}" has no checkpoint of epoch {epoch:g}.',
                    message("Available: {checkpoints}.", checkpoints=there or message("none")),
                    "delete",
                    run=run.record.name,
                    epoch=epoch,
                )
        paths = [run.record.file(artifacts[name]) for name in names]
        run.append(*(ArtifactRemoved(name=name) for name in names))
    for path in paths:
        remove(path)


# The part of its training data that a run keeps when its dataset is deleted.
#
# A run needs its dataset for the class names and the preprocessing of predictions, and for some
# images that exports are calibrated and certified with. While the dataset exists they are read
# from there. When it is deleted, or the run is packed, a small dataset with those is stored in the
# run's own folder.

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.datasets.store import Store

FOLDER: Final = "reference"
LARGEST_BYTES: Final = 2_000_000
"""Pixels of the stored images; at least `MIN_IMAGES` are stored."""
MAX_IMAGES: Final = 256
MIN_IMAGES: Final = 16


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Location of the data of a run.

    Attributes:
        folder: Folder of a dataset, or a folder of the same layout inside the run.
        version: The version that the run was trained on.
        recipe: Preprocessing of the images.
        is_complete: False if only class names, preprocessing and a few images are left.
    """

    folder: Path
    version: int
    recipe: DatasetRecipe
    is_complete: bool


def training_data(workspace: Workspace, run: Record) -> TrainingData:
    """Return the training data of a run: its dataset, or what the run stored from it.

    Args:
        workspace: Holds the dataset.
        run: Record of the run.

    Raises:
        StudioError: The dataset was deleted and nothing was stored.
    """
    plan = Job(run).plan(TrainingPlan)
    dataset = workspace.record(RecordKind.DATASET, plan.dataset)
    if dataset is not None:
        recipe, version = _recipe_of(dataset), plan.dataset_version or 0
        return TrainingData(dataset.folder, version, recipe, is_complete=True)
    folder = run.folder / FOLDER
    if not folder.is_dir():
        raise missing_dataset(plan.dataset, run.name)
    try:
        text = (folder / RecordKind.DATASET.plan_name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadDataError(
            'The stored data of the run "{run}" cannot be read.',
            "Restore its dataset from the trash.",
            str(folder),
            run=run.name,
        ) from error
    return TrainingData(folder, 0, DatasetRecipe.model_validate_json(text), is_complete=False)


def _recipe_of(dataset: Record) -> DatasetRecipe:
    """Return the recipe of a dataset with the number format that its import found.

    Raises:
        BadDataError: The dataset cannot be read.
    """
    recipe = Job(dataset).plan(DatasetRecipe)
    if recipe.bit_depth == "source":
        pixels = read_summary(dataset.folder).pixels
        return recipe.model_copy(update={"pixels": pixels or recipe.pixels})
    # Imported here, as in `_store`. The summary has the reduced format, not that of the files.
    from studio.engine.datasets.store import Store  # noqa: PLC0415

    return Store.open(dataset.folder).recipe


def store_before_deletion(workspace: Workspace, record: Record) -> None:
    """Store in runs what they need from a dataset before it is deleted.

    Args:
        workspace: Holds the runs.
        record: The record to be deleted.

    Raises:
        DiskFullError: No space was left.
    """
    if record.kind != RecordKind.DATASET:
        return
    job = Job.read(record)
    if job.history.state == State.COMPLETED:
        store_references(record, runs_trained_on(workspace, record))


def runs_trained_on(workspace: Workspace, dataset: Record) -> list[Record]:
    """Return the runs with a model that were trained on a dataset, oldest first.

    Args:
        workspace: Holds the runs.
        dataset: Record of the dataset.
    """
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
    """Write a small dataset; its folder appears atomically."""
    # Imported here: they take NumPy and h5py, and the window imports this module at its start.
    from studio.engine.datasets.store import Store, StoreWriter  # noqa: PLC0415

    store = Store.open(dataset.folder, version)
    rows = _sample(store)
    recipe = store.recipe.model_copy(update={"encoding": "raw"})
    with _appearing(target) as folder:
        paths = [store.paths[row] for row in rows.tolist()]
        with StoreWriter.create(folder, recipe, paths, store.classes, "reference") as writer:
            for index, row in enumerate(rows.tolist()):
                writer.write(index, store.images[row], store.hashes[row].tobytes())
            writer.finish(store.labels[rows], store.split[rows], store.classes)
        write_atomically(folder / RecordKind.DATASET.plan_name, recipe.to_json())
        # The counts of the whole dataset: README files of exports name them.
        write_summary(folder, dataset_summary(dataset.folder, version))


def _sample(store: Store) -> NDArray[np.int64]:
    """Choose rows, ascending: half to measure on, half of the training images, of all classes."""
    import numpy as np  # noqa: PLC0415

    height, width, channels = store.shape
    fits = LARGEST_BYTES // (height * width * channels)
    count = min(MAX_IMAGES, max(MIN_IMAGES, fits)) // 2
    held_out = next((s for s in ("test", "val") if len(store.rows(s))), "train")
    chosen = []
    for split in dict.fromkeys((held_out, "train")):
        rows = store.rows(split)
        by_class = rows[np.argsort(store.labels[rows], kind="stable")]
        indices = np.linspace(0, len(rows) - 1, min(count, len(rows))).round().astype(np.int64)
        chosen.append(by_class[indices])
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
