"""Detections: decoded outputs of a network for boxes, as rows of six numbers.

A detection is a row like a box, with the score in the place of the flags: class, left, top, right,
bottom, score; float32. Rows are in the order of their scores, the highest first; empty places
follow, with the class `NO_BOX`. Exported scripts contain the same steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import (
    BOTTOM,
    CLASS,
    LEFT,
    NO_BOX,
    RIGHT,
    SIDES,
    TOP,
    VALUES,
    areas,
    boxes_of,
    empty,
)

Detections = NDArray[np.float32]
"""Detections of an image, shape (m, 6)."""

SCORE: Final = 5
COLUMNS: Final = ("class", "left", "top", "right", "bottom", "score")
MOST: Final = 100
"""Detections of an image; as many as COCO's metrics count."""
MIN_SCORE: Final = 0.01
MAX_OVERLAP: Final = 0.6
"""Of two detections of a class that overlap by more (IoU), only the one with the higher score is
kept."""
CANDIDATES: Final = 1000
"""Number of scores of an image that are considered: the highest, in all classes together."""
_COVERED: Final = 0.6
"""Share of a detection that lies in another one, from which on it is a part of the same object."""
_NEAR_BORDER: Final = 0.01
"""Distance from the border of a tile, as a share of its side, up to which detections are cut."""


