"""Targets of networks for masks, made of label images: boxes, their masks, and the class by place.

The targets of an image are rows of 790 numbers. The first ones are objects: a box, see `boxes`,
and the cells of its mask. These reach a tenth beyond each side of the box, so that networks learn
what does not belong to the object. The last rows are a map of the classes, see `CLASS_STRIDE`.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.boxes import CLASS, FLAGS, LEFT
from studio.engine.tasks.instance_labels import CLASSES, IGNORED, class_of, instance_table
from studio.engine.tasks.masks import CELLS, MASK, VALUES, empty, middles_of

GROWN: Final = 1.2
"""Side of the area that is learned of a mask, as a multiple of the side of its box."""
CLASS_STRIDE: Final = 2
"""Distance in pixels of the places with a class: -1 for ignored ones, 0 for the background, and 1
more than the class of an object."""
_FIRST: Final = CLASS_STRIDE // 2


def class_map_size(size: tuple[int, int]) -> tuple[int, int]:
    """Return rows and columns of the map of the classes of an image.

    Args:
        size: Height and width of the image in pixels.
    """
    rows, columns = (math.ceil(side / CLASS_STRIDE) for side in size)
    return rows, columns


def class_rows(size: tuple[int, int]) -> int:
    """Return the number of rows that hold the map of the classes of an image.

    Args:
        size: Height and width of the image in pixels.
    """
    return math.ceil(math.prod(class_map_size(size)) / VALUES)


def mask_targets(labels: Instances, places: int) -> NDArray[np.float32]:
    """Return what a network learns of an image.

    Objects are in an order that depends on the label image and on nothing else: where only some
    of many are learned in a step, others are learned of a turned or moved copy.

    Args:
        labels: Label image, shape (height, width).
        places: Number of places for objects; others are left out.

    Returns:
        Shape (places + rows of the map, 790). Cells are 1 in the object, 0 outside, and -1 where
        they are ignored.
    """
    height, width = labels.shape
    found: NDArray[np.float32] = empty(1, places + class_rows((height, width)))[0]
    table = instance_table(labels)
    draw = np.random.default_rng(int(table.boxes.sum()))
    order = draw.permutation(len(table))[:places]
    boxes = table.boxes[order].astype(np.float64)
    found[: len(order), CLASS] = table.classes[order]
    found[: len(order), LEFT:FLAGS] = boxes
    middle, half = (boxes[:, :2] + boxes[:, 2:]) / 2, (boxes[:, 2:] - boxes[:, :2]) * GROWN / 2
    low, high = middle - half, middle + half
    x, y = (np.floor(middles_of(low[:, at], high[:, at])).astype(np.int64) for at in (0, 1))
    is_outside = ((y < 0) | (y >= height))[:, :, None] | ((x < 0) | (x >= width))[:, None]
    y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    values = labels[y[:, :, None], x[:, None]]
    inside = (values == table.values[order][:, None, None]).astype(np.float32)
    inside[is_outside | (values == IGNORED)] = -1
    found[: len(order), MASK:] = inside.reshape(len(order), CELLS**2)
    found[places:] = _class_map(labels)
    return found


def _class_map(labels: Instances) -> NDArray[np.float32]:
    """Return the map of the classes of an image in rows of 790 numbers."""
    rows, columns = class_map_size(labels.shape)
    padded = np.pad(labels, [(0, CLASS_STRIDE)] * 2, constant_values=IGNORED)
    seen = padded[_FIRST::CLASS_STRIDE, _FIRST::CLASS_STRIDE][:rows, :columns]
    classes = np.where(seen == IGNORED, -1, class_of(seen) + 1)
    found = np.full(class_rows(labels.shape) * VALUES, -1, np.float32)
    found[: rows * columns] = classes.ravel()
    return found.reshape(-1, VALUES)


def middle_object(shape: tuple[int, int, int]) -> NDArray[np.float32]:
    """Return the targets of images with an object of the first class in the middle.

    Args:
        shape: Number, height and width of the images.
    """
    count, height, width = shape
    labels = np.zeros((height, width), np.int32)
    labels[height // 4 : -(-3 * height // 4), width // 4 : -(-3 * width // 4)] = CLASSES
    return np.repeat(mask_targets(labels, 1)[None], count, axis=0)
