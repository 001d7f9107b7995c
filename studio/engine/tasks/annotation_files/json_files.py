"""JSON files of annotations, read with care: they may be large, damaged, or hold anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic_core import from_json

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotations import Tree

_OUTLINE = re.compile(rb'"segmentation"\s*:\s*(\[\s*[\[\d.-]|\{\s*")')
_LOOKED_AT = 50
"""Number of JSON files that are read to recognize a format."""


def documents(files: Tree, key: re.Pattern[bytes], most: int | None = None) -> Iterator[str]:
    """Yield the paths of JSON files whose beginning has a key.

    Args:
        files: The files.
        key: Key at the beginning of the file.
        most: Maximum number of files to read; None for all.
    """
    paths = [path for path in files.paths if path.casefold().endswith(".json")]
    for path in paths[:most]:
        try:
            if key.search(files.head(path)):
                yield path
        except BadDataError:
            continue


def has_document(files: Tree, key: re.Pattern[bytes]) -> bool:
    """Return True if one of the first JSON files has a key near its beginning.

    Args:
        files: Files to search.
        key: Pattern of the key.
    """
    return next(documents(files, key, _LOOKED_AT), None) is not None


def outlines_in(files: Tree, key: re.Pattern[bytes]) -> bool:
    """Return True if one of the first JSON files of COCO has polygons or run lengths.

    Files without outlines in their first 64 KB are read as a whole.

    Args:
        files: Files to look at.
        key: Pattern of a key at the beginning of these files.
    """
    for path in documents(files, key, _LOOKED_AT):
        try:
            if _OUTLINE.search(files.head(path)) or _OUTLINE.search(files.read(path)):
                return True
        except BadDataError:
            continue
    return False


def parsed(data: bytes) -> dict[str, Any]:
    """Return the object of a JSON file.

    Raises:
        BadDataError: The text is not valid JSON; the message says why.
    """
    try:
        document = from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise BadDataError("it is damaged or not a JSON file") from error
    if not isinstance(document, dict):
        raise BadDataError("its JSON is not an object")
    return document


def objects(value: object) -> Iterable[dict[str, Any]]:
    """Return the objects of a JSON list; nothing for anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def size_of(width: object, height: object) -> tuple[int, int] | None:
    """Return a size in pixels; None if it is unknown.

    Args:
        width: Value for the width in the document.
        height: Value for the height in the document.
    """
    if isinstance(width, int) and isinstance(height, int) and width > 0 and height > 0:
        return width, height
    return None
