"""Boxes in the rows of tables, by the layout of their columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from studio.engine.errors import StudioError
from studio.engine.messages import Text, message
from studio.engine.tables.cell_table import TableRow
from studio.engine.tables.cells import class_names, is_missing
from studio.engine.tables.numbers import number_columns, without_unit
from studio.engine.tasks.detection.box_evidence import are_halves, are_pushed, sized
from studio.engine.tasks.detection.formats.csv_columns import (
    BoxColumns,
    four_numbers,
    is_empty_box,
    via_class,
    via_shape,
)

_FEWEST_ALIKE = 3
"""Boxes from which on it is conspicuous that all of them have one size."""
_SIZES_EXAMINED = 50
"""Boxes whose pictures are opened to learn if four numbers are two corners."""
_LEAVING = 0.1
"""Fraction of boxes that leave their images, from which on they may be something else."""
_ONLY_CLASS = "object"
_UNITS = {"": 1.0, "px": 1.0, "%": 0.01}
"""Units of sides; percent become fractions of the picture."""
Corners: TypeAlias = tuple[float, ...]
"""Left, top, right and bottom."""
SizeOf: TypeAlias = Callable[[TableRow], tuple[int, int] | None]
"""Returns width and height of the picture of a row; None if they are unknown."""


class RowBox(NamedTuple):
    """The box of a row.

    Attributes:
        corners: Left, top, right and bottom; None if the row has no box.
        label: Its class; empty if there is none.
    """

    corners: Corners | None
    label: str


def boxes_of(
    rows: Sequence[TableRow],
    columns: BoxColumns,
    delimiter: str,
    warnings: list[Text],
    size_of: SizeOf,
) -> list[RowBox]:
    """Return the box and the class of each row.

    Args:
        rows: The rows.
        columns: The columns of the table.
        delimiter: Character between the cells.
        warnings: Receives sentences about assumptions.
        size_of: Returns the size of the picture of a row.
    """
    if columns.kind == "via":
        corners = [via_shape(cell_of(row, columns.sides[0])) for row in rows]
    elif columns.kind == "list":
        corners = _of_lists(rows, columns, warnings, size_of)
    else:
        corners = _of_columns(rows, columns, delimiter, warnings, size_of)
    return [
        RowBox(each, "" if is_missing(name) else name)
        for each, name in zip(corners, _labels(rows, columns, corners, warnings), strict=True)
    ]


def _labels(
    rows: Sequence[TableRow],
    columns: BoxColumns,
    corners: Sequence[Corners | None],
    warnings: list[Text],
) -> list[str]:
    """Return the class of each row; in a table without classes one for all that have a box."""
    if columns.kind == "via":
        return [via_class(cell_of(row, columns.label)) for row in rows]
    if columns.label is not None:
        return class_names([cell_of(row, columns.label) for row in rows])
    labels = ["" if each is None else _ONLY_CLASS for each in corners]
    warning = message(
        'The table has no column of classes: all {count} boxes are of one class, "{name}".',
        count=len(labels) - labels.count(""),
        name=_ONLY_CLASS,
    )
    warnings.append(warning)
    return labels


def _of_lists(
    rows: Sequence[TableRow],
    columns: BoxColumns,
    warnings: list[Text],
    size_of: SizeOf,
) -> list[Corners | None]:
    """Return the boxes of a column with four numbers in a cell."""
    cells = [cell_of(row, columns.sides[0]) for row in rows]
    found = [
        None if is_empty_box(cell) else four_numbers(cell) or (math.nan,) * 4 for cell in cells
    ]
    are_corners = columns.is_xyxy
    if are_corners is None:
        are_corners = _are_corners(rows, found, size_of)
    if are_corners is None:
        warning = message(
            'The {count} boxes of the column "{column}" were read as left, top, width and height. '
            'If they are left, top, right and bottom, call it "bbox_xyxy".',
            count=sum(each is not None for each in found),
            column=columns.names[columns.sides[0]],
        )
        warnings.append(warning)
    if are_corners:
        return found
    return [each if each is None else _from_size(each) for each in found]


def _are_corners(
    rows: Sequence[TableRow],
    found: Sequence[Corners | None],
    size_of: SizeOf,
) -> bool | None:
    """Return True if four numbers are two corners, False if they are a corner and a size.

    Returns:
        None if both are possible, in as many pictures as are examined.
    """
    boxes = [
        (row, each)
        for row, each in zip(rows, found, strict=True)
        if each is not None and not any(map(math.isnan, each))
    ]
    if any(right <= left or bottom <= top for _, (left, top, right, bottom) in boxes):
        return False
    if all(max(box) <= 1 for _, box in boxes):  # fractions of the picture
        return (
            True if any(box[0] + box[2] > 1 or box[1] + box[3] > 1 for _, box in boxes) else None
        )
    for row, (left, top, width, height) in boxes[:: max(1, len(boxes) // _SIZES_EXAMINED)]:
        size = size_of(row)
        # A picture may be stored turned by its EXIF data.
        if size is not None and (
            max(left + width, top + height) > max(size) + 1
            or min(left + width, top + height) > min(size) + 1
        ):
            return True
    return None


def _of_columns(
    rows: Sequence[TableRow],
    columns: BoxColumns,
    delimiter: str,
    warnings: list[Text],
    size_of: SizeOf,
) -> list[Corners | None]:
    """Return the boxes of columns of numbers."""
    cells = [[cell_of(row, side) for row in rows] for side in columns.sides]
    names = [columns.names[side] if columns.names else str(side + 1) for side in columns.sides]
    plain = [without_unit(column) for column in cells]
    units = {unit for _, unit in plain}
    factor = _UNITS.get(units.pop(), 0.0) if len(units) == 1 else 0.0
    texts = [text for text, _ in plain] if factor else cells
    read = number_columns(texts, names, delimiter)
    warnings += [each.warning for each in read if each.warning]
    factor = factor or 1.0
    numbers = [
        tuple(side * factor for side in box)
        for box in zip(*(each.values for each in read), strict=True)
    ]
    found = [
        None if _is_empty(text, box) else _CORNERS_OF[columns.kind](box)
        for text, box in zip(zip(*cells, strict=True), numbers, strict=True)
    ]
    if columns.kind == "sides" and columns.names:
        _refuse_other_sides(rows, numbers, columns, size_of)
        warnings += _centers(rows, numbers, columns, size_of)
    if columns.kind == "sides" and columns.size is None and columns.names:
        warnings += _same_sizes(columns, [box for box in numbers if not math.isnan(sum(box))])
    return found


def _refuse_other_sides(
    rows: Sequence[TableRow], numbers: Sequence[Corners], columns: BoxColumns, size_of: SizeOf
) -> None:
    """Refuse boxes of which many leave their images, and none would with another meaning.

    Raises:
        StudioError: They are such.
    """
    boxes = [
        (row, box)
        for row, box in zip(rows, numbers, strict=True)
        if not math.isnan(sum(box)) and min(box[2:]) > 0
    ]
    are_fractions = all(max(box) <= 1 for _, box in boxes)
    step = 1 if are_fractions else max(1, len(boxes) // _SIZES_EXAMINED)
    slack = 0.005 if are_fractions else 1.0
    sized = [
        (box, size)
        for row, box in boxes[::step]
        if (size := (1, 1) if are_fractions else size_of(row)) is not None
    ]
    beyond = sum(not _fits(_from_size(box), size, slack) for box, size in sized)
    if beyond <= max(_LEAVING * len(sized), _FEWEST_ALIKE - 1):
        return
    x, y, width, height = (columns.names[side] for side in columns.sides)
    facts = {"count": beyond, "total": len(sized)}
    if all(_fits(_from_center(box), size, slack) for box, size in sized):
        raise StudioError(
            "{count} of {total} boxes leave their images if “{x}” and “{y}” are the left and "
            "upper side, and none does if they are the center.",
            "If they are the center, call the columns x_center and y_center.",
            "annotations",
            x=x,
            y=y,
            **facts,
        )
    if all(box[0] < box[2] and box[1] < box[3] and _fits(box, size, slack) for box, size in sized):
        raise StudioError(
            "{count} of {total} boxes leave their images if “{width}” and “{height}” are the "
            "width and height, and none does if they are the right and lower side.",
            "If they are the right and lower side, call the columns xmin, ymin, xmax and ymax.",
            "annotations",
            width=width,
            height=height,
            **facts,
        )


def _centers(
    rows: Sequence[TableRow], numbers: Sequence[Corners], columns: BoxColumns, size_of: SizeOf
) -> list[Text]:
    """Return a sentence if boxes that leave no image may have their center as left and top.

    Raises:
        StudioError: They certainly have.
    """
    x, y = (columns.names[side] for side in columns.sides[:2])
    boxes = [
        (row, np.array(box))
        for row, box in zip(rows, numbers, strict=True)
        if not math.isnan(sum(box)) and min(box[2:]) > 0
    ]
    if are_halves(np.array([box for _, box in boxes]).reshape(-1, 4)):
        raise StudioError(
            "“{x}” and “{y}” of {count} boxes are whole pixels where width and height are even, "
            "and half pixels where they are odd, as centers are.",
            "If they are the center, call the columns x_center and y_center.",
            "annotations",
            x=x,
            y=y,
            count=len(boxes),
        )
    by_picture: dict[str, list[int]] = {}
    for index, (row, _) in enumerate(boxes):
        by_picture.setdefault(cell_of(row, columns.path), []).append(index)
    entries = (
        (picture, np.stack([boxes[index][1] for index in mine]), size_of(boxes[mine[0]][0]))
        for picture, mine in [*by_picture.items()][:_SIZES_EXAMINED]
    )
    if not are_pushed(sized(entries, lambda _: None)):
        return []
    return [
        message(
            "No box is near the left or the upper border of its image, and many are near the "
            "right one. If “{x}” and “{y}” are the center of a box, call the columns x_center "
            "and y_center.",
            x=x,
            y=y,
        )
    ]


def _fits(box: Corners, size: tuple[int, int], slack: float) -> bool:
    """Return True if a box lies inside of an image, which may be stored turned."""
    left, top, right, bottom = box
    is_inside = min(left, top) >= -slack
    return is_inside and any(
        right <= width + slack and bottom <= height + slack for width, height in (size, size[::-1])
    )


def _is_empty(texts: Sequence[str], box: Corners) -> bool:
    """Return True if a row has no box: its cells are empty, or all of them are -1."""
    return all(map(is_missing, texts)) or all(side == -1 for side in box)


def _same_sizes(columns: BoxColumns, boxes: Sequence[Corners]) -> Iterator[Text]:
    """Yield a warning if boxes at different places all have one size: that of the images?"""
    sizes, places = {box[2:] for box in boxes}, {box[:2] for box in boxes}
    if len(sizes) == 1 and len(places) >= _FEWEST_ALIKE:
        width, height = sizes.pop()
        yield message(
            "All {count} boxes have one size, {width:g} x {height:g}, from the columns "
            '"{width_column}" and "{height_column}". Check that it is not the size of the images.',
            count=len(boxes),
            width=width,
            height=height,
            width_column=columns.names[columns.sides[2]],
            height_column=columns.names[columns.sides[3]],
        )


def _from_size(box: Corners) -> Corners:
    left, top, width, height = box
    return left, top, left + width, top + height


def _from_center(box: Corners) -> Corners:
    x, y, width, height = box
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _from_vertices(box: Corners) -> Corners:
    """Return the corners of a box with two or four vertices; the others are NaN."""
    xs, ys = ([side for side in box[start::2] if not math.isnan(side)] for start in (0, 1))
    if len(xs) < 2 or len(ys) < 2:
        return (math.nan,) * 4
    return min(xs), min(ys), max(xs), max(ys)


_CORNERS_OF: dict[str, Callable[[Corners], Corners]] = {
    "edges": tuple,
    "sides": _from_size,
    "center": _from_center,
    "vertices": _from_vertices,
}


def cell_of(row: TableRow, column: int | None) -> str:
    """Return the cell of a column.

    Args:
        row: The row.
        column: Index of the column; None for a column that the table lacks.

    Returns:
        Its text; empty if there is none.
    """
    return row.cells[column] if column is not None and column < len(row.cells) else ""
