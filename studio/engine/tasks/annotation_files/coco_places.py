"""Places of the objects of COCO files: their boxes, and those around their outlines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.tables.cells import list_in
from studio.engine.tasks.annotation_files.polygons import Points, points_of
from studio.engine.tasks.annotation_files.reports import Tally
from studio.engine.tasks.annotation_files.rle import box_around, runs_of
from studio.engine.tasks.annotation_files.values import number_in, size_in

Corners = tuple[float, float, float, float]
_OUTLINES: Final = 1000
"""Number of outlines that are compared with their boxes."""
_OVERLAP: Final = 0.5
"""Intersection over union of a box and its outline below which they belong to other places."""
_CONSPICUOUS: Final = 0.2
"""Fraction of such boxes from which on they are no single mistakes."""


class OutlinePlaces:
    """Compares the boxes of objects with their outlines."""

    def __init__(self) -> None:
        self._compared = 0
        self._elsewhere = Tally()

    def add(self, entry: Mapping[str, Any], place: str) -> None:
        """Compare the box of an object with its outline, if it has both.

        Args:
            entry: The whole annotation.
            place: Its name, for reports.
        """
        outline = entry.get("segmentation")
        if self._compared >= _OUTLINES or not outline:
            return
        box = corners_of({"bbox": entry.get("bbox")})
        around = _around(outline) if box is not None else []
        if box is not None and around and np.isfinite(box).all():
            self._compared += 1
            if max(_overlap(box, each) for each in around) < _OVERLAP:
                self._elsewhere.add(place)

    def warnings(self) -> list[Text]:
        """Return a sentence if many boxes lie elsewhere than their outlines."""
        if self._elsewhere.count <= self._compared * _CONSPICUOUS:
            return []
        return [
            message(
                "{count} of {total} boxes, such as {first}, lie elsewhere than the outlines of "
                "their objects. Check in the preview that those that are used belong to the "
                "images.",
                count=self._elsewhere.count,
                total=self._compared,
                first=self._elsewhere.first,
            )
        ]


def corners_of(entry: Mapping[str, Any]) -> Corners | None:
    """Return the corners of an object; None if it has neither a box nor an outline."""
    box = values_of_box(entry)
    if len(box) == 4:
        left, top, width, height = map(number_in, box)
        return left, top, left + width, top + height
    return next(iter(_around(entry.get("segmentation"))), None)


def values_of_box(entry: Mapping[str, Any]) -> list[Any]:
    """Return the values of the box of an object, also of a text such as "[1, 2, 3, 4]"."""
    box = entry.get("bbox")
    if isinstance(box, str):
        box = list_in(box) or []
    return box if isinstance(box, list) else []


def polygons_in(outline: list[Any]) -> list[Points]:
    """Return the polygons of an object: a list of them, or the coordinates of one.

    Raises:
        BadDataError: One is damaged; the message is a short reason.
    """
    is_flat = isinstance(outline[0], int | float)
    return [points_of(each) for each in ([outline] if is_flat else outline)]


def runs_in(value: dict[str, Any]) -> tuple[tuple[int, int], NDArray[np.int64]]:
    """Return the size of a picture and the lengths of the runs of an object in it.

    Raises:
        BadDataError: They are damaged; the message is a short reason.
    """
    size, counts = value.get("size"), value.get("counts")
    stated = size_in(size[1], size[0]) if isinstance(size, list) and len(size) == 2 else None
    if isinstance(counts, list) and not all(type(count) is int for count in counts):
        counts = None
    if stated is None or not isinstance(counts, list | str):
        raise BadDataError("its RLE has no size or no counts")
    try:
        return stated, runs_of(stated[::-1], counts)
    except ValueError as error:
        raise BadDataError("its RLE is damaged") from error


def _around(outline: object) -> list[Corners]:
    """Return the box around an outline, and for run lengths also that of the other order.

    The list is empty for a damaged outline, or one without pixels.
    """
    try:
        if isinstance(outline, dict):
            size, runs = runs_in(outline)
            by_columns, by_rows = box_around(size[::-1], runs), box_around(size, runs)
            if by_columns is None or by_rows is None:
                return []
            top, left, bottom, right = by_rows
            return [by_columns, (left, top, right, bottom)]
        if isinstance(outline, list) and outline:
            points = np.concatenate(polygons_in(outline))
            return [(*points.min(axis=0).tolist(), *points.max(axis=0).tolist())]
    except BadDataError:
        pass
    return []


def _overlap(one: Corners, other: Corners) -> float:
    """Return the intersection over union of two boxes."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    common = max(width, 0.0) * max(height, 0.0)
    areas = sum((each[2] - each[0]) * (each[3] - each[1]) for each in (one, other))
    return common / (areas - common) if areas > common else 1.0
