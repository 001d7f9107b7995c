"""Rows of lists: the picture, the class and the split of each, and all columns of a table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from studio.engine.datasets.origins.columns import origin_column as proposed_column
from studio.engine.datasets.sources.shared.image_labels import joined_labels
from studio.engine.datasets.sources.shared.labels import bytes_of
from studio.engine.datasets.sources.shared.list_columns import (
    LABEL_WORDS,
    cells_of,
    class_warnings,
    flags_set,
    label_column,
    no_origin_column,
    one_hot_columns,
    refuse_masks,
    rival_warnings,
    split_column,
)
from studio.engine.datasets.sources.shared.list_paths import ListedFiles
from studio.engine.datasets.sources.shared.partitions import (
    PARTITION_FILE,
    PARTITIONS,
    partitions_beside,
)
from studio.engine.datasets.sources.shared.row_joins import joined_rows
from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import Text, message
from studio.engine.tables.cell_table import CellTable, TableRow, is_image_name, joined_cells
from studio.engine.tables.cells import class_names, is_missing, list_in
from studio.engine.tables.columns import PictureColumn, picture_column, plain_word
from studio.engine.tables.counted import counted_table
from studio.engine.tables.encoding import decoded
from studio.engine.tables.pictures import Grade
from studio.engine.tables.rows import read_table
from studio.engine.tasks.split_words import split_headings, split_of_cell, split_warnings

_SHOWN = 3
_EXAMINED = 100


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row of a list.

    Attributes:
        line: Its line in the file, from 1.
        path: Path, name or number of the picture.
        label: Its class; empty without one.
        split: Its split, or None.
        values: Its cells in the columns of the list.
        origin: Its cell in the column of origins; empty without one.
        refused: Why it cannot be used; empty if it can.
    """

    line: int
    path: str
    label: str = ""
    split: str | None = None
    values: tuple[str, ...] = ()
    origin: str = ""
    refused: Text = ""


@dataclass(slots=True)
class ListContent:
    """The content of a list.

    Attributes:
        rows: Its rows.
        columns: Names of the columns that rows have values in, if requested.
        delimiter: Character between the cells of a table; empty for a list of paths and labels.
        origin_column: Heading of the column of the origins of images; empty without one.
        problems: Line, text and reason of what cannot be read.
        warnings: Sentences about assumptions and conspicuous facts.
    """

    rows: list[ListedRow] = field(default_factory=list)
    columns: tuple[str, ...] = ()
    delimiter: str = ""
    origin_column: str = ""
    problems: list[tuple[int, str, Text]] = field(default_factory=list)
    warnings: list[Text] = field(default_factory=list)


def read_list(
    path: Path,
    files: ListedFiles,
    *,
    any_label: bool,
    columns: bool,
    joins_rows: bool = False,
    origin_column: str = "",
) -> ListContent:
    """Read a list.

    Args:
        path: The list.
        files: Finds the pictures.
        any_label: True if rows need no label.
        columns: True to read all columns of a table.
        joins_rows: True to join several rows of a table about the same image.
        origin_column: Heading of the column of the origins of images; empty to propose one.

    Raises:
        StudioError: It cannot be read, does not say which of its columns has the classes, or has
            no column of that name.
    """
    data = bytes_of(path, "source")
    try:
        counted = counted_table(data, path.name)
        if counted or columns or not _is_plain(path, data):
            table = counted or joined_labels(_table(data, path), path)
            reading = _TableList(path, table, files, origin_column)
            content = reading.content(any_label=any_label, columns=columns)
            return _joined(content) if joins_rows else content
        text, warning = decoded(data, path.name)
    except BadDataError as error:
        raise StudioError(
            "The table {file} cannot be read: {reason}.",
            "Choose a text file with a table.",
            "source",
            file=path,
            reason=error.message,
        ) from error
    content = ListContent(warnings=[warning] if warning else [])
    _refuse_partition(path, text)
    for number, line in enumerate(text.splitlines(), 1):
        _add_line(content, number, line.strip(), any_label=any_label)
    files.choose([row.path for row in content.rows])
    return content


