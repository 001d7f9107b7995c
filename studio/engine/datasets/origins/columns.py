"""Origins in a column of a table: `patient`, `video`, `plate`, `site`, `group`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from string import digits
from typing import Final

from studio.engine.datasets.origins.folders import SESSION_WORDS
from studio.engine.datasets.origins.kinds import OriginKind
from studio.engine.tables.cells import is_missing
from studio.engine.tables.columns import plain_word
from studio.engine.tasks.split_words import words_in

_VIDEO_HEADINGS: Final = frozenset({"video", "film", "movie", "clip", "filme"})
_HEADINGS: Final = (
    *("origin", "origem", "group", "groups", "grupo", "patient", "paciente", "subject", "person"),
    *("video", "film", "filme", "movie", "clip", "sequence", "seq", "session", "sessao", "plate"),
    *("placa", "site", "case", "caso", "study", "series", "scene", "slide", "specimen", "animal"),
    *("mouse", "plant", "stack", "volume", "hospital", "center", "centre", "donor", "batch"),
)
"""Headings without signs and without "id", "name" or "number", the most specific first."""
_ENDING: Final = re.compile(r"(?:id|ids|name|nr|no|number|num|code)$")
_LEAST_SIZE: Final = 2.0
_FILLED: Final = 0.5


def origin_column(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """Return the column that names the origins of images, by its heading and its values.

    Args:
        header: Headings of the columns that are free; "" for columns with another meaning.
        rows: Cells of each row.
    """
    written = [index for index, heading in enumerate(header) if heading in _WRITTEN]
    words = [_word(heading) for heading in header]
    known = written or [words.index(word) for word in _HEADINGS if word in words]
    free = [index for index, heading in enumerate(header) if heading and index not in known]
    usable = (index for index in known if groups_images(_cells(rows, index)))
    by_values = (index for index in free if _are_sessions(_cells(rows, index)))
    return next(usable, None) if known else next(by_values, None)


def kind_of_column(heading: str) -> OriginKind:
    """Return the kind of the origins in a column: of those that Studio wrote, films, or others."""
    written: OriginKind | None = _WRITTEN.get(heading)
    return written or ("video" if _word(heading) in _VIDEO_HEADINGS else "column")


def heading_of(kind: OriginKind, column: str = "") -> str:
    """Return the heading of a column of origins, from which an import knows their kind.

    Args:
        kind: Kind of the origins.
        column: Heading of the column that they are from, for the kind "column".
    """
    return (column or "origin") if kind == "column" else f"origin_{kind}"


_KINDS: Final[tuple[OriginKind, ...]] = (
    *("video", "stack", "file_names", "folder", "tile", "burst", "pattern"),
)
_WRITTEN: Final[dict[str, OriginKind]] = {heading_of(kind): kind for kind in _KINDS}


def groups_images(cells: Sequence[str]) -> bool:
    """Return True if a column has several values, and most images one in common with others."""
    sizes = Counter(cell for cell in cells if not is_missing(cell))
    images = sum(sizes.values())
    return len(sizes) > 1 and images >= _FILLED * len(cells) and images >= _LEAST_SIZE * len(sizes)


def _word(heading: str) -> str:
    word = plain_word(heading)
    return _ENDING.sub("", word) or word


def _cells(rows: Sequence[Sequence[str]], column: int) -> list[str]:
    return [row[column] if column < len(row) else "" for row in rows]


def _are_sessions(cells: Sequence[str]) -> bool:
    """Return True if all values have a word of sessions and a number: "patient 12"."""
    values = {cell for cell in cells if not is_missing(cell)}
    return groups_images(cells) and all(
        any(letter.isdecimal() for letter in value)
        and bool({word.rstrip(digits) for word in words_in(value)} & SESSION_WORDS)
        for value in values
    )
