"""Pictures whose annotations lie in files of a format of a task, such as masks."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.folder import SingleFiles, Walk
from studio.engine.datasets.sources.shared.names import looks_like_image
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import user_path
from studio.engine.messages import message
from studio.engine.progress import Progress, SilentProgress
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationFormat,
    AnnotationOptions,
    split_of,
)

_HEAD = 2**16


class FolderTree:
    """The files below a folder, or one file; see `Tree`.

    Args:
        path: The folder, or the file.
        progress: Receives the progress, and may cancel.

    Attributes:
        facts: Facts of each file by its path.
        problems: Files and folders that cannot be read.
    """

    def __init__(self, path: Path, progress: Progress) -> None:
        self._folder = path
        self.problems: list[base.Skipped] = []
        if path.is_dir():
            walk = Walk(path, progress)
            self.facts: dict[str, os.stat_result] = dict(walk.files())
            self.problems = walk.scan.problems
        else:
            self._folder = path.parent
            self.facts = {path.name: path.stat()}

    @property
    def location(self) -> str:
        """The folder."""
        return str(self._folder)

    @cached_property
    def paths(self) -> list[str]:
        """Paths of all files."""
        return list(self.facts)

    @cached_property
    def pictures(self) -> list[str]:
        """Paths of files with the name of a picture."""
        return [path for path in self.facts if looks_like_image(path)]

    def __contains__(self, path: object) -> bool:
        return path in self.facts

    def head(self, path: str) -> bytes:
        """Read the beginning of a file; see `Tree.head`."""
        return self._read(path, lambda file: file.read(_HEAD))

    def read(self, path: str) -> bytes:
        """Read a file; see `Tree.read`."""
        return self._read(path, base.read_whole)

    def _read(self, path: str, read: Callable[[BinaryIO], bytes]) -> bytes:
        try:
            with (self._folder / path).open("rb") as file:
                return read(file)
        except OSError as error:
            raise BadDataError(
                message("it cannot be read: {reason}", reason=error.strerror or error)
            ) from error


class FoundFiles:
    """The files of a folder with pictures, walked over once.

    Args:
        path: The folder.
        annotations: Folder or file with the annotations; empty if they are among the pictures.

    Attributes:
        images: The pictures.
        annotated: The pictures and the annotations.
        problems: Files and folders that cannot be read.

    Raises:
        StudioError: There are no annotations at that path.
    """

    def __init__(self, path: Path, annotations: str = "") -> None:
        progress = SilentProgress()
        self.images = labels = FolderTree(path, progress)
        self.problems = self.images.problems
        if annotations:
            location = user_path(annotations)
            if not location.exists():
                raise StudioError(
                    message("There is no file or folder {source}.", source=location),
                    "Check the path.",
                    "annotations",
                )
            labels = FolderTree(location, progress)
            self.problems = self.problems + labels.problems
        self.annotated = AnnotatedFiles(self.images, labels)


class AnnotatedSource(SingleFiles):
    """Pictures in a folder with annotations of a format.

    Args:
        form: The format.
        path: The folder.
        files: Its files.
    """

    takes = frozenset({"labels_file", "annotations"})

    def __init__(self, form: AnnotationFormat, path: Path, files: FoundFiles) -> None:
        self._form = form
        self._path = path
        self._files = files

    @property
    def name(self) -> str:
        """Name of the format."""
        return self._form.name

    @property
    def label(self) -> str:
        """Name of the format as shown to a person."""
        return self._form.label

    def accepts(self, path: Path) -> bool:
        """Return True for its own folder."""
        return path == self._path

    def scan(
        self,
        path: Path,  # noqa: ARG002 - its own
        progress: Progress,
        options: base.SourceOptions = base.NO_OPTIONS,
    ) -> base.Scan:
        """Find pictures and their annotations; see `Source.scan`."""
        files = self._files
        found = self._form.read(
            files.annotated, options.annotations or AnnotationOptions(), progress
        )
        scan = base.Scan(annotations=[found], problems=[*files.problems])
        scan.problems += [
            base.Skipped(base.safe_text(name), reason) for name, reason in found.problems
        ]
        for each in found.pictures:
            facts = files.images.facts[each.path]
            split = each.split or _split_in(each.path)
            item = base.Item(each.path, "", split, facts.st_size, facts.st_mtime_ns)
            scan.items.append(replace(item, annotation=each.annotation))
        return scan


def _split_in(path: str) -> str | None:
    """Return the split that a folder of a path names."""
    return next((split for part in path.split("/")[:-1] if (split := split_of(part))), None)