def _table(data: bytes, path: Path) -> CellTable:
    """Return the table of a file.

    Raises:
        BadDataError: It is damaged; the message is a short reason.
        StudioError: Its rows are objects in images.
    """
    if path.name.casefold().endswith(".parquet"):
        # Imported only where pyarrow is installed.
        from studio.engine.datasets.sources.shared.tables import cell_table  # noqa: PLC0415

        return cell_table(path)
    table = read_table(data, str(path))
    if table.has_objects:
        raise StudioError(
            "{file} has objects with boxes, not classes of whole images.",
            "Choose the task detection, the folder of the images as the source, and this file as "
            "the annotations (--labels).",
            "source",
            file=path,
        )
    return table


def _joined(content: ListContent) -> ListContent:
    """Return the content with one row for each image, see `joined_rows`."""
    rows = content.rows
    joined = joined_rows(
        [(row.path, row.split) for row in rows], [row.values for row in rows], content.columns
    )
    kept = [replace(rows[index], values=values) for index, values in joined.values.items()]
    return replace(content, rows=kept, warnings=[*content.warnings, *joined.warnings])


def _refuse_partition(path: Path, text: str) -> None:
    """Refuse the list of the splits of CelebA, whose numbers are no classes.

    Raises:
        StudioError: It is this list.
    """
    words = {line.rpartition(" ")[2] for line in text.splitlines() if line.strip()}
    if "partition" in path.stem.casefold() and words <= set(PARTITIONS):
        raise StudioError(
            "{file} is a list of the splits of images, not of their classes.",
            "Import the table of the classes or labels beside it, such as list_attr_celeba.txt. "
            "Its images get the splits of this list.",
            "source",
            file=path,
        )


def _is_plain(path: Path, data: bytes) -> bool:
    """Return True if the label is the last word instead of a cell of a table."""
    if path.suffix.casefold() not in {".txt", ".lst"}:
        return False
    text, _ = decoded(data[: 2**16], path, is_head=True)
    first = next((line for line in text.splitlines() if line.strip()), "")
    return not (first.startswith('"') or any(delimiter in first for delimiter in "\t,;|"))


def _add_line(content: ListContent, number: int, text: str, *, any_label: bool) -> None:
    path, _, label = text.rpartition(" ")
    if path:
        content.rows.append(ListedRow(number, path.strip(), label))
    elif text and any_label:
        content.rows.append(ListedRow(number, label))
    elif text:
        content.problems.append((number, text, "the line has no path, space and label"))


