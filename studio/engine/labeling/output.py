"""Output of a labeling: annotation files, and datasets by the usual import.

Undecided and excluded pictures are left out, and those whose numbers are not all known. The
pictures themselves are never changed: a format that needs them beside its annotations gets hard
links, or copies on another disk.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.requests import (
    completed_dataset,
    dataset_summary,
    recipe_to_add,
    request_import,
)
from studio.engine.datasets.schema import HASH_BYTES
from studio.engine.datasets.sources import source_for
from studio.engine.datasets.sources.base import SourceOptions
from studio.engine.errors import BadDataError, StudioError, did_you_mean
from studio.engine.files import (
    placed,
    remove_folder,
    slug,
    staging_folder,
    writing,
)
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.labeling.editors import editor_of
from studio.engine.labeling.label_files import Labeled
from studio.engine.labeling.project import Labeling
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress, SilentProgress
from studio.engine.tasks.annotations import AnnotationOptions
from studio.engine.tasks.task import Task
from studio.engine.workspace import Record, Workspace

DATASETS: Final = "datasets"
"""Folder of the record with what datasets were imported from."""
_SAMPLE: Final = 32
"""Annotations that are read before the import itself."""


def label_forms(task: Task) -> tuple[str, ...]:
    """Return the names of the formats that labels of a task can be exported in."""
    return editor_of(task).forms(task)


def export_labels(
    labeling: Labeling,
    form: str,
    to: Path,
    progress: Progress | None = None,
    name: str = "",
) -> Path:
    """Write annotation files into the folder `to`; nothing is overwritten.

    Args:
        labeling: The labeling.
        form: One of `label_forms`.
        to: Made when missing.
        progress: Receives the progress and may cancel; then nothing new is there.
        name: Name of the new file or folder; empty for that of the labeling.

    Returns:
        The new file or folder. A table names the original files; other formats have the pictures
        beside the annotations.

    Raises:
        StudioError: There is no such format, nothing is labeled, or `to` cannot be written.
        DiskFullError: No space was left; nothing new is there.
        Cancelled: Through `progress`.
    """
    forms = label_forms(labeling.task)
    if form not in forms:
        raise StudioError(
            'The format "{format}" is not available for {task:lower}.',
            did_you_mean(form, forms) or message("There are: {forms}.", forms=", ".join(forms)),
            "format",
            format=form,
            task=as_message(labeling.task.label),
        )
    labeled = _require_labeled(labeling)
    suffix = labeling.editor.suffix(form)
    with writing(to, "to"), staging_folder(to) as staging:
        begun = staging / f"labels{suffix}"
        labeling.editor.write(labeling, labeled, form, begun, progress or SilentProgress())
        return placed(begun, to, slug(name or labeling.record.name, "labels"), suffix)


def dataset_recipe(
    labeling: Labeling,
    workspace: Workspace,
    progress: Progress | None = None,
    into: Record | None = None,
    **fields: object,
) -> DatasetRecipe:
    """Write the labels for an import into the record, and return the recipe of that import.

    Args:
        labeling: The labeling.
        workspace: The workspace.
        progress: Receives the progress and may cancel.
        into: A dataset of the same task; the new one has its current images, and the
            labeled pictures that are not among them.
        fields: Fields of the recipe, such as `width=64`; others are suggested from the pictures.

    Raises:
        StudioError: Nothing is labeled, a field does not fit, or the tasks differ.
        DiskFullError: No space was left.
        Cancelled: Through `progress`.
    """
    progress = progress or SilentProgress()
    labeled = _require_labeled(labeling)
    if into is not None:
        labeled = _not_in(labeled, _compatible(labeling, workspace, into), progress)
    folder = labeling.record.folder / DATASETS / f"{labeling.version}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    try:
        source, known = labeling.editor.write_source(labeling, labeled, folder, progress)
        prefix = _common_folder(labeled) if source.is_file() else {}
        if into is not None:
            old, counts = Job(into).plan(DatasetRecipe), dataset_summary(into.folder).count
            return recipe_to_add(into.folder, old, counts, [source]).changed(**prefix | fields)
        known = {**known, **prefix}
        suggested = _suggested(labeling.task, source, known, progress, fields)
        return suggested.changed(**fields)
    except BaseException:
        remove_folder(folder, ignore_errors=True)
        raise


def request_dataset(
    labeling: Labeling,
    queue: JobQueue,
    name: str,
    progress: Progress | None = None,
    into: Record | None = None,
    **fields: object,
) -> Job:
    """Submit the import of the labeled pictures as a dataset; see `dataset_recipe`.

    Args:
        labeling: The labeling.
        queue: The queue of the workspace.
        name: Name of the dataset.
        progress: Receives the progress and may cancel.
        into: A dataset whose images the new one has, too.
        fields: Fields of the recipe.

    Raises:
        StudioError: Nothing is labeled, a field does not fit, or the name is taken.
        DiskFullError: No space was left.
    """
    recipe = dataset_recipe(labeling, queue.workspace, progress, into, **fields)
    return request_import(queue, recipe, name)


def _suggested(
    task: Task,
    source: Path,
    known: Mapping[str, object],
    progress: Progress,
    chosen: Collection[str],
) -> DatasetRecipe:
    from studio.engine.datasets.suggestion import suggest_recipe  # noqa: PLC0415 - loads h5py

    options = SourceOptions(
        labels_file=str(known.get("labels_file", "")),
        path_prefix=str(known.get("path_prefix", "")),
    ).for_task(task, partial(AnnotationOptions, most=_SAMPLE))
    reader = source_for(source, task)
    suggested = suggest_recipe(source, None, progress, options, reader, chosen=chosen)
    return suggested.changed(task=task.name, **known)


def _common_folder(labeled: Sequence[Labeled]) -> dict[str, object]:
    """Return the folder that all images of a table are in: no path leads out of it then."""
    folders = [str(each.file.parent.absolute()) for each in labeled]
    try:
        return {"path_prefix": os.path.commonpath(folders)}
    except ValueError:  # on several drives
        return {"path_prefix": folders[0]}


def _compatible(labeling: Labeling, workspace: Workspace, into: Record) -> Record:
    """Return a dataset that labeled pictures can be added to."""
    completed_dataset(workspace, into.id, "adding labeled images")
    if dataset_summary(into.folder).task != labeling.task.name:
        raise StudioError(
            'The dataset "{dataset}" is for another task than {task:lower}.',
            "Choose a dataset of the same task, or make a new one.",
            "into",
            dataset=into.name,
            task=as_message(labeling.task.label),
        )
    return into


def _not_in(labeled: Sequence[Labeled], dataset: Record, progress: Progress) -> list[Labeled]:
    """Leave out pictures whose files were imported into a dataset."""
    from studio.engine.datasets.store import Store  # noqa: PLC0415 - loads h5py

    known = {bytes(row) for row in Store.open(dataset.folder).hashes}
    found = []
    for number, each in enumerate(labeled):
        progress.check()
        progress.advance(number, len(labeled), "Comparing images")
        with each.file.open("rb") as file:
            digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=HASH_BYTES))
        if digest.digest() not in known:
            found.append(each)
    if not found:
        raise StudioError(
            'All labeled images are already in the dataset "{dataset}".',
            "Label more images, or make a new dataset to have the labels as they are now.",
            "into",
            dataset=dataset.name,
        )
    return found


def _labeled(labeling: Labeling) -> Iterator[Labeled]:
    labels = dict(labeling.labels)
    for index in sorted(labels):
        value = labels[index].value
        if value.is_usable(len(labeling.names)):
            yield Labeled(labeling.items[index], labeling.file_of(index), value)


def _require_labeled(labeling: Labeling) -> list[Labeled]:
    labeling.refresh()
    labeled = list(_labeled(labeling))
    if not labeled:
        raise StudioError(
            'No image of the labeling "{name}" has a label.',
            "Label some images first.",
            name=labeling.record.name,
        )
    missing = next((each.file for each in labeled if not each.file.is_file()), None)
    if missing is not None:
        raise BadDataError(
            "The image {file} no longer exists.",
            "Bring it back, or exclude the image from the labeling.",
            str(missing),
            file=missing,
        )
    return labeled
