"""Columns of lists with the classes and the splits, and what is conspicuous about them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from studio.engine.errors import StudioError
from studio.engine.messages import Text, message
from studio.engine.tables.cell_table import TableRow, is_image_name
from studio.engine.tables.cells import (
    NO,
    YES,
    class_names,
    fractional_classes,
    is_missing,
    missing_words,
)
from studio.engine.tables.columns import SPLIT_WORDS, numbers_rows, plain_word
from studio.engine.tables.numbers import is_number, whole_number
from studio.engine.tasks.split_words import split_of

LABEL_WORDS: Final = (
    *("label", "class", "classname", "labels", "category", "target", "y"),
    *("labelname", "categoryname", "labelid", "classid", "categoryid"),
    *("classe", "clase", "klasse", "rotulo", "etiqueta", "categoria", "kategorie", "categorie"),
)
"""Headings of columns of classes without signs, the most specific first."""
_RLE_WORD: Final = re.compile(r"encodedpixels|rle(mask)?|maskrle|annotations?|segm\w*|encoding")
_RUNS: Final = re.compile(r"-1|\d{1,12} \d{1,12}( \d{1,12} \d{1,12})*")
"""Starts and lengths of runs; -1 means none."""
_EXAMINED = 50
_SHOWN = 3
_LONGEST_NUMBER = 16
_FEWEST_CLASSES = 5
_FEWEST_FLAGS = 3
_MOST_SEVERAL = 0.05
"""Fraction of the rows that may have several 1 in columns for the classes."""
_SINGLE_SHARE = 0.8
"""Fraction of the classes of a column that have one image, from which on they are suspect."""


def cells_of(rows: Sequence[TableRow], column: int) -> list[str]:
    """Return the cells of a column, of the rows that reach it.

    Args:
        rows: Rows of the table.
        column: Index of the column.
    """
    return [row.cells[column] for row in rows if column < len(row.cells)]


def split_column(
    header: Sequence[str], rows: Sequence[TableRow], taken: set[int | None]
) -> int | None:
    """Return the column of the splits: by its name, or else the only one with nothing but splits.

    Args:
        header: Names of the columns; empty without a header.
        rows: The other rows.
        taken: Columns that are something else.
    """
    if (known := _named(header, SPLIT_WORDS, taken)) is not None:
        return known
    width = len(header) or _width(rows)
    others = [index for index in range(width) if index not in taken]
    found = [index for index in others if _are_splits(cells_of(rows, index))]
    # The only column beside the images has the classes.
    return found[0] if len(found) == 1 and len(others) > 1 else None


def _are_splits(cells: Sequence[str]) -> bool:
    splits = [split_of(cell) for cell in cells if not is_missing(cell)]
    return None not in splits and "train" in splits and len(set(splits)) > 1


def refuse_masks(path: Path, header: Sequence[str], rows: Sequence[TableRow]) -> None:
    """Refuse a table of masks as run lengths, whose numbers are no classes.

    Args:
        path: The table, for the message.
        header: Names of the columns; empty without a header.
        rows: The other rows.

    Raises:
        StudioError: It is such a table.
    """
    for index, heading in enumerate(header):
        cells = [cell for cell in cells_of(rows, index) if not is_missing(cell)][:_EXAMINED]
        if _RLE_WORD.fullmatch(plain_word(heading)) and all(map(_RUNS.fullmatch, cells)):
            raise StudioError(
                "{file} has masks as RLE in the column “{column}”, as tables of Kaggle do.",
                "Convert it to masks as images or to COCO JSON, and choose the task segmentation.",
                "source",
                file=path,
                column=heading,
            )


def label_column(
    path: Path,
    header: Sequence[str],
    rows: Sequence[TableRow],
    taken: set[int | None],
    *,
    any_label: bool,
) -> int | None:
    """Return the column of the classes; None if rows need none and no column is called so.

    Args:
        path: The list, for messages.
        header: Names of the columns; empty without a header.
        rows: The other rows.
        taken: Columns that are something else.
        any_label: True if rows need no label.

    Raises:
        StudioError: Several columns may have the classes.
    """
    if (known := _named(header, LABEL_WORDS, taken)) is not None:
        return _with_names(header, rows, known, taken)
    if header and any_label:
        return None
    width = len(header) or _width(rows)
    others = [index for index in range(width) if index not in taken]
    useful = [index for index in others if _may_have_classes(header, rows, index)]
    if len(useful) == 1:
        return useful[0]
    if not header and (any_label or len(others) < 2):
        return others[0] if others else None
    raise _undecided(path, header, rows)


def one_hot_columns(
    header: Sequence[str], rows: Sequence[TableRow], taken: set[int | None]
) -> list[int]:
    """Return columns of 0 and 1 of which each row has one 1: the class is its heading.

    Two such columns must be all that could be classes; with three, others may be facts such as an
    age. A few rows may have several, more none.

    Args:
        header: Names of the columns; empty without a header.
        rows: The other rows.
        taken: Columns that are something else.

    Returns:
        The columns; none if a column is called as those of classes are, or for other tables.
    """
    if not header or _named(header, LABEL_WORDS, taken) is not None:
        return []
    free = [index for index in range(len(header)) if index not in taken and header[index]]
    useful = [index for index in free if _may_have_classes(header, rows, index)]
    flags = [index for index in useful if _are_flags(cells_of(rows, index))]
    if len(flags) < _FEWEST_FLAGS and (len(flags) < 2 or useful != flags):
        return []
    sets = [flags_set(row, flags) for row in rows]
    single = [found[0] for found in sets if len(found) == 1]
    several = sum(len(found) > 1 for found in sets)
    is_one_hot = several <= _MOST_SEVERAL * len(sets) and 2 * len(single) > len(sets)
    return flags if is_one_hot and len({*single}) > 1 else []


def flags_set(row: TableRow, columns: Sequence[int]) -> list[int]:
    """Return those of some columns in which a row has 1.

    Args:
        row: The row.
        columns: Columns of 0 and 1.
    """
    return [
        index for index in columns if index < len(row.cells) and row.cells[index].casefold() in YES
    ]


def _are_flags(cells: Sequence[str]) -> bool:
    words = {cell.casefold() for cell in cells}
    return bool(words) and words <= YES | NO


def _with_names(
    header: Sequence[str], rows: Sequence[TableRow], label: int, taken: set[int | None]
) -> int:
    """Return the column of the names of classes, where another one has only their numbers."""
    cells = [cell for cell in cells_of(rows, label) if not is_missing(cell)]
    if not all(whole_number(cell) is not None for cell in cells):
        return label
    for index, heading in enumerate(header):
        word = plain_word(heading)
        if index in taken | {label} or not (word in LABEL_WORDS or word.endswith("name")):
            continue
        names = [cell for cell in cells_of(rows, index) if not is_missing(cell)]
        if names and not any(map(is_number, names)) and not _differ(rows, label, index):
            return index
    return label


def _may_have_classes(header: Sequence[str], rows: Sequence[TableRow], index: int) -> bool:
    cells = cells_of(rows, index)
    is_empty = not header and all(map(is_missing, cells))
    if 2 * sum(map(is_image_name, cells)) > len(cells):
        return False
    return not is_empty and not numbers_rows(header[index] if header else "", cells)


def _undecided(path: Path, header: Sequence[str], rows: Sequence[TableRow]) -> StudioError:
    if header:
        reason = message(
            "{file} does not say which column has the classes; its columns are {columns}.",
            file=path,
            columns=", ".join(header[:8]),
        )
    else:
        reason = message(
            "{file} does not say which column has the classes; its first line is {line}.",
            file=path,
            line=", ".join(rows[0].cells[:8]),
        )
    hint = message(
        "Name the column with the classes label. For columns with numbers or several labels, "
        "choose the task regression or multi_label."
        if header
        else "Add a first line with the names of the columns, such as path and label."
    )
    return StudioError(reason, hint, "source")


def class_warnings(column: str, cells: Sequence[str]) -> Iterator[Text]:
    """Yield what is conspicuous about a column of classes.

    Args:
        column: Name of the column.
        cells: Its cells.
    """
    if numbers := fractional_classes(cells):
        yield message(
            'The column "{column}" has numbers such as {number}, and was read as classes. If it '
            "is a quantity, choose the task regression.",
            column=column,
            number=numbers[0],
        )
    for word, count in list(missing_words(cells).items())[:_SHOWN]:
        yield message(
            'The column "{column}" contains "{word}" {count} times, read as an empty cell. If it '
            "is a class, give it another name.",
            one='The column "{column}" contains "{word}" once, read as an empty cell. If it is a '
            "class, give it another name.",
            column=column,
            word=word,
            count=count,
        )
    yield from _spelling_warnings(column, cells)
    if not numbers:
        yield from _single_warnings(column, cells)


def _spelling_warnings(column: str, cells: Sequence[str]) -> Iterator[Text]:
    """Yield a sentence if leading zeros are all that tells two numbers of classes apart."""
    first: dict[int, str] = {}
    for cell in dict.fromkeys(cells):
        if cell.isascii() and cell.isdecimal() and len(cell) < _LONGEST_NUMBER:
            other = first.setdefault(int(cell), cell)
            if other != cell:
                yield message(
                    'The column "{column}" contains "{first}" and "{second}", which were read as '
                    "the same class. If they are two, give them names that are no numbers.",
                    column=column,
                    first=other,
                    second=cell,
                )
                return


def _single_warnings(column: str, cells: Sequence[str]) -> Iterator[Text]:
    """Yield a sentence if nearly every image has a class of its own."""
    counts = Counter(cell for cell in cells if not is_missing(cell))
    single = sum(count == 1 for count in counts.values())
    if len(counts) >= _FEWEST_CLASSES and single >= _SINGLE_SHARE * len(counts):
        yield message(
            'The column "{column}" has {classes:,} different values for {count:,} images, and was '
            "read as classes. If it is a quantity, choose the task regression; if another column "
            "has the classes, name that one label.",
            column=column,
            classes=len(counts),
            count=len(cells),
        )


def rival_warnings(
    header: Sequence[str], rows: Sequence[TableRow], label: int, taken: set[int | None]
) -> Iterator[Text]:
    """Yield a sentence if another column is called like one of classes or has them, and differs.

    Args:
        header: Names of the columns.
        rows: The other rows.
        label: The column that was read as classes.
        taken: Columns that are something else.
    """
    words = [plain_word(name) for name in header]
    if label >= len(words) or words[label] not in LABEL_WORDS:
        return
    for index, word in enumerate(words):
        if index in taken | {label}:
            continue
        is_rival = word in LABEL_WORDS or _has_classes_of(rows, label, index)
        if is_rival and _differ(rows, label, index):
            yield message(
                'The classes were read from column {number}, "{column}"; column {other_number}, '
                '"{other}", differs from it. If that one has the classes, remove the first.',
                number=label + 1,
                column=header[label],
                other_number=index + 1,
                other=header[index],
            )
            return


def _has_classes_of(rows: Sequence[TableRow], label: int, index: int) -> bool:
    """Return True if a column has several of the classes, and nothing else."""
    classes, others = (
        {*class_names([cell for cell in cells_of(rows, each) if not is_missing(cell)])}
        for each in (label, index)
    )
    are_flags = {whole_number(each) for each in others} <= {0, 1}
    return len(others) > 1 and others <= classes and not are_flags


def _differ(rows: Sequence[TableRow], first: int, second: int) -> bool:
    """Return True if two columns do not divide the rows in the same way."""
    width = max(first, second)
    full = [row.cells for row in rows if len(row.cells) > width]
    names = class_names([cells[first] for cells in full])
    pairs = set(zip(names, class_names([cells[second] for cells in full]), strict=True))
    return not len(pairs) == len({each for each, _ in pairs}) == len({each for _, each in pairs})


def _width(rows: Sequence[TableRow]) -> int:
    return max((len(row.cells) for row in rows), default=0)


def _named(header: Sequence[str], known: Sequence[str], taken: set[int | None]) -> int | None:
    """Return the column that has one of the known names, the first of them first."""
    words = ["" if index in taken else plain_word(cell) for index, cell in enumerate(header)]
    return next((words.index(word) for word in known if word in words), None)


def no_origin_column(source: Path, heading: str, header: Sequence[str]) -> StudioError:
    """Return the error to raise if a table has no column of a requested heading.

    Args:
        source: Path of the table.
        heading: The requested heading.
        header: Headings of the columns.
    """
    return StudioError(
        '{source} has no column "{column}"; it has {columns}.',
        "Check the names of the columns.",
        "origin_column",
        source=source,
        column=heading,
        columns=", ".join(header[:12]) or message("nothing"),
    )
