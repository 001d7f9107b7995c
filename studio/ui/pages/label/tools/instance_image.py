"""The label image of a picture during editing: strokes of objects, undo, and its colors. No Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.instance_labels import CLASSES, IGNORED
from studio.engine.tasks.instances import edits
from studio.engine.tasks.instances.edits import Edit
from studio.ui.widgets.canvas.mask_image import NOWHERE, Area, MaskImage, Point, Region, united

_MOST_BYTES: Final = 192 * 1024 * 1024
"""Bytes of all steps of undo; the oldest are forgotten."""
_STRIPED: Final = 0xFF8A919C
"""Color of pixels that count nowhere."""
_CHOSEN: Final = 0xFFFFFFFF
_INSIDE: Final = 0.6
"""Opacity of the inside of objects, as a share of that of their edges."""


class InstanceImage(MaskImage):
    """An object for each pixel of a picture; changes are edits that can be undone.

    Attributes:
        labels: Label image, int32, shape (height, width); changed in place.
        target: Object that strokes extend; 0 to draw a new one.
    """

    labels: Instances

    def __init__(self) -> None:
        self.target = 0
        self._edits: list[Edit] | None = None
        self._before: list[list[Edit]] = []
        self._after: list[list[Edit]] = []
        super().__init__()

    def reset(self, labels: NDArray[np.generic]) -> None:
        """Begin with the label image of a picture; nothing can be undone."""
        self.labels = np.array(labels, np.int32, order="C")
        self._edits, self._before, self._after, self.target = None, [], [], 0

    @property
    def can_undo(self) -> bool:
        """True if there is a change to undo."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """True if a change was undone."""
        return bool(self._after)

    @property
    def is_changing(self) -> bool:
        """True between `begin` and `end`."""
        return self._edits is not None

    def begin(self) -> None:
        """Begin a step of undo."""
        self.end()
        self._edits = []

    def end(self) -> bool:
        """End the step of undo; False if it changed nothing."""
        step, self._edits = self._edits, None
        if not step:
            return False
        self._before.append(step)
        self._after.clear()
        total = sum(_bytes(each) for each in self._before)
        while total > _MOST_BYTES and len(self._before) > 1:
            total -= _bytes(self._before.pop(0))
        return True

    def undo(self) -> Area:
        """Undo the last change; `NOWHERE` if there is none."""
        self.end()
        if not self._before:
            return NOWHERE
        step = self._before.pop()
        self._after.append(step)
        for each in reversed(step):
            each.undo(self.labels)
        return _area_of(step)

    def redo(self) -> Area:
        """Repeat the change that was undone last; `NOWHERE` if there is none."""
        self.end()
        if not self._after:
            return NOWHERE
        step = self._after.pop()
        self._before.append(step)
        for each in step:
            each.apply(self.labels)
        return _area_of(step)

    def change(self, edit: Edit | None) -> Area:
        """Make an edit a part of the step, or a step of its own; return what it changed."""
        if edit is None:
            return NOWHERE
        edit.apply(self.labels)
        if self._edits is None:
            self.begin()
            self.change_recorded(edit)
            self.end()
        else:
            self.change_recorded(edit)
        return edit.rectangle

    def change_recorded(self, edit: Edit) -> None:
        """Keep an edit for undo."""
        if self._edits is not None:
            self._edits.append(edit)

    def drawn_value(self, label: int) -> int:
        """Return the object that is drawn: the target, or a new one of a class, which it becomes.

        Args:
            label: The class.
        """
        return self.target or edits.new_value(self.labels, label)

    def draw(self, patch: Patch, value: int) -> Area:
        """Give free pixels to an object.

        Args:
            patch: The pixels.
            value: The object.
        """
        return self.change(edits.painted(self.labels, patch, value))

    def erase(self, patch: Patch, values: Sequence[int]) -> Area:
        """Free pixels.

        Args:
            patch: The pixels.
            values: The only objects that lose pixels; empty for all.
        """
        return self.change(edits.erased(self.labels, patch, values))

    def polygon(self, points: Sequence[Point], value: int) -> Area:
        """Fill a polygon with an object of a class; see `MaskImage.polygon`."""
        import cv2  # noqa: PLC0415 - takes 100 ms; imported before in another thread

        corners = np.array(points, np.float64)
        low = np.floor(corners.min(axis=0)).astype(int) - 1
        high = np.ceil(corners.max(axis=0)).astype(int) + 1
        inside = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        fixed = np.round((corners - low - 0.5) * 16).astype(np.int32)
        cv2.fillPoly(inside, [fixed], 1, cv2.LINE_8, 4)
        patch = self._within(int(low[0]), int(low[1]), inside > 0)
        return self.draw(patch, self.drawn_value(value))

    def paint(self, region: Region, value: int) -> Area:
        """Give the pixels of a region to an object of a class; see `MaskImage.paint`."""
        left, top, _, _ = region.area
        return self.draw(self._within(left, top, region.inside), self.drawn_value(value))

    def replace(self, labels: NDArray[np.generic]) -> Area:
        """Replace the whole label image, such as by that of another picture."""
        return self.change(Edit(0, 0, self.labels.copy(), labels.astype(np.int32)))

    def line(self, start: Point, end: Point, size: float) -> Patch:
        """Return the pixels of a line with round ends.

        Args:
            start: Its first end.
            end: Its last end.
            size: Diameter in pixels.
        """
        import cv2  # noqa: PLC0415 - imported before

        half = math.ceil(size / 2) + 1
        left, top = (math.floor(min(start[at], end[at])) - half for at in (0, 1))
        right, bottom = (math.floor(max(start[at], end[at])) + half + 1 for at in (0, 1))
        inside = np.zeros((bottom - top, right - left), np.uint8)
        ends = [(math.floor(x) - left, math.floor(y) - top) for x, y in (start, end)]
        cv2.line(inside, ends[0], ends[1], 1, max(1, round(size)), cv2.LINE_4)
        if size > 2:
            for each in ends:
                cv2.circle(inside, each, round(size / 2), 1, -1)
        return self._within(left, top, inside > 0)

    def _within(self, left: int, top: int, inside: NDArray[np.bool_]) -> Patch:
        """Return the part of some pixels that is in the picture."""
        height, width = self.labels.shape
        above, before = max(0, -top), max(0, -left)
        part = inside[above : max(0, height - top), before : max(0, width - left)]
        return Patch.of(left + before, top + above, part)


def _bytes(step: Sequence[Edit]) -> int:
    return sum(each.before.nbytes + each.after.nbytes for each in step)


def _area_of(step: Sequence[Edit]) -> Area:
    area = NOWHERE
    for each in step:
        area = united(area, each.rectangle)
    return area


def colored(
    labels: Instances, table: NDArray[np.uint32], chosen: Sequence[int], opacity: float
) -> NDArray[np.uint32]:
    """Return a part of a label image as pixels of 0xaarrggbb, premultiplied.

    Insides are lighter than the edges between objects, so that those that touch are apart.

    Args:
        labels: Label image, shape (height, width).
        table: Color of each class as 0xffrrggbb, shape (256,).
        chosen: Objects that are marked by white edges.
        opacity: Opacity of edges, 0 to 1.
    """
    colors = table[labels & (CLASSES - 1)]
    colors[labels == IGNORED] = _STRIPED
    edges = np.zeros(labels.shape, np.bool_)
    for axis in (0, 1):
        differ = np.diff(labels, axis=axis) != 0
        for part in (np.s_[1:], np.s_[:-1]):
            edges[(part, slice(None)) if axis == 0 else (slice(None), part)] |= differ
    alpha = np.where(edges, opacity, opacity * _INSIDE)
    if chosen:
        marked = np.isin(labels, np.array(chosen, np.int32)) & edges
        colors[marked] = _CHOSEN
        alpha[marked] = 1.0
    alpha[labels == 0] = 0.0
    found: NDArray[np.uint32] = (alpha * 255).astype(np.uint32) << np.uint32(24)
    for shift in (np.uint32(0), np.uint32(8), np.uint32(16)):
        channel: NDArray[np.uint32] = ((colors >> shift & 0xFF) * alpha).astype(np.uint32)
        found |= channel << shift
    return found