def decoded(outputs: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    """Return the detections of images, shape (n, 100, 6).

    Each class of each position is a candidate. Boxes are clipped to the image.

    Args:
        outputs: Outputs of a network, shape (n, P, K + 4).
        size: Height and width of the images that the network saw, in pixels.
    """
    found = empty(len(outputs), MOST)
    for at, each in enumerate(outputs):
        rows = suppressed(_candidates(each, size))
        found[at, : len(rows)] = rows
    return found


def _candidates(outputs: NDArray[np.float32], size: tuple[int, int]) -> Detections:
    """Return the boxes with the highest scores, shape (m, 6), at most `CANDIDATES`.

    Args:
        outputs: Outputs for an image, shape (P, K + 4).
        size: Height and width of the image.
    """
    return best_boxes(outputs[:, :-SIDES], boxes_of(outputs[None], *size)[0], size)


def best_boxes(
    scores: NDArray[np.float32],
    corners: NDArray[np.float32],
    size: tuple[int, int],
    carried: NDArray[np.float32] | None = None,
) -> Detections:
    """Return the boxes with the highest scores, shape (m, 6), at most `CANDIDATES`.

    Args:
        scores: Score of each class of each position, shape (P, K).
        corners: Left, top, right and bottom of the box of each position, shape (P, 4).
        size: Height and width of the image, at which boxes are cut off.
        carried: Further numbers of each position, shape (P, c), which follow in the rows.
    """
    height, width = size
    classes, flat = scores.shape[1], scores.ravel()
    chosen = np.flatnonzero(flat >= MIN_SCORE)
    if len(chosen) > CANDIDATES:
        least = np.partition(flat[chosen], -CANDIDATES)[-CANDIDATES]
        chosen = chosen[flat[chosen] >= least]
    chosen = chosen[np.argsort(-flat[chosen], kind="stable")[:CANDIDATES]]
    place = chosen // classes
    limits = np.array([width, height, width, height], np.float32)
    inside = np.clip(corners[place], 0, limits)
    rows = np.column_stack(
        [chosen % classes, inside, flat[chosen], *([] if carried is None else [carried[place]])]
    )
    return rows[areas(corners_of(rows)) > 0].astype(np.float32)


def corners_of(rows: NDArray[Any]) -> NDArray[Any]:
    """Return left, top, right and bottom of boxes or detections, shape (…, 4)."""
    return rows[..., LEFT : BOTTOM + 1]


def suppressed(rows: Detections, most: int = MOST) -> Detections:
    """Return the detections without those that overlap a better one of their class, shape (m, 6).

    Args:
        rows: Detections of an image, the highest score first, shape (n, 6).
        most: Largest number to return, the highest scores first.
    """
    # A step for each one that is kept, over all that remain, is faster than a matrix of overlaps.
    corners, sizes = (
        corners_of(rows).astype(np.float64),
        areas(corners_of(rows).astype(np.float64)),
    )
    labels, remaining = rows[:, CLASS], np.arange(len(rows))
    kept: list[int] = []
    while len(remaining) and len(kept) < most:
        best, remaining = int(remaining[0]), remaining[1:]
        kept.append(best)
        both = _intersections(corners[best], corners[remaining])
        union = sizes[best] + sizes[remaining] - both
        is_other = (labels[remaining] != labels[best]) | (both <= MAX_OVERLAP * union)
        remaining = remaining[is_other]
    return rows[kept]


def _intersections(one: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the areas that boxes have in common with one box, shape (n,).

    Args:
        one: Left, top, right and bottom, shape (4,).
        others: Shape (n, 4).
    """
    sides = np.minimum(others[:, 2:], one[2:]) - np.maximum(others[:, :2], one[:2])
    found: NDArray[np.float64] = np.maximum(sides[:, 0], 0) * np.maximum(sides[:, 1], 0)
    return found


def without_places(rows: Detections) -> Detections:
    """Return the detections of an image without the empty places, shape (m, 6)."""
    found: Detections = rows[rows[:, CLASS] != NO_BOX]
    return found


def merged(
    parts: Sequence[Detections],
    tiles: Sequence[tuple[int, int, int, int]],
    size: tuple[int, int],
) -> Detections:
    """Join the detections of the overlapping tiles of a picture, shape (m, 6).

    Of detections that overlap, the one with the highest score is kept, as within a tile. A
    detection that the border of its tile cuts is left out where another tile found the whole
    object: it lies in a detection that is not cut and has at least half its score. An object that
    fits in no tile gives a detection for each of its parts.

    Args:
        parts: Detections of each tile in pixels of the picture, shape (n, 6) each, or wider.
        tiles: Left, top, width and height of each tile.
        size: Width and height of the picture.
    """
    if not parts:
        return np.zeros((0, VALUES), np.float32)
    rows = np.concatenate([without_places(part) for part in parts])
    cut = np.concatenate(
        [
            _is_cut(without_places(part), tile, size)
            for part, tile in zip(parts, tiles, strict=True)
        ]
    )
    # A float32 column takes along which of them are cut.
    order = np.argsort(-rows[:, SCORE], kind="stable")
    rows = _suppressed_nearby(np.column_stack([rows, cut])[order].astype(np.float32))
    rows, cut = rows[:, :-1], rows[:, -1] > 0
    near = _Neighbors(rows)
    for at in range(len(rows)):
        near.add(at)
    is_part = np.zeros(len(rows), np.bool_)
    for at in np.flatnonzero(cut).tolist():
        others = near.of(at)
        corners = corners_of(rows[others]).astype(np.float64)
        here = corners_of(rows[at]).astype(np.float64)
        covers = _intersections(here, corners) >= _COVERED * areas(here)
        is_whole = ~cut[others] & (rows[others, CLASS] == rows[at, CLASS])
        is_better = 2 * rows[others, SCORE] >= rows[at, SCORE]
        is_part[at] = np.any(covers & is_whole & is_better)
    return rows[~is_part]


class _Neighbors:
    """Detections that may overlap: those whose centers lie in the same or in adjacent cells.

    A picture of many tiles has hundred thousands of detections: comparing each with each would
    take hours.

    Args:
        rows: Detections, shape (m, 6).
    """

    def __init__(self, rows: Detections) -> None:
        corners = corners_of(rows).astype(np.float64)
        middles = (corners[:, :2] + corners[:, 2:]) / 2
        side = max(1.0, float((corners[:, 2:] - corners[:, :2]).max(initial=1.0)))
        self._cells: list[tuple[int, int]] = list(map(tuple, (middles // side).astype(int)))
        self._members: dict[tuple[int, int], list[int]] = {}

    def add(self, at: int) -> None:
        """Make a detection a neighbor of others."""
        self._members.setdefault(self._cells[at], []).append(at)

    def of(self, at: int) -> list[int]:
        """Return the numbers of the detections near one, in any order."""
        x, y = self._cells[at]
        found: list[int] = []
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                found += self._members.get((x + dx, y + dy), ())
        return found


def _suppressed_nearby(rows: Detections) -> Detections:
    """Return what `suppressed` does without a limit, by comparing each with its neighbors.

    Args:
        rows: Detections of a picture, the highest score first, shape (n, 6 or more).
    """
    near, kept = _Neighbors(rows), []
    corners = corners_of(rows).astype(np.float64)
    sizes = areas(corners)
    for at in range(len(rows)):
        others = near.of(at)
        both = _intersections(corners[at], corners[others])
        is_same = rows[others, CLASS] == rows[at, CLASS]
        if not np.any(is_same & (both > MAX_OVERLAP * (sizes[others] + sizes[at] - both))):
            near.add(at)
            kept.append(at)
    return rows[kept]


def _is_cut(
    rows: Detections, tile: tuple[int, int, int, int], size: tuple[int, int]
) -> NDArray[np.bool_]:
    """Return a mask of the detections at a border of their tile that is inside the picture."""
    left, top, width, height = tile
    near_x, near_y = _NEAR_BORDER * width, _NEAR_BORDER * height
    right, bottom = left + width, top + height
    found: NDArray[np.bool_] = (
        ((left > 0) & (rows[:, LEFT] <= left + near_x))
        | ((top > 0) & (rows[:, TOP] <= top + near_y))
        | ((right < size[0]) & (rows[:, RIGHT] >= right - near_x))
        | ((bottom < size[1]) & (rows[:, BOTTOM] >= bottom - near_y))
    )
    return found
