"""A text, CSV or TSV file that names an image and its label on every line."""

from __future__ import annotations

import contextlib
import csv
import os
import stat
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path
from typing import BinaryIO

from studio.engine.csv_cells import original
from studio.engine.datasets.sources.base import (
    LARGEST_FILE,
    NO_OPTIONS,
    Fetch,
    Item,
    Scan,
    Skipped,
    SourceOptions,
    complete_scan,
    safe_text,
)
from studio.engine.datasets.sources.folder import SingleFiles
from studio.engine.datasets.sources.shared.labels import MOST_DIGITS, name_of, names_from, text_of
from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import composed, user_path
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.split_words import split_of
from studio.engine.web.address import Reach
from studio.engine.web.transfer import web_image

SUFFIXES = frozenset({".txt", ".csv", ".tsv", ".lst"})
# Headings of columns, the most specific first.
_PATH_WORDS = (
    *("path", "file_path", "filepath", "image_path", "img_path", "file", "filename", "file_name"),
    *("image", "img", "image_file", "images", "name", "image_id", "id"),
)
LABEL_WORDS = (
    *("label", "class", "class_name", "labels", "category", "target", "y"),
    *("label_id", "class_id"),
)
_SPLIT_WORDS = ("split", "set", "subset", "partition", "fold")
# Says that a line is left out: its number, what it holds, and why.
_Skip = Callable[[int, str, str], None]


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    path: str
    label: str
    split: str | None
    values: tuple[str, ...] = ()


class ListFileSource(SingleFiles):
    """Paths may be absolute, or relative to the prefix or else to the folder of the list.

    A web address refers to the image there, which is downloaded when it is read.

    Labels are names, or numbers, which the labels file names. In a text file the last word of
    a line is the label, so that paths may hold spaces; CSV and TSV follow their own rules, and may
    have a first line that names the columns, among them a split.
    """

    name = "list_file"
    label = "Text, CSV or TSV file with a path and a label per line"
    takes = frozenset({"labels_file", "path_prefix", "internal_addresses", "columns"})

    def accepts(self, path: Path) -> bool:
        """Return True if `path` is a file with the name of a list."""
        return path.suffix.casefold() in SUFFIXES and path.is_file()

    def scan(self, path: Path, progress: Progress, options: SourceOptions = NO_OPTIONS) -> Scan:
        """Read the list and look for every file that it names; see `Source.scan`."""
        reading = _Reading(path, options, progress)
        for row in reading.rows():
            reading.add(row)
        return reading.finished()

    def read(self, path: Path, items: Sequence[Item]) -> Iterator[tuple[int, Fetch]]:
        """Give every image; threads open or download them. See `Source.read`."""
        files = super().read(path, items)
        for (index, fetch), item in zip(files, items, strict=True):
            yield index, partial(_downloaded, item) if _is_address(item.key) else fetch

    def open(self, path: Path, item: Item) -> BinaryIO:
        """Open or download an image; see `Source.open`."""
        if _is_address(item.key):
            return BytesIO(_downloaded(item))
        return super().open(path, item)

    def base(self, path: Path) -> Path:
        """Return the folder of the list; a key may be an absolute path."""
        return base_of(path)


def base_of(location: Path) -> Path:
    """Return the base of the paths of images that were found in a location."""
    return location.parent if location.suffix.casefold() in SUFFIXES else location


