"""Pictures whose annotations lie in files of a format of a task, such as masks."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.folder import SingleFiles, Walk
from studio.engine.datasets.sources.shared.names import looks_like_image, split_of
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import user_path
from studio.engine.progress import Progress, SilentProgress
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationFormat,
    AnnotationOptions,
)


class FolderTree:
    """The files below a folder, or one file; see `Tree`.

    Args:
        path: The folder, or the file.
        progress: Is told how far it is, and may cancel.

    Attributes:
        facts: Of each file by its path.
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
    def place(self) -> str:
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

    def read(self, path: str) -> bytes:
        """Read a file; see `Tree.read`."""
        try:
            with (self._folder / path).open("rb") as file:
                return base.read_whole(file)
        except OSError as error:
            raise BadDataError(f"it cannot be read: {error.strerror or error}") from error


class AnnotatedSource(SingleFiles):
    """Pictures in a folder with annotations of a format.

    Args:
        form: The format.
        annotations: Folder or file with the annotations; empty if they are among the pictures.
    """

    takes = frozenset({"labels_file", "annotations"})

    def __init__(self, form: AnnotationFormat, annotations: str = "") -> None:
        self._form = form
        self._annotations = annotations
        self._known: tuple[Path, AnnotatedFiles, list[base.Skipped]] | None = None

    @property
    def name(self) -> str:
        """Name of the format."""
        return self._form.name

    @property
    def label(self) -> str:
        """Name of the format as shown to a person."""
        return self._form.label

    def accepts(self, path: Path) -> bool:
        """Return True if a folder holds files of the format."""
        return path.is_dir() and self._form.accepts(self._files(path, SilentProgress())[0])

    def scan(
        self, path: Path, progress: Progress, options: base.SourceOptions = base.NO_OPTIONS
    ) -> base.Scan:
        """Find pictures and their annotations; see `Source.scan`."""
        files, problems = self._files(path, progress)
        found = self._form.read(files, options.annotations or AnnotationOptions(), progress)
        facts = files.images.facts if isinstance(files.images, FolderTree) else {}
        scan = base.Scan(annotations=[found], problems=[*problems])
        scan.problems += [
            base.Skipped(base.safe_text(place), reason) for place, reason in found.problems
        ]
        for each in found.pictures:
            size, modified = facts[each.path].st_size, facts[each.path].st_mtime_ns
            split = each.split or _split_in(each.path)
            item = base.Item(each.path, "", split, size, modified, annotation=each.annotation)
            scan.items.append(item)
        return scan

    def _files(self, path: Path, progress: Progress) -> tuple[AnnotatedFiles, list[base.Skipped]]:
        """Return the files of a path; walks over its folders once."""
        if self._known is None or self._known[0] != path:
            images = labels = FolderTree(path, progress)
            if self._annotations:
                place = user_path(self._annotations)
                if not place.exists():
                    raise StudioError(
                        f"There is no file or folder {place}.", "Check the path.", "annotations"
                    )
                labels = FolderTree(place, progress)
            problems = images.problems + (labels.problems if labels is not images else [])
            self._known = path, AnnotatedFiles(images, labels), problems
        return self._known[1:]


def _split_in(path: str) -> str | None:
    """Return the split that a folder of a path names."""
    return next((split for part in path.split("/")[:-1] if (split := split_of(part))), None)
