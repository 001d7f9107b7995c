"""CSV: a table with a row for each box, in one file or in one for each split."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from studio.engine.csv_cells import CsvWriter, original
from studio.engine.errors import BadDataError, StudioError, one_line
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.tasks.annotation_files.classes import classes_by_name, write_classes
from studio.engine.tasks.annotation_files.pairs import PictureNames
from studio.engine.tasks.annotation_files.values import name_in, number_in, size_in
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationFormat,
    AnnotationOptions,
    Annotations,
    AnnotationWriter,
    LeftOut,
    Regions,
    Tree,
)
from studio.engine.tasks.boxes import (
    BOTTOM,
    CLASS,
    CROWD,
    DIFFICULT,
    FLAGS,
    LEFT,
)
from studio.engine.tasks.detection.found_boxes import BoxList, FoundBoxes, found_boxes
from studio.engine.tasks.split_words import split_in, split_of

TABLE = "boxes.csv"
_SUFFIXES = (".csv", ".tsv")
_ROWS_EXAMINED = 20
_TABLES_EXAMINED = 20
_SPELLINGS = {
    "path": (
        *("path", "filename", "file", "imagepath", "imgpath", "image", "img", "imagename"),
        *("imgname", "imageid", "filepath", "imagefile", "picture"),
    ),
    "class": ("class", "classname", "label", "labelname", "category", "name", "categoryname"),
    "left": ("left", "xmin", "x1", "minx", "boxleft", "bboxxmin", "bboxx1"),
    "top": ("top", "ymin", "y1", "miny", "boxtop", "bboxymin", "bboxy1"),
    "right": ("right", "xmax", "x2", "maxx", "boxright", "bboxxmax", "bboxx2"),
    "bottom": ("bottom", "ymax", "y2", "maxy", "boxbottom", "bboxymax", "bboxy2"),
    "x": ("x", "bboxx", "boxx"),
    "y": ("y", "bboxy", "boxy"),
    "width": ("width", "w", "bboxwidth", "bboxw", "boxwidth", "boxw"),
    "height": ("height", "h", "bboxheight", "bboxh", "boxheight", "boxh"),
    "split": ("split", "set", "subset", "partition"),
    "difficult": ("difficult", "isdifficult"),
    "crowd": ("crowd", "iscrowd", "isgroupof"),
}
"""Columns by their names in lower case without signs."""
_EDGES = ("left", "top", "right", "bottom")
_SIDES = ("x", "y", "width", "height")
_OWN = ["path", "split", "class", *_EDGES, "difficult", "crowd"]
_PLAIN = ["path", *_EDGES, "class"]
"""Columns of a table without a header, as keras-retinanet reads it."""
_YES = frozenset({"1", "1.0", "true", "yes"})


class _Writer(AnnotationWriter):
    """Writes a table with a row for each box; pictures without objects have a row, too."""

    def __init__(self, folder: Path, names: Sequence[str], colors: Sequence[str]) -> None:
        super().__init__(folder, names, colors)
        self._rows: list[list[object]] = []

    def picture_path(self, name: str, split: str) -> str:
        """Return a path in the folder of pictures of a split."""
        return f"images/{split}/{name}"

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
            self._rows.append(
                [
                    *(picture, split, self.names[int(box[CLASS])]),
                    *(repr(side) for side in box[LEFT : BOTTOM + 1]),
                    *(int(flags & DIFFICULT > 0), int(flags & CROWD > 0)),
                ]
            )
        if not boxes:
            self._rows.append([picture, split, *[""] * (len(_OWN) - 2)])

    def finish(self) -> None:
        """Write the table, and a line with the color and the name of each class."""
        with (self.folder / TABLE).open("w", newline="", encoding="utf-8") as file:
            table = CsvWriter(file)
            table.writerow(_OWN)
            table.writerows(self._rows)
        write_classes(self.folder, self.names, self.colors)


class CsvBoxes(AnnotationFormat):
    """A row has the path of a picture, a class and a box; without a box, it names the picture.

    The columns have one of the usual names: "path" or "filename", "class" or "label", and the
    sides as "left", "xmin" or "x1" and so on, or "x", "y", "width" and "height" of the box. Beside
    the sides, "width" and "height" are the size of the picture. If no side is above 1, they are
    fractions of it, as in Open Images; not in columns called left, top, right and bottom. A table
    without names of columns has the path, four sides and the class.
    """

    name = "csv_boxes"
    label = "CSV table with a row for each box"
    export = "csv"
    split_origin = "table column"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if the first rows of a table are boxes."""
        return any(_columns(files.labels, path) for path in _tables(files.labels))

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the tables and find their pictures; see `AnnotationFormat.read`."""
        reading = _Reading(files)
        for path in _tables(files.labels, all_of_them=True):
            columns = _columns(files.labels, path)
            if columns is not None:
                reading.add(path, columns, progress)
        return reading.finished(options)


def _tables(files: Tree, *, all_of_them: bool = False) -> list[str]:
    """Return paths of tables, those nearest to the root first."""
    paths = [path for path in files.paths if path.casefold().endswith(_SUFFIXES)]
    paths.sort(key=lambda path: path.count("/"))
    return paths if all_of_them else paths[:_TABLES_EXAMINED]


@dataclass(frozen=True, slots=True)
class _Columns:
    """Layout of a table.

    Attributes:
        delimiter: Between two cells.
        has_header: True if the first row has the names of the columns.
        places: Number of each column that is known, by its name in `_SPELLINGS`.
        are_pixels: True if sides are pixels, whatever their values are.
    """

    delimiter: str
    has_header: bool
    places: dict[str, int]
    are_pixels: bool

    @property
    def sides(self) -> tuple[str, ...]:
        """The columns of a box."""
        return _EDGES if all(name in self.places for name in _EDGES) else _SIDES


def _columns(files: Tree, path: str) -> _Columns | None:
    """Return the columns of a table; None if it has no boxes."""
    try:
        text = files.head(path).decode("utf-8-sig", "replace")
        first = text.partition("\n")[0]
        delimiter = max(",;\t", key=first.count)
        rows = list(islice(_rows(text, delimiter), _ROWS_EXAMINED))
    except BadDataError:
        return None
    if not rows:
        return None
    plain = [re.sub(r"[\W_]+", "", cell.casefold()) for cell in rows[0]]
    places = {
        name: plain.index(found)
        for name, spellings in _SPELLINGS.items()
        if (found := next((each for each in spellings if each in plain), ""))
    }
    has_box = any(all(name in places for name in sides) for sides in (_EDGES, _SIDES))
    if has_box and "path" in places and "class" in places:
        return _Columns(delimiter, True, places, all(name in plain for name in _EDGES))
    if all(map(_is_plain, rows)):
        return _Columns(delimiter, False, {name: place for place, name in enumerate(_PLAIN)}, True)
    return None


def _is_plain(row: list[str]) -> bool:
    """Return True for a path, four numbers and a class, or a path and nothing."""
    if len(row) != len(_PLAIN) or "." not in row[0]:
        return False
    if not any(row[1:]):
        return True
    return bool(row[-1]) and not any(math.isnan(number_in(cell)) for cell in row[1:-1])


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Yield the rows that have cells, trimmed.

    Raises:
        BadDataError: A row cannot be read; a short reason.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            cells = [original(cell).strip() for cell in row]
            if any(cells):
                yield cells
    except csv.Error as error:
        raise BadDataError(
            message("line {line} cannot be read: {reason}", line=reader.line_num, reason=error)
        ) from error


class _Reading:
    """Pictures and boxes of some tables."""

    def __init__(self, files: AnnotatedFiles) -> None:
        self._files = files
        self._names = PictureNames(files)
        self._found: dict[str, BoxList] = {}
        self._relative: set[str] = set()
        self._splits: dict[str, str | None] = {}
        self._classes: dict[str, int] = {}
        self._problems: list[LeftOut] = []

    def add(self, path: str, columns: _Columns, progress: Progress) -> None:
        """Read a table; its rows until a damaged one are used."""
        named: dict[str, str | None] = {}
        mine: set[str] = set()
        largest = 0.0
        file_split = split_in(path)
        try:
            rows = _rows(
                self._files.labels.read(path).decode("utf-8-sig", "replace"), columns.delimiter
            )
            for number, row in enumerate(rows):
                if number == 0 and columns.has_header:
                    continue
                if number % 1000 == 0:
                    progress.check()
                    progress.advance(number, 0, "Reading the annotations")
                cells = _Row(row, columns)
                name = cells.text("path")
                if name not in named:
                    named[name] = self._picture(name, path)
                picture = named[name]
                if picture is None:
                    continue
                mine.add(picture)
                boxes = self._found.setdefault(picture, BoxList())
                split = split_of(cells.text("split")) or file_split
                self._splits[picture] = split or self._splits.get(picture)
                largest = max(largest, self._add_box(boxes, cells))
        except BadDataError as error:
            self._problems.append(LeftOut(path, error.message))
        if 0 < largest <= 1 and not columns.are_pixels:
            self._relative |= mine

    def _picture(self, name: str, path: str) -> str | None:
        """Return the picture that a row names, with or without its suffix."""
        picture = self._names.find(name, path) if name else None
        if picture is None and name:
            picture = self._names.find_stem(name)
        if picture is None:
            reason = message("{file} names it, but the image does not exist", file=path)
            self._problems.append(LeftOut(one_line(name), reason))
        return picture

    def _add_box(self, boxes: BoxList, cells: _Row) -> float:
        """Add the box of a row, if it has one.

        Returns:
            Its largest side; 0 without a box.
        """
        texts = [cells.text(name) for name in cells.columns.sides]
        name = name_in(cells.text("class"))
        if not any(texts):
            # A class without a box is a label of the picture, no object.
            boxes.without_box += bool(name)
            return 0.0
        one, two, three, four = map(number_in, texts)
        corners = (one, two, three, four)
        if cells.columns.sides == _SIDES:
            corners = (one, two, one + three, two + four)
        else:
            boxes.size = boxes.size or size_in(cells.text("width"), cells.text("height"))
        if not name:
            boxes.unknown[""] += 1
            return 0.0
        is_crowd = cells.text("crowd").casefold() in _YES
        is_difficult = cells.text("difficult").casefold() in _YES
        label = self._classes.setdefault(name, len(self._classes))
        boxes.add(label, corners, CROWD if is_crowd else DIFFICULT * is_difficult)
        return max((abs(side) for side in corners if math.isfinite(side)), default=0.0)

    def finished(self, options: AnnotationOptions) -> FoundBoxes:
        """Return everything that was read.

        Raises:
            StudioError: There is nothing to learn from.
        """
        folder = self._files.labels.location
        if not self._found:
            raise StudioError(
                message(
                    "The CSV tables in {labels} name none of the images in {pictures}.",
                    labels=folder,
                    pictures=self._files.images.location,
                ),
                "Choose the image folder as the source and the CSV file as the annotations.",
                "source",
            )
        if not self._classes:
            raise StudioError(
                message("The CSV tables in {labels} contain no boxes.", labels=folder),
                "A row has a path, a class, and left, top, right and bottom.",
                "source",
            )
        numbers, classes = classes_by_name(self._classes, self._files, options)
        indices = np.array([numbers[name] for name in self._classes])
        found = {
            picture: boxes.result(picture in self._relative, boxes.numbered(indices))
            for picture, boxes in self._found.items()
        }
        return found_boxes(self._files, classes, options, found, self._problems, self._splits.get)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a table.

    Attributes:
        cells: Its cells.
        columns: The columns of the table.
    """

    cells: list[str]
    columns: _Columns

    def text(self, column: str) -> str:
        """Return the cell of a column; empty if there is none."""
        place = self.columns.places.get(column, -1)
        text = self.cells[place] if 0 <= place < len(self.cells) else ""
        # With semicolons between cells, numbers may have a decimal comma.
        if self.columns.delimiter == ";" and column in {*_EDGES, *_SIDES}:
            return text.replace(",", ".")
        return text
