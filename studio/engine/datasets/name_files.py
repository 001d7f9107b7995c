"""Files beside images that have the names of classes which are numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from itertools import islice
from pathlib import Path

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.tables.cell_table import CellTable
from studio.engine.tables.numbers import is_number, whole_number
from studio.engine.tables.rows import read_table

_WORDS = re.compile(r"class|label|name|categor|map|disease|id2", re.IGNORECASE)
_TABLES = frozenset({".csv", ".tsv"})
_SUFFIXES = frozenset({".txt", ".json", ".names", ".pbtxt"}) | _TABLES
_ITEM = re.compile(r"\bid\s*:\s*(\d{1,9})\b")
"""Number of a class in a label map of TensorFlow."""
_LARGEST = 2**20
_MAX_FILES = 2000
"""Entries of a folder that are examined."""


def name_file_warnings(place: Path, classes: Collection[str]) -> list[Text]:
    """Return a sentence about a file that appears to have the names of numbered classes.

    Args:
        place: The source: a folder, or a file in a folder.
        classes: Names of the classes.
    """
    numbers = {number for name in classes if (number := whole_number(name)) is not None}
    if len(numbers) < max(2, len(classes)):
        return []
    folder = place if place.is_dir() else place.parent
    files = (path for path in _files(folder) if path != place)
    found = next((path for path in files if _names(path, numbers)), None)
    if found is None:
        return []
    return [
        message(
            "The classes are numbers, and {file} appears to have their names. Rename the classes "
            "after the import, or give a text file with a name for each number from 0 "
            "(--labels-file).",
            file=found.name,
        )
    ]


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder that are called like lists of names, in their order."""
    try:
        paths = sorted(islice(folder.iterdir(), _MAX_FILES))
    except OSError:
        return []  # an address, or a folder whose files may be read but not listed
    named = (path for path in paths if _WORDS.search(path.name))
    return [path for path in named if path.suffix.lower() in _SUFFIXES and path.is_file()]


def _names(path: Path, numbers: Collection[int]) -> bool:
    """Return True if a file has a name for each number."""
    try:
        if path.stat().st_size > _LARGEST:
            return False
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() == ".json":
            return _maps(json.loads(text), numbers)
        if path.suffix.lower() == ".pbtxt":
            return {*map(int, _ITEM.findall(text))} >= {*numbers}
        if path.suffix.lower() in _TABLES:
            return _lists(read_table(path.read_bytes(), path.name), numbers)
    except (OSError, ValueError, RecursionError, BadDataError):
        return False  # a file of another kind
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    starts_at = min(numbers)
    # A list of pictures, or of numbers, has no names.
    are_names = len({*lines}) == len(lines) and not any(map(_is_no_name, lines))
    # If numbers begin at 1, the list begins with the name of 1, or with that of an unused 0.
    lengths = {max(numbers) + 1, max(numbers) + 1 - starts_at}
    return starts_at in {0, 1} and are_names and len(lines) in lengths


def _lists(table: CellTable, numbers: Collection[int]) -> bool:
    """Return True for a table with a row for each number, and a column of names."""
    columns = [*zip(*(row.cells for row in table.rows[1:]), strict=False)]
    found = [[whole_number(cell) for cell in column] for column in columns]
    are_rows = any(
        None not in column and len({*column}) == len(column) and {*column} >= {*numbers}
        for column in found
    )
    return are_rows and any(
        len({*column}) == len(column) and not any(map(_is_no_name, column)) for column in columns
    )


def _is_no_name(line: str) -> bool:
    return whole_number(line) is not None or "/" in line or line.endswith((".png", ".jpg"))


def _maps(value: object, numbers: Collection[int]) -> bool:
    """Return True for names by number, or numbers by name."""
    if not isinstance(value, dict):
        return False
    pairs = list(value.items())
    ways = (pairs, [(name, key) for key, name in pairs])
    return any(
        {_number_in(number) for number, _ in way} >= {*numbers}
        and all(isinstance(name, str) and not is_number(name) for _, name in way)
        for way in ways
    )


def _number_in(value: object) -> int | None:
    """Return the whole number that a key or a value of JSON is or writes."""
    is_number_or_text = isinstance(value, int | str) and not isinstance(value, bool)
    return whole_number(str(value)) if is_number_or_text else None
