"""Retraining with corrected pictures: a dataset with them, a run on it, and the gain."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from studio.engine.datasets.edits import SplitName, current_version
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import dataset_summary, recipe_to_add, request_import
from studio.engine.datasets.schema import HASH_BYTES
from studio.engine.datasets.splits import HELD_OUT
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.evaluation.evaluated_classes import predictions_of
from studio.engine.evaluation.mcnemar import Gain, paired_gain
from studio.engine.evaluation.measures import ImageGroups
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.evaluation.requests import request_evaluation
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import as_message
from studio.engine.review.corrections import Correction, ReviewQueue
from studio.engine.tasks import TASKS
from studio.engine.training.plan import RUN_PREFIX, TrainingPlan
from studio.engine.training.requests import request_training
from studio.engine.training.trained_models import dataset_of, trained_version, training_data
from studio.engine.training.trainers import trainer_of
from studio.engine.workspace import Record, RecordKind, Workspace

SPLIT: Final = "test"
_SLOWER: Final = 10.0
_SHORTER: Final = 2
"""Trained weights need smaller steps than random ones, and fewer epochs."""


def waiting(workspace: Workspace) -> list[Correction]:
    """Return the corrections that no dataset contains: new ones, and those of failed imports.

    Raises:
        BadDataError: The queue is damaged.
    """
    found = ReviewQueue(workspace.root).corrections()
    lost = {each.dataset for each in found if each.dataset and _is_lost(workspace, each.dataset)}
    return [each for each in found if not each.dataset or each.dataset in lost]


def held_out(
    workspace: Workspace, dataset: str, corrections: Iterable[Correction]
) -> dict[str, SplitName]:
    """Find corrected pictures that are validation or test images of a dataset.

    They are recognized by their bytes, even if the dataset was made from another one.

    Args:
        workspace: Workspace of the queue and the dataset.
        dataset: Id of the dataset.
        corrections: The pictures to look for.

    Returns:
        `"val"` or `"test"` by the id of a correction; training images and unknown pictures are
        left out.

    Raises:
        BadDataError: A dataset cannot be read.
    """
    # Only here: it takes h5py, and this module is imported when the window starts.
    review = ReviewQueue(workspace.root)
    requested: dict[bytes, str] = {}
    for each in corrections:
        with contextlib.suppress(OSError):
            data = review.picture(each).read_bytes()
            requested[hashlib.blake2b(data, digest_size=HASH_BYTES).digest()] = each.id
    record = workspace.record(RecordKind.DATASET, dataset)
    if not requested or record is None:
        return {}
    store = Store.open(record.folder)
    names = {name: store.rows(name).tolist() for name in HELD_OUT}
    splits = {store.paths[row]: name for name, rows in names.items() for row in rows}
    found: dict[str, SplitName] = {}
    for folder in _ancestry(workspace, record):
        origin = Store.open(folder)
        for path, digest in zip(origin.paths, origin.hashes, strict=True):
            correction = requested.get(digest.tobytes())
            if correction is not None and path in splits:
                found[correction] = splits[path]
    return found


def _ancestry(workspace: Workspace, record: Record) -> Iterator[Path]:
    """Yield the folder of a dataset, then of the one that it was made from, and so on."""
    known = {each.folder: each for each in workspace.records(RecordKind.DATASET)}
    current: Record | None = record
    while current is not None:
        yield current.folder
        current = known.pop(Path(Job(current).plan(DatasetRecipe).source), None)


def request_adding(queue: JobQueue, dataset: str, ids: Collection[str]) -> Job:
    """Request a dataset that adds corrected pictures to the training images of another one.

    Existing images keep their splits, so that the test images stay the same. Corrected pictures
    that are validation or test images stay in the queue: a model can't be evaluated on images that
    it was trained on.

    Args:
        queue: Queue of the workspace.
        dataset: Id of the dataset to extend.
        ids: Ids of the corrections.

    Raises:
        StudioError: The dataset does not exist or lacks a class, or no correction is waiting.
        DiskFullError: No space was left.
    """
    workspace = queue.workspace
    record = workspace.require(RecordKind.DATASET, dataset)
    Job(record).require_completed("adding to it")
    summary = dataset_summary(record.folder)
    requested = [each for each in waiting(workspace) if each.id in ids]
    if not requested:
        raise StudioError("The review queue has no images.", "Correct a wrong prediction first.")
    reserved = held_out(workspace, dataset, requested)
    requested = [each for each in requested if each.id not in reserved]
    if not requested:
        raise StudioError(
            "All corrected images are validation or test images of this dataset, so none is "
            "added to its training images.",
            "Correct images that the dataset does not contain.",
        )
    task = TASKS[summary.task]
    reason = task.capabilities.reason("retraining")
    if reason:
        raise StudioError(
            'The images of "{dataset}" have {answers}; {reason}.',
            "Import these images with a table, and add them to the dataset.",
            "dataset",
            dataset=record.name,
            answers=as_message(task.output_names[1]),
            reason=as_message(reason),
        )
    strangers = sorted({each.label for each in requested} - set(summary.classes))
    if strangers:
        raise StudioError(
            'The dataset "{dataset}" has no class "{class_name}".',
            "Give these images another class, or add them to another dataset.",
            "label",
            dataset=record.name,
            class_name=strangers[0],
        )
    review = ReviewQueue(workspace.root)
    recipe = recipe_to_add(
        record.folder,
        Job(record).plan(DatasetRecipe),
        summary.count,
        [review.write_list(requested)],
    )
    # All of them are for training: none is assigned to validation or test.
    recipe = recipe.changed(val_percent=0.0, test_percent=0.0)
    name = workspace.unused_name(RecordKind.DATASET, record.name)
    job = request_import(queue, recipe, name)
    review.mark_added([each.id for each in requested], job.record.id)
    return job


def request_retraining(queue: JobQueue, run: str, dataset: str) -> Job:
    """Request a run like another one that starts from its best weights, on more images.

    The head is kept if the classes are the same; the learning rate is a tenth, the number of
    epochs half.

    Args:
        queue: Queue of the workspace.
        run: Id of the run to start from.
        dataset: Id of the dataset to train on.

    Raises:
        StudioError: The run has no model, or the dataset no longer exists.
    """
    workspace = queue.workspace
    old = workspace.record(RecordKind.RUN, run)
    new = workspace.record(RecordKind.DATASET, dataset)
    if old is None or new is None:
        raise StudioError("The run or dataset no longer exists.", "Choose another.")
    Job(new).require_completed("training")
    plan = Job.read(old).current_plan(TrainingPlan)
    version = current_version(new.folder)
    data = training_data(workspace, old)
    known = dataset_summary(data.folder, data.version).classes
    same = known == dataset_summary(new.folder, version).classes
    takes_steps = trainer_of(plan).steps(plan, 1) > 0
    changes: dict[str, object] = {
        "dataset": new.id,
        "dataset_version": version,
        "weights": f"{RUN_PREFIX}{old.id}",
        "keep_head": same and takes_steps,
    }
    if takes_steps:
        changes["learning_rate"] = plan.learning_rate / _SLOWER
        changes["epochs"] = max(1, plan.epochs // _SHORTER)
    name = workspace.unused_name(RecordKind.RUN, old.name)
    return request_training(queue, plan.changed(**changes), name)


def base_of(run: Record) -> str:
    """Return the id of the run whose weights a run started from; empty for a run from scratch."""
    weights = Job(run).plan(TrainingPlan).weights
    return weights.removeprefix(RUN_PREFIX).partition("@")[0] if _is_run(weights) else ""


def request_gain(queue: JobQueue, run: str) -> list[Job]:
    """Submit the missing evaluations that `gain_of` needs.

    Args:
        queue: Queue of the workspace.
        run: Id of the retrained run.

    Raises:
        StudioError: A run has no model, or its dataset no test images.
    """
    return [
        request_evaluation(queue, EvaluationPlan(run=record.id, split=SPLIT))
        for record in _pair(queue.workspace, run)
        if not _evaluated(queue.workspace, record)
    ]


def gain_of(workspace: Workspace, run: str) -> Gain | None:
    """Compare a retrained run with its predecessor on the test images that both datasets have.

    Args:
        workspace: Holds runs and evaluations.
        run: Id of the retrained run.

    Returns:
        The gain; None until both runs were evaluated, see `request_gain`.

    Raises:
        StudioError: A run or its dataset no longer exists.
        BadDataError: They share no test image, or a file is damaged.
    """
    old, new = (_right_by_image(workspace, record) for record in _pair(workspace, run))
    if old is None or new is None:
        return None
    shared = sorted(old.keys() & new.keys())
    groups = np.array([new[key].group for key in shared], np.int64)
    return paired_gain(
        np.array([old[key].is_right for key in shared], bool),
        np.array([new[key].is_right for key in shared], bool),
        ImageGroups.of(groups),
    )


def _pair(workspace: Workspace, run: str) -> tuple[Record, Record]:
    new = workspace.record(RecordKind.RUN, run)
    old = workspace.record(RecordKind.RUN, base_of(new)) if new is not None else None
    if new is None or old is None:
        raise StudioError("The run or the one it started from no longer exists.")
    return old, new


def _evaluated(workspace: Workspace, run: Record) -> bool:
    """Return True if an evaluation of the split exists or is in progress."""
    for record in workspace.records(RecordKind.EVALUATION):
        job = Job(record)
        plan = job.plan(EvaluationPlan)
        if plan.is_of(run.id) and plan.split == SPLIT:
            job.refresh()
            if job.history.state not in (State.FAILED, State.STOPPED, State.LOST):
                return True
    return False


class _TestImage(NamedTuple):
    """A test image: the group of its origin, and whether the prediction is correct."""

    group: int
    is_right: bool


def _right_by_image(workspace: Workspace, run: Record) -> dict[tuple[str, str], _TestImage] | None:
    """Map each test image, by path and class, to the prediction of the run's model.

    Images keep their paths when a dataset extends another one, but not their hashes, which are
    those of the imported files.
    """
    predictions = predictions_of(workspace, run)
    if predictions is None:
        return None
    store = Store.open(dataset_of(workspace, run).folder, trained_version(run))
    taken_for = dict(zip(predictions.rows.tolist(), predictions.classes.tolist(), strict=True))
    rows = [row for row in store.rows(SPLIT).tolist() if row in taken_for]
    labels, groups = store.labels.tolist(), store.origins.groups.tolist()
    found = {
        (store.paths[row], store.classes[labels[row]]): _TestImage(
            groups[row], taken_for[row] == labels[row]
        )
        for row in rows
    }
    return found or None


def _is_lost(workspace: Workspace, dataset: str) -> bool:
    record = workspace.record(RecordKind.DATASET, dataset)
    if record is None:
        return True
    job = Job.read(record)
    return job.history.state in (State.FAILED, State.STOPPED, State.LOST)


def _is_run(weights: str) -> bool:
    return weights.startswith(RUN_PREFIX)
