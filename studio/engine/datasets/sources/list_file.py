"""A text, CSV or TSV file that names an image and its label on every line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from studio.engine.datasets.origins.columns import kind_of_column
from studio.engine.datasets.sources.base import (
    LARGEST_FILE,
    NO_OPTIONS,
    Fetch,
    Scan,
    Skipped,
    SourceImage,
    SourceOptions,
    complete_scan,
    safe_text,
)
from studio.engine.datasets.sources.folder import SingleFiles
from studio.engine.datasets.sources.shared.labels import MAX_DIGITS, name_of, names_from
from studio.engine.datasets.sources.shared.list_paths import (
    ListedFiles,
    is_address,
    path_warnings,
    split_of_list,
)
from studio.engine.datasets.sources.shared.list_rows import ListedRow, read_list
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import composed, user_path
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tables.cells import only_spellings
from studio.engine.tables.pictures import name_warnings
from studio.engine.tables.rows import JSON_SUFFIXES, read_table
from studio.engine.web.address import Reach
from studio.engine.web.transfer import web_image

_HEAD = 2**16
SUFFIXES = frozenset({".txt", ".csv", ".tsv", ".tab", ".lst"})


class ListFileSource(SingleFiles):
    """Paths are relative to the prefix or else to the folder of the list, or absolute inside it.

    A web address refers to the image there, which is downloaded when it is read.

    Labels are names, or numbers, which the labels file names. In a text file the last word of
    a line is the label, so that paths may hold spaces. In tables, see `engine.tables`, the column
    whose values are files names the images, by path, by name without suffix, or by number; the
    first line may name the columns, among them a split.
    """

    name = "list_file"
    label = "Text, CSV, TSV or JSON file with a path and a label per line"
    takes = frozenset({"labels_file", "path_prefix", "internal_addresses", "columns"})

    def accepts(self, path: Path) -> bool:
        """Return True if `path` is a file with the name of a list, or a JSON file of records."""
        if not path.is_file():
            return False
        return path.suffix.casefold() in SUFFIXES or _has_records(path)

    def scan(self, path: Path, progress: Progress, options: SourceOptions = NO_OPTIONS) -> Scan:
        """Read the list and look for every file that it names; see `Source.scan`."""
        return _Reading(path, options, progress).finished()

    def read(self, path: Path, items: Sequence[SourceImage]) -> Iterator[tuple[int, Fetch]]:
        """Give every image; threads open or download them. See `Source.read`."""
        files = super().read(path, items)
        for (index, fetch), item in zip(files, items, strict=True):
            yield index, partial(_downloaded, item) if is_address(item.key) else fetch

    def open(self, path: Path, item: SourceImage) -> BinaryIO:
        """Open or download an image; see `Source.open`."""
        if is_address(item.key):
            return BytesIO(_downloaded(item))
        return super().open(path, item)

    def base(self, path: Path) -> Path:
        """Return the folder of the list; a key may be an absolute path."""
        return base_of(path)


def base_of(location: Path) -> Path:
    """Return the base of the paths of images that were found in a location."""
    is_list = location.suffix.casefold() in {*SUFFIXES, *JSON_SUFFIXES, ".xml", ".parquet"}
    return location.parent if is_list else location


def _has_records(path: Path) -> bool:
    """Return True if a JSON file begins with records that name images."""
    if not path.name.casefold().endswith(JSON_SUFFIXES):
        return False
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
        return bool(read_table(head, path.name, is_head=len(head) == _HEAD).rows)
    except (OSError, BadDataError):
        return False


class _Reading:
    """Converts the lines of a list to images, and to problems with their line numbers."""

    def __init__(self, path: Path, options: SourceOptions, progress: Progress) -> None:
        self._path = path
        self._options = options
        self._progress = progress
        self._names = names_from(options)
        self._seen: dict[str, ListedRow] = {}
        self._scan = Scan(split_origin="table column")
        base = path.parent
        if options.path_prefix:
            base = user_path(options.path_prefix).absolute()
            if not base.is_dir():
                raise StudioError(
                    "There is no folder {folder} for the paths of the list to start from.",
                    "Check the prefix.",
                    "path_prefix",
                    folder=base,
                )
        self._files = ListedFiles(base, split_of_list(path))
        self._spellings: frozenset[str] = frozenset()

    def finished(self) -> Scan:
        """Return the images of the list.

        Raises:
            StudioError: Nothing is usable, or all columns are requested and have no names.
        """
        found = read_list(
            self._path,
            self._files,
            any_label=self._options.any_label,
            columns=self._options.columns,
            joins_rows=self._options.joins_rows,
            origin_column=self._options.origin_column,
        )
        self._scan.columns, self._scan.delimiter = found.columns, found.delimiter
        if found.origin_column:
            self._scan.origin_column = found.origin_column
            self._scan.origin_kind = kind_of_column(found.origin_column)
        self._scan.warnings += found.warnings
        for line, shown, reason in found.problems:
            self._skip(line, shown, reason)
        self._spellings = only_spellings(row.label for row in found.rows)
        for row in found.rows:
            self._add(row)
        self._scan.problems.sort(key=lambda problem: problem.line or 0)
        self._scan.warnings += name_warnings(self._files.completed)
        self._scan.warnings += self._files.shift_warnings([row.path for row in found.rows])
        self._scan.warnings += path_warnings(self._files)
        complete_scan(
            self._path,
            self._scan,
            self._options,
            "Each line holds a path and a label; relative paths start at the list's folder, or at "
            "the prefix.",
        )
        return self._scan

    def _skip(self, line: int, shown: str, reason: Text) -> None:
        self._scan.problems.append(Skipped(safe_text(shown), reason, line))

    def _add(self, row: ListedRow) -> None:
        if row.line % 1000 == 0:
            self._progress.advance(row.line, 0, "Reading the list")
        self._progress.check()
        try:
            self._scan.items.append(self._item(row))
        except BadDataError as error:
            self._skip(row.line, row.path, error.message)

    def _item(self, row: ListedRow) -> SourceImage:
        if row.refused and not self._options.any_label:
            raise BadDataError(row.refused)
        if _is_web_address(row.path):
            class_name = self._class_of(row.label)
            self._refuse_duplicate(row.path, row)
            trusted = self._options.internal_addresses
            found = SourceImage(row.path, class_name, row.split, is_trusted=trusted)
            return replace(found, values=row.values, position=row.line, origin=row.origin)
        file, facts = self._files.find(row.path)
        class_name = self._class_of(row.label)
        self._refuse_duplicate(str(file), row)
        with contextlib.suppress(ValueError):
            file = file.relative_to(self._path.parent)
        size, modified = facts.st_size, facts.st_mtime_ns
        found = SourceImage(
            file.as_posix(), class_name, row.split, size, modified, position=row.line
        )
        return replace(found, values=row.values, origin=row.origin)

    def _refuse_duplicate(self, image: str, row: ListedRow) -> None:
        first = self._seen.setdefault(image, row)
        if first is row:
            return
        if (first.label, first.values) == (row.label, row.values):
            raise BadDataError(
                "the list contains this image twice, first in line {line}", line=first.line
            )
        columns = self._scan.columns
        differing = next(
            (
                index
                for index, pair in enumerate(zip(first.values, row.values, strict=True))
                if pair[0] != pair[1]
            ),
            None,
        )
        raise BadDataError(
            'the list contains this image twice with different values of "{column}": '
            '"{first}" in line {line}, which is used, and "{second}" here',
            column=columns[differing] if differing is not None else message("label"),
            first=first.label if differing is None else first.values[differing],
            second=row.label if differing is None else row.values[differing],
            line=first.line,
        )

    def _class_of(self, label: str) -> str:
        if self._options.any_label or self._options.columns:
            return label
        if not label:
            raise BadDataError("it has no label")
        number = label.removeprefix("-")
        if number.isascii() and number.isdecimal():
            if len(number) > MAX_DIGITS:
                raise BadDataError("its label has more than {limit} digits", limit=MAX_DIGITS)
            is_spelled = not self._names and label in self._spellings
            return label if is_spelled else name_of(int(label), self._names)
        if self._names and composed(label) not in self._names:
            raise BadDataError(
                'the labels file does not name the class "{class_name}"', class_name=label
            )
        return label


def _is_web_address(path: str) -> bool:
    """Return True if a path of a list is an address of the web rather than a file.

    Raises:
        BadDataError: It is one of a kind that is not read.
    """
    if not is_address(path):
        return False
    if not path.casefold().startswith(("http://", "https://")):
        raise BadDataError("only http and https addresses are supported")
    return True


def _downloaded(item: SourceImage) -> bytes:
    # The window lists the sources at start, and this brings in the whole of HTTP.
    reach = Reach.ANYWHERE if item.is_trusted else Reach.PUBLIC
    return web_image(item.key, LARGEST_FILE, reach=reach)
