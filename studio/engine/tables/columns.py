"""The roles of the columns of a table, decided by their values and their names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import digits
from typing import Final

from studio.engine.messages import Text, message
from studio.engine.tables.cell_table import CellTable, TableRow, is_image_name
from studio.engine.tables.cells import is_missing
from studio.engine.tables.numbers import is_number, whole_number
from studio.engine.tables.pictures import Grade

PATH_WORDS: Final = (
    *("path", "filepath", "imagepath", "imgpath", "picturepath", "file", "filename", "imagefile"),
    *("imagefilename", "image", "img", "images", "imagename", "imgname", "picture", "photo"),
    *("name", "imageid", "imgid", "idcode", "id", "uid", "uuid"),
)
"""Headings of columns that name pictures, without signs, the most specific first."""
SPLIT_WORDS: Final = (
    *("split", "set", "subset", "partition", "fold", "kfold", "cvfold", "foldid"),
    *("istrain", "istraining", "istest", "istesting", "isval", "isvalid", "isvalidation"),
    *("istrainimage", "istrainingimage", "istestimage", "istestingimage", "isvalidationimage"),
)
"""Headings of columns of splits without signs; of those with other values, a warning is given."""
_SAMPLE = 200
_MOST = 0.5
"""Fraction of the cells of a column that must name pictures."""
_ID_WORDS = frozenset(
    {
        *("", "id", "ids", "index", "idx", "nr", "no", "num", "number", "row", "rownumber", "key"),
        *("unnamed", "rownum", "rowid", "uid", "level0", "serial", "code", "idcode", "n"),
    }
)
_ID_ENDING = re.compile(r"(?:^|[\s_.-])(?:id|idx|index|nr|no)$|[a-z](?:Id|ID)$")
_UNIX_TIME = re.compile(r"1[0-9]{9}(?:[0-9]{3})?(?:\.\d{1,9})?", re.ASCII)
"""Seconds or milliseconds from 2001 to 2033."""
_DATE = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_OF_ANYTHING = frozenset({"", "name", "id", "uid", "uuid"})
"""Headings that name other things as well."""
_OF_FLAG = 2
"""Number of different values of a flag."""
_FEWEST_NUMBERED = 5
"""Rows from which on consecutive numbers are no coincidence."""


def plain_word(heading: str) -> str:
    """Return a heading in lower case without accents, spaces and signs."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKD", heading.casefold()))


