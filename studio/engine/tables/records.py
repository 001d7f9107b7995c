"""Tables in JSON: a list of records, one in each line, or an object with the names of images."""

from __future__ import annotations

import ast
import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.tables.cell_table import (
    CellTable,
    TableRow,
    Unread,
    is_image_name,
    shown_line,
)
from studio.engine.tables.cells import list_in

DELIMITER: Final = ","
"""Stands for that of a table: numbers of JSON have a point."""
_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[\s,:]*")
"""Between two values."""
_LIST: Final = re.compile(r"\[\s*\{")
_NAMES: Final = ("image", "path", "file_name")
"""Headings of the names of images in an object; the first that no record has."""
_LABEL: Final = "label"
_BOX: Final = "bbox"
_EXAMINED = 20
_LONGEST_CELL: Final = 131_072
_ENDED: Final = ("", "]", "}")

Record = Mapping[str, object]


@dataclass(slots=True)
class _Records:
    """The records of a text.

    Attributes:
        found: The line where each begins, from 1, and the record.
        unread: What cannot be read.
    """

    found: list[tuple[int, Record]] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)


def record_table(text: str, *, is_head: bool = False) -> CellTable | None:
    """Return the table of a JSON text; None for another text, and for records without images.

    A cell that is a list is written as JSON. Lists of objects, and lists of equal length with
    boxes among them, as Hugging Face has them, are a row for each entry. The values of an inner
    object are columns, whose headings begin with its name.

    Args:
        text: The text of a file.
        is_head: True if it is only the beginning: what is cut off is left out.
    """
    start = text.lstrip("\ufeff \t\r\n")[:1]
    if start not in ("[", "{"):
        return None
    if start == "[":
        records = _listed(text, text.index("["))
    else:
        records = _by_name(text) or _in_object(text) or _lines(text)
    if is_head:
        records.unread.clear()
    if not _name_images([record for _, record in records.found[:_EXAMINED]]):
        return None
    rows = [*_rows(records)]
    header = [*dict.fromkeys(name for _, row in rows for name in row)]
    cells = [TableRow(line, tuple(_cell(row.get(name)) for name in header)) for line, row in rows]
    table = [TableRow(1, tuple(header)), *cells]
    has_objects = any(
        _is_of_objects(value) or _are_boxes(value)
        for _, record in records.found
        for value in record.values()
    )
    return CellTable(DELIMITER, table, records.unread, has_objects=has_objects)


def with_objects(table: CellTable) -> CellTable:
    """Return a table with a row for each object whose cells list them; another as it is.

    Such cells are lists of boxes, beside which others list their classes, lists of objects, or a
    single object with numbers alone.

    Args:
        table: The table, or its first rows.
    """
    header, *rows = table.rows if len(table.rows) > 1 else [TableRow(1, ()), TableRow(1, ())]
    columns = [
        index
        for index in range(len(header.cells))
        if _list_objects([row.cells[index] for row in rows if index < len(row.cells)])
    ]
    if not columns:
        return table
    records = _Records(unread=[*table.unread])
    for row in rows:
        record: dict[str, object] = dict(zip(header.cells, row.cells, strict=False))
        for index in columns:
            name = header.cells[index]
            record[name] = _value(str(record.get(name, "")))
        if any(map(_are_boxes, record.values())):
            record |= {
                name: values
                for name, cell in record.items()
                if isinstance(cell, str) and (values := list_in(cell)) is not None
            }
        records.found.append((row.line, record))
    found = [*_rows(records)]
    names = [*dict.fromkeys(name for _, row in found for name in row)]
    lines = [TableRow(line, tuple(_cell(row.get(name)) for name in names)) for line, row in found]
    header = TableRow(header.line, tuple(names))
    return replace(table, rows=[header, *lines], unread=records.unread)


def _list_objects(cells: Sequence[str]) -> bool:
    """Return True if the first cells that are not empty have boxes or objects."""
    filled = [cell for cell in cells if cell not in ("", "[]")][:_EXAMINED]
    values = [_value(cell) if cell[:1] in ("[", "{", "(") else None for cell in filled]
    return bool(filled) and all(
        _are_boxes(value) or _are_objects(value) or _has_numbers(value) for value in values
    )


def _has_numbers(value: object) -> bool:
    """Return True for an object whose values are all numbers."""
    return (
        isinstance(value, dict)
        and len(value) > 1
        and all(isinstance(each, int | float) for each in value.values())
    )


