"""The rows of a table in a text file, with their line numbers."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import PurePath
from typing import Final

from studio.engine.csv_cells import original
from studio.engine.errors import BadDataError
from studio.engine.messages import message
from studio.engine.tables.cell_table import (
    EXAMINED,
    CellTable,
    TableRow,
    Unread,
    is_image_name,
    joined_cells,
    shown_line,
)
from studio.engine.tables.encoding import decoded
from studio.engine.tables.records import record_table

JSON_SUFFIXES: Final = (".json", ".jsonl", ".ndjson")
DELIMITERS: Final = (",", ";", "\t", "|")
MAX_BYTES: Final = 2**30
MAX_COLUMNS: Final = 20_000
_MAX_ROWS = 20_000_000
_FEWEST_NAMED = 3
"""Rows from which on a missing heading of their names is recognized."""
_MAX_DAMAGED = 100
"""Damaged rows after which the rest of a table is given up: each may be read to the cell limit."""
_EXCEL_DELIMITER = re.compile(r'"?sep=([,;\t|])"?', re.IGNORECASE)
"""First line by which a table tells Excel its delimiter; no row of it."""
_QUOTED_BY_SPACES = re.compile(r'"[^"]{1,1000}"( ("[^"]{0,1000}"|[^" ]{1,100})){1,1000}\s*')
"""Line as R writes it by default."""
_SPACES_AFTER_QUOTE = re.compile(r'"[ \t]{1,100}(?=[,;|\r\n]|$)')


def read_table(data: bytes, file: str, *, is_head: bool = False) -> CellTable:
    """Read a table in any usual encoding, with commas, semicolons, tabs or bars between cells.

    A file of JSON is a table of its records, see `records`.

    Each line that has cells is in a row or among `unread`. After a quotation mark that is never
    closed, and after a cell that is too long, reading continues with the next line.

    Args:
        data: Bytes of the file.
        file: Its path, for messages and for its suffix.
        is_head: True if these are only the first bytes: the last row is then left out.

    Raises:
        BadDataError: It is no table; the message is a short reason.
    """
    if len(data) > MAX_BYTES:
        raise BadDataError("it is larger than {limit} MB", limit=MAX_BYTES // 2**20)
    text, warning = decoded(data, PurePath(file).name, is_head=is_head)
    if file.casefold().endswith(JSON_SUFFIXES):
        records = record_table(text, is_head=is_head)
        if records is None:
            raise BadDataError("its JSON is no list of records with names of images")
        return replace(records, warnings=[warning] if warning else [])
    lines = list(io.StringIO(text, newline=""))
    if is_head and len(lines) > 1:
        lines.pop()
    stated = _EXCEL_DELIMITER.fullmatch(lines[0].rstrip("\r\n")) if lines else None
    if stated is not None:
        lines[0] = ""
    delimiter = stated[1] if stated is not None else _delimiter(lines, file)
    unread: list[Unread] = []
    rows = list(_rows(lines, delimiter, unread, is_head=is_head))
    rows = _with_heading_of_rows(rows)
    before = _rows_before_table(rows)
    unread[:0] = [
        Unread(row.line, joined_cells(row.cells), "the line is before the table")
        for row in rows[:before]
    ]
    return CellTable(delimiter, rows[before:], unread, [warning] if warning else [])


def _with_heading_of_rows(rows: list[TableRow]) -> list[TableRow]:
    """Return rows whose first one has an empty heading before it if R left that of rows out.

    All others have one cell more, the first of which differ.
    """
    if len(rows) < _FEWEST_NAMED or len(rows[0].cells) < 2:  # a title has a single cell
        return rows
    width = len(rows[0].cells) + 1
    names = {row.cells[0] for row in rows[1:] if row.cells[0]}
    if len(names) < len(rows) - 1 or any(len(row.cells) != width for row in rows[1:]):
        return rows
    if any(row.cells[-1] == "" for row in rows) or any(map(is_image_name, rows[0].cells)):
        return rows
    return [rows[0]._replace(cells=("", *rows[0].cells)), *rows[1:]]


def _rows_before_table(rows: Sequence[TableRow]) -> int:
    """Return the number of first rows that are titles or comments, with a single cell filled."""
    titles = sum(1 for _ in takewhile(_is_title, rows[:EXAMINED]))
    table = rows[titles : titles + EXAMINED]
    filled = sum(sum(map(bool, row.cells)) > 1 for row in table)
    return titles if 2 * filled > len(table) else 0


def _is_title(row: TableRow) -> bool:
    # A heading may be missing beside another: ",label" or "path,".
    first, *others = row.cells
    return len(others) != 1 and not any(others) and not is_image_name(first)


def _rows(
    lines: list[str], delimiter: str, unread: list[Unread], *, is_head: bool
) -> Iterator[TableRow]:
    """Yield the rows that have cells; after a damaged one, continue with the next line.

    Spaces after a closing quotation mark are taken out of `lines`.
    """
    start = count = 0
    while start < len(lines):
        first = start
        try:
            for line, first, cells in _records(lines, start, delimiter):  # noqa: B007
                if not any(cells):
                    continue
                count += 1
                if limit := _limit_reached(count, cells):
                    unread.append(_rest(lines, line, limit))
                    return
                yield TableRow(line + 1, cells)
        except csv.Error as error:
            if _SPACES_AFTER_QUOTE.search(lines[first]):
                # All at once: each new start copies the rest.
                lines[first:] = [_SPACES_AFTER_QUOTE.sub('"', line) for line in lines[first:]]
                start = first
                continue
            if is_head:
                return
            reason = _reason(error)
            if len(unread) >= _MAX_DAMAGED:
                unread.append(_rest(lines, first, reason))
                return
            unread.append(Unread(first + 1, shown_line(lines[first]), reason))
            start = first + 1
        else:
            return


def _records(
    lines: Sequence[str], start: int, delimiter: str
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield the index of the first line of each record, that of the next one, and the cells.

    Raises:
        csv.Error: A record is damaged: the one after the last that was yielded.
    """
    reader = csv.reader(lines[start:], delimiter=delimiter, skipinitialspace=True, strict=True)
    first = start
    for raw in reader:
        line, first = first, start + reader.line_num
        yield line, first, tuple(original(_text_of(cell.strip())) for cell in raw)


