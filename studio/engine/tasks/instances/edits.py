"""Edits of label images: pure functions that return what changes, so that it can be undone.

    edit = drawn(labels, patch, label=1)
    if edit is not None:
        edit.apply(labels)
        edit.undo(labels)

A function reads the whole label image only where it says so; all others read and change the
rectangle of what is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.instance_labels import CLASSES, IGNORED, MAX_NUMBER

Inside = NDArray[np.bool_]
Rectangle = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels; right and bottom are behind the last pixel."""
_SIDES: Final = 4
"""Neighbors of a pixel that are connected with it: those at its sides."""


@dataclass(frozen=True, slots=True, eq=False)
class Edit:
    """A change of a label image within a rectangle.

    Attributes:
        left: Left side of the rectangle in pixels.
        top: Upper side.
        before: Values before the change, shape (height, width).
        after: Values after it, of the same shape.
    """

    left: int
    top: int
    before: Instances
    after: Instances

    @property
    def rectangle(self) -> Rectangle:
        """The part that must be painted again."""
        height, width = self.after.shape
        return self.left, self.top, self.left + width, self.top + height

    def apply(self, labels: Instances) -> None:
        """Make the change in place."""
        self._write(labels, self.after)

    def undo(self, labels: Instances) -> None:
        """Take the change back in place."""
        self._write(labels, self.before)

    def _write(self, labels: Instances, values: Instances) -> None:
        left, top, right, bottom = self.rectangle
        labels[top:bottom, left:right] = values


def value_at(labels: Instances, x: int, y: int) -> int:
    """Return the value of a pixel; 0 outside of the image.

    Args:
        labels: The label image.
        x: Column of the pixel.
        y: Row of the pixel.
    """
    height, width = labels.shape
    return int(labels[y, x]) if 0 <= x < width and 0 <= y < height else 0


def new_value(labels: Instances, label: int) -> int:
    """Return the value of a new object; reads the whole label image.

    Args:
        labels: The label image.
        label: Class of the object.

    Raises:
        ValueError: No number is left.
    """
    highest = int(labels.max(initial=0)) >> 8
    if highest < MAX_NUMBER:
        return (highest + 1) * CLASSES + label
    used = np.unique(labels[labels > 0]) >> 8
    free = np.flatnonzero(~np.isin(np.arange(1, len(used) + 2), used))
    return (int(free[0]) + 1) * CLASSES + label


def rectangle_of(labels: Instances, values: Collection[int]) -> Rectangle | None:
    """Return the box around objects; None without a pixel. Reads the whole label image.

    Args:
        labels: The label image.
        values: Values of the objects.
    """
    inside = np.isin(labels, list(values))
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def painted(labels: Instances, patch: Patch, value: int, *, covers: bool = False) -> Edit | None:
    """Give pixels to an object, new or not, or to `IGNORED`; None if nothing changes.

    Args:
        labels: The label image.
        patch: The pixels.
        value: Value of the object, see `new_value`.
        covers: True to take pixels from other objects, too; otherwise only free ones.
    """
    part, inside, (left, top) = _part(labels, patch)
    free = inside if covers else inside & (part == 0)
    return _edit(left, top, part, np.where(free, np.int32(value), part))


def erased(labels: Instances, patch: Patch, values: Collection[int] = ()) -> Edit | None:
    """Make pixels background; None if nothing changes.

    Args:
        labels: The label image.
        patch: The pixels.
        values: Objects that lose pixels; empty for all.
    """
    part, inside, (left, top) = _part(labels, patch)
    mine = inside & np.isin(part, list(values)) if values else inside
    return _edit(left, top, part, np.where(mine, np.int32(0), part))


def filled_holes(labels: Instances, value: int) -> Edit | None:
    """Give free pixels that an object surrounds to it; reads the whole label image.

    Args:
        labels: The label image.
        value: Value of the object.
    """
    part, (left, top) = _around(labels, [value])
    if not part.size:
        return None
    free = np.pad(part != value, 1, constant_values=True).astype(np.uint8)
    _, areas = cv2.connectedComponents(free, connectivity=_SIDES)
    holes = (areas != areas[0, 0])[1:-1, 1:-1] & (part == 0)
    return _edit(left, top, part, np.where(holes, np.int32(value), part))


def split(labels: Instances, value: int, cut: Patch) -> Edit | None:
    """Split an object along a line; None if it stays in one part. Reads the whole label image.

    The largest part keeps its number. Pixels of the line go to the nearest part.

    Args:
        labels: The label image.
        value: Value of the object.
        cut: Pixels of the line, connected at their sides.
    """
    part, (left, top) = _around(labels, [value])
    if not part.size:
        return None
    own = part == value
    whole = np.zeros(labels.shape, np.bool_)
    _, inside, (x, y) = _part(labels, cut)
    whole[y : y + inside.shape[0], x : x + inside.shape[1]] = inside
    line = whole[top : top + part.shape[0], left : left + part.shape[1]]
    before = cv2.connectedComponents(own.astype(np.uint8), connectivity=_SIDES)[1]
    areas = cv2.connectedComponents((own & ~line).astype(np.uint8), connectivity=_SIDES)[1]
    # Parts that the line does not divide stay as they are.
    numbers, places = np.unique(areas, return_index=True)
    counts = np.bincount(before.ravel()[places[numbers > 0]], minlength=1)
    own = np.isin(before, np.flatnonzero(counts > 1))
    if not own.any():
        return None
    areas = np.where(own, areas, 0)
    return _edit(left, top, part, _parted(labels, part, value, _nearest(areas, own)))


