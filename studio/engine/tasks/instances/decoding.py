"""Stars of an image from the outputs of a network: candidates, and the best one of each object.

Exported scripts contain the same steps.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import CLASS
from studio.engine.tasks.decoding import SCORE
from studio.engine.tasks.outputs import RAYS
from studio.engine.tasks.stars import (
    DIRECTIONS,
    DISTANCES,
    VALUES,
    Stars,
    X,
    Y,
    areas_of,
    empty,
    positions_of,
    stride_of,
    with_boxes,
)

MOST: Final = 1000
"""Stars of an image that the network sees at once."""
MIN_SCORE: Final = 0.05
MAX_OVERLAP: Final = 0.4
"""Of two stars that share more of the smaller one, only the one with the higher score is kept."""
SHORTEST: Final = 0.5
"""Shortest distance in pixels."""
SHARED_RINGS: Final[NDArray[np.float64]] = np.sqrt((np.arange(6) + 0.5) / 6)
"""Positions of the sampled points of a sector, from which its covered area is estimated: fractions
of the distance to its outline, shape (6,)."""
_FOLLOWING = np.roll(DIRECTIONS, -1, axis=0)
_SECTOR: Final = 2 * math.pi / RAYS


def candidates_of(outputs: NDArray[np.float32], size: tuple[int, int]) -> Stars:
    """Return the stars of the positions whose score is the highest around, the best first.

    Args:
        outputs: Outputs of a network for an image, shape (rows, columns, K + 32).
        size: Height and width of the image that the network saw.

    Returns:
        Shape (m, 40), m at most `MOST`.
    """
    rows, columns = outputs.shape[:2]
    stride = stride_of(rows, size[0])
    scores = outputs[..., :-RAYS]
    label = scores.argmax(axis=-1)
    score = np.take_along_axis(scores, label[..., None], axis=-1)[..., 0]
    is_peak = (score >= MIN_SCORE) & (score >= _highest_around(score))
    chosen = np.flatnonzero(is_peak)
    chosen = chosen[np.argsort(-score.ravel()[chosen], kind="stable")[:MOST]]
    found = np.zeros((len(chosen), VALUES), np.float32)
    found[:, CLASS] = label.ravel()[chosen]
    found[:, X : Y + 1] = positions_of(rows, columns, stride).reshape(-1, 2)[chosen]
    found[:, SCORE] = score.ravel()[chosen]
    distances = outputs[..., -RAYS:].reshape(-1, RAYS)[chosen] * stride
    found[:, DISTANCES:] = np.clip(np.nan_to_num(distances), SHORTEST, math.hypot(*size))
    return with_boxes(found, size[::-1])


def _highest_around(score: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the highest score of the nine positions around each one."""
    padded = np.pad(score, 1, constant_values=-np.inf)
    across = np.maximum(np.maximum(padded[:, :-2], padded[:, 1:-1]), padded[:, 2:])
    found: NDArray[np.float32] = np.maximum(np.maximum(across[:-2], across[1:-1]), across[2:])
    return found


def suppressed(rows: Stars, max_overlap: float = MAX_OVERLAP) -> Stars:
    """Return the stars without those that overlap a better one, shape (m, 40).

    Args:
        rows: Stars, the highest score first, shape (n, 40).
        max_overlap: Largest part of the smaller one of two stars that they may share.
    """
    centers = rows[:, X : Y + 1].astype(np.float64)
    distances = rows[:, DISTANCES:].astype(np.float64)
    reach, sizes = distances.max(axis=1, initial=0), areas_of(distances)
    cells = _Cells(centers, 2 * float(reach.max(initial=1)))
    is_left = np.ones(len(rows), np.bool_)
    for best in range(len(rows)):
        if not is_left[best]:
            continue
        others = cells.around(best)
        others = others[(others > best) & is_left[others]]
        apart = centers[others] - centers[best]
        is_near = (apart**2).sum(axis=1) < (reach[others] + reach[best]) ** 2
        others, apart = others[is_near], apart[is_near]
        if not len(others):
            continue
        is_smaller = (sizes[others] < sizes[best])[:, None]
        small = np.where(is_smaller, distances[others], distances[best])
        large = np.where(is_smaller, distances[best], distances[others])
        shared = shared_parts(small, large, np.where(is_smaller, apart, -apart))
        is_left[others[shared > max_overlap]] = False
    return rows[is_left]


class _Cells:
    """Positions in square cells, so that each is compared with those around it only.

    Args:
        centers: x and y of each, shape (n, 2).
        side: Side of a cell.
    """

    def __init__(self, centers: NDArray[np.float64], side: float) -> None:
        self._cells = np.floor(centers / side).astype(np.int64).tolist()
        members: dict[tuple[int, int], list[int]] = {}
        for index, (x, y) in enumerate(self._cells):
            members.setdefault((x, y), []).append(index)
        self._members = {cell: np.array(each) for cell, each in members.items()}

    def around(self, index: int) -> NDArray[np.int64]:
        """Return the positions in the cell of one and in the eight around it.

        Args:
            index: Its index.
        """
        x, y = self._cells[index]
        near = [(x + across, y + down) for across in (-1, 0, 1) for down in (-1, 0, 1)]
        return np.concatenate([self._members[each] for each in near if each in self._members])


def shared_parts(
    small: NDArray[np.float64], large: NDArray[np.float64], apart: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the parts of stars that lie in others, 0 to 1, shape (n,).

    A star consists of 32 triangles around its position. In the middle of each there are
    `SHARED_RINGS` points, each for the same part of its area: few enough for thousands of stars
    of any size.

    Args:
        small: Distances of the stars, shape (n, 32).
        large: Distances of the others, shape (n, 32).
        apart: Positions of the stars relative to those of the others, x and y, shape (n, 2).
    """
    following = np.roll(small, -1, axis=1)
    middle = (small[..., None] * DIRECTIONS + following[..., None] * _FOLLOWING) / 2
    points = middle[:, :, None] * SHARED_RINGS[:, None] + apart[:, None, None]
    inside = contain(large, points.reshape(len(small), -1, 2)).reshape(points.shape[:3])
    weights = small * following
    found: NDArray[np.float64] = (inside.mean(axis=2) * weights).sum(axis=1) / weights.sum(axis=1)
    return found


def contain(distances: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return True for points that are in a star, shape (n, m).

    A point is `a` times the first direction of its sector plus `b` times the second one.

    Args:
        distances: Distances of each star in pixels, shape (n, 32).
        points: Points relative to the position of the star, x and y, shape (n, m, 2).
    """
    turn = np.arctan2(points[..., 1], points[..., 0]) * (RAYS / (2 * np.pi)) + RAYS
    sector = np.floor(turn).astype(np.int64)
    angle = (turn - sector) * _SECTOR
    size = np.hypot(points[..., 0], points[..., 1]) / math.sin(_SECTOR)
    a, b = size * np.sin(_SECTOR - angle), size * np.sin(angle)
    inverse = 1 / distances
    first = np.take_along_axis(inverse, sector % RAYS, axis=1)
    second = np.take_along_axis(inverse, (sector + 1) % RAYS, axis=1)
    found: NDArray[np.bool_] = a * first + b * second <= 1
    return found


def decoded(outputs: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    """Return the stars of images, the best first, shape (n, 1000, 40).

    Args:
        outputs: Outputs of a network, shape (n, rows, columns, K + 32).
        size: Height and width of the images that the network saw.
    """
    found = empty(len(outputs), MOST)
    for at, each in enumerate(outputs):
        rows = suppressed(candidates_of(each, size))
        found[at, : len(rows)] = rows
    return found
