"""The one writer of comma-separated values, whose texts no spreadsheet takes for a formula.

A class or a file may be called `=HYPERLINK(…)`. An apostrophe before such a text makes it text; it
is taken away again where Studio reads a table. Numbers stay as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Protocol

_STARTS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - spreadsheets take these, too
_MARK = "'"


class TextFile(Protocol):
    """A file that text can be written to."""

    def write(self, text: str, /) -> object:
        """Write a text."""


class CsvWriter:
    """Writes rows; see `csv.writer`.

    Args:
        file: A text file that was opened with `newline=""`.
    """

    def __init__(self, file: TextFile) -> None:
        self._file = file
        self._line = io.StringIO(newline="")
        # A text that holds a carriage return is only quoted where that may end a line.
        self._writer = csv.writer(self._line, lineterminator="\r\n")

    def writerow(self, row: Iterable[object]) -> None:
        """Write one row."""
        self._writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in row])
        self._file.write(f"{self._line.getvalue()[:-2]}\n")
        self._line.seek(0)
        self._line.truncate()

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        """Write many rows."""
        for row in rows:
            self.writerow(row)


def table_text(rows: Iterable[Iterable[object]]) -> str:
    """Return the rows as the text of a file."""
    text = io.StringIO()
    CsvWriter(text).writerows(rows)
    return text.getvalue()


def harmless(text: str) -> str:
    """Return the text of a cell, with an apostrophe before what would be a formula."""
    return f"{_MARK}{text}" if _is_formula(text) else text


def original(cell: str) -> str:
    """Return the text that `harmless` was given."""
    return cell[len(_MARK) :] if cell.startswith(_MARK) and _is_formula(cell) else cell


def _is_formula(text: str) -> bool:
    # Apostrophes of the text itself count, too, so that every text comes back as it was.
    inner = text.lstrip(_MARK)
    if not inner.startswith(_STARTS_A_FORMULA):
        return False
    if inner != inner.strip():
        return True
    try:
        float(inner)
    except ValueError:
        return True
    return False