def _value(cell: str) -> object:
    """Return the value of a cell as JSON or Python writes it; the text for anything else."""
    if len(cell) > _LONGEST_CELL or cell[:1] not in ("[", "{", "("):
        return cell
    for read in (json.loads, ast.literal_eval):
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            value = read(cell)
            if not isinstance(value, list | tuple):
                return value
            return [list(each) if isinstance(each, tuple) else each for each in value]
    return cell


def _name_images(records: Sequence[Record]) -> bool:
    """Return True if most records name an image, and all are rows of a table."""
    named = sum(
        any(isinstance(value, str) and is_image_name(value) for value in record.values())
        for record in records
    )
    return 2 * named > len(records) and all(map(_is_flat, records))


# Texts.


class _Cursor:
    """Decodes the values of a JSON text one after another, and knows their lines.

    Args:
        text: The text.
        start: Index behind the opening bracket.
    """

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._counted = 0
        self.at = start
        self.line = 1

    def has_more(self) -> bool:
        """Go to the next value; return False at the closing bracket or the end of the text."""
        found = _SPACE.match(self._text, self.at)
        self.at = self.at if found is None else found.end()
        self.line += self._text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._text[self.at : self.at + 1] not in _ENDED

    def value(self) -> object:
        """Return the next value.

        Raises:
            ValueError: It is damaged.
        """
        value, self.at = _DECODER.raw_decode(self._text, self.at)
        return value

    def rest(self) -> Unread:
        """Return the report about all lines from here on."""
        reason = message(
            "its JSON is damaged at line {line}, column {column}",
            line=self.line,
            column=self.at - self._text.rfind("\n", 0, self.at),
        )
        lines = [each for each in self._text[self.at :].splitlines() if each.strip()]
        return Unread(self.line, shown_line(lines[0] if lines else ""), reason, max(len(lines), 1))


def _listed(text: str, start: int) -> _Records:
    """Return the records of a list.

    Args:
        text: The text.
        start: Index of its opening bracket.
    """
    records, cursor = _Records(), _Cursor(text, start + 1)
    while cursor.has_more():
        try:
            value = cursor.value()
        except (ValueError, RecursionError):
            records.unread.append(cursor.rest())
            break
        if isinstance(value, dict):
            records.found.append((cursor.line, value))
        else:
            reason = message("it is not a JSON object")
            records.unread.append(Unread(cursor.line, shown_line(str(value)), reason))
    return records


def _by_name(text: str) -> _Records | None:
    """Return the records of an object whose keys are names of images; None for others."""
    records, cursor = _Records(), _Cursor(text, text.index("{") + 1)
    while cursor.has_more():
        try:
            name = cursor.value()
            if not isinstance(name, str) or not (records.found or is_image_name(name)):
                return None
            line = cursor.line
            value = cursor.value() if cursor.has_more() else None
        except (ValueError, RecursionError):
            records.unread.append(cursor.rest())
            break
        records.found += [(line, record) for record in _of_image(name, value)]
    return records


def _in_object(text: str) -> _Records | None:
    """Return the records of the only list of objects in an object, or of its columns.

    Columns are objects with the same keys, as pandas writes them.
    """
    cursor = _Cursor(text, text.index("{") + 1)
    members: dict[str, object] = {}
    starts: list[int] = []
    with contextlib.suppress(ValueError, RecursionError):
        while cursor.has_more():
            name = str(cursor.value())
            if not cursor.has_more():
                break
            if _LIST.match(text, cursor.at):
                starts.append(cursor.at)
            members[name] = cursor.value()
    if starts:
        return _listed(text, starts[0]) if len(starts) == 1 else None
    columns = [value for value in members.values() if isinstance(value, dict) and value]
    if len(columns) < max(len(members), 2) or any(
        each.keys() != columns[0].keys() for each in columns
    ):
        return None
    rows = [
        {name: value[key] for name, value in zip(members, columns, strict=True)}
        for key in columns[0]
    ]
    if not _name_images(rows[:_EXAMINED]):
        rows = columns
    return _Records([(1, row) for row in rows])


def _of_image(name: str, value: object) -> list[Record]:
    """Return the records of an image in an object: its own, or one for each of its objects."""
    if isinstance(value, dict):
        heading = next((each for each in _NAMES if each not in value), _NAMES[0])
        return [{heading: name, **value}]
    if _are_boxes(value) or _are_objects(value):
        key = "objects" if _are_objects(value) else _BOX
        return [{_NAMES[0]: name, key: value}]
    return [{_NAMES[0]: name, _LABEL: value}]


