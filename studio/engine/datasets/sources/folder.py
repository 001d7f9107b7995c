"""A folder with one folder of images per class, also inside folders of splits."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from studio.engine.datasets.origins.sidecar import SIDECAR_NAME
from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.base import (
    NO_OPTIONS,
    Fetch,
    OnDisk,
    Scan,
    SourceImage,
    SourceOptions,
    read_whole,
)
from studio.engine.datasets.sources.shared.names import (
    is_hidden,
    known_images,
    looks_like_image,
    not_an_image,
    take_found,
)
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import natural_key
from studio.engine.messages import Text, as_message, joined, message
from studio.engine.progress import Progress
from studio.engine.tables.rows import JSON_SUFFIXES, read_table

_Identity = tuple[int, int]
_SECOND_LINK: Final = "a link to a folder that was already read"
_LEVELS: Final = 3
"""Folder around everything, folder of a split, folder of a class."""
_EXAMPLES: Final = 5
_TABLES: Final = (".csv", ".tsv", ".parquet", *JSON_SUFFIXES)
_MOST_TEXTS: Final = 50
_LINES: Final = 50
_HEAD: Final = 2**16
"""Bytes of a table that are read to see what it names."""
ONE_FOLDER_EACH = "Put the images of each class into a separate folder, inside one folder."


class Walk:
    """One walk over the folders of one root. Links are followed.

    Attributes:
        root: Keys of images are relative to it.
        scan: Receives what is left out.
        identities: Device and number of each visited folder by its key, "" for the root.
    """

    def __init__(self, root: Path, progress: Progress) -> None:
        self.root = root
        self.scan = base.Scan()
        self.identities: dict[str, _Identity] = {}
        self._progress = progress

    def files(self, levels: int = 0) -> Iterator[tuple[str, os.stat_result]]:
        """Yield the key and the facts of every visible regular file.

        Args:
            levels: Levels of folders that may be links to folders that others contain, too: a
                class of the test images may be that of the validation images. Below them, and
                for 0 everywhere, each folder is visited once.
        """
        pending: list[tuple[str, set[_Identity], int]] = [("", set(), 0)]
        found = 0
        while pending:
            folder, seen, level = pending.pop()
            inner: list[str] = []
            for entry in self._entries(folder) if self._is_new(folder, seen) else ():
                key = f"{folder}/{entry.name}".lstrip("/")
                if _is_folder(entry):
                    inner.append(key)
                elif (facts := self._facts(entry, key)) is not None:
                    found += 1
                    if found % 500 == 0:
                        self._progress.advance(found, 0, "Searching for images")
                    yield key, facts
            pending += [
                (key, {*seen} if level < levels else seen, level + 1) for key in reversed(inner)
            ]

    def skip(self, key: str, reason: str) -> None:
        """Record a file or folder that is left out.

        Args:
            key: Its path.
            reason: Why.
        """
        self.scan.problems.append(base.Skipped(base.safe_text(key), reason))

    def _facts(self, entry: os.DirEntry[str], key: str) -> os.stat_result | None:
        """Return the facts of a regular file; anything else is listed as left out."""
        try:
            facts = entry.stat()
        except OSError as error:
            self.skip(key, message("it cannot be read: {reason}", reason=error.strerror))
            return None
        if not stat.S_ISREG(facts.st_mode):
            # Opening a pipe that is called a.png would wait for ever.
            self.skip(key, "not a regular file")
            return None
        return facts

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        """Visible entries in natural order; names that are no UTF-8 are skipped and listed."""
        self._progress.check()
        try:
            with os.scandir(self.root / folder) as found:
                entries = [entry for entry in found if not is_hidden(entry.name)]
        except OSError as error:
            self.skip(
                folder, message("the folder cannot be read: {reason}", reason=error.strerror)
            )
            return []
        good = []
        for entry in sorted(entries, key=lambda entry: natural_key(entry.name)):
            if base.safe_text(entry.name) == entry.name:
                good.append(entry)
            else:
                self.skip(f"{folder}/{entry.name}".lstrip("/"), "its name is not valid UTF-8")
        return good

    def _is_new(self, folder: str, seen: set[_Identity]) -> bool:
        try:
            facts = (self.root / folder).stat()
        except OSError as error:
            self.skip(
                folder, message("the folder cannot be read: {reason}", reason=error.strerror)
            )
            return False
        identity = self.identities[folder] = facts.st_dev, facts.st_ino
        if identity in seen:
            self.skip(folder, _SECOND_LINK)
            return False
        seen.add(identity)
        return True


def require_folder(path: Path) -> None:
    """Refuse a path that is no folder.

    Raises:
        StudioError: Nothing is there, or something that is not a folder.
    """
    if not path.exists():
        raise StudioError("{path} does not exist.", "Check the path.", "source", path=path)
    if not path.is_dir():
        raise StudioError("{path} is not a folder.", ONE_FOLDER_EACH, "source", path=path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads in circles
        return False


class SingleFiles(OnDisk):
    """Base of sources whose images are separate files; keys are their paths."""

    def read(self, path: Path, items: Sequence[SourceImage]) -> Iterator[tuple[int, Fetch]]:
        """Give every file; threads open them. See `Source.read`."""
        for index, item in enumerate(items):
            yield index, partial(_whole_file, self.base(path) / item.key)

    def open(self, path: Path, item: SourceImage) -> BinaryIO:
        """Open an image file; see `Source.open`."""
        return (self.base(path) / item.key).open("rb")

    def base(self, path: Path) -> Path:
        """Return the folder that keys are relative to."""
        return path


class FolderSource(SingleFiles):
    """Sub-folders are classes, also inside of folders per split; see `layout`."""

    name = "folder"
    label = "Folder with one folder per class, also inside train, val and test folders"
    takes = frozenset[str]()

    def accepts(self, path: Path) -> bool:
        """Return True if `path` is a folder."""
        return path.is_dir()

    def scan(self, path: Path, progress: Progress, options: SourceOptions = NO_OPTIONS) -> Scan:
        """Find the images of every class; see `Source.scan`."""
        require_folder(path)
        walk = Walk(path, progress)
        found = []
        for key, facts in walk.files(_LEVELS):
            if looks_like_image(key):
                found.append(SourceImage(key, "", None, facts.st_size, facts.st_mtime_ns))
            else:
                walk.skip(key, not_an_image(key))
        if not found:
            raise _without_images(path, walk)
        try:
            take_found(path, walk.scan, found, options)
        except StudioError as error:
            raise _with_tables(error, walk) from error
        _drop_second_links(walk)
        _warn_of_empty(walk, found)
        walk.scan.warnings += _about_tables(walk, found) + _about_lists(walk, found)
        return walk.scan


def _with_tables(error: StudioError, walk: Walk) -> StudioError:
    """Return an error whose hint names the tables in the outer folder, which may have classes."""
    tables = _tables(walk)
    if not tables:
        return error
    hint = message(
        "If the classes are in the table {tables}, import that file instead.",
        tables=", ".join(tables[:_EXAMPLES]),
    )
    return error.changed(hint=joined([error.hint, hint]))


def _tables(walk: Walk) -> list[str]:
    """Return the tables in the outer folder, without that of Studio about origins."""
    keys = (problem.path for problem in walk.scan.problems if problem.path != SIDECAR_NAME)
    return [key for key in keys if "/" not in key and key.casefold().endswith(_TABLES)]


def _about_tables(walk: Walk, found: Sequence[SourceImage]) -> list[Text]:
    """Return a warning for each table that names images of the folder: it may have classes."""
    names = _names_of(found)
    return [
        message(
            "The table {table} names images of this folder, but the classes are those of the "
            "folders. If the classes are in the table, import that file instead.",
            table=base.safe_text(table),
        )
        for table in _tables(walk)
        if _names_in(walk.root / table) & names
    ]


def _names_of(found: Sequence[SourceImage]) -> set[str]:
    """Return the names of images with and without their suffixes."""
    paths = [PurePosixPath(item.key) for item in found]
    # Any table has numbers.
    return {path.name for path in paths} | {
        path.stem for path in paths if not path.stem.isdecimal()
    }


def _about_lists(walk: Walk, found: Sequence[SourceImage]) -> list[Text]:
    """Return a warning if text files list images of the folder, as those of splits do."""
    names = _names_of(found)
    texts = [each.path for each in walk.scan.problems if each.path.casefold().endswith(".txt")]
    lists = [path for path in texts[:_MOST_TEXTS] if _lists_images(walk.root / path, names)]
    if not lists:
        return []
    return [
        message(
            "{count} text files list images of this folder, such as {file}. They are not read: "
            "splits and classes are those of the folders. To use a list, import it with a path "
            "and a label in each line.",
            one="{file} lists images of this folder. It is not read: splits and classes are those "
            "of the folders. To use it, import it with a path and a label in each line.",
            count=len(lists),
            file=base.safe_text(lists[0]),
        )
    ]


def _lists_images(path: Path, names: set[str]) -> bool:
    """Return True if most lines of a text name one of the images."""
    try:
        with path.open("rb") as file:
            lines = file.read(_HEAD).decode("utf-8", "replace").splitlines()[:_LINES]
    except OSError:
        return False
    filled = [line for line in lines if line.strip()]
    named = [
        line
        for line in filled
        if names & {word.rpartition("/")[2] for word in line.replace("\\", "/").split()}
    ]
    return len(named) > 1 and 2 * len(named) > len(filled)


def _names_in(table: Path) -> set[str]:
    """Return the cells of the first rows of a table, of paths the last part; none of others."""
    try:
        with table.open("rb") as file:
            rows = read_table(file.read(_HEAD), table.name, is_head=True).rows
    except (OSError, BadDataError):
        return set()
    return {cell.replace("\\", "/").rpartition("/")[2] for row in rows for cell in row.cells}


def _whole_file(path: Path) -> bytes:
    with path.open("rb") as file:
        return read_whole(file)


def _without_images(path: Path, walk: Walk) -> StudioError:
    names = [key for key in walk.identities if key and "/" not in key]
    if names:
        return StudioError(
            "None of the {count} folders in {folder} contains an image.",
            known_images(),
            "source",
            count=len(names),
            folder=path,
        )
    if walk.scan.problems:
        first = walk.scan.problems[0]
        return StudioError(
            "{folder} contains no images; the first file left out: {file} ({reason}).",
            known_images(),
            "source",
            folder=path,
            file=first.path,
            reason=as_message(first.reason),
        )
    return StudioError("{folder} is an empty folder.", ONE_FOLDER_EACH, "source", folder=path)


def _drop_second_links(walk: Walk) -> None:
    """Leave out folders that links lead to a second time within one class and split."""
    if len({*walk.identities.values()}) == len(walk.identities):
        return
    first: dict[object, str] = {}
    kept, dropped = [], dict[str, None]()
    for item in walk.scan.items:
        folder = item.key.rpartition("/")[0]
        place = (item.class_name, item.split, walk.identities[folder])
        if first.setdefault(place, folder) == folder:
            kept.append(item)
        else:
            dropped[folder] = None
    walk.scan.items = kept
    for folder in dropped:
        walk.skip(folder, _SECOND_LINK)


def _warn_of_empty(walk: Walk, found: Sequence[SourceImage]) -> None:
    """Point out folders without images, the outermost ones."""
    filled = {"", *(item.key.rpartition("/")[0] for item in found)}
    filled |= {parent.as_posix() for folder in filled for parent in PurePosixPath(folder).parents}
    empty = [
        folder
        for folder in walk.identities
        if folder not in filled and folder.rpartition("/")[0] in filled
    ]
    if empty:
        walk.scan.warnings.append(
            message(
                "Folders without images: {count:,} ({folders}). They are no classes.",
                count=len(empty),
                folders=", ".join(map(base.safe_text, empty[:_EXAMPLES]))
                + (", …" if len(empty) > _EXAMPLES else ""),
            )
        )
