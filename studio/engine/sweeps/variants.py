"""Datasets for trials that vary the recipe: the images of one dataset, imported in other ways.

Each is an ordinary dataset, named after the original and what is special about it. It is known by
its recipe, so that an existing one is not imported again.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from studio.engine.datasets.edits import EDITS_NAME, editing, read_edits
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import request_import
from studio.engine.errors import BadDataError, Problem, StudioError
from studio.engine.files import LONGEST_NAME, write_atomically
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.sweeps.fields import DATASET, DEALING_FIELDS, recipe_changes
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.space import points_of
from studio.engine.web.address import address_of
from studio.engine.workspace import Record, RecordKind, Workspace

MAX_CHECKED = 200
"""This many combinations are checked before a sweep starts; the others when their turn comes."""


@dataclass(frozen=True, slots=True)
class DatasetVariant:
    """A dataset as a trial wants it.

    Attributes:
        original: The dataset of the sweep.
        version: Number of edits that count.
        changes: Changed fields, by the names of the recipe.
        recipe: The whole recipe.
    """

    original: Record
    version: int
    changes: Mapping[str, object]
    recipe: DatasetRecipe

    @property
    def name(self) -> str:
        """Name of the variant if it is free: “flowers width=32 color=gray”."""
        words = (f"{name}={value}" for name, value in self.changes.items())
        return " ".join((self.original.name, *words)).replace("/", " ")[:LONGEST_NAME]


def variant_of(
    workspace: Workspace, dataset: str, version: int | None, changes: Mapping[str, object]
) -> DatasetVariant:
    """Return the variant of a dataset with changed fields of its recipe.

    Args:
        workspace: Holds the dataset.
        dataset: Id of the dataset.
        version: Version to vary; None for the first.
        changes: New values by field of the recipe.

    Raises:
        StudioError: The dataset no longer exists, or the recipe is invalid.
    """
    original = workspace.require(RecordKind.DATASET, dataset)
    recipe = Job(original).plan(DatasetRecipe).changed(**changes)
    return DatasetVariant(original, version or 0, changes, recipe)


def is_original(variant: DatasetVariant) -> bool:
    """Return True if the variant equals the original dataset."""
    return variant.recipe == Job(variant.original).plan(DatasetRecipe)


def find_variant(workspace: Workspace, variant: DatasetVariant) -> Job | None:
    """Return the dataset with a variant's recipe, preferably a completed one, or None.

    One that was stopped or failed counts only if a sweep requested it. If edits must be carried
    over, the dataset must have them or have been requested by a sweep.

    Args:
        workspace: Holds the datasets.
        variant: The variant.
    """
    found: Job | None = None
    for record, info in workspace.infos(RecordKind.DATASET):
        if record == variant.original or not _has_recipe(record, variant.recipe):
            continue
        is_ours = info.name.startswith(variant.name)
        if not is_ours and not _has_edits(record.folder, variant):
            continue
        job = Job.read(record)
        if job.history.state == State.COMPLETED:
            return job
        if is_ours or not job.history.state.is_at_rest:
            found = job
    return found


def request_variant(queue: JobQueue, variant: DatasetVariant) -> Job:
    """Submit the import of a variant.

    Args:
        queue: Queue of the workspace.
        variant: The variant.

    Raises:
        StudioError: The images no longer exist.
    """
    if is_gone(variant.recipe):
        raise _gone(variant)
    return request_import(
        queue, variant.recipe, queue.workspace.unused_name(RecordKind.DATASET, variant.name)
    )


def carry_edits(variant: DatasetVariant, folder: Path) -> None:
    """Apply the edits of the original to a variant, unless that was done before.

    Args:
        variant: The variant.
        folder: Folder of the import.

    Raises:
        StudioError: Its images are not those of the original, so the edits do not fit.
    """
    if _has_edits(folder, variant):
        return
    # Only for edited datasets: otherwise the sweep's worker needs no HDF5.
    from studio.engine.datasets.store import Store  # noqa: PLC0415

    before, after = Store.open(variant.original.folder, 0), Store.open(folder, 0)
    same = (
        before.paths == after.paths
        and before.classes == after.classes
        and before.hashes.tobytes() == after.hashes.tobytes()
        and before.labels.tobytes() == after.labels.tobytes()
        and before.split.tobytes() == after.split.tobytes()
    )
    if not same:
        raise BadDataError(
            'The images of "{dataset}" have changed since the import, so its edits ({count}) '
            "cannot be applied to another size.",
            "Import them again, and edit that dataset.",
            DATASET,
            dataset=variant.original.name,
            count=variant.version,
        )
    lines = read_edits(variant.original.folder, variant.version)
    with editing(folder):
        if not (folder / EDITS_NAME).exists():
            text = "".join(f"{line.model_dump_json()}\n" for line in lines)
            write_atomically(folder / EDITS_NAME, text)
    if not _has_edits(folder, variant):
        raise BadDataError(
            "The dataset in {folder} has different edits than the original.",
            "Delete it; the sweep imports another.",
            DATASET,
            folder=folder,
        )


def variant_problems(workspace: Workspace, plan: SweepPlan) -> list[Problem]:
    """Return the problems of the datasets that the trials of a sweep need.

    Args:
        workspace: Holds the datasets.
        plan: The sweep.
    """
    dimensions = [each for each in plan.dimensions if recipe_changes({each.field: 0})]
    if not dimensions or workspace.record(RecordKind.DATASET, plan.base.dataset) is None:
        return []
    problems = []
    for dimension in dimensions:
        name = dimension.field.removeprefix(f"{DATASET}.")
        if name in DEALING_FIELDS and plan.base.dataset_version:
            text = (
                "it resplits the images, and the edits of this dataset refer to the current "
                "split: they cannot be carried over."
            )
            problems.append(Problem(dimension.field, text, "Use a dataset without edits."))
    fields = [each.field for each in dimensions]
    points = itertools.product(*(points_of(each) for each in dimensions))
    for values in itertools.islice(points, MAX_CHECKED):
        problems += _point_problems(workspace, plan, dict(zip(fields, values, strict=True)))
    return list(dict.fromkeys(problems))


def _point_problems(
    workspace: Workspace, plan: SweepPlan, values: Mapping[str, object]
) -> Iterator[Problem]:
    where = next(iter(values))
    try:
        base = plan.base
        variant = variant_of(workspace, base.dataset, base.dataset_version, recipe_changes(values))
    except StudioError as error:
        yield Problem(where, error.message, error.hint)
        return
    if is_gone(variant.recipe) and not is_original(variant):
        there = find_variant(workspace, variant)
        if there is None or there.history.state != State.COMPLETED:
            gone = _gone(variant)
            yield Problem(where, gone.message, gone.hint)


def is_gone(recipe: DatasetRecipe) -> bool:
    """Return True if a place that a recipe takes images from is missing; addresses never are."""
    locations = (recipe.source, *recipe.more_sources, recipe.val_source, recipe.test_source)
    return any(
        location and not address_of(location) and not Path(location).exists()
        for location in locations
    )


def _gone(variant: DatasetVariant) -> StudioError:
    return BadDataError(
        'The images of "{dataset}" are no longer at {source}, so they cannot be imported again.',
        "Put them back, or vary no field of the dataset.",
        DATASET,
        dataset=variant.original.name,
        source=variant.recipe.source,
    )


def _has_recipe(record: Record, recipe: DatasetRecipe) -> bool:
    try:
        return Job(record).plan(DatasetRecipe) == recipe
    except StudioError:
        return False  # damaged: unusable for training


def _has_edits(folder: Path, variant: DatasetVariant) -> bool:
    """Return True if a dataset begins with the edits of the original; later ones may differ."""
    if not variant.version:
        return True
    try:
        there = read_edits(folder)[: variant.version]
    except StudioError:
        return False
    return there == read_edits(variant.original.folder, variant.version)
