"""Polygons as pixels: a pixel is inside if its center is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotation_files.patches import WORK_OF_EACH, Patch

Points = NDArray[np.float64]
"""Corners of a polygon, x and y in pixels from the upper left corner of the picture, (n, 2)."""

_FARTHEST = 1e6
_MAX_CROSSINGS = 20_000_000
"""Crossings of edges with rows of pixels, of all polygons of an object: seconds of work."""
_MAX_CORNERS = 1_000_000
"""Corners of all polygons of an object."""
_CROSSING = 20
"""Work of a crossing, in pixels that are painted in the same time."""
_MOST_WORK = 1_000_000_000
"""Work of all regions of a picture, in pixels: seconds."""
_MOST_COVERS = 100
"""Largest total area of the regions of a large picture, in areas of that picture."""


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


def filled(polygons: Sequence[Points], size: tuple[int, int]) -> Patch:
    """Return the pixels whose center is in one of some polygons.

    Inside of a polygon that crosses itself is what an odd number of its edges lies to the left of.

    Args:
        polygons: At least one.
        size: Width and height of the picture.

    Raises:
        BadDataError: They have too many corners, or are too many; the message is a short reason.
    """
    if sum(map(len, polygons)) > _MAX_CORNERS:
        raise BadDataError("its polygons have too many corners")
    parts: list[Patch] = []
    work, crossings = 0, _MAX_CROSSINGS
    for points in polygons:
        part, count = _filled(points, size, crossings)
        crossings -= count
        work += part.work
        if work > max_work(size):
            raise BadDataError("its polygons are too many, or too large, to be painted")
        if part.inside.size:
            parts.append(part)
    if len(parts) == 1:
        return parts[0]
    return _joined(parts, work)


def even_odd(rings: Sequence[Points], size: tuple[int, int]) -> Patch:
    """Return the pixels whose center an odd number of rings surrounds: parts and their holes.

    Args:
        rings: Closed lines.
        size: Width and height of the picture.

    Raises:
        BadDataError: They have too many corners; the message is a short reason.
    """
    if sum(map(len, rings)) > _MAX_CORNERS:
        raise BadDataError("its polygons have too many corners")
    if not rings:
        return Patch(0, 0, np.zeros((0, 0), np.bool_))
    last = np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    return _inside(np.concatenate(rings), last, size, _MAX_CROSSINGS)[0]


def max_work(size: tuple[int, int]) -> int:
    """Return the limit for the work of painting all regions of a picture, see `Patch`."""
    return max(_MOST_WORK, _MOST_COVERS * size[0] * size[1])


def _joined(parts: Sequence[Patch], work: int) -> Patch:
    """Return the pixels that are in any of some patches."""
    if not parts:
        return Patch(0, 0, np.zeros((0, 0), np.bool_), max(work, WORK_OF_EACH))
    left, top = min(each.left for each in parts), min(each.top for each in parts)
    right = max(each.left + each.inside.shape[1] for each in parts)
    bottom = max(each.top + each.inside.shape[0] for each in parts)
    inside = np.zeros((bottom - top, right - left), np.bool_)
    for each in parts:
        Patch(each.left - left, each.top - top, each.inside).paint(inside, value=True)
    return Patch(left, top, inside, work + inside.size)


def _filled(points: Points, size: tuple[int, int], most: int) -> tuple[Patch, int]:
    """Return the pixels inside a polygon, and how often its edges cross rows of pixels.

    Raises:
        BadDataError: They do so more often than the most.
    """
    return _inside(points, np.roll(points, -1, axis=0), size, most)


def _inside(first: Points, last: Points, size: tuple[int, int], most: int) -> tuple[Patch, int]:
    """Return the pixels that an odd number of edges lies to the left of, and their crossings.

    Args:
        first: Where each edge begins.
        last: Where it ends.
        size: Width and height of the picture.
        most: Largest number of crossings of edges with rows of pixels.

    Raises:
        BadDataError: There are more crossings.
    """
    rows, starts, ends = _spans(first, last, size, most)
    if not len(rows):
        return Patch(0, 0, np.zeros((0, 0), np.bool_)), 0
    top, left = int(rows[0]), int(starts.min())
    bottom, right = int(rows[-1]) + 1, int(ends.max())
    # Each span adds 1 from its first pixel on and takes it away behind its last one.
    change = np.zeros((bottom - top, right - left + 1), np.int32)
    np.add.at(change, (rows - top, starts - left), 1)
    np.add.at(change, (rows - top, ends - left), -1)
    inside = np.cumsum(change, axis=1)[:, :-1] > 0
    crossings = 2 * len(rows)
    return Patch(left, top, inside, WORK_OF_EACH + inside.size + _CROSSING * crossings), crossings


def _spans(
    first: Points, last: Points, size: tuple[int, int], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return rows, and the first pixel inside and the first behind it of each run of pixels.

    Raises:
        BadDataError: There are more crossings of edges with rows than the most.
    """
    width, height = size
    low, high = np.minimum(first[:, 1], last[:, 1]), np.maximum(first[:, 1], last[:, 1])
    # Rows whose middle, at a half, lies on an edge; its lower end counts, its upper one does not.
    start = np.clip(np.ceil(low - 0.5), 0, height).astype(np.int64)
    end = np.clip(np.ceil(high - 0.5), 0, height).astype(np.int64)
    counts = np.maximum(end - start, 0)
    total = int(counts.sum())
    if total > most:
        raise BadDataError("its polygons have too many corners")
    edge = np.repeat(np.arange(len(first)), counts)
    rows = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts) + start[edge]
    rise = last[edge, 1] - first[edge, 1]
    along = (rows + 0.5 - first[edge, 1]) / rise
    x = first[edge, 0] + along * (last[edge, 0] - first[edge, 0])
    column = np.clip(np.ceil(x - 0.5), 0, width).astype(np.int64)
    order = np.lexsort((column, rows))
    rows, column = rows[order], column[order]
    return rows[::2], column[::2], column[1::2]
