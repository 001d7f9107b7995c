"""Boxes of objects as rows of numbers, their overlaps, and the positions that networks answer for.

A box is a row of six float32 numbers: class, left, top, right, bottom, flags. Sides are in pixels,
the left and top edge of the image at 0. A place without a box has the class `NO_BOX`, and zeros.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

VALUES: Final = 6
"""Numbers of a box."""
CLASS, LEFT, TOP, RIGHT, BOTTOM, FLAGS = range(VALUES)
NO_BOX: Final = -1.0
DIFFICULT: Final = 1
"""Flag of objects that are hard to recognize: not learned, and no error where they are missed."""
CROWD: Final = 2
"""Flag of regions with many objects: not learned, and boxes inside are no errors."""
MOST_BOXES: Final = 2000
"""Boxes of an image; more are left out."""
OVERLAPS: Final = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
"""Least overlaps (IoU) of a box with its object, over which mAP is averaged."""
SIDES: Final = 4
"""Numbers of an output beside the scores of the classes: distances from the position to the left,
top, right and bottom side, in strides of its level."""
_FINEST: Final = (4, 8, 16, 32, 64)
_MOST_LEVELS: Final = 6


def empty(images: int, places: int) -> NDArray[np.float32]:
    """Return places without boxes, shape (images, places, 6).

    Args:
        images: Number of images.
        places: Places of each image.
    """
    found: NDArray[np.float32] = np.zeros((images, places, VALUES), np.float32)
    found[..., CLASS] = NO_BOX
    return found


def padded(boxes: NDArray[np.float32], places: int) -> NDArray[np.float32]:
    """Return the boxes of an image followed by empty places, shape (places, 6).

    Args:
        boxes: Shape (n, 6); what is behind the places is left out.
        places: Number of places.
    """
    found: NDArray[np.float32] = empty(1, places)[0]
    count = min(len(boxes), places)
    found[:count] = boxes[:count]
    return found


def is_learned(boxes: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which places have a box that is neither difficult nor a crowd, shape (…)."""
    found: NDArray[np.bool_] = (boxes[..., CLASS] >= 0) & (boxes[..., FLAGS] == 0)
    return found


def areas(boxes: NDArray[Any]) -> NDArray[Any]:
    """Return areas in square pixels, shape (…).

    Args:
        boxes: Left, top, right and bottom, shape (…, 4).
    """
    found: NDArray[Any] = np.maximum(boxes[..., 2] - boxes[..., 0], 0) * np.maximum(
        boxes[..., 3] - boxes[..., 1], 0
    )
    return found


def overlaps(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float64]:
    """Return the intersection over union of each pair of boxes, shape (n, m).

    Args:
        one: Left, top, right and bottom, shape (n, 4).
        other: Shape (m, 4).
    """
    one, other = one.astype(np.float64), other.astype(np.float64)
    corner = np.maximum(one[:, None, :2], other[None, :, :2])
    end = np.minimum(one[:, None, 2:], other[None, :, 2:])
    both = np.prod(np.maximum(end - corner, 0), axis=2)
    union = areas(one)[:, None] + areas(other)[None] - both
    found: NDArray[np.float64] = np.divide(both, union, out=np.zeros_like(both), where=union > 0)
    return found


def strides_of(positions: int, height: int, width: int) -> tuple[int, ...]:
    """Return the strides of the levels of a network's output, the finest first.

    Each is twice the one before. A level with a stride of s has ceil(height / s) rows of
    ceil(width / s) positions; the output has them row by row, level by level.

    Args:
        positions: Number of positions, P.
        height: Height of the images in pixels.
        width: Width of the images in pixels.

    Raises:
        ValueError: No levels have so many positions.
    """
    for finest in _FINEST:
        total, strides = 0, []
        for level in range(_MOST_LEVELS):
            stride = finest * 2**level
            total += math.ceil(height / stride) * math.ceil(width / stride)
            strides.append(stride)
            if total == positions:
                return tuple(strides)
            if total > positions:
                break
    raise ValueError(f"{positions} positions fit no levels of {height}x{width} pixels")


def positions_of(positions: int, height: int, width: int) -> NDArray[np.float32]:
    """Return the center and the stride of each position: x, y and stride in pixels, shape (P, 3).

    Args:
        positions: Number of positions, P.
        height: Height of the images in pixels.
        width: Width of the images in pixels.

    Raises:
        ValueError: No levels have so many positions.
    """
    parts = []
    for stride in strides_of(positions, height, width):
        rows, columns = math.ceil(height / stride), math.ceil(width / stride)
        ys, xs = np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij")
        centers = (np.stack([xs, ys], axis=-1).reshape(-1, 2) + 0.5) * stride
        parts.append(np.column_stack([centers, np.full(len(centers), stride)]))
    return np.concatenate(parts).astype(np.float32)


def boxes_of(outputs: NDArray[np.float32], height: int, width: int) -> NDArray[np.float32]:
    """Return the box of each position: left, top, right, bottom in pixels, shape (n, P, 4).

    Args:
        outputs: Outputs of a network, shape (n, P, K + 4).
        height: Height of the images in pixels.
        width: Width of the images in pixels.
    """
    places = positions_of(outputs.shape[1], height, width)
    distances = outputs[..., -SIDES:] * places[:, 2:]
    return np.concatenate(
        [places[:, :2] - distances[..., :2], places[:, :2] + distances[..., 2:]], axis=-1
    )