def _text_of(cell: str) -> str:
    """Return the text of a formula such as ="0012", which keeps Excel from reading a number."""
    return cell[2:-1] if len(cell) > 2 and cell.startswith('="') and cell.endswith('"') else cell


def _limit_reached(count: int, cells: Sequence[str]) -> str:
    if len(cells) > MAX_COLUMNS:
        return message("the line has more than {limit} cells", limit=MAX_COLUMNS)
    if count > _MAX_ROWS:
        return message("the table has more than {limit} rows", limit=_MAX_ROWS)
    return ""


def _rest(lines: Sequence[str], start: int, reason: str) -> Unread:
    count = sum(bool(line.strip()) for line in lines[start:])
    return Unread(start + 1, shown_line(lines[start]), reason, count)


def _reason(error: csv.Error) -> str:
    text = str(error)
    if "limit" in text:
        return message("the line has a cell of more than {limit:,} characters", limit=131_072)
    if "unexpected" in text:
        return message("a quotation mark is never closed")
    if "expected" in text:
        return message("text follows after a closing quotation mark")
    return message("the line cannot be read: {reason}", reason=text)


def _delimiter(lines: Sequence[str], file: str) -> str:
    """Return the character that divides the first lines into equally many cells."""
    sample = [line for line in lines[: 4 * EXAMINED] if line.strip()][:EXAMINED]
    scores = {each: _score(sample, each) for each in DELIMITERS}
    if file.casefold().endswith((".tsv", ".tab")) and scores["\t"][1] > 1:
        return "\t"
    best = max(scores.values())
    if best[1] < 2:
        return " " if all(map(_QUOTED_BY_SPACES.fullmatch, sample)) and sample else ","
    # Equal scores: a tab or a bar hardly occurs in a text, a comma often.
    return next(each for each in ("\t", "|", ",", ";") if scores[each] == best)


def _score(lines: Sequence[str], delimiter: str) -> tuple[float, int, float, int]:
    """Return how well a delimiter divides lines: regularity, images, and cells of a line."""
    if not any(delimiter in line for line in lines):
        return (0.0, 0, 0.0, 0)
    try:
        rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        return (0.0, 0, 0.0, 0)
    counts = Counter(len(row) for row in rows)
    width, frequent = max(counts.items(), key=lambda pair: (pair[0] > 1, pair[1]))
    if width < 2:
        return (0.0, 0, 0.0, 0)
    images = sum(any(is_image_name(cell) for cell in row) for row in rows)
    first = len(rows[0]) == width
    return (round(frequent / len(rows), 1) + first, min(width, 2), images / len(rows), width)
