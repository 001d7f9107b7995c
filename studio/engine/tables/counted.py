"""Tables of attributes of images as CelebA has them: a count, the headings, values by spaces."""

from __future__ import annotations

from typing import Final

from studio.engine.errors import BadDataError, one_line, shortened
from studio.engine.messages import Text, message
from studio.engine.tables.cell_table import CellTable, TableRow, Unread, is_image_name
from studio.engine.tables.encoding import decoded

PICTURES: Final = "image_id"
"""Heading of the column of the images, which such tables leave out."""
_MAX_HEAD = 2**16
_SHOWN = 100


def counted_table(data: bytes, file: str) -> CellTable | None:
    """Return a table whose first line is the number of its rows; None for other files.

    Args:
        data: Bytes of the file.
        file: Its path, for messages.
    """
    try:
        head, _ = decoded(data[:_MAX_HEAD], file, is_head=True)
        if not _is_counted(head.splitlines()[:3]):
            return None
        text, warning = decoded(data, file)
    except BadDataError:  # reading it as another table says why
        return None
    first, second, *lines = text.splitlines()
    headings = (PICTURES, *second.split())
    rows = [TableRow(2, headings)]
    unread: list[Unread] = []
    for number, line in enumerate(lines, 3):
        cells = tuple(line.split())
        if len(cells) == len(headings):
            rows.append(TableRow(number, cells))
        elif cells:
            reason = message(
                "the line has {count} cells; there are {columns} columns",
                count=len(cells),
                columns=len(headings),
            )
            unread.append(Unread(number, shortened(one_line(line), _SHOWN), reason))
    warnings: list[Text] = [warning] if warning else []
    if len(rows) + len(unread) - 1 != int(first):
        warnings.append(
            message(
                "The first line says {stated:,} rows; the table has {count:,}.",
                stated=int(first),
                count=len(rows) + len(unread) - 1,
            )
        )
    return CellTable(" ", rows, unread, warnings)


def _is_counted(lines: list[str]) -> bool:
    """Return True if the first lines are a count, headings, and an image with as many values."""
    if len(lines) < 3:
        return False
    count, headings, cells = lines[0].strip(), lines[1].split(), lines[2].split()
    is_number = count.isascii() and count.isdecimal() and len(count) < 10
    return (
        is_number and is_image_name(cells[0] if cells else "") and len(cells) == len(headings) + 1
    )