class _Reading:
    """Converts the lines of a list to images, and to problems with their line numbers."""

    def __init__(self, path: Path, options: SourceOptions, progress: Progress) -> None:
        self._path = path
        self._options = options
        self._progress = progress
        self._names = names_from(options)
        self._base = path.parent
        self._seen: set[str] = set()
        self._scan = Scan(split_origin="table column")
        if options.path_prefix:
            self._base = user_path(options.path_prefix).absolute()
            if not self._base.is_dir():
                raise StudioError(
                    message(
                        "There is no folder {folder} for the paths of the list to start from.",
                        folder=self._base,
                    ),
                    "Check the prefix.",
                    "path_prefix",
                )

    def rows(self) -> Iterator[_Row]:
        """Yield what each line says.

        Raises:
            StudioError: All columns are wanted, and the list does not name any.
        """
        if not self._options.columns:
            return _rows(self._path, self.skip, any_label=self._options.any_label)
        self._scan.columns, rows = _whole_rows(self._path, self.skip)
        return rows

    def skip(self, line: int, shown: str, reason: str) -> None:
        self._scan.problems.append(Skipped(safe_text(shown), reason, line))

    def add(self, row: _Row) -> None:
        if row.line % 1000 == 0:
            self._progress.advance(row.line, 0, "Reading the list")
        self._progress.check()
        try:
            self._scan.items.append(self._item(row))
        except BadDataError as error:
            self.skip(row.line, row.path, error.message)

    def finished(self) -> Scan:
        complete_scan(
            self._path,
            self._scan,
            self._options,
            "Each line holds a path and a label; relative paths start at the list's folder, or at "
            "the prefix.",
        )
        return self._scan

    def _item(self, row: _Row) -> Item:
        if safe_text(row.path + row.label) != row.path + row.label:
            raise BadDataError("the line is not valid UTF-8")
        if _is_address(row.path):
            class_name = self._class_of(row.label)
            self._refuse_duplicate(row.path)
            trusted = self._options.internal_addresses
            return Item(row.path, class_name, row.split, is_trusted=trusted, values=row.values)
        file, facts = _resolved(self._base, row.path)
        class_name = self._class_of(row.label)
        self._refuse_duplicate(str(file))
        with contextlib.suppress(ValueError):
            file = file.relative_to(self._path.parent)
        size, modified = facts.st_size, facts.st_mtime_ns
        return Item(file.as_posix(), class_name, row.split, size, modified, values=row.values)

    def _refuse_duplicate(self, image: str) -> None:
        if image in self._seen:
            raise BadDataError("the list contains this image twice")
        self._seen.add(image)

    def _class_of(self, label: str) -> str:
        if self._options.any_label or self._options.columns:
            return label
        if not label:
            raise BadDataError("it has no label")
        number = label.removeprefix("-")
        if number.isascii() and number.isdecimal():
            if len(number) > MOST_DIGITS:
                raise BadDataError(
                    message("its label has more than {limit} digits", limit=MOST_DIGITS)
                )
            return name_of(int(label), self._names)
        if self._names and composed(label) not in self._names:
            raise BadDataError(
                message('the labels file does not name the class "{class_name}"', class_name=label)
            )
        return label


def _is_address(path: str) -> bool:
    """Return True if a path of a list is an address of the web rather than a file.

    Raises:
        BadDataError: It is one of a kind that is not read.
    """
    if "://" not in path:
        return False
    if not path.casefold().startswith(("http://", "https://")):
        raise BadDataError("only http and https addresses are supported")
    return True


def _downloaded(item: Item) -> bytes:
    # The window lists the sources at start, and this brings in the whole of HTTP.
    reach = Reach.ANYWHERE if item.is_trusted else Reach.PUBLIC
    return web_image(item.key, LARGEST_FILE, reach=reach)


def _resolved(base: Path, path: str) -> tuple[Path, os.stat_result]:
    file = base / path
    try:
        if "\\" in path and not file.exists():  # a list from Windows
            file = base / path.replace("\\", "/")
        if not path.isascii() and not file.exists():
            file = _in_other_form(base, file)
        facts = file.stat()
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        reason = error.strerror if isinstance(error, OSError) else message("it is not a path")
        raise BadDataError(message("it cannot be read: {reason}", reason=reason)) from error
    if not stat.S_ISREG(facts.st_mode):
        raise BadDataError("not a regular file")
    return file, facts


def _in_other_form(base: Path, file: Path) -> Path:
    """Return a path whose accents are in the form that the files below a folder have.

    Args:
        base: The folder.
        file: A path that does not exist.
    """
    here = base if file.is_relative_to(base) else Path(file.anchor)
    for name in file.relative_to(here).parts:
        forms = [here / unicodedata.normalize(form, name) for form in ("NFC", "NFD")]
        here = next((each for each in [here / name, *forms] if each.exists()), here / name)
    return here


def _rows(path: Path, skip: _Skip, *, any_label: bool) -> Iterator[_Row]:
    text = text_of(path, "source")
    lines = text.splitlines()
    if _is_plain(path, lines):
        yield from _text_rows(lines, skip, any_label=any_label)
    else:
        delimiter = _delimiter(path, lines)
        yield from _table_rows(path, text, delimiter, skip, any_label=any_label)


def _is_plain(path: Path, lines: list[str]) -> bool:
    """Return True if the label is the last word instead of a cell of a table."""
    first = next((line for line in lines if line.strip()), "")
    return path.suffix.casefold() in {".txt", ".lst"} and "\t" not in first and "," not in first


def _text_rows(lines: list[str], skip: _Skip, *, any_label: bool) -> Iterator[_Row]:
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text:
            continue
        path, _, label = text.rpartition(" ")
        if path:
            yield _Row(number, path.strip(), label, None)
        elif any_label:
            yield _Row(number, label, "", None)
        else:
            skip(number, text, "the line has no path, space and label")