def _lines(text: str) -> _Records:
    """Return the records of the lines of a text."""
    records = _Records()
    for number, line in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            records.found.append((number, value))
        else:
            reason = message("the line is not a JSON object")
            records.unread.append(Unread(number, shown_line(line), reason))
            if not records.found:  # an ordinary document, of which each line would be damaged
                break
    return records


# Records.


def _rows(records: _Records) -> Iterator[tuple[int, Record]]:
    """Yield the rows of all records, and report records that cannot be read."""
    for line, record in records.found:
        try:
            for row in _expanded(record):
                yield line, _with_inner(row)
        except BadDataError as error:
            records.unread.append(Unread(line, shown_line(json.dumps(record)), error.message))


def _expanded(record: Record) -> Iterator[Record]:
    """Yield a row for each object of a record; the record itself without objects.

    Raises:
        BadDataError: Its lists have different lengths; the message is a short reason.
    """
    nested = next((key for key, value in record.items() if _is_of_objects(value)), None)
    boxes = next((value for value in record.values() if _are_boxes(value)), None)
    if nested is not None:
        inner: Any = record[nested]
        plain = {key: value for key, value in record.items() if key != nested}
        entries = _columns_as_rows(inner) if isinstance(inner, dict) else inner
    elif boxes is not None:
        lists = {key: value for key, value in record.items() if isinstance(value, list)}
        plain = {key: value for key, value in record.items() if key not in lists}
        entries = _columns_as_rows(lists)
    else:
        yield record
        return
    for entry in entries or [{}]:
        own = {f"{nested}_{key}" if key in plain else key: entry[key] for key in entry}
        yield {**plain, **own}


def _columns_as_rows(columns: Mapping[str, Any]) -> list[Record]:
    """Return the rows of lists of equal length.

    Raises:
        BadDataError: They are not; the message is a short reason.
    """
    if len({len(values) for values in columns.values()}) > 1:
        raise _different_lengths()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _different_lengths() -> BadDataError:
    return BadDataError("its lists of boxes and classes have different lengths")


def _with_inner(row: Record) -> Record:
    """Return a row whose inner objects are columns of their own."""
    found: dict[str, object] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            found |= {f"{key}_{name}": each for name, each in value.items()}
        else:
            found[key] = value
    return found


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _are_boxes(value: object) -> bool:
    """Return True for a list of lists of numbers."""
    found = _as_list(value)
    return bool(found) and all(isinstance(each, list) and _is_plain(each) for each in found)


def _are_objects(value: object) -> bool:
    found = _as_list(value)
    return bool(found) and all(isinstance(each, dict) for each in found)


def _is_of_objects(value: object) -> bool:
    return _are_objects(value) or _is_table(value)


def _is_table(value: object) -> bool:
    """Return True for an object of lists of equal length, with boxes among them or all empty."""
    if not isinstance(value, dict) or not value:
        return False
    lists = [each for each in value.values() if isinstance(each, list)]
    return len(lists) == len(value) and (any(map(_are_boxes, lists)) or not any(lists))


def _is_flat(record: Record) -> bool:
    """Return True if a record is a row of a table, or a row for each of its objects."""
    nested = sum(map(_is_of_objects, record.values()))
    return nested < 2 and all(map(_has_cells, record.values()))


def _has_cells(value: object) -> bool:
    """Return True for a value of one cell, of several, or of several rows."""
    if _are_objects(value):
        inner = [each for entry in _as_list(value) for each in entry.values()]
        return all(_is_plain(each) or _has_plain_values(each) for each in inner)
    if isinstance(value, dict):
        return all(_is_plain(each) or _are_boxes(each) for each in value.values())
    return _is_plain(value) or _are_boxes(value)


def _has_plain_values(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_plain, value.values()))


def _is_plain(value: object) -> bool:
    """Return True for a value of one cell: a text, a number, or a list of these."""
    if isinstance(value, list):
        return all(each is None or isinstance(each, str | int | float) for each in value)
    return value is None or isinstance(value, str | int | float)


def _cell(value: object) -> str:
    """Return a value as the cell of a table has it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    text: Text = json.dumps(value, ensure_ascii=False)
    return str(text)