@dataclass(frozen=True, slots=True)
class PictureColumn:
    """The column that names the pictures.

    Attributes:
        index: Its index.
        has_header: True if the first row has the names of the columns.
        warning: A sentence if other columns name pictures, too; empty otherwise.
    """

    index: int
    has_header: bool
    warning: Text = ""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A column that may name the pictures.

    Attributes:
        index: Its index.
        grades: How each of the examined cells names pictures.
        distinct: Number of different cells.
        rank: Position of its heading in `PATH_WORDS`.
        lists_files: True if most filled cells are written as names of images, and some exist.
            Then missing files are reported, instead of reading another column, such as numbers
            that happen to be names of other files.
        found: Number of different cells that name pictures.
        may_be_labels: True for numbers below a heading that is not one of pictures.
    """

    index: int
    grades: list[Grade]
    distinct: int
    rank: int
    lists_files: bool
    found: int
    may_be_labels: bool

    def fraction(self, grade: Grade) -> float:
        """Return the fraction of cells that name pictures at least in this way."""
        return sum(each >= grade for each in self.grades) / max(1, len(self.grades))

    @property
    def surest(self) -> Grade:
        """The surest way in which most cells name pictures."""
        ways = (Grade.PATH, Grade.STEM, Grade.NUMBER, Grade.CASE)
        return next((each for each in ways if self.fraction(each) >= _MOST), Grade.NONE)

    def is_surer_than(self, labels: _Candidate) -> bool:
        """Return True if it names pictures rather than a column of numbers that may be labels.

        It finds more of them, or is called so while the other is a flag, such as 0 and 1.

        Args:
            labels: The other column.
        """
        is_flag = labels.distinct <= _OF_FLAG < self.distinct
        is_called_so = "".join(PATH_WORDS[self.rank : self.rank + 1]) not in _OF_ANYTHING
        return not self.may_be_labels and (self.found > labels.found or (is_flag and is_called_so))

    @property
    def order(self) -> tuple[float, ...]:
        """Sorts candidates; the greatest is the best."""
        matched = self.fraction(Grade.CASE)
        return (
            self.lists_files,
            self.surest,
            round(matched, 1),
            self.distinct,
            -self.rank,
            -self.index,
        )


def picture_column(table: CellTable, grade_of: Callable[[str], Grade]) -> PictureColumn:
    """Find the column whose values name pictures; by its heading if no column does.

    Args:
        table: The table; has rows.
        grade_of: Returns how a cell names a picture.
    """
    first, body = table.rows[0].cells, table.rows[1:]
    sample = body[:: max(1, len(body) // _SAMPLE)][:_SAMPLE] or table.rows[:1]
    words = [plain_word(cell) for cell in first]
    candidates = [
        _candidate(index, sample, words, grade_of) for index in range(max(table.width, 1))
    ]
    best = max(candidates, key=lambda each: each.order)
    if best.may_be_labels:
        # Where only a part of the files is there, labels such as 0 and 1 match more cells.
        surer = [each for each in candidates if each.is_surer_than(best)]
        best = max(surer, key=lambda each: each.order, default=best)
        if surer and best.fraction(Grade.CASE) == 0:
            return PictureColumn(best.index, True)
    if best.fraction(Grade.CASE) == 0:
        return _by_name(words, first)
    cell = first[best.index] if best.index < len(first) else ""
    has_header = _is_heading(cell, first, grade_of)
    return PictureColumn(best.index, has_header, _others(best, candidates, first, has_header))


def _candidate(
    index: int,
    sample: Sequence[TableRow],
    words: Sequence[str],
    grade_of: Callable[[str], Grade],
) -> _Candidate:
    cells = [row.cells[index] if index < len(row.cells) else "" for row in sample]
    word = words[index] if index < len(words) else ""
    rank = PATH_WORDS.index(word) if word in PATH_WORDS else len(PATH_WORDS)
    grades = [grade_of(cell) if cell else Grade.NONE for cell in cells]
    filled = [cell for cell in cells if cell]
    written = sum(map(is_image_name, filled)) >= _MOST * len(filled)
    named = {cell for cell, grade in zip(cells, grades, strict=True) if grade > Grade.NONE}
    are_numbers = sum(map(is_number, filled)) >= _MOST * len(filled)
    return _Candidate(
        index,
        grades,
        len(set(cells)),
        rank,
        lists_files=written and Grade.PATH in grades,
        found=len(named),
        may_be_labels=are_numbers and rank == len(PATH_WORDS),
    )


def _by_name(words: Sequence[str], first: Sequence[str]) -> PictureColumn:
    known = [word for word in PATH_WORDS if word in words]
    if known and not any(map(is_image_name, first)):
        return PictureColumn(words.index(known[0]), True)
    images = [index for index, cell in enumerate(first) if is_image_name(cell)]
    return PictureColumn(images[0] if images else 0, False)


def _is_heading(cell: str, first: Sequence[str], grade_of: Callable[[str], Grade]) -> bool:
    """Return True if the first row has names of columns, by its cell in the picture column."""
    if any(map(is_image_name, first)) or (cell and grade_of(cell) > Grade.NONE):
        return False
    return plain_word(cell) in PATH_WORDS or not any(map(is_number, first))


def _others(
    best: _Candidate, candidates: Sequence[_Candidate], first: Sequence[str], has_header: bool
) -> str:
    others = [
        each
        for each in candidates
        if each is not best and each.surest >= max(Grade.STEM, best.surest)
    ]
    if not others or not has_header:
        return ""
    return message(
        'The column "{column}" was read as the names of the images; the values of {others} are '
        "names of images, too.",
        column=first[best.index],
        others=", ".join(f'"{_heading(first, each.index)}"' for each in others),
    )


def _heading(first: Sequence[str], index: int) -> str:
    return first[index] if index < len(first) else ""


def are_dates(cells: Sequence[str]) -> bool:
    """Return True if all cells that are not empty are dates such as 20260131, or Unix times."""
    filled = [cell for cell in cells if not is_missing(cell)]
    return bool(filled) and any(all(map(kind.fullmatch, filled)) for kind in (_DATE, _UNIX_TIME))


def numbers_rows(heading: str, cells: Sequence[str], *, by_name_only: bool = False) -> bool:
    """Return True if a column numbers the rows or identifies them, rather than measuring.

    These are different whole numbers in a column called "id", "index" or the like, and
    consecutive numbers in any column.

    Args:
        heading: Name of the column.
        cells: Its cells.
        by_name_only: True to judge consecutive numbers by the heading, too.
    """
    if len(cells) < 2 or any(is_missing(cell) for cell in cells):
        return False
    numbers = [whole_number(cell) for cell in cells]
    if None in numbers or len(set(numbers)) < len(numbers):
        return False
    if names_rows(heading):
        return True
    whole = [number for number in numbers if number is not None]
    steps = {after - before for before, after in pairwise(whole)}
    return not by_name_only and len(whole) >= _FEWEST_NUMBERED and steps == {1}


def names_rows(heading: str) -> bool:
    """Return True for the heading of a column that identifies rows."""
    word = plain_word(heading).rstrip(digits)
    return word in _ID_WORDS or bool(_ID_ENDING.search(heading.strip()))
