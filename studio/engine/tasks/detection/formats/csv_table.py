"""CSV: a table with a row for each box, in one file or in one for each split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from studio.engine.errors import BadDataError, StudioError, one_line
from studio.engine.messages import Text, message
from studio.engine.progress import Progress
from studio.engine.tables.cell_table import CellTable, TableRow
from studio.engine.tables.cells import YES
from studio.engine.tables.columns import plain_word
from studio.engine.tables.pictures import Grade, Match, PictureIndex, name_warnings
from studio.engine.tables.records import with_objects
from studio.engine.tables.rows import JSON_SUFFIXES, read_table
from studio.engine.tasks.annotation_files.classes import classes_by_name
from studio.engine.tasks.annotation_files.foreign import is_foreign
from studio.engine.tasks.annotation_files.open_images import names_of_codes
from studio.engine.tasks.annotation_files.pairs import PictureNames, split_of_picture
from studio.engine.tasks.annotation_files.reports import nothing_usable
from studio.engine.tasks.annotation_files.table_writer import AnnotationTableWriter
from studio.engine.tasks.annotation_files.values import name_in, size_in
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    LeftOut,
    Regions,
    Tree,
    WritableFormat,
    is_background,
)
from studio.engine.tasks.boxes import (
    BOTTOM,
    CLASS,
    CROWD,
    DIFFICULT,
    FLAGS,
    LEFT,
)
from studio.engine.tasks.detection.formats.csv_columns import BoxColumns, box_columns
from studio.engine.tasks.detection.formats.csv_rows import RowBox, boxes_of, cell_of
from studio.engine.tasks.detection.found_boxes import BoxCollector, FoundBoxes, found_boxes
from studio.engine.tasks.detection.turns import stored_size
from studio.engine.tasks.split_words import (
    split_headings,
    split_in,
    split_of_cell,
    split_warnings,
)

TABLE = "boxes.csv"
_SUFFIXES = (".csv", ".tsv")
_JSON_EXAMINED = 20
"""Files of JSON that may be tables, of those nearest to the root."""
_HEAD = 2**16
_TABLES_EXAMINED = 20
_EDGES = ("left", "top", "right", "bottom")
_OWN = ("path", "split", "class", *_EDGES, "difficult", "crowd")
_RELATIVE_SHARE = 0.9
_NO_OBJECT = frozenset({"nofinding", "noobject", "negative", "1"})
"""Classes of rows without a box that say so, without signs."""


class _Writer(AnnotationTableWriter):
    """Writes a table with a row for each box."""

    table = TABLE
    columns = _OWN

    def add(
        self,
        picture: str,
        split: str,
        regions: Regions,
        size: tuple[int, int],  # noqa: ARG002 - sides are pixels
    ) -> None:
        """Remember the rows of a picture."""
        boxes = regions[regions[:, CLASS] >= 0].tolist()
        for box in boxes:
            flags = int(box[FLAGS])
            self.rows.append(
                [
                    *(picture, split, self.names[int(box[CLASS])]),
                    *(repr(side) for side in box[LEFT : BOTTOM + 1]),
                    *(int(flags & DIFFICULT > 0), int(flags & CROWD > 0)),
                ]
            )
        if not boxes:
            self.add_nothing(picture, split)


class CsvBoxes(WritableFormat):
    """A row has the path of a picture, a class and a box; without a box, it names the picture.

    The column whose values are pictures names them. The box has one of the layouts of
    `csv_columns`: four columns, one column with four numbers, or the columns of the VGG Image
    Annotator or of Google AutoML. If no side is above 1, sides are fractions of the picture, as in
    Open Images, whose codes of classes get names, see `open_images`; not in columns called left,
    top, right and bottom. A table without names of
    columns has the path, four sides and the class.
    """

    name = "csv_boxes"
    label = "CSV table with a row for each box"
    export = "csv"
    split_origin = "table column"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if the first rows of a table are boxes."""
        names = TablePictures(files)
        return any(_columns(names, path) for path in tables_in(files.labels))

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the tables and find their pictures; see `AnnotationFormat.read`."""
        reading = _Reading(files)
        for path in tables_in(files.labels, all_of_them=True):
            if _columns(reading.pictures, path) is not None:
                reading.add(path, progress)
        return reading.finished(options)


def tables_in(files: Tree, *, all_of_them: bool = False) -> list[str]:
    """Return paths of tables, those nearest to the root first.

    Args:
        files: The files.
        all_of_them: True for all; otherwise as many as are needed to recognize a format.
    """
    paths = [path for path in files.paths if path.casefold().endswith(_SUFFIXES)]
    paths.sort(key=lambda path: path.count("/"))
    if not all_of_them:
        paths = paths[:_TABLES_EXAMINED]
    records = [path for path in files.paths if path.casefold().endswith(JSON_SUFFIXES)]
    records.sort(key=lambda path: path.count("/"))  # a folder may have a file for each image
    return [*paths, *(each for each in records[:_JSON_EXAMINED] if not is_foreign(each, files))]


class TablePictures:
    """Finds the pictures of tables: by their paths, without suffix, or by their numbers.

    Attributes:
        files: Pictures and annotations.
        index: All pictures by their names.
        completed: Pictures found by their number, or despite capital letters, by the cell.
    """

    def __init__(self, files: AnnotatedFiles) -> None:
        self.files = files
        self.completed: dict[str, Match] = {}
        self._names = PictureNames(files)
        self.index = PictureIndex(files.images.pictures)

    def grade(self, cell: str) -> Grade:
        """Return how a cell names a picture."""
        if self._names.find_exact(cell, "") is not None:
            return Grade.PATH
        return self.index.grade(cell)

    def find(self, name: str, table: str) -> str | None:
        """Return the picture that a cell of a table names; None if there is none.

        Args:
            name: The cell.
            table: Path of the table.

        Raises:
            BadDataError: There are several; the message is a short reason.
        """
        picture = self._names.find_exact(name, table)
        if picture is not None:
            return picture
        split = split_in(table)
        found = self.index.find(name, lambda path: split_of_picture(path) == split)
        if found is None:
            return None
        if found.grade in (Grade.NUMBER, Grade.CASE):
            self.completed[name] = found
        return found.path

    def size(self, path: str) -> tuple[int, int] | None:
        """Return width and height of a picture as it is stored; None if its head has none."""
        return stored_size(self.files.images, path)


def _columns(pictures: TablePictures, path: str) -> BoxColumns | None:
    """Return the columns of a table by its first rows; None if it has no boxes."""
    try:
        head = pictures.files.labels.head(path)
        table = with_objects(read_table(head, path, is_head=len(head) >= _HEAD))
    except BadDataError:
        return None
    return box_columns(table, pictures.grade)


class _Reading:
    """Pictures and boxes of some tables."""

    def __init__(self, files: AnnotatedFiles) -> None:
        self._files = files
        self.pictures = TablePictures(files)
        self._found: dict[str, BoxCollector] = {}
        self._relative: set[str] = set()
        self._splits: dict[str, str | None] = {}
        self._classes: dict[str, int] = {}
        self._problems: list[LeftOut] = []
        self._warnings: list[Text] = []
        self._ambiguous: dict[str, Text] = {}

    def add(self, path: str, progress: Progress) -> None:
        """Read a table; damaged rows are reported."""
        try:
            data = self._files.labels.read(path)
            table = with_objects(read_table(data, path))
        except BadDataError as error:
            self._problems.append(LeftOut(path, error.message))
            return
        columns = box_columns(table, self.pictures.grade)
        if columns is None:
            self._problems.append(LeftOut(path, "its rows are no boxes"))
            return
        self._warnings += table.warnings
        for unread in table.unread:
            reason = message("line {line}: {reason}", line=unread.line, reason=unread.reason)
            self._problems.append(LeftOut(path, reason, unread.lines))
        self._add_rows(path, table, columns, progress)

    def _add_rows(
        self, path: str, table: CellTable, columns: BoxColumns, progress: Progress
    ) -> None:
        rows = list(self._complete(path, table.rows[columns.has_header :], columns))
        boxes = boxes_of(
            rows, columns, table.delimiter, self._warnings, partial(self._size_of, columns)
        )
        mine: set[str] = set()
        named: dict[str, str | None] = {}
        lost: Counter[str] = Counter()
        lines: dict[str, int] = {}
        file_split = split_in(path)
        column = columns.split or 0
        cells = Counter(cell_of(row, columns.split) for row in rows)
        headings = split_headings(columns.names, column, cells)
        if columns.split is not None and file_split is None:
            name = columns.names[column] if columns.names else str(column + 1)
            self._warnings += split_warnings(name, cells, headings, column)
        for number, (row, box) in enumerate(zip(rows, boxes, strict=True)):
            if number % 1000 == 0:
                progress.check()
                progress.advance(number, len(rows), "Reading the annotations")
            name = cell_of(row, columns.path)
            if name not in named:
                named[name] = self._picture(name, path)
                lines[name] = row.line
            picture = named[name]
            if picture is None:
                lost[name] += box.corners is not None or _has_object(box)
                continue
            mine.add(picture)
            cell = cell_of(row, columns.split)
            split = split_of_cell(cell, headings, column) or file_split
            self._splits[picture] = split or self._splits.get(picture)
            self._add_box(self._found.setdefault(picture, BoxCollector()), row, box, columns)
        self._warnings += self.pictures.index.shift_warnings(named)
        without = {name: line for name, line in lines.items() if named[name] is None}
        self._report_missing(path, without, lost)
        if self._are_relative(path, boxes, columns):
            self._relative |= mine

    def _complete(
        self, path: str, rows: Sequence[TableRow], columns: BoxColumns
    ) -> Iterator[TableRow]:
        """Yield the rows that do not have more cells than the table has columns."""
        width = len(columns.names)
        for row in rows:
            if width and any(row.cells[width:]):
                reason = message(
                    "line {line}: the line has {count} cells; there are {columns} columns",
                    line=row.line,
                    count=len(row.cells),
                    columns=width,
                )
                self._problems.append(LeftOut(path, reason, 1))
            else:
                yield row

    def _size_of(self, columns: BoxColumns, row: TableRow) -> tuple[int, int] | None:
        """Return the size of the picture of a row; None if it is unknown."""
        if columns.size is not None:
            width, height = (cell_of(row, index) for index in columns.size)
            return size_in(width, height)
        try:
            picture = self.pictures.find(cell_of(row, columns.path), "")
        except BadDataError:
            return None
        return None if picture is None else self.pictures.size(picture)

    def _picture(self, name: str, path: str) -> str | None:
        try:
            return self.pictures.find(name, path) if name else None
        except BadDataError as error:
            self._ambiguous[name] = error.message
            return None

    def _report_missing(
        self, path: str, lines: Mapping[str, int], lost: Mapping[str, int]
    ) -> None:
        """Report names in a table that mean no picture.

        Args:
            path: The table.
            lines: The first line that has a name, by the name.
            lost: Number of boxes by the name.
        """
        for name, line in lines.items():
            reason: Text = message(
                "{file} names it in line {line}, but the image does not exist",
                file=path,
                line=line,
            )
            reason = self._ambiguous.get(name, reason)
            if not name:
                reason = message("line {line}: the line names no image", line=line)
            self._problems.append(LeftOut(one_line(name) or path, reason, lost[name]))

    def _add_box(
        self, boxes: BoxCollector, row: TableRow, box: RowBox, columns: BoxColumns
    ) -> None:
        """Add the box of a row, if it has one."""
        name = name_in(box.label)
        if box.corners is None:
            boxes.without_box += _has_object(box)
            return
        if columns.size is not None:
            width, height = (cell_of(row, index) for index in columns.size)
            boxes.size = boxes.size or size_in(width, height)
        if not name:
            boxes.unknown[""] += 1
            return
        is_crowd, is_difficult = (
            cell_of(row, columns.flags.get(flag)).casefold() in YES
            for flag in ("crowd", "difficult")
        )
        label = self._classes.setdefault(name, len(self._classes))
        boxes.add(label, box.corners, CROWD if is_crowd else DIFFICULT * is_difficult)

    def _are_relative(self, path: str, boxes: Sequence[RowBox], columns: BoxColumns) -> bool:
        """Return True if nearly all sides are fractions of the picture."""
        sides = np.array([box.corners for box in boxes if box.corners is not None], float)
        sides = sides[np.isfinite(sides).all(axis=1)] if len(sides) else sides
        if columns.are_pixels or not len(sides):
            return False
        if columns.kind == "sides":  # as they are written: a box may leave its image
            sides[:, 2:] -= sides[:, :2]
        largest = np.abs(sides).max(axis=1)
        inside = int((largest <= 1).sum())
        if inside < _RELATIVE_SHARE * len(largest) or not largest.any():
            return False
        if beyond := len(largest) - inside:
            warning = message(
                "The boxes of {file} were read as fractions of the images, though {count} of "
                "{total} have sides above 1.",
                file=path,
                count=beyond,
                total=len(largest),
            )
            self._warnings.append(warning)
        return True

    def finished(self, options: AnnotationOptions) -> FoundBoxes:
        """Return everything that was read.

        Raises:
            StudioError: There is nothing to learn from.
        """
        folder = self._files.labels.location
        if not self._found:
            raise nothing_usable(
                message(
                    "The CSV tables in {labels} name none of the images in {pictures}.",
                    labels=folder,
                    pictures=self._files.images.location,
                ),
                self._problems,
                "Choose the image folder as the source and the CSV file as the annotations.",
            )
        if not self._classes:
            raise StudioError(
                "The CSV tables in {labels} contain no boxes.",
                "A row has a path, a class, and left, top, right and bottom.",
                "source",
                labels=folder,
            )
        named = names_of_codes(self._classes, self._files, self._warnings)
        names = [named.get(name, name) for name in self._classes]
        numbers, classes = classes_by_name(names, self._files, options)
        indices = np.array([numbers[name] for name in names])
        found = {
            picture: boxes.result(picture in self._relative, boxes.numbered(indices))
            for picture, boxes in self._found.items()
        }
        result = found_boxes(
            self._files, classes, options, found, self._problems, self._splits.get
        )
        result.warnings += [*self._warnings, *name_warnings(self.pictures.completed)]
        return result


def _has_object(box: RowBox) -> bool:
    """Return True if a row without a box has a class that stands for an object."""
    name = name_in(box.label)
    return bool(name) and not (is_background(name) or plain_word(name) in _NO_OBJECT)
