"""JSON files of annotations, read with care: they may be large, damaged, or hold anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic_core import from_json

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.texts import as_utf8
from studio.engine.tasks.annotations import Tree

_LARGEST = 128 * 2**20
"""Largest file whose value is held as a whole: up to 1 GB as lists of numbers."""
_EXAMINED = 50
"""Number of JSON files that are read to recognize a format."""


def documents(files: Tree, key: re.Pattern[bytes], *, few: bool = False) -> Iterator[str]:
    """Yield the paths of JSON files that have a key near their beginning.

    Args:
        files: The files.
        key: Key at the beginning of the file.
        few: True to examine only as many files as are needed to recognize a format.
    """
    paths = [path for path in files.paths if path.casefold().endswith(".json")]
    for path in paths[: _EXAMINED if few else None]:
        try:
            if key.search(as_utf8(files.head(path))):
                yield path
        except BadDataError:
            continue


def parsed(data: bytes) -> dict[str, Any]:
    """Return the object of a JSON file.

    Raises:
        BadDataError: The text is not valid JSON; the message says where and why.
    """
    document = value_of(data)
    if not isinstance(document, dict):
        raise BadDataError("its JSON is not an object")
    return document


def value_of(data: bytes | str) -> object:
    """Return the value of a JSON file, which may be a list.

    NaN and Infinity, which Python writes, are numbers that readers refuse where they stand, so
    that one of them does not cost the whole file.

    Raises:
        BadDataError: The text is too large or no valid JSON; the message says where and why.
    """
    if len(data) > _LARGEST:
        raise BadDataError(
            "it is larger than {limit} MB; export it in several files", limit=_LARGEST // 2**20
        )
    try:
        value: object = from_json(
            data if isinstance(data, str) else as_utf8(data), allow_inf_nan=True
        )
    except ValueError as error:
        raise BadDataError(_reason(str(error))) from error
    return value


_ERROR = re.compile(
    r"(?:(?P<end>EOF.*)|(?P<unicode>invalid unicode.*)|(?P<number>number out of range)|.*)"
    r" at line (?P<line>\d+) column (?P<column>\d+)"
)
"""Messages of the parser."""


def _reason(error: str) -> Text:
    """Return why a text is not JSON, and where, of the message of the parser."""
    found = _ERROR.fullmatch(error)
    if found is None:
        return "it is damaged or not a JSON file"
    line, column = int(found["line"]), int(found["column"])
    if found["end"]:
        return message(
            "its JSON is cut off at line {line}, column {column}", line=line, column=column
        )
    if found["unicode"]:
        return message(
            "its JSON is not in UTF-8 at line {line}, column {column}", line=line, column=column
        )
    if found["number"]:
        return message(
            "a number of its JSON is too long at line {line}, column {column}",
            line=line,
            column=column,
        )
    return message("its JSON is damaged at line {line}, column {column}", line=line, column=column)


def objects(value: object) -> Iterable[dict[str, Any]]:
    """Return the objects of a JSON list; nothing for anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
