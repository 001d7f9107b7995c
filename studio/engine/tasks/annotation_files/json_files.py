"""JSON files of annotations, read with care: they may be large, damaged, or hold anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic_core import from_json

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotations import Tree

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
            if key.search(files.head(path)):
                yield path
        except BadDataError:
            continue


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
