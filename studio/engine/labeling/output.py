"""Output of a labeling: annotation files, and datasets by the usual import.

Undecided and excluded pictures are left out, and those whose numbers are not all known. The
pictures themselves are never changed: a format that needs them beside its annotations gets hard
links, or copies on another disk.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from studio.engine.csv_cells import CsvWriter
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
from studio.engine.datasets.sources.shared.labels import MOST_DIGITS
from studio.engine.errors import BadDataError, StudioError, did_you_mean
from studio.engine.files import (
    flush_to_disk,
    placed,
    portable_name,
    remove_folder,
    slug,
    staging_folder,
    write_atomically,
    writing,
)
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.labeling.items import Item
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.values import (
    BoxesValue,
    ClassValue,
    ExcludedValue,
    LabelsValue,
    MaskValue,
    NumbersValue,
    Value,
)
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress, SilentProgress
from studio.engine.tasks.annotations import AnnotationOptions, Regions
from studio.engine.tasks.metric import with_unit
from studio.engine.tasks.task import Task
from studio.engine.workspace import Record, Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CSV: Final = "csv"
DATASETS: Final = "datasets"
"""Folder of the record with what datasets were imported from."""
_PREFERRED: Final = ("masks", "coco")
"""Formats that keep everything, for datasets of regions."""
_SPLIT: Final = "train"
_CLASSES_NAME: Final = "classes.txt"
_SAMPLE: Final = 32
"""Annotations that are read before the import itself."""


@dataclass(frozen=True, slots=True)
class _Labeled:
    """A picture with its value."""

    item: Item
    file: Path
    value: Value


def label_forms(task: Task) -> tuple[str, ...]:
    """Return the names of the formats that labels of a task can be exported in."""
    return tuple(dict.fromkeys(form.export for form in task.export_formats)) or (CSV,)


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
    suffix = ".csv" if form == CSV and not labeling.task.has_annotation_files else ""
    with writing(to, "to"), staging_folder(to) as staging:
        begun = staging / f"labels{suffix}"
        if suffix:
            _write_table(labeling, labeled, begun)
        else:
            _write_annotations(labeling, labeled, form, begun, progress or SilentProgress())
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
        source, known = _source_of(labeling, labeled, folder, progress)
        if into is not None:
            old, counts = Job(into).plan(DatasetRecipe), dataset_summary(into.folder).count
            return recipe_to_add(into.folder, old, counts, [source]).changed(**fields)
        return _suggested(labeling.task, source, known, progress).changed(**fields)
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


def _source_of(
    labeling: Labeling, labeled: Sequence[_Labeled], folder: Path, progress: Progress
) -> tuple[Path, Mapping[str, object]]:
    """Write what an import reads; returns its place and the fields of the recipe about it."""
    task, names = labeling.task, labeling.names
    if task.has_annotation_files:
        forms = label_forms(task)
        form = next((each for each in _PREFERRED if each in forms), forms[0])
        source = folder / "annotated"
        _write_annotations(labeling, labeled, form, source, progress)
        colors = [each.color for each in labeling.classes]
        return source, {"class_names": list(names), "class_colors": colors}
    source = folder / "labels.csv"
    if labeling.kind != "class" or not any(map(_is_ambiguous, names)):
        columns = _write_table(labeling, labeled, source)
        return source, {} if labeling.kind == "class" else {"target_columns": columns}
    # In a table 007 is the class of the number 7, and -3 is refused, unless a file names numbers.
    write_atomically(folder / _CLASSES_NAME, "".join(f"{name}\n" for name in names))
    _write_table(labeling, labeled, source, numbers=True)
    return source, {"labels_file": str(folder / _CLASSES_NAME)}


def _is_ambiguous(name: str) -> bool:
    if name.startswith("-"):
        return name[1:].isdecimal()
    is_number = name.isascii() and name.isdecimal()
    return is_number and (len(name) > MOST_DIGITS or str(int(name)) != name)


def _suggested(
    task: Task, source: Path, known: Mapping[str, object], progress: Progress
) -> DatasetRecipe:
    from studio.engine.datasets.suggestion import suggest_recipe  # noqa: PLC0415 - loads h5py

    options = SourceOptions(
        labels_file=str(known.get("labels_file", "")),
        fewest_classes=task.fewest_classes,
        annotations=AnnotationOptions(most=_SAMPLE) if task.has_annotation_files else None,
        columns=task.reads_columns,
    )
    reader = source_for(source, task)
    suggested = suggest_recipe(source, None, progress, options, reader)
    return suggested.changed(task=task.name, **known)


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


def _not_in(labeled: Sequence[_Labeled], dataset: Record, progress: Progress) -> list[_Labeled]:
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


def _labeled(labeling: Labeling) -> Iterator[_Labeled]:
    labels = dict(labeling.labels)
    for index in sorted(labels):
        value = labels[index].value
        if isinstance(value, ExcludedValue):
            continue
        if isinstance(value, NumbersValue) and len(_numbers(value, labeling)) != len(
            labeling.names
        ):
            continue
        yield _Labeled(labeling.items[index], labeling.file_of(index), value)


def _numbers(value: NumbersValue, labeling: Labeling) -> list[float]:
    """Return the numbers that are known; fewer than quantities where some are missing."""
    known = [each for each in value.numbers if each is not None]
    return known[: len(labeling.names)]


def _require_labeled(labeling: Labeling) -> list[_Labeled]:
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


def _write_table(
    labeling: Labeling, labeled: Sequence[_Labeled], path: Path, *, numbers: bool = False
) -> list[str]:
    """Write a line per picture: its path, and its class, labels as 0 and 1, or numbers.

    Args:
        labeling: The labeling.
        labeled: The pictures.
        path: The file.
        numbers: Write the index of a class instead of its name.

    Returns:
        The headings of the columns behind that of the paths.
    """
    classes = labeling.classes
    if labeling.kind == "class":
        columns = ["label"]
    else:
        columns = [with_unit(each.name, each.unit) for each in classes]
    with path.open("w", newline="", encoding="utf-8", errors="surrogateescape") as file:
        table = CsvWriter(file)
        table.writerow(["path", *columns])
        for each in labeled:
            table.writerow([str(each.file), *_cells(labeling, each.value, numbers=numbers)])
    flush_to_disk(path)
    return columns


def _cells(labeling: Labeling, value: Value, *, numbers: bool) -> list[object]:
    if isinstance(value, ClassValue):
        return [value.index if numbers else labeling.names[value.index]]
    if isinstance(value, LabelsValue):
        return [int(index in value.indices) for index in range(len(labeling.names))]
    if isinstance(value, NumbersValue):
        return [repr(float(each)) for each in _numbers(value, labeling)]
    raise TypeError(value.kind)


def _write_annotations(
    labeling: Labeling, labeled: Sequence[_Labeled], form: str, folder: Path, progress: Progress
) -> None:
    """Write pictures and their masks or boxes in a format of the task."""
    formats = labeling.task.export_formats
    writer_type = next(each.writer for each in formats if each.export == form)
    folder.mkdir()
    writer = writer_type(folder, labeling.names, [each.color for each in labeling.classes])
    taken: set[str] = set()
    for number, each in enumerate(labeled):
        progress.check()
        progress.advance(number, len(labeled), "Writing images")
        stem = _free(portable_name(PurePosixPath(each.item.name).stem) or "picture", taken)
        suffix = each.file.suffix.lower() or ".png"
        relative = writer.picture_path(stem, _SPLIT) + suffix
        _link(each.file, folder / relative)
        size = each.item.width, each.item.height
        writer.add(relative, _SPLIT, _regions(labeling, each.value), size)
    writer.finish()
    progress.advance(len(labeled), len(labeled), "Writing images")


def _regions(labeling: Labeling, value: Value) -> Regions:
    if isinstance(value, MaskValue):
        return labeling.read_mask(value)
    if isinstance(value, BoxesValue):
        found: NDArray[np.float32] = value.array()
        return found
    raise TypeError(value.kind)


def _free(stem: str, taken: set[str]) -> str:
    """Return an unused name, also on file systems that ignore case."""
    name, number = stem, 1
    while name.casefold() in taken:
        number += 1
        name = f"{stem}-{number}"
    taken.add(name.casefold())
    return name


def _link(file: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(file.resolve(), target)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(file, target)
