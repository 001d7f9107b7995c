"""Pictures whose annotations lie in files of a format of a task, such as masks."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.folder import Walk
from studio.engine.datasets.sources.shared.members import (
    is_archive,
    is_zip,
    members,
    packing,
    plain_range,
    zip_fetch,
    zip_file,
)
from studio.engine.datasets.sources.shared.names import (
    is_hidden,
    is_unread_picture,
    looks_like_image,
    not_an_image,
)
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import disk_full_is_clear, natural_key, user_path
from studio.engine.messages import Text, as_message, joined, message
from studio.engine.progress import Progress, SilentProgress
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationFormat,
    AnnotationOptions,
    LeftOut,
    Tree,
)
from studio.engine.tasks.split_words import split_of

_HEAD = 2**16
_TEXTS = (".json", ".jsonl", ".ndjson", ".xml", ".txt", ".csv", ".tsv")
"""Suffixes of files by which formats of annotations are told apart."""
_BESIDE = "class-descriptions*.csv"
"""Files with the names of the codes in a lone table of Open Images."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Facts about a file that tell a continued import that it is still the same.

    Attributes:
        size: In bytes.
        modified_ns: Time of the last change; of a file in an archive that of the archive.
        position: Position of the file in an archive, see `Member`.
    """

    size: int
    modified_ns: int
    position: int = 0


class FileTree(ABC):
    """The files below a folder or in an archive; see `Tree`.

    Attributes:
        facts: Facts of each file by its path.
        problems: Files and folders that cannot be read.
    """

    def __init__(self, location: Path) -> None:
        self._location = location
        self.facts: dict[str, FileFacts] = {}
        self.problems: list[base.Skipped] = []

    @abstractmethod
    def open(self, path: str) -> BinaryIO:
        """Open a file; called from several threads.

        Raises:
            OSError: It cannot be read.
            BadDataError: It is damaged; the message is a short reason.
        """

    @property
    def location(self) -> str:
        """The folder or archive."""
        return str(self._location)

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
        return self._read(path, _HEAD)

    def read(self, path: str) -> bytes:
        """Read a file; see `Tree.read`."""
        return self._read(path)

    def _read(self, path: str, most: int | None = None) -> bytes:
        try:
            with self.open(path) as file:
                return base.read_whole(file) if most is None else file.read(most)
        except OSError as error:
            raise BadDataError(
                "it cannot be read: {reason}", reason=error.strerror or error
            ) from error


class FolderTree(FileTree):
    """The files below a folder, or one file.

    Args:
        path: The folder, or the file.
        progress: Receives the progress and may cancel.
    """

    def __init__(self, path: Path, progress: Progress) -> None:
        if path.is_dir():
            super().__init__(path)
            walk = Walk(path, progress)
            found = dict(walk.files())
            self.problems = walk.scan.problems
        else:
            super().__init__(path.parent)
            files = [path, *path.parent.glob(_BESIDE)]
            found = {each.name: each.stat() for each in files if each.is_file()}
        self.facts = {
            name: FileFacts(facts.st_size, facts.st_mtime_ns) for name, facts in found.items()
        }

    def open(self, path: str) -> BinaryIO:
        """Open a file; see `FileTree.open`."""
        return (self._location / path).open("rb")


class ArchiveTree(FileTree):
    """The files in an archive.

    A packed tar can only be read from its beginning, and masks are read in the order of their
    pictures: its files are copied to a temporary file when the first one is read.

    Args:
        path: The archive.
        progress: Receives the progress and may cancel.
    """

    def __init__(self, path: Path, progress: Progress) -> None:
        super().__init__(path)
        modified = base.modified_at(path)
        found: dict[str, FileFacts] = {}
        try:
            self._is_zip = is_zip(path)
            self._is_packed = not self._is_zip and bool(packing(path))
            for number, member in enumerate(members(path, self._refuse)):
                progress.check()
                if number % 500 == 0:
                    progress.advance(number, 0, "Searching for images")
                name = _plain(member.name)
                if not any(map(is_hidden, name.split("/"))):
                    found[name] = FileFacts(member.size, modified, member.position)
        except BadDataError as error:
            reason = message("{reason}; what comes after is missing", reason=error.message)
            self.problems.append(base.Skipped(path.name, reason))
        except OSError as error:
            raise StudioError(
                "{path} cannot be read: {reason}.",
                "Check the file.",
                "source",
                path=path,
                reason=error.strerror,
            ) from error
        self.facts = {name: found[name] for name in sorted(found, key=natural_key)}
        self._lock = threading.Lock()

    def open(self, path: str) -> BinaryIO:
        """Read a file; see `FileTree.open`."""
        facts = self.facts[path]
        if self._is_zip:
            entry = self._zip.infolist()[facts.position]
            return BytesIO(zip_fetch(self._zip, entry, self._location)())
        if not self._is_packed:
            return BytesIO(plain_range(self._location, facts.position, facts.size))
        with self._lock:
            file, offsets = self._copies
            if path not in offsets:
                raise BadDataError("the archive is damaged or cut off", where=self.location)
            file.seek(offsets[path])
            return BytesIO(file.read(facts.size))

    def _refuse(self, name: str, reason: str) -> None:
        self.problems.append(base.Skipped(base.safe_text(name[:_LONGEST_SHOWN]), reason))

    @cached_property
    def _zip(self) -> zipfile.ZipFile:
        return zip_file(self._location)

    @cached_property
    def _copies(self) -> tuple[BinaryIO, dict[str, int]]:
        """A file with the content of each file one after the other, and where each begins."""
        offsets: dict[str, int] = {}
        with contextlib.ExitStack() as stack:
            stack.enter_context(disk_full_is_clear(Path(tempfile.gettempdir())))
            file = stack.enter_context(tempfile.TemporaryFile())
            with contextlib.suppress(BadDataError):  # a problem already; the rest is read
                for member in members(self._location, lambda _name, _reason: None):
                    name = _plain(member.name)
                    if name in self.facts:
                        offsets[name] = file.tell()
                        file.write(member.fetch())
            stack.pop_all()
        return file, offsets


_LONGEST_SHOWN = 200


def _plain(name: str) -> str:
    return "/".join(part for part in name.split("/") if part not in {"", "."})


def _tree(path: Path) -> FileTree:
    progress = SilentProgress()
    return ArchiveTree(path, progress) if is_archive(path) else FolderTree(path, progress)


class FoundFiles:
    """The files of a folder or archive with pictures, looked through once.

    Args:
        path: The folder or archive.
        annotations: Folder, archive or file with the annotations; empty if they are among the
            pictures.

    Attributes:
        images: The pictures.
        annotated: The pictures and the annotations.
        problems: Files and folders that cannot be read.

    Raises:
        StudioError: There are no annotations at that path.
    """

    def __init__(self, path: Path, annotations: str = "") -> None:
        self.images = labels = _tree(path)
        self.problems = self.images.problems
        if annotations:
            location = user_path(annotations)
            if not location.exists():
                raise StudioError(
                    "There is no file or folder {source}.",
                    "Check the path.",
                    "annotations",
                    source=location,
                )
            labels = _tree(location)
            self.problems = self.problems + labels.problems
        self.annotated = AnnotatedFiles(self.images, labels)


class ReadsFound(base.OnDisk):
    """Base of sources of pictures in a folder or archive that was looked through.

    Args:
        path: The folder or archive.
        files: Those in it.
    """

    def __init__(self, path: Path, files: FoundFiles) -> None:
        self._path = path
        self._files = files

    def accepts(self, path: Path) -> bool:
        """Return True if it can read this folder or archive."""
        return path == self._path

    def problems(self, left_out: Sequence[LeftOut]) -> list[base.Skipped]:
        """Return what cannot be read, and what annotations leave out.

        Args:
            left_out: Reported by the reader of the annotations.
        """
        return [
            *self._files.problems,
            *(
                base.Skipped(base.safe_text(path), not_an_image(path))
                for path in self._files.images.paths
                if is_unread_picture(path)
            ),
            *(
                base.Skipped(
                    base.safe_text(each.path),
                    each.reason,
                    is_annotation=True,
                    objects=each.objects,
                )
                for each in left_out
            ),
        ]

    def item(self, path: str, class_name: str) -> base.SourceImage:
        """Return a picture.

        Args:
            path: Its path.
            class_name: Its class; empty without one.
        """
        facts = self._files.images.facts[path]
        return base.SourceImage(path, class_name, None, facts.size, facts.modified_ns)

    def read(
        self,
        path: Path,  # noqa: ARG002 - its own
        items: Sequence[base.SourceImage],
    ) -> Iterator[tuple[int, base.Fetch]]:
        """Give every file; threads read them. See `Source.read`."""
        for index, item in enumerate(items):
            yield index, partial(self._files.images.read, item.key)

    def open(self, path: Path, item: base.SourceImage) -> BinaryIO:  # noqa: ARG002 - its own
        """Open an image file; see `Source.open`."""
        return self._files.images.open(item.key)


class _WithoutSuffixes:
    """The files of a tree whose names do not end in some suffixes; see `Tree`."""

    def __init__(self, files: Tree, suffixes: tuple[str, ...]) -> None:
        self._files = files
        self.location = files.location
        self.paths = [path for path in files.paths if not path.casefold().endswith(suffixes)]
        self.pictures = files.pictures
        self.head, self.read = files.head, files.read
        self._known = frozenset(self.paths)

    def __contains__(self, path: object) -> bool:
        return path in self._known


class AnnotatedSource(ReadsFound):
    """Pictures in a folder or archive with annotations of a format.

    Args:
        form: The format.
        path: The folder or archive.
        files: Those in it.
        others: Further formats of the task: annotations of these are pointed out.
    """

    takes = frozenset({"labels_file", "annotations"})

    def __init__(
        self,
        form: AnnotationFormat,
        path: Path,
        files: FoundFiles,
        others: Sequence[AnnotationFormat] = (),
    ) -> None:
        super().__init__(path, files)
        self._form = form
        self._others = others

    @property
    def name(self) -> str:
        """Name of the format."""
        return self._form.name

    @property
    def label(self) -> str:
        """Display name of the format."""
        return self._form.label

    def scan(
        self,
        path: Path,  # noqa: ARG002 - its own
        progress: Progress,
        options: base.SourceOptions = base.NO_OPTIONS,
    ) -> base.Scan:
        """Find pictures and their annotations; see `Source.scan`."""
        found = self._form.read(
            self._files.annotated, options.annotations or AnnotationOptions(), progress
        )
        problems = self.problems(found.problems)
        warnings = [*self._about_others(), *found.warnings]
        scan = base.Scan(annotations=[found], problems=problems, warnings=warnings)
        given = {each.path: each.split for each in found.pictures}
        splits = splits_by_folders(given)
        if _has_other_splits(given, splits):
            scan.split_origin = self._form.split_origin
        for each in found.pictures:
            split = each.split or splits.get(each.path.rpartition("/")[0])
            item = replace(self.item(each.path, ""), split=split, annotation=each.annotation)
            scan.items.append(item)
        return scan

    def _about_others(self) -> list[Text]:
        """Return a sentence about annotations of other formats, in files that are not read."""
        files = self._files.annotated.labels
        present = {suffix for path in files.paths if (suffix := _text_suffix(path))}
        own = tuple(
            suffix for suffix in sorted(present) if not self._form.accepts(self._without(suffix))
        )
        if present == {*own}:
            return []
        pictures = self._without(*_TEXTS)
        if not own and not self._form.accepts(pictures):
            return []  # it reads files of several suffixes
        rest = self._without(*own)
        found = [
            form.label
            for form in self._others
            if form.accepts(rest) and not form.accepts(pictures)
        ]
        if not found:
            return []
        return [
            message(
                "There are annotations of several formats. Those of {form} are read, but not "
                "those of {others}: to read them, move the files of the others to another folder.",
                form=as_message(self._form.label),
                others=joined([as_message(label) for label in found], "; "),
            )
        ]

    def _without(self, *suffixes: str) -> AnnotatedFiles:
        """Return the files without annotations that have one of some suffixes."""
        files = self._files.annotated
        labels = _WithoutSuffixes(files.labels, suffixes)
        return AnnotatedFiles(labels if files.are_together else files.images, labels)


def _text_suffix(path: str) -> str:
    """Return the suffix of a file that may have annotations as text; empty for others."""
    return next((suffix for suffix in _TEXTS if path.casefold().endswith(suffix)), "")


def splits_by_folders(given: Mapping[str, str | None]) -> dict[str, str]:
    """Return the split of each folder that is called like one.

    Without training images, as in a lone folder "test data", the names mean something else.

    Args:
        given: Splits of the pictures that a format specifies, by their paths.
    """
    folders = {path.rpartition("/")[0] for path in given}
    found = {
        folder: split
        for folder in folders
        if (split := next(filter(None, map(split_of, folder.split("/"))), None))
    }
    return found if "train" in {*found.values(), *given.values()} else {}


def _has_other_splits(given: Mapping[str, str | None], splits: Mapping[str, str]) -> bool:
    """Return True if a format names splits that the folders do not name.

    Args:
        given: Splits of the pictures that the format specifies, by their paths.
        splits: The split of each folder that names one.
    """
    return any(
        split not in {None, splits.get(path.rpartition("/")[0])} for path, split in given.items()
    )
