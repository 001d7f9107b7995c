"""`objects.csv`: the class of each object of label images, a row for each.

labels,number,class
labels/train/a.png,1,nucleus
labels/train/a.png,2,dividing
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from studio.engine.csv_cells import CsvWriter
from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.tables.cell_table import CellTable, TableRow
from studio.engine.tables.columns import plain_word
from studio.engine.tables.numbers import whole_number
from studio.engine.tables.rows import read_table
from studio.engine.tasks.annotation_files.values import name_in
from studio.engine.tasks.annotations import LeftOut, Tree

TABLE: Final = "objects.csv"
_HEADINGS: Final = ("labels", "number", "class")
_WORDS: Final = {
    "labels": ("labels", "labelimage", "mask", "file", "path"),
    "number": ("number", "id", "object", "instance", "value"),
    "class": ("class", "classname", "category", "name"),
}


@dataclass(slots=True)
class ObjectTable:
    """Classes of objects.

    Attributes:
        classes: Class of each number by the path of its label image.
        problems: Rows that cannot be used.
    """

    classes: dict[str, dict[int, str]] = field(default_factory=dict)
    problems: list[LeftOut] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        """Classes that occur."""
        return {name for numbers in self.classes.values() for name in numbers.values()}


def object_table(files: Tree, labels: Sequence[str]) -> ObjectTable:
    """Read the tables beside label images; an empty one if there is none.

    Of several tables, each is about the label images in its folder, and those that it names by
    their whole path.

    Args:
        files: The files.
        labels: Paths of the label images.
    """
    paths = [path for path in files.paths if path.rpartition("/")[2].casefold() == TABLE]
    found = ObjectTable()
    for path in sorted(paths, key=lambda path: path.count("/")):
        _add_table(found, files, path, _places(path, labels, is_only=len(paths) == 1))
    return found


def _add_table(found: ObjectTable, files: Tree, path: str, places: Mapping[str, str]) -> None:
    """Read a table; what cannot be used is reported."""
    try:
        table = read_table(files.read(path), path)
    except BadDataError as error:
        found.problems.append(LeftOut(path, error.message))
        return
    for unread in table.unread:
        reason = message("line {line}: {reason}", line=unread.line, reason=unread.reason)
        found.problems.append(LeftOut(path, reason, unread.lines))
    columns = _columns(table)
    if columns is None:
        reason = message("it has no columns {columns}", columns=", ".join(_HEADINGS))
        found.problems.append(LeftOut(path, reason))
        return
    _add_rows(found, path, table.rows[1:], columns, places)


def _columns(table: CellTable) -> list[int] | None:
    """Return the columns of label image, number and class; None if one is missing."""
    words = [plain_word(cell) for cell in table.rows[0].cells] if table.rows else []
    found = [
        next((words.index(word) for word in known if word in words), None)
        for known in _WORDS.values()
    ]
    places = [each for each in found if each is not None]
    return places if len(places) == len(found) else None


def _places(table: str, labels: Sequence[str], *, is_only: bool) -> dict[str, str]:
    """Return label images by the names that a table may give them; empty for unclear names."""
    above = PurePosixPath(table).parent
    beside = [path for path in labels if PurePosixPath(path).is_relative_to(above)]
    found: dict[str, str] = {}
    for group in (labels if is_only else [], beside):
        names = Counter(path.rpartition("/")[2] for path in group)
        paths = {path.rpartition("/")[2]: path for path in group}
        found |= {name: path if names[name] == 1 else "" for name, path in paths.items()}
    found |= {path: path for path in labels}
    return found | {str(PurePosixPath(path).relative_to(above)): path for path in beside}


def _add_rows(
    found: ObjectTable,
    path: str,
    rows: Iterable[TableRow],
    columns: Sequence[int],
    places: Mapping[str, str],
) -> None:
    for row in rows:
        cells = [row.cells[at] if at < len(row.cells) else "" for at in columns]
        file = places.get(cells[0].replace("\\", "/").removeprefix("./"))
        number, name = whole_number(cells[1]), name_in(cells[2])
        reason: Text = ""
        if file is None:
            reason = message("line {line}: it names no label image", line=row.line)
        elif not file:
            reason = message("line {line}: several label images have this name", line=row.line)
        elif not number or not name:
            reason = message("line {line}: it has no number or no class", line=row.line)
        elif found.classes.setdefault(file, {}).setdefault(number, name) != name:
            reason = message("line {line}: the object has another class before", line=row.line)
        if reason:
            found.problems.append(LeftOut(path, reason, 1))


def write_object_table(folder: Path, rows: Iterable[tuple[str, int, str]]) -> None:
    """Write the classes of objects.

    Args:
        folder: Folder of the table.
        rows: Label image, number and class of each object.
    """
    with (folder / TABLE).open("w", newline="", encoding="utf-8") as file:
        table = CsvWriter(file)
        table.writerow(_HEADINGS)
        table.writerows(rows)
