"""JSON files that name classes and their colors, as beside masks of several programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from studio.engine.tables.numbers import is_number, whole_number
from studio.engine.tasks.annotation_files.value_tables import in_order

NAMES: Final = frozenset(
    {
        *("classes.json", "class_names.json", "labels.json", "label_names.json", "names.json"),
        *("labelmap.json", "label_map.json", "colors.json", "color_map.json", "colormap.json"),
        *("class_dict.json", "_classes.json", "id2label.json", "label2id.json"),
    }
)
"""Usual names of such files."""
_NAME_KEYS: Final = ("name", "label", "class", "title", "class_name")
_NUMBER_KEYS: Final = ("id", "value", "index", "class_id", "label_id", "trainId")
_COLOR_KEYS: Final = ("color", "rgb", "colour", "hex")
_HEX: Final = re.compile(r"#?([0-9a-fA-F]{6})")
Classes = tuple[tuple[str, ...], tuple[str, ...]]
_Entry = tuple[Any, int | None, str]
"""Name, value and color of a class."""


def classes_in(text: str) -> Classes | None:
    """Return names and colors of classes in JSON; None for any other document.

    Known are a list of names, names by value, values by name, colors by name, and a list of
    objects with a name and a value or a color.

    Raises:
        StudioError: A value is missing.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(document, dict) and len(document) == 1:
        (only,) = document.values()
        document = only if isinstance(only, list | dict) else document
    entries = _pairs(document) if isinstance(document, dict) else _entries(document)
    names = [name for name, _, _ in entries if isinstance(name, str) and not is_number(name)]
    return _joined(names, entries) if names and len(names) == len(entries) else None


def _joined(names: list[str], entries: Sequence[_Entry]) -> Classes | None:
    """Return names with their colors, or in the order of their values; None for a mixture."""
    numbers = {number: name for (_, number, _), name in zip(entries, names, strict=True)}
    colors = [color for _, _, color in entries if color]
    if colors:
        return (tuple(names), tuple(colors)) if len(colors) == len(names) else None
    if {*numbers} == {None}:
        return tuple(names), ()
    by_number = {number: name for number, name in numbers.items() if number is not None}
    return (in_order(by_number), ()) if len(by_number) == len(names) else None


def _pairs(document: dict[str, Any]) -> Sequence[_Entry]:
    """Return the classes of a document with a name, a value or a color for each key."""
    items = list(document.items())
    if all(whole_number(key) is not None for key in document):
        return [(value, whole_number(key), "") for key, value in items]
    if all(isinstance(value, int) and not isinstance(value, bool) for _, value in items):
        return [(key, value, "") for key, value in items]
    colors = [_color(value) for _, value in items]
    return [(key, None, color) for (key, _), color in zip(items, colors, strict=True)] * all(
        colors
    )


def _entries(document: object) -> Sequence[_Entry]:
    """Return the classes of a list of names, or of objects with a name."""
    if not isinstance(document, list):
        return []
    if all(isinstance(each, str) for each in document):
        return [(each, None, "") for each in document]
    if not all(isinstance(each, dict) for each in document):
        return []
    return [
        (_first(each, _NAME_KEYS), _number(_first(each, _NUMBER_KEYS)), _color(_of_color(each)))
        for each in document
    ]


def _of_color(entry: dict[str, Any]) -> object:
    parts = [next((entry[key] for key in keys if key in entry), None) for keys in _PARTS]
    return _first(entry, _COLOR_KEYS) if None in parts else parts


_PARTS: Final = (("r", "red"), ("g", "green"), ("b", "blue"))


def _first(entry: dict[str, Any], keys: Iterable[str]) -> object:
    return next((entry[key] for key in keys if key in entry), None)


def _number(value: object) -> int | None:
    is_whole = isinstance(value, int | str) and not isinstance(value, bool)
    return whole_number(str(value)) if is_whole else None


def _color(value: object) -> str:
    """Return a color as "#rrggbb"; empty for anything else."""
    if isinstance(value, str):
        found = _HEX.fullmatch(value.strip())
        return f"#{found[1].lower()}" if found else ""
    if isinstance(value, list) and len(value) == 3:
        parts = [_number(each) for each in value]
        if all(part is not None and 0 <= part <= 255 for part in parts):
            return "#" + "".join(f"{part:02x}" for part in parts)
    return ""
