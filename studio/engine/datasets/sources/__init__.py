"""Sources: one file per input format, each of which finds images and opens them.

Never decodes images; imports neither NumPy nor Pillow at the top of a file. `drawn_samples`
is no source: it writes what a source reads. `shared/` is what several need.

To add a source: 1. write `<name>.py` with a class that follows `base.Source`; 2. list it below,
special formats before general ones, because the first that accepts a path reads it.
"""

from __future__ import annotations

from pathlib import Path

from studio.engine.datasets.sources.annotated import AnnotatedSource, FoundFiles
from studio.engine.datasets.sources.archive import ArchiveSource
from studio.engine.datasets.sources.array_files import Hdf5Source, NpzSource
from studio.engine.datasets.sources.base import Source
from studio.engine.datasets.sources.cifar import CifarSource
from studio.engine.datasets.sources.folder import FolderSource
from studio.engine.datasets.sources.list_file import ListFileSource
from studio.engine.datasets.sources.mnist import MnistSource
from studio.engine.datasets.sources.parquet import ParquetSource
from studio.engine.datasets.sources.s3 import S3Source
from studio.engine.datasets.sources.shared.members import is_archive
from studio.engine.datasets.sources.studio_dataset import StudioDatasetSource
from studio.engine.datasets.sources.web_file import WebFileSource
from studio.engine.datasets.sources.web_folder import WebFolderSource
from studio.engine.errors import StudioError
from studio.engine.messages import as_message, joined, message
from studio.engine.registry import Registry
from studio.engine.tasks import DEFAULT_TASK, TASKS
from studio.engine.tasks.task import Task
from studio.engine.web.address import address_of

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
)
_LARGEST_EXAMINED = 2**28
"""Bytes of an archive that is looked through to tell its task: a packed one is unpacked for it."""
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
    if task.formats:
        return _annotated_source(path, task, annotations)
    is_address = bool(address_of(path))
    for source in SOURCES:
        if is_address == (source.name in _OF_THE_WEB) and source.accepts(path):
            return source
    if not path.exists():
        raise StudioError(
            message("{path} does not exist.", path=path), "Check the path.", "source"
        )
    known = "; ".join(source.label for source in SOURCES)
    raise StudioError(
        message("{path} cannot be imported: unsupported file type.", path=path),
        message("Supported: {kinds}.", kinds=known),
        "source",
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
        if any(form.is_evident(files) for form in task.annotation_formats):
            return task
    return None


def _annotated_source(path: Path, task: Task, annotations: str) -> Source:
    """Return the source of a task that has annotation formats."""
    if not path.exists():
        raise StudioError(
            message("{path} does not exist.", path=path), "Check the path.", "source"
        )
    formats = list(task.annotation_formats)
    dataset = StudioDatasetSource()
    if not annotations and dataset.accepts(path):
        return dataset
    if path.is_dir() or is_archive(path):
        files = FoundFiles(path, annotations)
        for form in formats:
            if form.accepts(files.annotated):
                return AnnotatedSource(form, path, files)
    raise StudioError(
        message(
            "No annotations for {task:lower} found in {path}.",
            path=annotations or path,
            task=as_message(task.label),
        ),
        message(
            "Supported formats: {formats}; or a dataset of this task.",
            formats=joined([form.label for form in formats], "; "),
        ),
        "annotations" if annotations else "source",
    )