class _TableList:
    """A list that is a table.

    Args:
        path: The list.
        table: Its rows.
        files: Finds the pictures.
        origin_column: Heading of the column of the origins; empty to propose one.
    """

    def __init__(
        self, path: Path, table: CellTable, files: ListedFiles, origin_column: str = ""
    ) -> None:
        self._path = path
        self._origin_heading = origin_column
        self._table = table
        self._files = files
        self._content = ListContent(delimiter=table.delimiter, warnings=list(table.warnings))
        for unread in table.unread:
            reason = unread.reason
            if unread.lines > 1:
                reason = message(
                    "{reason}; {count:,} lines from here on are left out",
                    reason=reason,
                    count=unread.lines,
                )
            self._content.problems.append((unread.line, unread.shown, reason))

    def content(self, *, any_label: bool, columns: bool) -> ListContent:
        """Return the rows with their class, or with all columns; see `read_list`."""
        if not self._table.rows:
            if columns:
                raise self._without_images([])
            return self._content
        picture = self._picture_column()
        if not picture.has_header and (columns or not self._names_images(picture.index)):
            raise self._without_images(self._table.rows[0].cells)
        if picture.warning:
            self._content.warnings.append(picture.warning)
        header = self._table.rows[0].cells if picture.has_header else ()
        rows = self._table.rows[1:] if picture.has_header else self._table.rows
        refuse_masks(self._path, header, rows)
        self._files.choose(cells_of(rows, picture.index))
        if columns:
            self._add_columns(header, rows, picture.index)
        else:
            self._add_classes(header, rows, picture.index, any_label=any_label)
        self._add_partitions()
        return self._content

    def _add_partitions(self) -> None:
        """Add the splits of the list of CelebA beside the table."""
        splits = partitions_beside(self._path)
        if not splits or any(row.split for row in self._content.rows):
            return
        rows = [replace(row, split=splits.get(row.path)) for row in self._content.rows]
        self._content.rows = rows
        self._content.warnings.append(
            message(
                "The splits were read from {file}, which names {count:,} of {total:,} images.",
                file=PARTITION_FILE,
                count=sum(row.split is not None for row in rows),
                total=len(rows),
            )
        )

    def _picture_column(self) -> PictureColumn:
        """Return the column of the pictures; names are searched only if no path leads to one."""
        found = picture_column(self._table, self._files.grade)
        rows = self._table.rows[found.has_header :]
        sample = cells_of(rows, found.index)[:100]
        if sum(self._files.grade(cell) == Grade.PATH for cell in sample) * 2 >= max(
            len(sample), 1
        ):
            return found
        self._files.search_names()
        return picture_column(self._table, self._files.grade)

    def _names_images(self, column: int) -> bool:
        """Return True if a column has something like a path, be it of missing images."""
        sample = cells_of(self._table.rows, column)[:_EXAMINED]
        return any(
            "/" in cell or "\\" in cell or is_image_name(cell) or self._files.grade(cell)
            for cell in sample
        )

    def _without_images(self, header: Sequence[str]) -> StudioError:
        return StudioError(
            "The first line of {file} names no column of images; its columns are {columns}.",
            "Name the column with the file names path, and give the other columns names.",
            "source",
            file=self._path,
            columns=", ".join(header[:8]) or message("nothing"),
        )

    def _skip(self, row: TableRow, reason: Text) -> None:
        self._content.problems.append((row.line, joined_cells(row.cells), reason))

    def _add_columns(self, header: Sequence[str], rows: Sequence[TableRow], picture: int) -> None:
        split = split_column(header, rows, {picture})
        origin = self._origin_column(header, rows, {picture, split})
        others = [index for index in range(len(header)) if index not in (picture, split)]
        names = [header[index] or f"Unnamed: {index}" for index in others]
        self._require_own_names(names)
        self._content.columns = tuple(names)
        self._content.origin_column = header[origin] if origin is not None else ""
        headings = self._split_headings(header, rows, split)
        for row in rows:
            cells = row.cells
            if _is_other_width(cells, len(header), fewest=len(header)):
                self._skip(row, _width_reason(cells, len(header)))
            elif is_missing(cells[picture]):
                self._skip(row, "the line names no image")
            else:
                part = None if split is None else split_of_cell(cells[split], headings, split)
                values = tuple(cells[index] for index in others)
                self._content.rows.append(
                    ListedRow(
                        row.line,
                        cells[picture],
                        split=part,
                        values=values,
                        origin=_cell(cells, origin),
                    )
                )

    def _require_own_names(self, names: list[str]) -> None:
        if len(set(names)) < len(names):
            raise StudioError(
                "The columns of {file} need unique names; received {columns}.",
                "Use a different name for each column.",
                "source",
                file=self._path,
                columns=", ".join(names[:12]),
            )

    def _split_headings(
        self, header: Sequence[str], rows: Sequence[TableRow], split: int | None
    ) -> Sequence[str]:
        """Return the headings by which cells are splits, and report cells that name none."""
        if split is None:
            return header
        cells = Counter(cells_of(rows, split))
        headings = split_headings(header, split, cells)
        name = header[split] if split < len(header) else str(split + 1)
        self._content.warnings += split_warnings(name, cells, headings, split)
        return headings

    def _add_classes(
        self, header: Sequence[str], rows: Sequence[TableRow], picture: int, *, any_label: bool
    ) -> None:
        width = len(header) or Counter(len(row.cells) for row in rows).most_common(1)[0][0]
        split = split_column(header, rows, {picture})
        origin = self._origin_column(header, rows, {picture, split})
        if width - len({picture, split, origin} - {None}) < 1:
            origin = None  # the only column beside the images has the classes
        taken = {picture, split, origin}
        flags = [] if any_label else one_hot_columns(header, rows, taken)
        label = None
        if not flags:
            label = label_column(self._path, header, rows, taken, any_label=any_label)
        headings = self._split_headings(header, rows, split)
        needed = max(picture, label or 0, *flags)
        used: list[TableRow] = []
        for row in rows:
            # A row may lack the cells that are not needed.
            if _is_other_width(row.cells, width, fewest=needed + 1):
                reason = "the line has no path and label" if len(row.cells) <= needed else ""
                self._skip(row, reason or _width_reason(row.cells, width))
            elif is_missing(row.cells[picture]):
                self._skip(row, "the line has no path and label")
            else:
                used.append(row)
        labels = [_label_of(row, label, flags, header) for row in used]
        if label is not None:
            name = header[label] if header else str(label + 1)
            self._content.warnings += class_warnings(name, labels)
            self._content.warnings += rival_warnings(header, rows, label, taken)
        for row, name in zip(used, class_names(labels), strict=True):
            part = (
                split_of_cell(row.cells[split], headings, split)
                if split is not None and split < len(row.cells)
                else None
            )
            refused = _no_single_label(name)
            own = "" if is_missing(name) else name
            self._content.rows.append(
                ListedRow(
                    row.line,
                    row.cells[picture],
                    own,
                    part,
                    origin=_cell(row.cells, origin),
                    refused=refused,
                )
            )
        self._content.origin_column = header[origin] if origin is not None else ""

    def _origin_column(
        self, header: Sequence[str], rows: Sequence[TableRow], taken: set[int | None]
    ) -> int | None:
        """Return the column of the origins of the images, by its heading or its values.

        Raises:
            StudioError: There is no column of the requested heading.
        """
        heading = self._origin_heading
        if heading and heading not in header:
            raise no_origin_column(self._path, heading, header)
        if heading:
            return list(header).index(heading)
        free = [
            "" if index in taken or plain_word(name) in LABEL_WORDS else name
            for index, name in enumerate(header)
        ]
        return proposed_column(free, [row.cells for row in rows])


