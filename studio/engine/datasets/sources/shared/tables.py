"""Columns of Parquet tables. Imported only where pyarrow is installed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from studio.engine.datasets.origins.columns import kind_of_column
from studio.engine.datasets.origins.columns import origin_column as proposed_column
from studio.engine.datasets.sources import base
from studio.engine.datasets.sources.shared import labels
from studio.engine.datasets.sources.shared.list_columns import LABEL_WORDS, no_origin_column
from studio.engine.errors import BadDataError
from studio.engine.tables.cell_table import CellTable, TableRow, is_image_name
from studio.engine.tables.cells import is_missing
from studio.engine.tables.columns import SPLIT_WORDS, plain_word
from studio.engine.tasks.split_words import split_of_cell

_IMAGES = ("image", "img", "images", "picture", "photo", "pixels")
_LABELS = ("label", "labels", "fine_label", "class", "category", "target", "y")
_ROWS_AT_ONCE = 64
_EXAMINED = 50
_PROPOSED_FROM = 20_000
"""Rows from which a column of origins is proposed."""
_LONGEST_BYTES = 4 * labels.LONGEST_LABEL


def add_rows(
    scan: base.Scan, file: Path, key: str, split: str | None, options: base.SourceOptions
) -> tuple[tuple[str, ...], Counter[str]]:
    """List the images of one file.

    Args:
        scan: Receives the images.
        file: The file.
        key: Its path relative to the source.
        split: Split of the images; None if the source defines none.
        options: Classes and columns of the recipe.

    Returns:
        The heading of the column of splits and then all others, and how often each cell of that
        column occurs.

    Raises:
        BadDataError: The file is damaged or lacks columns of images and labels; a short reason.
        OSError: It cannot be read.
    """
    with _opened(file) as table:
        image = _image_column(table)
        column = "" if options.columns else _label_column(table)
        labels.require_plausible_count(table.metadata.num_rows, file)
        fields = [
            field
            for field in table.schema_arrow
            if field.name not in (image, column) and _is_cell(field.type)
        ]
    origin = _origin_column(scan, file, fields, options)
    if options.columns:
        return _add_targets(scan, file, key, split, fields, origin)
    header = _split_header(fields)
    divides = header[0]
    read = [column, *filter(None, dict.fromkeys((origin, divides)))]
    # A text that a file holds once and names often is then in memory once.
    with _opened(file, read) as table:
        names = labels.names_from(options) or _names_in(table, column)
        modified = base.modified_at(file)
        position, words = 0, Counter[str]()
        for batch in table.iter_batches(columns=read):
            origins = _origins_of(table, batch, origin)
            parts = _labels_of(batch.column(divides)) if divides else repeat("", len(batch))
            rows = zip(_labels_of(batch.column(column)), parts, origins, strict=True)
            for label, part, film in rows:
                own = split_of_cell(str(part), header)
                words[str(part)] += 1
                scan.split_origin = "table column" if own else scan.split_origin
                row = f"{key}/{position}"
                try:
                    name = _class_of(label, names)
                except BadDataError as error:
                    scan.problems.append(base.Skipped(row, error.message))
                else:
                    item = base.SourceImage(row, name, own or split, -1, modified, position)
                    scan.items.append(replace(item, origin=film))
                position += 1
    return header, words


def _origin_column(
    scan: base.Scan, file: Path, fields: Sequence[pa.Field], options: base.SourceOptions
) -> str:
    """Return the column of the origins of images; empty without one. Its kind is added to a scan.

    Args:
        scan: The images of files before; their column is that of all files.
        file: Path of the table.
        fields: Columns that are neither images nor labels.
        options: May name the column.

    Raises:
        StudioError: There is no column of the requested heading.
    """
    free, requested = [str(field.name) for field in fields], options.origin_column
    if requested and requested not in free:
        raise no_origin_column(file, requested, free)
    found = requested or (scan.origin_column if scan.origin_column in free else "")
    if not found and not scan.items:
        found = _proposed_origins(file, fields)
    if found:
        scan.origin_column, scan.origin_kind = found, kind_of_column(found)
    return found


def _proposed_origins(file: Path, fields: Sequence[pa.Field]) -> str:
    """Return the column of plain values that seems to name the origins; empty without one."""
    header = [
        str(field.name)
        for field in fields
        if not (pa.types.is_list(field.type) or pa.types.is_large_list(field.type))
        and plain_word(field.name) not in LABEL_WORDS
        and plain_word(field.name) not in SPLIT_WORDS
    ]
    if not header:
        return ""
    with _opened(file, header) as table:  # a text that a file holds once is in memory once
        batch = next(table.iter_batches(_PROPOSED_FROM, columns=header), None)
        columns = [] if batch is None else [_origins_of(table, batch, name) for name in header]
    index = proposed_column(header, list(zip(*columns, strict=True)))
    return "" if index is None else header[index]


def _origins_of(table: pq.ParquetFile, batch: pa.RecordBatch, column: str) -> list[str]:
    """Return the cells of a column of origins; empty texts for missing values, or without it."""
    if not column:
        return [""] * len(batch)
    names, found = _names_in(table, column), []
    for value in _labels_of(batch.column(column)):
        try:
            text = _cell(value, names)
        except BadDataError:
            text = ""
        found.append("" if is_missing(text) else text)
    return found


def _add_targets(
    scan: base.Scan,
    file: Path,
    key: str,
    split: str | None,
    fields: Sequence[pa.Field],
    origin: str,
) -> tuple[tuple[str, ...], Counter[str]]:
    """List images with their cells in all columns of numbers, texts and lists; see `add_rows`.

    Raises:
        BadDataError: The columns differ from those of the first file.
    """
    requested = [str(field.name) for field in fields]
    header = _split_header(fields)
    divides = header[0]
    columns = tuple(name for name in requested if name not in (divides, origin))
    if scan.columns and columns != scan.columns:
        raise BadDataError(
            "its columns are {columns}; those of the first file are {expected}",
            columns=", ".join(columns),
            expected=", ".join(scan.columns),
        )
    texts = [str(field.name) for field in fields if pa.types.is_string(field.type)]
    with _opened(file, texts) as table:
        scan.columns = columns
        scan.split_origin = "table column" if divides else scan.split_origin
        known = {name: _names_in(table, name) for name in columns}
        modified = base.modified_at(file)
        position, words = 0, Counter[str]()
        for batch in table.iter_batches(columns=requested):
            cells = {name: _labels_of(batch.column(name)) for name in requested}
            origins = _origins_of(table, batch, origin)
            for film, row in zip(origins, zip(*cells.values(), strict=True), strict=True):
                values = dict(zip(requested, row, strict=True))
                word = str(values.pop(divides, ""))
                own = split_of_cell(word, header) or split
                words[word] += 1
                try:
                    texts_of_row = tuple(_cell(values[name], known[name]) for name in columns)
                except BadDataError as error:
                    scan.problems.append(base.Skipped(f"{key}/{position}", error.message))
                else:
                    item = base.SourceImage(f"{key}/{position}", "", own, -1, modified, position)
                    scan.items.append(replace(item, values=texts_of_row, origin=film))
                position += 1
    return header, words


def _split_header(fields: Sequence[pa.Field]) -> tuple[str, ...]:
    """Return the name of the column of splits, empty without one, and those of all others."""
    names = {plain_word(field.name): str(field.name) for field in reversed(fields)}
    found = next((names[word] for word in SPLIT_WORDS if word in names), "")
    return found, *(str(field.name) for field in fields if field.name != found)


def _is_cell(kind: pa.DataType) -> bool:
    """Return True for types of targets: numbers, texts, booleans, and lists of these."""
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return bool(pa.types.is_integer(kind.value_type) or pa.types.is_string(kind.value_type))
    return any(
        matches(kind)
        for matches in (
            *(pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean),
            *(pa.types.is_string, pa.types.is_large_string, pa.types.is_dictionary),
        )
    )


def _cell(value: object, names: list[str]) -> str:
    """Return a value as the text that a table would hold; a list as names with semicolons."""
    if isinstance(value, list):
        parts = [_cell(part, names) for part in value]
        if any(";" in part for part in parts):
            raise BadDataError("a label that contains a semicolon cannot be in a list")
        return "".join(f"{part};" for part in parts)
    if value is None:
        return ""
    if isinstance(value, dict):  # an image that is a path alone
        value = value.get("path") or ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int) and names:
        return labels.name_of(value, names)
    text = str(value)
    return labels.checked_label(text) if text else text


def _labels_of(column: pa.Array) -> Iterator[object]:
    """Return the labels of a batch; another that is too long stands for one that is."""
    if not pa.types.is_dictionary(column.type):
        yield from column.to_pylist()
        return
    words: list[object] = []
    for word in column.dictionary:
        is_text = pa.types.is_string(word.type) or pa.types.is_binary(word.type)
        is_long = is_text and word.is_valid and word.as_buffer().size > _LONGEST_BYTES
        words.append(_LONGEST_BYTES * "?" if is_long else word.as_py())
    for index in column.indices.to_pylist():
        yield None if index is None else words[index]


def read_rows(file: Path, indices: dict[int, int]) -> Iterator[tuple[int, base.Fetch]]:
    """Yield the images of some rows, in order.

    Args:
        file: The file.
        indices: Index of the image by row.
    """
    with _opened(file) as table:
        column = _image_column(table)
        start = 0
        for group in range(table.num_row_groups):
            rows = table.metadata.row_group(group).num_rows
            if any(start <= index < start + rows for index in indices):
                yield from _read_group(table, group, column, (start, indices))
            start += rows


def _read_group(
    table: pq.ParquetFile, group: int, column: str, requested: tuple[int, dict[int, int]]
) -> Iterator[tuple[int, base.Fetch]]:
    position, indices = requested
    # A row may be all that the group holds, and each row the same. The metadata of its columns is
    # more exact, but where that is damaged asking for it ends the process (pyarrow 26).
    size = table.metadata.row_group(group).total_byte_size
    rows_at_once = min(_ROWS_AT_ONCE, max(1, labels.LARGEST_ROW // max(1, size)))
    for batch in table.iter_batches(rows_at_once, row_groups=[group], columns=[column]):
        values = batch.column(0)
        for row in range(len(values)):
            if position in indices:
                yield indices[position], partial(_bytes_of, values[row].as_py())
            position += 1


def _bytes_of(value: object) -> bytes:
    if isinstance(value, dict):
        if value.get("bytes") is None and value.get("path"):
            raise BadDataError("the table contains only the path of this image, not the image")
        value = value.get("bytes")
    if not isinstance(value, bytes):
        raise BadDataError("the row contains no image")
    if len(value) > base.LARGEST_FILE:
        raise base.too_large()
    return value


class _Opened:
    """A table whose damage, whenever it shows, is one short reason."""

    def __init__(self, file: Path, dictionaries: Sequence[str]) -> None:
        self._file = file
        self._dictionaries = list(dictionaries)
        self._table: pq.ParquetFile | None = None

    def __enter__(self) -> pq.ParquetFile:
        try:
            self._table = pq.ParquetFile(
                self._file, memory_map=False, read_dictionary=self._dictionaries
            )
        except pa.ArrowException as error:
            raise self._damaged() from error
        return self._table

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._table is not None:
            self._table.close()
        if isinstance(error, pa.ArrowException) or (
            isinstance(error, OSError) and not error.errno
        ):
            raise self._damaged() from error

    def _damaged(self) -> BadDataError:
        return BadDataError("the table is damaged or truncated", where=str(self._file))


def _opened(file: Path, dictionaries: Sequence[str] = ()) -> _Opened:
    return _Opened(file, dictionaries)


def _image_column(table: pq.ParquetFile) -> str:
    fields = [field for field in table.schema_arrow if _holds_images(field.type)]
    for name in _IMAGES:
        for field in fields:
            if field.name.casefold() == name:
                return str(field.name)
    if not fields:
        raise BadDataError("it has no column of images, only {columns}", columns=_shown(table))
    return str(fields[0].name)


def names_files(file: Path) -> bool:
    """Return True if a table has no images, but texts or paths that are names of images.

    Raises:
        BadDataError: The file is damaged; the message is a short reason.
    """
    with _opened(file) as table:
        images = [field for field in table.schema_arrow if _holds_images(field.type)]
        for field in images:
            if not (_names_paths(field.type) and _has_paths_alone(table, field.name, file.parent)):
                return False
    rows = cell_table(file, rows=_EXAMINED).rows[1:]
    return any(is_image_name(cell) for row in rows for cell in row.cells)


def _has_paths_alone(table: pq.ParquetFile, column: str, folder: Path) -> bool:
    """Return True if the first images are paths of files, without bytes.

    Args:
        table: The table.
        column: Its column of images.
        folder: Folder where paths begin. Images are only decoded if one leads to a file.
    """
    first = next(table.iter_batches(_EXAMINED, columns=[f"{column}.path"]), None)
    paths = [] if first is None else first.column(0).field("path").to_pylist()
    if not any(path and (folder / path).is_file() for path in paths):
        return False
    images = next(table.iter_batches(_EXAMINED, columns=[column])).column(0)
    return bool(images.field("bytes").null_count == len(images))


def _names_paths(kind: pa.DataType) -> bool:
    return bool(pa.types.is_struct(kind) and kind.get_field_index("path") >= 0)


def cell_table(file: Path, rows: int = -1) -> CellTable:
    """Return the columns of numbers, texts and lists as a table of cells.

    Args:
        file: The file.
        rows: Number of the first rows to read; -1 for all.

    Raises:
        BadDataError: The file is damaged; the message is a short reason.
    """
    with _opened(file) as table:
        names = [
            str(field.name)
            for field in table.schema_arrow
            if _is_cell(field.type) or _names_paths(field.type)
        ]
        known = {name: _names_in(table, name) for name in names}
        found = [TableRow(1, tuple(names))]
        for batch in table.iter_batches(columns=names):
            columns = [_labels_of(batch.column(name)) for name in names]
            for values in zip(*columns, strict=True):
                cells = (
                    _cell(value, known[name]) for name, value in zip(names, values, strict=True)
                )
                found.append(TableRow(len(found) + 1, tuple(cells)))
                if len(found) > rows >= 0:
                    return CellTable("\t", found)
    return CellTable("\t", found)


def _holds_images(kind: pa.DataType) -> bool:
    if pa.types.is_struct(kind):
        return any(kind.field(i).name == "bytes" for i in range(kind.num_fields))
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _label_column(table: pq.ParquetFile) -> str:
    names = {field.name.casefold(): str(field.name) for field in table.schema_arrow}
    for name in _LABELS:
        if name in names:
            return names[name]
    raise BadDataError("it has no column of labels, only {columns}", columns=_shown(table))


def _shown(table: pq.ParquetFile) -> str:
    return ", ".join(str(name) for name in table.schema_arrow.names[:8])


def _names_in(table: pq.ParquetFile, column: str) -> list[str]:
    """Return the names of the classes, which the Hugging Face library keeps in the schema."""
    raw = (table.schema_arrow.metadata or {}).get(b"huggingface")
    try:
        features: dict[str, Any] = json.loads(raw or b"{}")["info"]["features"]
        feature = features[column]
        names = feature.get("feature", feature)["names"]  # of a list, or of a single label
    except (ValueError, KeyError, TypeError, AttributeError):
        return []
    if isinstance(names, dict):  # as older versions wrote them: {"0": "cat", …}
        names = [names.get(str(index)) for index in range(len(names))]
    return [str(name) for name in names] if isinstance(names, list) else []


def _class_of(label: object, names: list[str]) -> str:
    if isinstance(label, bool) or label is None or is_missing(str(label)):
        raise BadDataError("it has no label")
    if isinstance(label, float) and label.is_integer():  # whole numbers beside an empty cell
        label = int(label)
    if isinstance(label, int):
        return labels.name_of(label, names)
    if isinstance(label, str):
        return labels.checked_label(label)
    raise BadDataError("its label is neither a name nor a whole number")