def separated(labels: Instances, value: int) -> Edit | None:
    """Make each connected part of an object an object; None if it has one part.

    The largest part keeps its number. Reads the whole label image.

    Args:
        labels: The label image.
        value: Value of the object.
    """
    part, (left, top) = _around(labels, [value])
    own = (part == value).astype(np.uint8)
    if not part.size or cv2.connectedComponents(own, connectivity=_SIDES)[0] <= 2:
        return None
    areas = cv2.connectedComponents(own, connectivity=_SIDES)[1]
    return _edit(left, top, part, _parted(labels, part, value, areas))


def merged(labels: Instances, values: Sequence[int]) -> Edit | None:
    """Make several objects one with the value of the first; reads the whole label image.

    Args:
        labels: The label image.
        values: Values of the objects.
    """
    return _replaced(labels, values[1:], values[0]) if len(values) > 1 else None


def deleted(labels: Instances, values: Collection[int]) -> Edit | None:
    """Make objects background; reads the whole label image.

    Args:
        labels: The label image.
        values: Values of the objects.
    """
    return _replaced(labels, values, 0)


def ignored(labels: Instances, values: Collection[int]) -> Edit | None:
    """Make objects pixels that count nowhere; reads the whole label image.

    Args:
        labels: The label image.
        values: Values of the objects.
    """
    return _replaced(labels, values, IGNORED)


def reclassified(labels: Instances, values: Collection[int], label: int) -> Edit | None:
    """Give objects another class; reads the whole label image.

    Args:
        labels: The label image.
        values: Values of the objects.
        label: Their new class.
    """
    part, (left, top) = _around(labels, values)
    mine = np.isin(part, list(values))
    changed = (part >> 8) * CLASSES + np.int32(label)
    return _edit(left, top, part, np.where(mine, changed.astype(np.int32), part))


def _part(labels: Instances, patch: Patch) -> tuple[Instances, Inside, tuple[int, int]]:
    """Return the label image and the pixels in the rectangle of a patch, and its corner.

    What of the patch lies outside of the image is cut off.
    """
    height, width = labels.shape
    left, top = max(patch.left, 0), max(patch.top, 0)
    right = max(min(patch.left + patch.inside.shape[1], width), left)
    bottom = max(min(patch.top + patch.inside.shape[0], height), top)
    inside = patch.inside[top - patch.top : bottom - patch.top]
    inside = inside[:, left - patch.left : right - patch.left]
    return labels[top:bottom, left:right], inside, (left, top)


def _around(labels: Instances, values: Collection[int]) -> tuple[Instances, tuple[int, int]]:
    """Return the label image in the rectangle around objects, and its corner."""
    left, top, right, bottom = rectangle_of(labels, values) or (0, 0, 0, 0)
    return labels[top:bottom, left:right], (left, top)


def _replaced(labels: Instances, values: Collection[int], value: int) -> Edit | None:
    part, (left, top) = _around(labels, values)
    mine = np.isin(part, list(values))
    return _edit(left, top, part, np.where(mine, np.int32(value), part))


def _edit(left: int, top: int, before: Instances, after: Instances) -> Edit | None:
    """Return a change, cut to the rectangle that differs; None without any."""
    differs = before != after
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not len(rows):
        return None
    place = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    corner = left + int(columns[0]), top + int(rows[0])
    return Edit(*corner, before[place].copy(), after[place].astype(np.int32))


def _nearest(areas: NDArray[np.int32], own: Inside) -> NDArray[np.int32]:
    """Return the part of each pixel of an object; of those in none the nearest one.

    Args:
        areas: Part of each pixel, from 1; 0 for pixels in none.
        own: Pixels of the object.
    """
    outside = (areas == 0).astype(np.uint8)
    _, nearest = cv2.distanceTransformWithLabels(
        outside, cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_PIXEL
    )
    part_of = np.zeros(int(nearest.max()) + 1, np.int32)
    part_of[nearest[areas > 0]] = areas[areas > 0]
    return np.where(own, part_of[nearest], 0)


def _parted(labels: Instances, part: Instances, value: int, areas: NDArray[np.int32]) -> Instances:
    """Return a part of a label image in which the parts of an object have own numbers.

    Args:
        labels: The whole label image.
        part: The part.
        value: Value of the object; its largest part keeps it.
        areas: Part of each of its pixels, from 1.
    """
    sizes = np.bincount(areas.ravel())
    sizes[0] = 0
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    first = new_value(labels, value % CLASSES)
    values = np.zeros(len(sizes), np.int32)
    values[order] = [value, *(first + CLASSES * index for index in range(len(order) - 1))]
    return np.where(areas > 0, values[areas], part)
