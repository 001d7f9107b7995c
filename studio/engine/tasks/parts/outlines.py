"""Outlines of objects along the edges of their pixels: traced, filled, sorted into polygons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Integers
from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotation_files.polygons import Points, area_of, even_odd
from studio.engine.tasks.parts.objects import Ring

LabelImage = NDArray[np.int32]
"""Number of the object of each pixel; 0 and less belong to none. Shape (height, width)."""

_RIGHT, _DOWN, _LEFT, _UP = range(4)
"""Directions of edges, clockwise. An object lies to the right of the edges around it."""
_STEPS: Final = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)])
_INWARD: Final = 1e-3
"""Distance in pixels of a point inside of a ring from one of its sides."""


def traced(labels: LabelImage) -> dict[int, tuple[Ring, ...]]:
    """Return the outlines of all objects of a label image.

    They run along the edges of pixels, so that `filled_patch` returns the same pixels. A ring
    never crosses or touches itself: pixels that touch at a corner alone are in different rings.
    Rings around parts run clockwise, those around holes counterclockwise.

    Args:
        labels: Number of the object of each pixel, shape (height, width).

    Returns:
        Rings of each number that occurs.
    """
    inside = np.pad(np.maximum(labels, 0), 1)
    keys, numbers = _edges(inside)
    if not len(keys):
        return {}
    following = _following(keys, numbers, inside.shape[1])
    order, starts = _cycles(following)
    return _rings(keys[order], numbers[order], starts, inside.shape[1])


def _edges(inside: Integers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the directed edges between objects and what is around them, sorted.

    Args:
        inside: Label image with a border of zeros.

    Returns:
        Four times the corner in which each edge begins plus its direction, and its object. A
        corner is the pixel to the lower right of it, in reading order.
    """
    width = inside.shape[1]
    flat = inside.ravel()
    keys, numbers = [], []
    # Pixel, its neighbor beyond the edge, and the corner of the pixel in which the edge begins.
    for direction, beyond, corner in (
        (_RIGHT, -width, 0),
        (_DOWN, 1, 1),
        (_LEFT, width, width + 1),
        (_UP, -1, width),
    ):
        pixels = np.flatnonzero(flat)
        pixels = pixels[flat[pixels] != flat[pixels + beyond]]
        keys.append(4 * (pixels + corner) + direction)
        numbers.append(flat[pixels].astype(np.int64))
    every, owners = np.concatenate(keys), np.concatenate(numbers)
    order = np.argsort(every)
    return every[order], owners[order]


def _following(
    keys: NDArray[np.int64], numbers: NDArray[np.int64], width: int
) -> NDArray[np.int64]:
    """Return the position of the edge that follows each edge around its object."""
    directions = keys % 4
    steps = _STEPS @ np.array([1, width])
    ends = keys // 4 + steps[directions]
    following = np.full(len(keys), -1)
    # Right turns last: they win, so that pixels that touch at a corner stay apart.
    for turn in (3, 0, 1):
        wanted = 4 * ends + (directions + turn) % 4
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        found = (keys[at] == wanted) & (numbers[at] == numbers)
        following[found] = at[found]
    return following


def _cycles(following: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all positions cycle by cycle, and where each cycle begins in that order."""
    after: list[int] = following.tolist()
    seen = bytearray(len(after))
    order: list[int] = []
    starts: list[int] = []
    for first in range(len(after)):
        if seen[first]:
            continue
        starts.append(len(order))
        at = first
        while not seen[at]:
            seen[at] = 1
            order.append(at)
            at = after[at]
    return np.array(order, np.int64), np.array(starts, np.int64)


def _rings(
    keys: NDArray[np.int64], numbers: NDArray[np.int64], starts: NDArray[np.int64], width: int
) -> dict[int, tuple[Ring, ...]]:
    """Return the corners of cycles of edges, those between edges of one direction left out."""
    directions = keys % 4
    before = np.roll(directions, 1)
    ends = np.append(starts[1:], len(keys))
    before[starts] = directions[ends - 1]
    is_corner = directions != before
    corners = keys[is_corner] // 4
    # The border that was added is not part of the picture.
    points = np.stack([corners % width - 1, corners // width - 1], axis=1).astype(np.float64)
    pairs: list[tuple[float, float]] = [(x, y) for x, y in points.tolist()]
    limits: list[int] = [0, *np.cumsum(is_corner)[ends - 1].tolist()]
    found: dict[int, list[Ring]] = {}
    owners = numbers[starts].tolist()
    for number, low, high in zip(owners, limits[:-1], limits[1:], strict=True):
        found.setdefault(number, []).append(tuple(pairs[low:high]))
    return {number: tuple(rings) for number, rings in found.items()}


def filled_patch(rings: Sequence[Ring], size: tuple[int, int]) -> Patch:
    """Return the pixels of an object: those whose center an odd number of its rings surrounds.

    Args:
        rings: Its outline.
        size: Width and height of the picture.

    Raises:
        BadDataError: The outline has too many corners; the message is a short reason.
    """
    return even_odd([np.array(ring, np.float64) for ring in rings], size)


def label_image(outlines: Iterable[Sequence[Ring]], size: tuple[int, int]) -> LabelImage:
    """Return the number of the object of each pixel, from 1; the first of some lies on top.

    Args:
        outlines: Outline of each object.
        size: Width and height of the picture.

    Raises:
        BadDataError: An outline has too many corners; the message is a short reason.
    """
    labels = np.zeros(size[::-1], np.int32)
    for number, rings in enumerate(outlines, 1):
        patch = filled_patch(rings, size)
        height, width = patch.inside.shape
        part = labels[patch.top : patch.top + height, patch.left : patch.left + width]
        part[patch.inside & (part == 0)] = number
    return labels


def polygons_of(rings: Sequence[Ring]) -> list[list[Ring]]:
    """Sort the rings of an outline into polygons: a ring around a part, then those of its holes.

    Args:
        rings: The outline.
    """
    if len(rings) == 1:
        return [[rings[0]]]
    points = [np.array(ring, np.float64) for ring in rings]
    around = [
        [at for at, other in enumerate(points) if at != index and _contains(other, _inner(ring))]
        for index, ring in enumerate(points)
    ]
    parts = {index: [rings[index]] for index, outer in enumerate(around) if len(outer) % 2 == 0}
    for index, outer in enumerate(around):
        if len(outer) % 2:
            owners = [each for each in outer if each in parts]
            parts[min(owners, key=lambda each: area_of(points[each]))].append(rings[index])
    return list(parts.values())


def _inner(ring: Points) -> tuple[float, float]:
    """Return a point inside of a ring, near the middle of its first side."""
    start, end = ring[0], ring[1]
    middle, along = (start + end) / 2, end - start
    normal = np.array([-along[1], along[0]]) / (np.hypot(*along) or 1.0) * _INWARD
    near = middle + normal
    x, y = near if _contains(ring, (float(near[0]), float(near[1]))) else middle - normal
    return float(x), float(y)


def _contains(ring: Points, point: tuple[float, float]) -> bool:
    """Return True if a ring surrounds a point."""
    x, y = point
    first, last = ring, np.roll(ring, -1, axis=0)
    crosses = (first[:, 1] > y) != (last[:, 1] > y)
    first, last = first[crosses], last[crosses]
    along = (y - first[:, 1]) / (last[:, 1] - first[:, 1])
    return bool((first[:, 0] + along * (last[:, 0] - first[:, 0]) > x).sum() % 2)
