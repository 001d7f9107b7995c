"""CSV: a table with a row for each outline, or for each corner of one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import numpy as np

from studio.engine.errors import BadDataError, one_line
from studio.engine.messages import Text, as_message, message
from studio.engine.progress import Progress
from studio.engine.tables.cell_table import CellTable, TableRow
from studio.engine.tables.cells import is_missing
from studio.engine.tables.columns import SPLIT_WORDS, plain_word
from studio.engine.tables.pictures import name_warnings
from studio.engine.tables.rows import read_table
from studio.engine.tasks.annotation_files.classes import classes_by_name
from studio.engine.tasks.annotation_files.listed import listed
from studio.engine.tasks.annotation_files.painting import IGNORED_NAME
from studio.engine.tasks.annotation_files.polygons import Points, checked, even_odd
from studio.engine.tasks.annotation_files.reports import nothing_usable
from studio.engine.tasks.annotation_files.table_writer import AnnotationTableWriter
from studio.engine.tasks.annotation_files.values import name_in, number_in
from studio.engine.tasks.annotations import (
    AnnotatedFiles,
    AnnotationOptions,
    Annotations,
    LeftOut,
    Regions,
    Remark,
    WritableFormat,
)
from studio.engine.tasks.detection.formats.csv_table import TablePictures, tables_in
from studio.engine.tasks.instance_labels import IGNORED, instance_table
from studio.engine.tasks.instances.found_objects import (
    DEFAULT_CLASS,
    ObjectPicture,
    ObjectShape,
    PaintedObjects,
    crowds_kept,
)
from studio.engine.tasks.parts.outlines import traced
from studio.engine.tasks.split_words import (
    split_headings,
    split_in,
    split_of_cell,
    split_warnings,
)

TABLE: Final = "outlines.csv"
_OWN: Final = ("path", "split", "class", "object", "outline")
_HEAD: Final = 2**16
_WORDS: Final = {
    "path": ("path", "image", "imagepath", "imagename", "file", "filename", "picture", "imagem"),
    "outline": ("outline", "outlines", "polygon", "polygons", "segmentation", "contour", "points"),
    "class": ("class", "classname", "label", "labelname", "category", "categoryname", "classe"),
    "object": ("object", "objectid", "instance", "instanceid", "cell", "cellid", "number", "id"),
    "x": ("x", "px", "xcoordinate"),
    "y": ("y", "py", "ycoordinate"),
}
_NUMBER: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_MAX_CELL: Final = 2**24
_CORNERS: Final = 3
_PAIR: Final = 2
_BRACKETS: Final = str.maketrans("()", "[]")


class _Writer(AnnotationTableWriter):
    """Writes a table with a row for each object."""

    table = TABLE
    columns = _OWN

    def add(
        self,
        picture: str,
        split: str,
        regions: Regions,
        size: tuple[int, int],  # noqa: ARG002 - corners are pixels
    ) -> None:
        """Remember the rows of a picture."""
        table, outlines = instance_table(regions), traced(regions)
        named = [
            (outlines[value], self.names[label])
            for value, label in zip(table.values.tolist(), table.classes.tolist(), strict=True)
        ]
        ignored = traced((regions == IGNORED).astype(np.int32))
        named += [(rings, IGNORED_NAME) for rings in ignored.values()]
        for number, (rings, name) in enumerate(named, 1):
            texts = (" ".join(f"{x:g} {y:g}" for x, y in ring) for ring in rings)
            self.rows.append([picture, split, name, number, "; ".join(texts)])
        if not named:
            self.add_nothing(picture, split)


@dataclass(slots=True)
class _Object:
    """An object of a picture.

    Attributes:
        name: Its class; empty if no row names it.
        rings: Its outlines.
        corners: Corners of an outline in a row each.
        damage: Why it cannot be used; empty if it can.
    """

    name: str = ""
    rings: list[Points] = field(default_factory=list)
    corners: list[tuple[float, float]] = field(default_factory=list)
    damage: Text = ""

    def outlines(self) -> list[Points]:
        """Return its outlines.

        Raises:
            BadDataError: It has none, or a damaged one; the message is a short reason.
        """
        if self.damage or not self.name:
            raise BadDataError(self.damage or "it has no class")
        rings = [*self.rings, *([np.array(self.corners)] if self.corners else [])]
        if not rings or min(map(len, rings)) < _CORNERS:
            raise BadDataError("an outline has fewer than three corners")
        return [checked(ring) for ring in rings]


class _Reading:
    """Pictures and objects of some tables."""

    def __init__(self, files: AnnotatedFiles) -> None:
        self._files = files
        self._pictures = TablePictures(files)
        self._splits: dict[str, str | None] = {}
        self._objects: defaultdict[str, dict[str, _Object]] = defaultdict(dict)
        self._problems: list[LeftOut] = []
        self._warnings: list[Text] = []
        self._is_unnamed = False

    def add(self, path: str) -> None:
        """Read a table; damaged rows are reported."""
        try:
            table = read_table(self._files.labels.read(path), path)
        except BadDataError as error:
            self._problems.append(LeftOut(path, error.message))
            return
        for unread in table.unread:
            reason = message("line {line}: {reason}", line=unread.line, reason=unread.reason)
            self._problems.append(LeftOut(path, reason, unread.lines))
        self._warnings += table.warnings
        columns = _columns(table) or {}
        self._is_unnamed |= "class" not in columns
        headings = self._split_headings(path, table, columns.get("split"))
        lost: dict[str, tuple[Text, set[str]]] = {}
        for row in table.rows[1:]:
            cells = {
                name: row.cells[at] if at < len(row.cells) else "" for name, at in columns.items()
            }
            split = split_of_cell(cells.get("split", ""), headings, columns.get("split", 0))
            self._add_row(path, row, cells, split or split_in(path), lost)
        for name, (why, objects) in lost.items():
            self._problems.append(LeftOut(one_line(name) or path, why, len(objects)))

    def _split_headings(self, path: str, table: CellTable, column: int | None) -> Sequence[str]:
        """Return the headings by which cells are splits, and report cells that name none."""
        header = table.rows[0].cells
        if column is None:
            return header
        rows = [row.cells for row in table.rows[1:]]
        cells = Counter(row[column] if column < len(row) else "" for row in rows)
        headings = split_headings(header, column, cells)
        if split_in(path) is None:  # otherwise the other images have that of their file
            self._warnings += split_warnings(header[column], cells, headings, column)
        return headings

    def _add_row(
        self,
        path: str,
        row: TableRow,
        cells: Mapping[str, str],
        split: str | None,
        lost: dict[str, tuple[Text, set[str]]],
    ) -> None:
        """Add the outline or the corner of a row to its object."""
        name, key = cells["path"], cells.get("object", "") or f"line {row.line}"
        is_empty = is_missing(cells.get("outline", cells.get("x", "")))
        reason: Text
        reason = message(
            "{file} names it in line {line}, but the image does not exist",
            file=path,
            line=row.line,
        )
        try:
            picture = self._pictures.find(name, path) if name else None
        except BadDataError as error:
            picture = None
            reason = error.message
        if picture is None:
            lost.setdefault(name, (reason, set()))[1].update(set() if is_empty else {key})
            return
        self._splits[picture] = split or self._splits.get(picture)
        if is_empty:
            return
        found = self._objects[picture].setdefault(f"{path}: {key}", _Object())
        found.name = found.name or name_in(cells.get("class", DEFAULT_CLASS))
        try:
            if "outline" in cells:
                found.rings += _rings(cells["outline"])
            else:
                found.corners.append((number_in(cells["x"]), number_in(cells["y"])))
        except BadDataError as error:
            found.damage = error.message

    def finished(self, options: AnnotationOptions) -> Annotations:
        """Return everything that was read.

        Raises:
            StudioError: There is nothing to learn from.
        """
        every = [each for objects in self._objects.values() for each in objects.values()]
        names = {each.name for each in every} - {"", IGNORED_NAME}
        if not names:
            raise nothing_usable(
                message(
                    "The CSV tables in {labels} have no outlines for the images in {pictures}.",
                    labels=self._files.labels.location,
                    pictures=self._files.images.location,
                ),
                self._problems,
                "A row has the path of an image, a class, and the corners of an outline.",
            )
        numbers, classes = classes_by_name(names, self._files, options)
        numbers[IGNORED_NAME] = IGNORED
        found = {
            picture: _picture(self._objects.get(picture, {}), numbers) for picture in self._splits
        }
        return PaintedObjects(
            **listed(self._files, self._splits, classes, self._problems),
            warnings=[
                *self._warnings,
                *(_without_classes(len(every)) if self._is_unnamed else []),
                *name_warnings(self._pictures.completed),
            ],
            found=found,
        )


def _picture(objects: Mapping[str, _Object], numbers: Mapping[str, int]) -> ObjectPicture:
    shapes: list[ObjectShape] = []
    remarks: list[Remark] = []
    for each in objects.values():
        try:
            region = partial(even_odd, each.outlines())
        except BadDataError as error:
            reason = message("left out an object: {reason}", reason=as_message(error.message))
            remarks.append(Remark(reason, 1))
        else:
            shapes.append(ObjectShape(numbers[each.name], region))
    if count := sum(each.label == IGNORED for each in shapes):
        remarks.append(crowds_kept(count))
    return ObjectPicture(shapes, remarks=tuple(remarks))


def _rings(cell: str) -> Iterator[Points]:
    """Yield the outlines of a cell: numbers in turn, rings between semicolons, JSON, or WKT.

    Raises:
        BadDataError: They are damaged; the message is a short reason.
    """
    if len(cell) > _MAX_CELL:
        raise BadDataError("an outline has too many corners")
    parts = cell.split(";")
    if "(" in cell and "[" not in cell:  # WKT: POLYGON ((x y, x y), (x y, …))
        parts = [found[1] for found in re.finditer(r"\(([^()]+)\)", cell)]
    elif "]" in cell and ";" not in cell:
        parts = _listed(cell.translate(_BRACKETS))
    for part in parts:
        numbers = [float(number) for number in _NUMBER.findall(part)]
        if len(numbers) % 2 or len(numbers) < 2 * _CORNERS:
            raise BadDataError("an outline has fewer than three corners of two numbers each")
        yield np.array(numbers).reshape(-1, 2)


def _listed(cell: str) -> list[str]:
    """Return the numbers of each ring of nested lists: a list of more than two, or of pairs."""
    rings: list[str] = []
    for group in re.split(r"\]\s*\]", cell):
        lists = re.findall(r"\[([^\[\]]*)", group)
        pairs = " ".join(each for each in lists if len(_NUMBER.findall(each)) <= _PAIR)
        rings += [each for each in lists if len(_NUMBER.findall(each)) > _PAIR]
        rings += [pairs] if pairs.strip() else []
    is_whole = len(_NUMBER.findall(" ".join(rings))) == len(_NUMBER.findall(cell))
    return rings if rings and is_whole else [""]


class OutlineTables(WritableFormat):
    """A row has the path of a picture, a class, and an outline; or one corner, as x and y.

    Rows of a picture with the same `object` are of one object: a pixel belongs to it if an odd
    number of its outlines surrounds it, so that one inside another is a hole. Corners are in
    pixels, from the upper left corner of the picture. Later objects are in front.

    Headings: `path` (or image, file), `class`, `object`, `split`, and `outline` (or polygon,
    segmentation), or `x` and `y`. An outline is "x y x y …", with ";" between several; JSON lists
    and polygons in WKT are read, too.
    """

    name = "outline_tables"
    label = "CSV table with outlines"
    export = "csv"
    split_origin = "table column"
    writer = _Writer

    def accepts(self, files: AnnotatedFiles) -> bool:
        """Return True if a table has columns of pictures and outlines."""
        return next(self._tables(files), None) is not None

    def read(
        self, files: AnnotatedFiles, options: AnnotationOptions, progress: Progress
    ) -> Annotations:
        """Read the tables and find their pictures; see `AnnotationFormat.read`."""
        reading = _Reading(files)
        for path in self._tables(files, all_of_them=True):
            progress.check()
            progress.advance(0, 0, "Reading the annotations")
            reading.add(path)
        return reading.finished(options)

    def _tables(self, files: AnnotatedFiles, *, all_of_them: bool = False) -> Iterator[str]:
        for path in tables_in(files.labels, all_of_them=all_of_them):
            try:
                head = files.labels.head(path)
                table = read_table(head, path, is_head=len(head) >= _HEAD)
            except BadDataError:
                continue
            if _columns(table) is not None:
                yield path


def _columns(table: CellTable) -> dict[str, int] | None:
    """Return the columns by their meaning; None for a table without outlines of pictures."""
    words = [plain_word(cell) for cell in table.rows[0].cells] if table.rows else []
    found: dict[str, int] = {}
    for name, known in (*_WORDS.items(), ("split", tuple(SPLIT_WORDS))):
        at = next((words.index(word) for word in known if word in words), None)
        if at is not None and at not in found.values():
            found[name] = at
    has_corners = {"x", "y", "object"} <= found.keys()
    is_outline = "outline" in found or has_corners
    return found if "path" in found and is_outline else None


def _without_classes(count: int) -> list[Text]:
    return [
        message(
            'The table has no column of classes: all {count} objects are of one class, "{name}".',
            count=count,
            name=DEFAULT_CLASS,
        )
    ]
