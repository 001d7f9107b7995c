"""Stars of an image from the outputs of a network: candidates, and the best one of each object.

Exported scripts contain the same steps.
"""

from __future__ import annotations

import math
from functools import cache
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
    centers = np.floor(rows[:, X : Y + 1]).astype(np.int64)
    distances = rows[:, DISTANCES:].astype(np.float64)
    reach, sizes = distances.max(axis=1), areas_of(distances)
    remaining = np.arange(len(rows))
    kept = []
    while len(remaining):
        best, remaining = int(remaining[0]), remaining[1:]
        kept.append(best)
        apart = centers[remaining] - centers[best]
        near = np.flatnonzero((apart**2).sum(axis=1) < (reach[remaining] + reach[best]) ** 2)
        if not len(near):
            continue
        others = remaining[near]
        inside = pixels_of(distances[best])
        shared = _shared(distances[others], inside, apart[near])
        # Pixels and areas of polygons differ for small stars: both are compared in pixels.
        smaller = np.minimum(sizes[others], min(sizes[best], len(inside)))
        is_hidden = shared > max_overlap * smaller
        remaining = np.delete(remaining, near[is_hidden])
    return rows[kept]


def _shared(
    distances: NDArray[np.float64], inside: NDArray[np.int64], apart: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return how many pixels of a star each of others contains; few at once if they are large.

    Args:
        distances: Distances of the others, shape (n, 32).
        inside: Pixels of the star.
        apart: Where the others are, relative to the star, shape (n, 2).
    """
    step = max(1, _MOST_PIXELS // max(1, len(inside)))
    parts = [slice(at, at + step) for at in range(0, len(distances), step)]
    counts = [
        contain(distances[part], inside[None] - apart[part][:, None]).sum(axis=1) for part in parts
    ]
    return np.concatenate(counts)


_MOST_PIXELS: Final = 2**22
"""Pixels of stars that are compared at once."""
_TABLE_REACH: Final = 64
_LARGEST_TABLE: Final = 1024
"""Longest distance in pixels for which a table of sectors is kept."""


@cache
def _sectors(reach: int) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the sector of each pixel around a position, and its place within.

    A pixel is `a` times the first direction of the sector plus `b` times the second one.

    Args:
        reach: Longest distance in pixels.

    Returns:
        Index of the first direction, a and b; shape (2 * reach + 1, 2 * reach + 1) each.
    """
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    return _sectors_at(x, y)


def _sectors_at(
    x: NDArray[np.int64], y: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return what `_sectors` does, for some pixels."""
    turn = np.arctan2(y, x) / (2 * np.pi) % 1 * RAYS
    sector = np.floor(turn).astype(np.int64) % RAYS
    first, second = DIRECTIONS[sector], DIRECTIONS[(sector + 1) % RAYS]
    size = first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
    a = (x * second[..., 1] - y * second[..., 0]) / size
    b = (y * first[..., 0] - x * first[..., 1]) / size
    return sector, a, b


def _reach_of(distances: NDArray[np.float64]) -> int:
    longest = float(distances.max(initial=0))
    reach = _TABLE_REACH
    while reach < longest + 1:
        reach *= 2
    return reach


def pixels_of(distances: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the pixels whose center is in a star, relative to its own, x and y, shape (m, 2).

    Args:
        distances: Shape (32,).
    """
    half = int(np.ceil(distances.max()))
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    pixels = np.stack([x.ravel(), y.ravel()], axis=1)
    inside: NDArray[np.int64] = pixels[contain(distances[None], pixels[None])[0]]
    return inside


def contain(distances: NDArray[np.float64], pixels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return True for pixels whose center is in a star, shape (n, m).

    Args:
        distances: Distances of each star in pixels, shape (n, 32).
        pixels: Pixels relative to that of the center of the star, x and y, shape (n, m, 2).
    """
    reach = _reach_of(distances)
    pixels = np.clip(pixels, -reach, reach)  # all that lie further away are outside
    if reach > _LARGEST_TABLE:
        at, first_part, second_part = _sectors_at(pixels[..., 0], pixels[..., 1])
    else:
        sector, a, b = (each.ravel() for each in _sectors(reach))
        side = 2 * reach + 1
        place = (pixels[..., 1] + reach) * side + pixels[..., 0] + reach
        at, first_part, second_part = sector[place], a[place], b[place]
    inverse = 1 / distances
    first = np.take_along_axis(inverse, at, axis=1)
    second = np.take_along_axis(inverse, (at + 1) % RAYS, axis=1)
    found: NDArray[np.bool_] = first_part * first + second_part * second <= 1
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