def _table_rows(
    path: Path, text: str, delimiter: str, skip: _Skip, *, any_label: bool
) -> Iterator[_Row]:
    reader = csv.reader(StringIO(text, ""), delimiter=delimiter, skipinitialspace=True)
    columns: dict[str, int] | None = None
    try:
        for raw in reader:
            cells = [original(cell.strip()) for cell in raw]
            if not any(cells):
                continue
            if columns is None:
                columns, is_header = _columns(cells, any_label=any_label)
                if is_header:
                    continue
            needed = max(columns["path"], columns.get("label", 0))
            if len(cells) <= needed or not cells[columns["path"]]:
                skip(reader.line_num, ", ".join(cells), "the line has no path and label")
                continue
            index = columns.get("split", len(cells))
            split = split_of(cells[index]) if index < len(cells) else None
            label = cells[columns["label"]] if "label" in columns else ""
            yield _Row(reader.line_num, cells[columns["path"]], label, split)
    except csv.Error as error:
        skip(
            reader.line_num,
            path.name,
            message("the list is damaged from here on: {reason}", reason=error),
        )


def _whole_rows(path: Path, skip: _Skip) -> tuple[tuple[str, ...], Iterator[_Row]]:
    """Return the names of all columns but path and split, and the rows with their cells."""
    text = text_of(path, "source")
    reader = csv.reader(
        StringIO(text, ""), delimiter=_delimiter(path, text.splitlines()), skipinitialspace=True
    )
    try:
        header = [original(cell.strip()) for cell in next(filter(any, reader), [])]
    except csv.Error as error:
        raise StudioError(
            message("The table {file} cannot be read: {reason}.", file=path, reason=error),
            where="source",
        ) from error
    words = [cell.casefold().replace(" ", "_") for cell in header]
    image = next((words.index(word) for word in _PATH_WORDS if word in words), None)
    if image is None:
        raise StudioError(
            message(
                "The first line of {file} names no column of images; its columns are {columns}.",
                file=path,
                columns=", ".join(header[:8]) or message("nothing"),
            ),
            "Name the column with the file names path, and give the other columns names.",
            "source",
        )
    split = next((words.index(word) for word in _SPLIT_WORDS if word in words), None)
    others = [column for column in range(len(header)) if column not in (image, split)]
    _require_own_names(path, header, others)

    def rows() -> Iterator[_Row]:
        try:
            for raw in reader:
                cells = [original(cell.strip()) for cell in raw]
                if not any(cells):
                    continue
                if len(cells) != len(header) or not cells[image]:
                    reason = message(
                        "the line has {count} cells; there are {columns} columns",
                        count=len(cells),
                        columns=len(header),
                    )
                    skip(reader.line_num, ", ".join(cells), reason)
                    continue
                part = None if split is None else split_of(cells[split])
                values = tuple(cells[column] for column in others)
                yield _Row(reader.line_num, cells[image], "", part, values)
        except csv.Error as error:
            skip(
                reader.line_num,
                path.name,
                message("the list is damaged from here on: {reason}", reason=error),
            )

    return tuple(header[column] for column in others), rows()


def _require_own_names(path: Path, header: list[str], others: list[int]) -> None:
    names = [header[column] for column in others]
    if len(set(names)) < len(names) or not all(names):
        raise StudioError(
            message(
                "The columns of {file} need unique names; received {columns}.",
                file=path,
                columns=", ".join(header[:12]),
            ),
            "Use a different name for each column.",
            "source",
        )


def _delimiter(path: Path, lines: list[str]) -> str:
    first = next((line for line in lines if line.strip()), "")
    if path.suffix.casefold() == ".tsv" or "\t" in first:
        return "\t"
    return ";" if first.count(";") > first.count(",") else ","


def _columns(cells: list[str], *, any_label: bool) -> tuple[dict[str, int], bool]:
    """Return the role of each column, and True if the first line has headings.

    A table of pictures to predict may have other columns than labels.
    """
    words = [cell.casefold().replace(" ", "_") for cell in cells]
    columns: dict[str, int] = {}
    for meaning, known in (
        ("label", LABEL_WORDS),
        ("path", _PATH_WORDS),
        ("split", _SPLIT_WORDS),
    ):
        found = [word for word in known if word in words]
        if found:
            columns[meaning] = words.index(found[0])
    if "path" in columns and ("label" in columns or any_label):
        return columns, True
    with_split = len(cells) > 2 and split_of(cells[2]) is not None
    return {"path": 0, "label": 1} | ({"split": 2} if with_split else {}), False
