"""Label images: a number for each pixel that names its object and the class of the object.

A pixel is 0 where no object is, `IGNORED` where it counts nowhere, such as in crowds, and
otherwise `number * 256 + class`: the number of its object in the image, from 1, and the index of
its class. Objects do not overlap; each may have holes and several parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from studio.engine.tasks.annotations import Instances

IGNORED: Final = -1
"""Value of pixels that count nowhere: they are neither an object nor background."""
CLASSES: Final = 256
"""Factor of the number of an object in the value of its pixels."""
MAX_NUMBER: Final = 2**31 // CLASSES - 1
"""Largest number of an object."""


@dataclass(frozen=True, slots=True)
class InstanceTable:
    """The objects of an image, by rising number; n of them.

    Attributes:
        values: Value of the pixels of each object, int32, shape (n,).
        areas: Pixels of each object, int64, shape (n,).
        boxes: Left, top, right and bottom in pixels; right and bottom are behind the last pixel;
            int64, shape (n, 4).
    """

    values: NDArray[np.int32]
    areas: NDArray[np.int64]
    boxes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def numbers(self) -> NDArray[np.int32]:
        """Number of each object, shape (n,)."""
        return numbers_of(self.values)

    @property
    def classes(self) -> NDArray[np.int32]:
        """Class of each object, shape (n,)."""
        return class_of(self.values)

    def mask(self, labels: Instances, index: int) -> NDArray[np.bool_]:
        """Return the pixels of an object within its box.

        Args:
            labels: The label image.
            index: Index of the object in this table.
        """
        left, top, right, bottom = self.boxes[index].tolist()
        return np.asarray(labels[top:bottom, left:right] == self.values[index])


def values_of(numbers: NDArray[Any], classes: NDArray[Any] | int) -> Instances:
    """Return the values of pixels or objects.

    Args:
        numbers: Number of the object of each, from 1; 0 for none, negative for `IGNORED`.
        classes: Class of each, of the same shape, or of all.
    """
    found: Instances = (numbers.astype(np.int32) * CLASSES + classes).astype(np.int32)
    found[numbers == 0] = 0
    found[numbers < 0] = IGNORED
    return found


def numbers_of(values: Instances) -> NDArray[np.int32]:
    """Return the number of the object of each pixel; 0 for none, -1 for ignored pixels."""
    return values >> 8


def class_of(values: Instances) -> NDArray[np.int32]:
    """Return the class of each pixel; -1 for pixels without an object."""
    return np.where(values > 0, values & (CLASSES - 1), np.int32(-1))


def instance_table(labels: Instances) -> InstanceTable:
    """Return the objects of an image, by rising number.

    Args:
        labels: Label image, shape (height, width).
    """
    small, values = compacted(labels)
    count = len(values)
    areas = np.bincount(small.ravel(), minlength=count + 1)[1:]
    boxes = np.zeros((count, 4), np.int64)
    for index, place in enumerate(ndimage.find_objects(small, count)):
        rows, columns = place
        boxes[index] = columns.start, rows.start, columns.stop, rows.stop
    return InstanceTable(values, areas.astype(np.int64), boxes)


def compacted(labels: Instances) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return consecutive numbers of the objects of pixels, and the values they stand for.

    Args:
        labels: Label image, shape (height, width).

    Returns:
        From 1, or 0 for pixels without an object, shape (height, width); n values, ascending.
    """
    inside = labels > 0
    values, places = np.unique(labels[inside], return_inverse=True)
    small = np.zeros(labels.shape, np.int32)
    small[inside] = places + 1
    return small, values.astype(np.int32)


def renumbered(labels: Instances) -> Instances:
    """Return a label image whose objects have consecutive numbers from 1, in the same order."""
    small, values = compacted(labels)
    table = np.zeros(len(values) + 1, np.int32)
    table[1:] = values_of(np.arange(1, len(values) + 1), class_of(values))
    return np.where(labels < 0, np.int32(IGNORED), table[small])