def _label_of(
    row: TableRow, label: int | None, flags: Sequence[int], header: Sequence[str]
) -> str:
    """Return the class of a row: its cell, or the heading of the column that has a 1."""
    if not flags:
        return "" if label is None else row.cells[label]
    found = [header[index] for index in flags_set(row, flags)]
    return found[0] if len(found) == 1 else json.dumps(found, ensure_ascii=False)


def _cell(cells: Sequence[str], column: int | None) -> str:
    """Return a cell of a column; empty for a missing value, or without the column."""
    cell = cells[column] if column is not None and column < len(cells) else ""
    return "" if is_missing(cell) else cell


def _is_other_width(cells: Sequence[str], width: int, *, fewest: int) -> bool:
    return len(cells) < fewest or any(cells[width:])


def _width_reason(cells: Sequence[str], columns: int) -> str:
    return message(
        "the line has {count} cells; there are {columns} columns",
        count=len(cells),
        columns=columns,
    )


def _no_single_label(name: str) -> Text:
    if name and is_missing(name):
        return message('it has no label: "{word}" means a missing value', word=name)
    values = list_in(name) if name[:1] in "[({" else None
    if values is None:
        return ""
    if not values:
        return "it has no label"
    return message(
        "it has {count} labels, {labels}; lists of labels are for the task multi_label",
        count=len(values),
        labels=", ".join(values[:_SHOWN]),
    )
