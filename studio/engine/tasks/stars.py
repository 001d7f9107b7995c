"""Star-convex outlines: the distances from a position to the outline of its object.

Positions form a grid over the image: position (row, column) of a grid with a stride of s pixels is
the center of the pixel (row * s + 1, column * s + 1), so that each grid is a part of the finest.
The 32 directions turn clockwise from the right.

A star is a row of 40 float32 numbers. The first six are those of a detection: class, sides of the
box around the star, score. Then follow x and y of its position, and its distances; in pixels.

Source: U. Schmidt et al., "Cell detection with star-convex polygons", MICCAI 2018.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import BOTTOM, CLASS, LEFT, NO_BOX
from studio.engine.tasks.decoding import SCORE
from studio.engine.tasks.outputs import RAYS

X, Y, DISTANCES = range(SCORE + 1, SCORE + 4)
VALUES: Final = DISTANCES + RAYS
"""Numbers of a star."""
STRIDES: Final = (2, 4, 8, 16)
"""Distances of positions in pixels that grids may have; a grid has ceil(side / stride) rows."""
FIRST: Final = 1
"""Row and column of the pixel of the first position."""
_ANGLES = 2 * np.pi * np.arange(RAYS) / RAYS
DIRECTIONS: Final[NDArray[np.float64]] = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
"""x and y of each direction, shape (32, 2)."""

Stars = NDArray[np.float32]
"""Stars of an image, shape (n, 40)."""


def stride_of(rows: int, height: int) -> int:
    """Return the stride of a grid in pixels.

    Args:
        rows: Rows of the grid, or columns.
        height: Height of the image in pixels, or width.

    Raises:
        ValueError: There is no grid of that many rows.
    """
    for stride in STRIDES:
        if -(-height // stride) == rows:
            return stride
    raise ValueError(f"{rows} rows are no grid over {height} pixels")


def positions_of(rows: int, columns: int, stride: int) -> NDArray[np.float32]:
    """Return x and y of the positions of a grid in pixels, shape (rows, columns, 2).

    Args:
        rows: Rows of the grid.
        columns: Columns of the grid.
        stride: Distance of two positions in pixels.
    """
    xs, ys = (
        np.arange(count, dtype=np.float32) * stride + FIRST + 0.5 for count in (columns, rows)
    )
    return np.stack(np.meshgrid(xs, ys), axis=-1).astype(np.float32)


def empty(images: int, places: int) -> NDArray[np.float32]:
    """Return places without stars, shape (images, places, 40).

    Args:
        images: Number of images.
        places: Places of each image.
    """
    found = np.zeros((images, places, VALUES), np.float32)
    found[..., CLASS] = NO_BOX
    return found


def corners_of(rows: NDArray[Any]) -> NDArray[np.float64]:
    """Return the corners of the outlines of stars in pixels, shape (n, 32, 2).

    Args:
        rows: Stars, shape (n, 40).
    """
    centers = rows[:, None, X : Y + 1].astype(np.float64)
    return centers + rows[:, DISTANCES:, None] * DIRECTIONS


def areas_of(distances: NDArray[Any]) -> NDArray[np.float64]:
    """Return the areas of stars in square pixels, shape (…).

    Args:
        distances: Shape (…, 32).
    """
    sine = math.sin(2 * math.pi / RAYS)
    found: NDArray[np.float64] = (
        sine / 2 * np.sum(distances * np.roll(distances, -1, axis=-1), axis=-1)
    )
    return found


def with_boxes(rows: Stars, size: tuple[float, float]) -> Stars:
    """Return stars with the boxes around them, cut off at the image.

    Args:
        rows: Stars, shape (n, 40).
        size: Width and height of the image in pixels.
    """
    corners = corners_of(rows)
    found = rows.copy()
    sides = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    found[:, LEFT : BOTTOM + 1] = np.clip(sides, 0, size * 2)
    return found
