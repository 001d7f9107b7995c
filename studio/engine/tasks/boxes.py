"""Boxes of objects as rows of numbers, their overlaps, and the positions of predictions.

A box is a row of six float32 numbers: class, left, top, right, bottom, flags. Sides are in pixels,
the left and top edge of the image at 0. A place without a box has the class `NO_BOX`, and zeros.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.messages import Message
from studio.engine.tasks.outputs import BOX_SIDES

VALUES: Final = 6
"""Numbers of a box."""
CLASS, LEFT, TOP, RIGHT, BOTTOM, FLAGS = range(VALUES)
NO_BOX: Final = -1.0
DIFFICULT: Final = 1
"""Flag of objects that are hard to recognize: not learned, and no error where they are missed."""
CROWD: Final = 2
"""Flag of regions with many objects: not learned, and boxes inside are no errors."""
MAX_BOXES: Final = 2000
"""Maximum number of boxes per image; others are left out."""
OVERLAPS: Final = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
"""Least overlaps (IoU) of a box with its object, over which mAP is averaged."""
SIDES: Final = BOX_SIDES
"""Numbers of an output besides the scores of the classes: distances from the position to the left,
top, right and bottom side, in strides of its level."""
_FINEST: Final = (4, 8, 16, 32, 64)
_MAX_LEVELS: Final = 6


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


def clipped(boxes: NDArray[Any], size: tuple[float, float], least_visible: float) -> NDArray[Any]:
    """Cut boxes off at the edges of an image, and leave out those of which little is left.

    Args:
        boxes: Shape (n, 6), without empty places; also outside of the image.
        size: Width and height of the image in pixels.
        least_visible: Fraction of the area of a box that has to be inside, 0 to 1.

    Returns:
        Boxes with a positive area inside the image, shape (m, 6).
    """
    found = boxes.copy()
    found[:, [LEFT, RIGHT]] = np.clip(found[:, [LEFT, RIGHT]], 0, size[0])
    found[:, [TOP, BOTTOM]] = np.clip(found[:, [TOP, BOTTOM]], 0, size[1])
    before, after = areas(boxes[:, LEFT:FLAGS]), areas(found[:, LEFT:FLAGS])
    # A box that is inside stays, whatever its corners are rounded to.
    return found[(after > 0) & (after >= least_visible * before * (1 - _ROUNDING))]


_ROUNDING = 1e-6
SAME_OBJECT: Final = 0.5
"""Least overlap (IoU) of two boxes of one object."""


def same_objects(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    """Return True if each object of one image is in the other, too, and vice versa.

    Args:
        one: Boxes of an image, shape (n, 6); empty places do not count.
        other: Shape (m, 6).
    """
    one, other = one[one[:, CLASS] >= 0], other[other[:, CLASS] >= 0]
    if not len(one) or not len(other):
        return len(one) == len(other)
    same = overlaps(one[:, LEFT:FLAGS], other[:, LEFT:FLAGS]) >= SAME_OBJECT
    same &= one[:, None, CLASS] == other[None, :, CLASS]
    return bool(same.any(axis=1).all() and same.any(axis=0).all())


def box_documents(boxes: NDArray[np.float32], names: Sequence[str]) -> list[dict[str, object]]:
    """Return the boxes of an image as JSON data.

    Args:
        boxes: Shape (n, 6); empty places are left out.
        names: Names of the classes.
    """
    documents: list[dict[str, object]] = []
    for box in boxes[boxes[:, CLASS] >= 0].tolist():
        flags = int(box[FLAGS])
        document: dict[str, object] = {"class": names[int(box[CLASS])], "box": box[LEFT:FLAGS]}
        for name, flag in (("difficult", DIFFICULT), ("crowd", CROWD)):
            if flags & flag:
                document[name] = True
        documents.append(document)
    return documents


def box_counts(boxes: NDArray[np.float32], classes: int) -> NDArray[np.int32]:
    """Return the number of boxes of each class in each image, shape (N, K).

    Args:
        boxes: Boxes of the images, shape (N, M, 6); empty places and crowds are not counted.
        classes: Number of classes, K.
    """
    is_counted = (boxes[..., CLASS] >= 0) & (boxes[..., FLAGS].astype(np.int32) & CROWD == 0)
    image = np.nonzero(is_counted)[0]
    label = boxes[..., CLASS][is_counted].astype(np.int64)
    found = np.bincount(image * classes + label, minlength=len(boxes) * classes)
    return found.reshape(len(boxes), classes).astype(np.int32)


def strides_of(
    positions: int, height: int, width: int, finest_ones: Sequence[int] = _FINEST
) -> tuple[int, ...]:
    """Return the strides of the levels of a network's output, the finest first.

    Each is twice the one before. A level with a stride of s has ceil(height / s) rows of
    ceil(width / s) positions; the output has them row by row, level by level.

    Args:
        positions: Number of positions, P.
        height: Height of the images in pixels.
        width: Width of the images in pixels.
        finest_ones: Strides that the finest level may have.

    Raises:
        ValueError: There are no levels with this number of positions.
    """
    for finest in finest_ones:
        total, strides = 0, []
        for level in range(_MAX_LEVELS):
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
        ValueError: There are no levels with this number of positions.
    """
    return centers_of(strides_of(positions, height, width), height, width)


def centers_of(strides: Sequence[int], height: int, width: int) -> NDArray[np.float32]:
    """Return x, y and stride of each position of some levels in pixels, shape (P, 3).

    Args:
        strides: Strides of the levels in pixels, in the order of the output.
        height: Height of the images in pixels.
        width: Width of the images in pixels.
    """
    parts = []
    for stride in strides:
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
    return centered_boxes(outputs[..., -SIDES:], positions_of(outputs.shape[1], height, width))


def centered_boxes(sides: NDArray[np.float32], places: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return left, top, right and bottom of boxes around positions in pixels, shape (…, P, 4).

    Args:
        sides: Distances to the four sides in strides, shape (…, P, 4).
        places: x, y and stride of each position in pixels, shape (P, 3).
    """
    distances = sides * places[:, 2:]
    return np.concatenate(
        [places[:, :2] - distances[..., :2], places[:, :2] + distances[..., 2:]], axis=-1
    )


def is_about_crowds(reason: str) -> bool:
    """Return True for a report of regions that are kept as crowds, which are no faults."""
    template = reason.template if isinstance(reason, Message) else reason
    return template.startswith("kept {count} ")
