"""Outlines of masks: polygons along the edges of their pixels, outer ones and those of holes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""Corners x and y, in pixels from the upper left corner of the mask, shape (n, 2)."""


class Outline(NamedTuple):
    """A closed polygon.

    Attributes:
        points: Its corners; the last one is joined with the first one.
        is_hole: True if it surrounds a hole.
    """

    points: Points
    is_hole: bool


def outlines_of(mask: NDArray[np.bool_]) -> list[Outline]:
    """Return the outlines of a mask, outer ones first.

    They run along the edges of pixels: the pixels whose center is in an odd number of them are
    those of the mask. Parts that touch at a corner only are separate.

    Args:
        mask: True for the pixels of an object, shape (height, width).
    """
    starts, ends = _edges(mask)
    follow = _successors(starts, ends)
    remaining = np.ones(len(starts), np.bool_)
    found = []
    for first in range(len(starts)):
        if not remaining[first]:
            continue
        chain, at = [], first
        while remaining[at]:
            remaining[at] = False
            chain.append(at)
            at = int(follow[at])
        found.append(_outline(starts[chain]))
    return sorted(found, key=lambda each: each.is_hole)


def _edges(mask: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges of pixels between inside and outside, with the inside at their right.

    Returns:
        Start and end of each edge, x and y, shape (n, 2) each.
    """
    padded = np.pad(mask, 1).astype(np.int8)
    down = np.diff(padded, axis=0)[:, 1:-1]  # 1 at the upper edge of a pixel that is inside
    across = np.diff(padded, axis=1)[1:-1]
    parts = []
    for change, sign, start, end in (
        (down, 1, (0, 0), (1, 0)),  # upper edges go to the right
        (down, -1, (1, 0), (0, 0)),
        (across, 1, (0, 1), (0, 0)),  # left edges go up
        (across, -1, (0, 0), (0, 1)),
    ):
        places = np.argwhere(change == sign)[:, ::-1]
        parts.append((places + start, places + end))
    return np.concatenate([each[0] for each in parts]), np.concatenate([each[1] for each in parts])


def _successors(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the edge that follows each edge; where two do, the one that turns to the right."""
    width = int(max(starts[:, 0].max(initial=0), ends[:, 0].max(initial=0))) + 1
    keys, wanted = starts[:, 1] * width + starts[:, 0], ends[:, 1] * width + ends[:, 0]
    order = np.argsort(keys, kind="stable")
    first = np.searchsorted(keys[order], wanted, side="left")
    last = np.searchsorted(keys[order], wanted, side="right") - 1
    one, other = order[first], order[last]
    step = ends - starts
    turn = step[:, 0] * step[one][:, 1] - step[:, 1] * step[one][:, 0]
    return np.where(turn > 0, one, other)


def _outline(corners: NDArray[np.int64]) -> Outline:
    """Return an outline without corners on straight lines."""
    before, after = corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners
    points = corners[np.any(before != after, axis=1)].astype(np.float64)
    x, y = points.T
    area = float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))
    return Outline(points, is_hole=area < 0)
