r"""The one writer of comma-separated values, whose texts no spreadsheet takes for a formula.

A class or a file may be called `=HYPERLINK(…)`. An apostrophe before such a text makes it text,
also after a semicolon, a tab and a line break, where spreadsheets of many countries begin another
cell. Characters that are not seen, such as escape sequences and marks of direction, are written as
`\u001b`. Both are taken away again where Studio reads a table. Numbers stay as they are.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Protocol

from studio.engine.errors import HIDDEN

_STARTS_A_FORMULA = tuple("=+-@＝＋－＠")  # noqa: RUF001 - spreadsheets take these, too
_MARK = "'"
_SEPARATORS = re.compile(r"([;\t\r\n])")
# Codes of hidden characters: of 4 digits up to U+FFFF, and of 8 for the others.
_CODE = (
    r"u(?:00[0189][0-9a-f]|007f|00ad|061c|180e|20[0-6][0-9a-f]|feff|fff[9ab])|U000e00[0-7][0-9a-f]"
)
_ESCAPED = re.compile(rf"(?<!\\)(?P<backslashes>\\+)(?P<written>{_CODE})")
_HIDDEN_OR_ESCAPED = re.compile(
    rf"(?<!\\)(?P<backslashes>\\*)(?:(?P<char>{HIDDEN.pattern})|(?<=\\)(?P<written>{_CODE}))"
)


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
    """Return the text of a cell, with an apostrophe before each part that would be a formula."""
    parts = _SEPARATORS.split(_HIDDEN_OR_ESCAPED.sub(_escape, text))
    marked = [_MARK + part if _is_formula(part, at) else part for at, part in enumerate(parts)]
    return _first_mark(text) + "".join(marked)


def original(cell: str) -> str:
    """Return the text that `harmless` was given."""
    if _MARK not in cell and "\\" not in cell:
        return cell
    if cell.startswith(_MARK) and _first_mark(cell):
        cell = cell[len(_MARK) :]
    parts = [
        part[len(_MARK) :] if part.startswith(_MARK) and _is_formula(part, at) else part
        for at, part in enumerate(_SEPARATORS.split(cell))
    ]
    return _ESCAPED.sub(_unescape, "".join(parts))


def _first_mark(text: str) -> str:
    """Return the mark before a text that begins with a tab or a line break."""
    return _MARK if text.lstrip(_MARK).startswith(("\t", "\r", "\n")) else ""


def _is_formula(part: str, position: int) -> bool:
    # Apostrophes of the text itself count, too, so that every text comes back as it was. Quotation
    # marks within a text are doubled, and then begin a quoted cell after a semicolon.
    inner = part.lstrip(_MARK + '"' if position else _MARK)
    if not inner.startswith(_STARTS_A_FORMULA):
        return False
    if inner != inner.strip():
        return True
    try:
        float(inner)
    except ValueError:
        return True
    return False


def _escape(found: re.Match[str]) -> str:
    r"""Write a hidden character as `\u001b`; double the backslashes before it or before that."""
    backslashes, char = found["backslashes"], found["char"]
    if char is None:
        return 2 * backslashes + found["written"]
    if char == "\r":  # quoted, as all ends of lines
        return backslashes + char
    code = ord(char)
    return f"{2 * backslashes}\\{f'u{code:04x}' if code < 0x10000 else f'U{code:08x}'}"


def _unescape(found: re.Match[str]) -> str:
    backslashes, written = found["backslashes"], found["written"]
    half = "\\" * (len(backslashes) // 2)
    return half + chr(int(written[1:], 16)) if len(backslashes) % 2 else half + written
