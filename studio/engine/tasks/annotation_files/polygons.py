"""Polygons as pixels: a pixel is inside if its center is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError

Points = NDArray[np.float64]
"""Corners of a polygon, x and y in pixels from the upper left corner of the picture, (n, 2)."""

_FARTHEST = 1e6
_MAX_CROSSINGS = 20_000_000
"""Crossings of edges with rows of pixels, of all polygons of an object: seconds of work."""
_MAX_CORNERS = 1_000_000
"""Corners of all polygons of an object."""


def points_of(values: object) -> Points:
    """Return the corners of a polygon from JSON: a flat list of numbers, or a list of pairs.

    Raises:
        BadDataError: The value is not a polygon; the message says why.
    """
    try:
        points = np.array(values, np.float64).reshape(-1, 2)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadDataError("a polygon is not a list of numbers") from error
    if len(points) < 3:
        raise BadDataError("a polygon has fewer than three corners")
    return checked(points)


def checked(points: Points) -> Points:
    """Refuse points that are no numbers, or far from any picture.

    Raises:
        BadDataError: The message is a short reason.
    """
    if not (np.abs(points) <= _FARTHEST).all():
        raise BadDataError("a corner of a polygon is not a number or is far outside the image")
    return points


def area_of(points: Points) -> float:
    """Return the area of a polygon in pixels."""
    x, y = points.T
    return float(abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2)


def filled(polygons: Sequence[Points], size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the pixels whose center is in one of some polygons, shape (height, width).

    Inside of a polygon that crosses itself is what an odd number of its edges lies to the left of.

    Args:
        polygons: At least one.
        size: Width and height of the picture.

    Raises:
        BadDataError: They have too many corners; the message is a short reason.
    """
    width, height = size
    if sum(map(len, polygons)) > _MAX_CORNERS:
        raise BadDataError("its polygons have too many corners")
    inside = np.zeros((height, width), np.bool_)
    left_over = _MAX_CROSSINGS
    for points in polygons:
        rows, starts, ends = _spans(points, size, left_over)
        left_over -= 2 * len(rows)
        if not len(rows):
            continue
        top, left = int(rows[0]), int(starts.min())
        bottom, right = int(rows[-1]) + 1, int(ends.max())
        # Each span adds 1 from its first pixel on and takes it away behind its last one.
        change = np.zeros((bottom - top, right - left + 1), np.int32)
        np.add.at(change, (rows - top, starts - left), 1)
        np.add.at(change, (rows - top, ends - left), -1)
        inside[top:bottom, left:right] |= np.cumsum(change, axis=1)[:, :-1] > 0
    return inside


def _spans(
    points: Points, size: tuple[int, int], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return rows, and the first pixel inside and the first behind it of each run of pixels.

    Raises:
        BadDataError: There are more crossings of edges with rows than the most.
    """
    width, height = size
    first, last = points, np.roll(points, -1, axis=0)
    low, high = np.minimum(first[:, 1], last[:, 1]), np.maximum(first[:, 1], last[:, 1])
    # Rows whose middle, at a half, lies on an edge; its lower end counts, its upper one does not.
    start = np.clip(np.ceil(low - 0.5), 0, height).astype(np.int64)
    end = np.clip(np.ceil(high - 0.5), 0, height).astype(np.int64)
    counts = np.maximum(end - start, 0)
    total = int(counts.sum())
    if total > most:
        raise BadDataError("its polygons have too many corners")
    edge = np.repeat(np.arange(len(points)), counts)
    rows = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts) + start[edge]
    rise = last[edge, 1] - first[edge, 1]
    along = (rows + 0.5 - first[edge, 1]) / rise
    x = first[edge, 0] + along * (last[edge, 0] - first[edge, 0])
    column = np.clip(np.ceil(x - 0.5), 0, width).astype(np.int64)
    order = np.lexsort((column, rows))
    rows, column = rows[order], column[order]
    return rows[::2], column[::2], column[1::2]
