"""Rows of the same image in a table with a row for each label, as one row with a list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from studio.engine.datasets.sources.shared.list_columns import LABEL_WORDS
from studio.engine.messages import Text, message
from studio.engine.tables.cells import (
    NO,
    YES,
    is_missing,
    is_unreadable_list,
    list_in,
)
from studio.engine.tables.columns import plain_word
from studio.engine.tables.numbers import is_number

_DELIMITERS: Final = ";|,"


class JoinedRows(NamedTuple):
    """The rows of a table after those of the same image were joined.

    Attributes:
        values: The cells of each row that remains, by its index in the table.
        warnings: A sentence about it; empty if nothing was joined.
    """

    values: dict[int, tuple[str, ...]]
    warnings: list[Text]


def joined_rows(
    pictures: Sequence[tuple[str, str | None]],
    rows: Sequence[tuple[str, ...]],
    columns: Sequence[str],
) -> JoinedRows:
    """Join the rows of each image that differ in their label: the labels become a list.

    Rows of an image in different splits stay as they are: the same image twice.

    Args:
        pictures: The image of each row and its split.
        rows: The other cells of each row.
        columns: Their headings.
    """
    plain = JoinedRows(dict(enumerate(rows)), [])
    of_picture: dict[str, list[int]] = {}
    for index, (picture, _) in enumerate(pictures):
        of_picture.setdefault(picture, []).append(index)
    groups: list[list[int]] = []
    for mine in of_picture.values():
        is_one = len({pictures[index] for index in mine}) == 1
        groups += [mine] if is_one else [[index] for index in mine]
    several = [mine for mine in groups if len(mine) > 1]
    label = _label_column([[rows[index] for index in mine] for mine in several], rows, columns)
    if label is None:
        return plain
    cells = [row[label].strip() for row in rows]
    mark = _mark(cells)
    values = {}
    for mine in sorted(groups):
        first = rows[mine[0]]
        text = _joined([cells[index] for index in mine], mark)
        values[mine[0]] = (*first[:label], text, *first[label + 1 :])
    warning = message(
        "{count:,} images have several rows, the first is {first}. Their labels in the column "
        '"{column}" were joined.',
        one='{first} has several rows. Its labels in the column "{column}" were joined.',
        count=len(several),
        first=pictures[several[0][0]][0],
        column=columns[label],
    )
    return JoinedRows(values, [warning])


def _label_column(
    groups: Sequence[Sequence[tuple[str, ...]]],
    rows: Sequence[tuple[str, ...]],
    columns: Sequence[str],
) -> int | None:
    """Return the column in which the rows of an image differ, if it has labels.

    Args:
        groups: The rows of each image that has several.
        rows: All rows.
        columns: The headings.
    """
    differing = [
        index
        for index in range(len(columns))
        if any(len({row[index] for row in group}) > 1 for group in groups)
    ]
    if any(_are_flags([row[index] for row in rows]) for index in differing):
        return None  # perhaps whether the image has the label of its row
    named = [index for index in differing if plain_word(columns[index]) in LABEL_WORDS]
    if len(named) == 1:
        return named[0]
    if len(differing) != 1:
        return None
    cells = [row[differing[0]] for row in rows]
    return None if all(is_number(cell) or is_missing(cell) for cell in cells) else differing[0]


def _are_flags(cells: Sequence[str]) -> bool:
    """Return True for a column of yes and no."""
    words = {cell.strip().casefold() for cell in cells if not is_missing(cell)}
    return bool(words) and words <= YES | NO


def _mark(cells: Sequence[str]) -> str:
    """Return the character between labels; empty where each cell has one label.

    A character belongs to a name, as in "Chair, folding", unless a part is also a label by itself.
    A semicolon or bar in every cell divides lists.
    """
    plain = [cell for cell in cells if _is_plain(cell)]
    for mark in _DELIMITERS:
        parts = [_parts(cell, mark) for cell in plain]
        alone = {part for each in parts if len(each) == 1 for part in each}
        is_in_all = mark != "," and bool(plain) and all(mark in cell for cell in plain)
        if is_in_all or any(len(each) > 1 and alone & {*each} for each in parts):
            return mark
    return ""


def _is_plain(cell: str) -> bool:
    """Return True for a cell that is neither empty nor written as a list."""
    return not (is_missing(cell) or is_unreadable_list(cell)) and list_in(cell) is None


def _joined(cells: Sequence[str], mark: str) -> str:
    """Return the labels of the rows of an image as a list; what is no plain text stays.

    Args:
        cells: The cell of each row.
        mark: Character between labels; empty where each cell has one label.
    """
    refused = next(filter(is_unreadable_list, cells), None)
    if refused is not None:
        return refused
    if len(cells) == 1 and not _is_plain(cells[0]):
        return cells[0]
    labels = dict.fromkeys(part for cell in cells for part in _parts(cell, mark))
    return json.dumps([*labels], ensure_ascii=False)


def _parts(cell: str, mark: str) -> list[str]:
    """Return the labels in a cell, see `_joined`."""
    if is_missing(cell):
        return []
    listed = list_in(cell)
    if listed is not None:
        return listed
    return [*filter(None, map(str.strip, cell.split(mark)))] if mark else [cell]
