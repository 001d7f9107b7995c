"""Sources: one file per input format, each of which finds images and opens them.

Never decodes images; imports neither NumPy nor Pillow at the top of a file. `drawn_samples`
is no source: it writes what a source reads. `shared/` is what several need.

To add a source: 1. write `<name>.py` with a class that follows `base.Source`; 2. list it below,
special formats before general ones, because the first that accepts a path reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.engine.datasets.sources.annotated import AnnotatedSource, FoundFiles
from studio.engine.datasets.sources.archive import ArchiveSource
from studio.engine.datasets.sources.array_files import Hdf5Source, NpzSource
from studio.engine.datasets.sources.base import Source, safe_text
from studio.engine.datasets.sources.cifar import CifarSource
from studio.engine.datasets.sources.drawn_labels import label_source
from studio.engine.datasets.sources.folder import FolderSource
from studio.engine.datasets.sources.list_file import ListFileSource
from studio.engine.datasets.sources.mnist import MnistSource
from studio.engine.datasets.sources.parquet import ParquetSource
from studio.engine.datasets.sources.s3 import S3Source
from studio.engine.datasets.sources.shared.layout import claimed, folders_of
from studio.engine.datasets.sources.shared.members import is_archive
from studio.engine.datasets.sources.shared.names import about_unread, possible_annotations
from studio.engine.datasets.sources.studio_dataset import StudioDatasetSource
from studio.engine.datasets.sources.web_file import WebFileSource
from studio.engine.datasets.sources.web_folder import WebFolderSource
from studio.engine.errors import BadDataError, StudioError, one_line, shortened
from studio.engine.files import user_path
from studio.engine.messages import Text, as_message, joined, message
from studio.engine.plug_ins import Kind
from studio.engine.registry import Registry
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.annotation_files.foreign import foreign_files, kind_of_file
from studio.engine.tasks.annotation_files.texts import as_utf8
from studio.engine.tasks.annotations import AnnotatedFiles, Tree, WritableFormat
from studio.engine.tasks.split_words import split_of
from studio.engine.tasks.task import Task
from studio.engine.web.address import address_of

if TYPE_CHECKING:
    from studio.engine.tasks.annotation_files.tools.base import DrawingTool

SOURCES: Registry[Source] = Registry(
    "source",
    [
        StudioDatasetSource(),
        MnistSource(),
        CifarSource(),
        ParquetSource(),
        Hdf5Source(),
        NpzSource(),
        ArchiveSource(),
        ListFileSource(),
        FolderSource(),
        WebFileSource(),
        WebFolderSource(),
        S3Source(),
    ],
    Kind(
        "studio.sources",
        "source",
        ("label", "takes", "accepts", "scan", "read", "open", "is_there"),
    ),
)
_LARGEST_EXAMINED = 2**28
"""Bytes of an archive that is looked through to tell its task: a packed one is unpacked for it."""
_GENERAL = frozenset({"archive", "list_file", "folder"})
"""Sources of any pictures, among which files of annotation tools may tell the classes."""
_TABLES = (".csv", ".tsv")
_LONGEST_LINE = 100
_OF_THE_WEB = frozenset({"web_file", "web_folder", "s3"})


def source_for(path: Path, task: Task = DEFAULT_TASK, annotations: str = "") -> Source:
    """Return the first source that can read `path`.

    Args:
        path: The place of the images.
        task: Task to learn on them; one with its own formats reads only those, and datasets.
        annotations: Place of the annotations, where that is another.

    Raises:
        StudioError: Nothing is there, or no source reads it.
    """
    if task.source.reads("annotations"):
        return _annotated_source(path, task, annotations)
    is_address = bool(address_of(path))
    for source in SOURCES:
        if is_address == (source.name in _OF_THE_WEB) and source.accepts(path):
            labels = label_source(path, annotations) if source.name in _GENERAL else None
            return labels or source
    labels = None if is_address else label_source(path)
    if labels is not None:
        return labels
    if not path.exists():
        raise StudioError("{path} does not exist.", "Check the path.", "source", path=path)
    if (kind := kind_of_file(path.name)) is not None:
        raise StudioError(
            "{path} cannot be imported: it is of the kind “{kind}”.",
            kind.advice,
            "source",
            path=path,
            kind=kind.name,
        )
    known = "; ".join(source.label for source in SOURCES)
    raise StudioError(
        "{path} cannot be imported: unsupported file type.",
        message("Supported: {kinds}.", kinds=known),
        "source",
        path=path,
    )


def foreign_error(files: Tree, suffix: str = "", *, by_suffix: bool = True) -> StudioError | None:
    """Return the error for annotations of a known kind that is not read; None for others.

    Args:
        files: The files at the place of the annotations.
        suffix: Suffix of the files that count; empty for all.
        by_suffix: False to ignore kinds that are known by their suffix alone.
    """
    found = [(path, kind) for path, kind in foreign_files(files) if path.endswith(suffix)]
    certain = [(path, kind) for path, kind in found if kind.patterns]
    path, kind = next(iter(certain + found if by_suffix else certain), ("", None))
    if kind is None:
        return None
    return StudioError(
        "{location} has annotations that Studio does not read: {file} is of the kind “{kind}”.",
        kind.advice,
        "source",
        location=files.location,
        file=path,
        kind=kind.name,
    )


def explained(error: StudioError, path: Path, annotations: str, task: Task) -> StudioError:
    """Return the error of a scan, or the reason why annotations of another program are no help.

    Args:
        error: The error.
        path: The source.
        annotations: Place of the annotations, where that is another.
        task: The task.
    """
    place = user_path(annotations) if annotations else path
    if not place.is_dir():
        return error
    files = FoundFiles(place).images
    if task.source.reads("annotations"):
        folders = [folders_of(each) for each in files.pictures]
        return foreign_error(files, ".json") or claimed(folders, path, task) or error
    # Loads NumPy, which the window must not at start.
    from studio.engine.tasks.annotation_files.tools import TOOLS  # noqa: PLC0415

    drawn = (each for each in TOOLS if each.accepts(files) and not each.has_labels(files))
    tool = next(drawn, None)
    known = foreign_error(files, by_suffix=False)
    if known is None and tool is not None:
        known = _of_objects(files, tool)
    if known is None and not _has_classes(files):
        known = foreign_error(files)
    return known or _with_other_files(error, files)


def _has_classes(files: Tree) -> bool:
    """Return True if folders of several classes, or a table, are there: what the error is about.

    Args:
        files: The files of the source.
    """
    folders = {path.split("/")[-2] for path in files.pictures if "/" in path}
    has_table = any("/" not in path and path.casefold().endswith(_TABLES) for path in files.paths)
    return has_table or sum(split_of(folder) is None for folder in folders) > 1


def _with_other_files(error: StudioError, files: Tree) -> StudioError:
    """Return an error whose hint names annotations, or tables in the folders of splits.

    Args:
        error: The error that folders are no classes.
        files: The files of the source.
    """
    found = AnnotatedFiles(files, files)
    for task in TASKS.values():
        forms = (form for form in task.source.formats if isinstance(form, WritableFormat))
        if any(form.accepts(found) for form in forms):
            hint = message(
                "There are files that can be read for {task:lower}: choose this task ({name}).",
                task=as_message(task.label),
                name=task.name,
            )
            return error.changed(hint=joined([error.hint, hint]))
    tables = [path for path in files.paths if path.count("/") == 1 and path.endswith(".csv")]
    if not tables or str(tables[0]) in str(error.hint):
        return error
    hint = message(
        "If the classes are in tables such as {table}, join them into one table with a column "
        "“split”, and import that file; columns of 0 and 1 are of the task multi_label.",
        table=tables[0],
    )
    return error.changed(hint=joined([error.hint, hint]))


def _of_objects(files: Tree, tool: DrawingTool) -> StudioError:
    """Return the error for files of an annotation tool where classes of images are needed."""
    return StudioError(
        "The annotations of {tool} in {location} are read as boxes or masks, not as classes "
        "of whole images.",
        "Choose the task detection or segmentation. For classes of images, write a table with the "
        "columns path and label, or a folder for each class.",
        "source",
        tool=message(tool.label),
        location=files.location,
    )


def evident_task(path: Path, annotations: str = "") -> Task | None:
    """Return the task whose annotations are plainly in a folder or archive; None for none.

    Args:
        path: The folder or archive.
        annotations: Place of the annotations, where that is another.
    """
    if not path.is_dir() and not (is_archive(path) and path.stat().st_size <= _LARGEST_EXAMINED):
        return None
    files = FoundFiles(path, annotations).annotated
    for task in TASKS.values():
        if any(form.is_evident(files) for form in task.source.formats):
            return task
    return None


def _about_unread(labels: Tree, task: Task) -> list[Text]:
    """Return sentences about files of other kinds, which may have the annotations.

    Args:
        labels: The files at the place of the annotations.
        task: The task.
    """
    found = possible_annotations(labels.paths)
    table = next((path for path in found if path.casefold().endswith(_TABLES)), "")
    said = about_unread(found)
    headings = task.source.headings
    return [*said, _about_table(labels, table, headings)] if table and headings else said


def _about_table(labels: Tree, table: str, headings: Sequence[str]) -> Text:
    """Return a sentence about the headings that a table needs."""
    try:
        lines = as_utf8(labels.head(table)).decode("utf-8", "replace").splitlines()
    except BadDataError:
        lines = []
    return message(
        "The first line of {table} is “{line}”; a table with annotations has the columns "
        "{columns}.",
        table=safe_text(table),
        line=shortened(one_line(next(iter(lines), "")), _LONGEST_LINE),
        columns=", ".join(headings),
    )


def _annotated_source(path: Path, task: Task, annotations: str) -> Source:
    """Return the source of a task that has annotation formats."""
    if not path.exists():
        raise StudioError("{path} does not exist.", "Check the path.", "source", path=path)
    dataset = StudioDatasetSource()
    if not annotations and dataset.accepts(path):
        return dataset
    if not (path.is_dir() or is_archive(path)):
        raise StudioError(
            "{path} is a single file, but {task:lower} needs the folder with the images.",
            "Give the folder of the images as the source, and this file as its annotations "
            "(--labels).",
            "source",
            path=path,
            task=as_message(task.label),
        )
    files = FoundFiles(path, annotations)
    forms = [*task.source.formats]
    for index, form in enumerate(forms, 1):
        if form.accepts(files.annotated):
            return AnnotatedSource(form, path, files, forms[index:])
    labels = files.annotated.labels
    raise foreign_error(labels) or _not_annotated(path, task, annotations, labels)


def _not_annotated(path: Path, task: Task, annotations: str, labels: Tree) -> StudioError:
    """Return the error for a place without annotations of a task, with other files there."""
    hint = message(
        "Supported formats: {formats}; or a dataset of this task.",
        formats=joined([form.label for form in task.source.formats], "; "),
    )
    return StudioError(
        "No annotations for {task:lower} found in {path}.",
        joined([*_about_unread(labels, task), hint]),
        "annotations" if annotations else "source",
        path=annotations or path,
        task=as_message(task.label),
    )
