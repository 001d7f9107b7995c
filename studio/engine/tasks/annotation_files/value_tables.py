"""Tables that name the classes of pixel values, as beside masks of Roboflow and ADE20K."""

from __future__ import annotations

import re

from studio.engine.errors import StudioError

_NO_WORD = re.compile(r"[\W_]+")
_CELLS = re.compile(r"\s*[\t,;]\s*")
_VALUE_WORDS = frozenset({"pixelvalue", "value", "idx", "index", "id", "pixel"})
_NAME_WORDS = frozenset({"class", "name", "label", "classname"})
_UNLISTED = "unlabeled"


def names_of_values(lines: list[str]) -> tuple[str, ...]:
    """Return the names of the classes of a table by value; empty for other texts.

    The first line has the headings, such as `Pixel Value, Class`. If values begin at 1, the value
    0 is of no listed class, as in ADE20K.

    Args:
        lines: Lines of the table.

    Raises:
        StudioError: A value is missing.
    """
    if not lines:
        return ()
    headings = [_NO_WORD.sub("", cell).casefold() for cell in _CELLS.split(lines[0].strip())]
    value, name = (
        next((at for at, heading in enumerate(headings) if heading in words), None)
        for words in (_VALUE_WORDS, _NAME_WORDS)
    )
    if value is None or name is None or (len(headings) > 2 and headings[-1] not in _NAME_WORDS):
        return ()
    found: dict[int, str] = {}
    for line in filter(None, map(str.strip, lines[1:])):
        cells = _CELLS.split(line, len(headings) - 1)
        number = cells[value] if len(cells) == len(headings) else ""
        if not (number.isascii() and number.isdecimal() and len(number) < 6):
            return ()
        found[int(number)] = cells[name].strip("\"'").split(",")[0].split(";")[0]
    return in_order(found)


def in_order(names: dict[int, str]) -> tuple[str, ...]:
    """Return names by value in the order of the values.

    Raises:
        StudioError: A value is missing.
    """
    if names and 0 not in names:
        names = {0: _UNLISTED} | names
    missing = next((value for value in range(len(names)) if value not in names), None)
    if missing is not None:
        raise StudioError(
            "The class file names the values {first} to {last}, but not {missing}.",
            "Name each value from 0 on in one line.",
            "labels_file",
            first=min(names),
            last=max(names),
            missing=missing,
        )
    return tuple(names[value] for value in range(len(names)))
