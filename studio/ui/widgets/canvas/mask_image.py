"""The mask of a picture during editing: tools, and undo by changed tiles. Free of Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Labels: TypeAlias = NDArray[np.uint8]
"""Class of each pixel, shape (height, width), or the pixels of a picture."""

_TILE: Final = 256
"""Side of an undo tile in pixels."""
_MOST_BYTES: Final = 192 * 1024 * 1024
"""Bytes of all steps of undo; the oldest are forgotten."""
_SHIFT: Final = 4
"""Binary digits of fractions of a pixel, for OpenCV."""
_CUT_SIDE: Final = 640
"""Longer side in pixels at which GrabCut works: it takes seconds for megapixels."""
_CUT_ROUNDS: Final = 4
Area = tuple[int, int, int, int]
"""Left, top, right and bottom of changed pixels; right and bottom are exclusive."""
Point = tuple[float, float]
"""Position x, y in pixels of the picture."""
NOWHERE: Final[Area] = (0, 0, 0, 0)


@dataclass(slots=True)
class _Step:
    """Tiles before and after a change, by their row and column."""

    before: dict[tuple[int, int], Labels | int] = field(default_factory=dict)
    after: dict[tuple[int, int], Labels | int] = field(default_factory=dict)
    area: Area = NOWHERE

    @property
    def size(self) -> int:
        """Bytes of its tiles."""
        tiles = [*self.before.values(), *self.after.values()]
        return sum(64 if isinstance(tile, int) else tile.nbytes for tile in tiles)


class MaskImage:
    """A class for each pixel of a picture.

    Every change returns the area that it changed. Changes between `begin` and `end` are one step
    of undo; of each step only the tiles are kept that it changed.

    Attributes:
        labels: Class of each pixel, uint8, shape (height, width); changed in place.
    """

    def __init__(self, labels: Labels | None = None) -> None:
        self.labels: NDArray[Any] = np.zeros((0, 0), np.uint8)
        self._step: _Step | None = None
        self._done: list[_Step] = []
        self._undone: list[_Step] = []
        self.reset(self.labels if labels is None else labels)

    def reset(self, labels: Labels) -> None:
        """Begin with the mask of a picture; nothing can be undone."""
        self.labels = np.array(labels, np.uint8, order="C")
        self._step, self._done, self._undone = None, [], []

    @property
    def can_undo(self) -> bool:
        """True if there is a change to undo."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """True if a change was undone."""
        return bool(self._undone)

    @property
    def is_changing(self) -> bool:
        """True between `begin` and `end`."""
        return self._step is not None

    def begin(self) -> None:
        """Begin a step of undo."""
        self.end()
        self._step = _Step()

    def end(self) -> bool:
        """End the step of undo; False if it changed nothing."""
        step, self._step = self._step, None
        if step is None:
            return False
        for key, before in list(step.before.items()):
            after = self._tile(key)
            if _same(before, after):
                del step.before[key]
            else:
                step.after[key] = after
        if not step.before:
            return False
        self._done.append(step)
        self._undone.clear()
        total = sum(each.size for each in self._done)
        while total > _MOST_BYTES and len(self._done) > 1:
            total -= self._done.pop(0).size
        return True

    def undo(self) -> Area:
        """Undo the last change; `NOWHERE` if there is none."""
        self.end()
        if not self._done:
            return NOWHERE
        step = self._done.pop()
        self._undone.append(step)
        self._restore(step.before)
        return step.area

    def redo(self) -> Area:
        """Repeat the change that was undone last; `NOWHERE` if there is none."""
        self.end()
        if not self._undone:
            return NOWHERE
        step = self._undone.pop()
        self._done.append(step)
        self._restore(step.after)
        return step.area

    # Tools that answer at once

    def stroke(self, start: Point, end: Point, size: float, value: int) -> Area:
        """Draw a line with round ends.

        Args:
            start: Its first end.
            end: Its last end.
            size: Diameter of the brush in pixels.
            value: Class of the pixels.
        """
        import cv2  # noqa: PLC0415 - takes 100 ms; imported before in another thread

        half = math.ceil(size / 2) + 1
        area = self.touch(
            (
                math.floor(min(start[0], end[0])) - half,
                math.floor(min(start[1], end[1])) - half,
                math.floor(max(start[0], end[0])) + half + 1,
                math.floor(max(start[1], end[1])) + half + 1,
            )
        )
        if area == NOWHERE:
            return area
        unit = 1 << _SHIFT
        # The center of the first pixel is at 0 for OpenCV, and at one half for us.
        first, last = ((round((x - 0.5) * unit), round((y - 0.5) * unit)) for x, y in (start, end))
        if first == last or size <= 1:
            self._dots(start, end, size, value)
        if first != last and size > 1:
            width = max(1, round(size))
            cv2.line(self.labels, first, last, value, width, cv2.LINE_8, _SHIFT)
        return area

    def _dots(self, start: Point, end: Point, size: float, value: int) -> None:
        import cv2  # noqa: PLC0415

        if size <= 1:
            first, last = ((math.floor(x), math.floor(y)) for x, y in (start, end))
            cv2.line(self.labels, first, last, value, 1, cv2.LINE_8)
            return
        unit = 1 << _SHIFT
        center = (round((end[0] - 0.5) * unit), round((end[1] - 0.5) * unit))
        cv2.circle(self.labels, center, round(size / 2 * unit), value, -1, cv2.LINE_8, _SHIFT)

    def polygon(self, points: Sequence[Point], value: int) -> Area:
        """Fill a polygon.

        Args:
            points: Its corners.
            value: Class of the pixels.
        """
        import cv2  # noqa: PLC0415

        corners = np.array(points, np.float64)
        low, high = np.floor(corners.min(axis=0)), np.ceil(corners.max(axis=0))
        area = self.touch((int(low[0]) - 1, int(low[1]) - 1, int(high[0]) + 1, int(high[1]) + 1))
        if area != NOWHERE:
            fixed = np.round((corners - 0.5) * (1 << _SHIFT)).astype(np.int32)
            cv2.fillPoly(self.labels, [fixed], value, cv2.LINE_8, _SHIFT)
        return area

    def paint(self, region: Region, value: int) -> Area:
        """Give the pixels of a region a class.

        Args:
            region: The region.
            value: Class of the pixels.
        """
        area = self.touch(region.area)
        left, top, right, bottom = area
        if area == region.area:
            np.putmask(self.labels[top:bottom, left:right], region.inside, value)
        return area

    def replace(self, labels: Labels) -> Area:
        """Replace the whole mask, such as by a proposal.

        Args:
            labels: Shape (height, width), the same as before.
        """
        height, width = self.labels.shape
        area = self.touch((0, 0, width, height))
        self.labels[:] = labels
        return area

    def touch(self, area: Area) -> Area:
        """Keep the tiles of an area for undo; return the part of the area inside the picture.

        Args:
            area: The area that is about to change.
        """
        height, width = self.labels.shape
        left, top, right, bottom = area
        left, top = max(0, left), max(0, top)
        right, bottom = min(width, right), min(height, bottom)
        if left >= right or top >= bottom:
            return NOWHERE
        step = self._step
        if step is not None:
            for row in range(top // _TILE, (bottom - 1) // _TILE + 1):
                for column in range(left // _TILE, (right - 1) // _TILE + 1):
                    if (row, column) not in step.before:
                        step.before[(row, column)] = self._tile((row, column))
            step.area = united(step.area, (left, top, right, bottom))
        return left, top, right, bottom

    def _tile(self, key: tuple[int, int]) -> Labels | int:
        """Return a copy of a tile, or its class where it has only one."""
        tile = self.labels[_slices(key)]
        first = int(tile[0, 0])
        return first if (tile == first).all() else tile.copy()

    def _restore(self, tiles: dict[tuple[int, int], Labels | int]) -> None:
        for key, tile in tiles.items():
            self.labels[_slices(key)] = tile


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Chosen pixels of a picture.

    Attributes:
        area: Bounds of the pixels.
        inside: True for the chosen ones, shape (height, width) of the area.
    """

    area: Area
    inside: NDArray[np.bool_]

    @property
    def is_empty(self) -> bool:
        """True if no pixel is chosen."""
        return not self.inside.any()


# Tools that may take longer: they run in another thread, and change nothing.


def same_class(labels: Labels, x: int, y: int) -> Region:
    """Return the connected pixels of the same class around a position.

    Args:
        labels: Class of each pixel, shape (height, width).
        x: In pixels of the picture.
        y: In pixels of the picture.
    """
    return _flooded(labels, x, y, 0)


def alike(pixels: Labels, x: int, y: int, tolerance: int) -> Region:
    """Return the pixels around a position that look like it and are connected with it.

    Args:
        pixels: The picture, uint8, shape (height, width, 3).
        x: In pixels of the picture.
        y: In pixels of the picture.
        tolerance: Largest difference of a channel from the color at the position, 0 to 255.
    """
    return _flooded(pixels, x, y, tolerance)


def _flooded(source: Labels, x: int, y: int, tolerance: int) -> Region:
    import cv2  # noqa: PLC0415

    height, width = source.shape[:2]
    found = np.zeros((height + 2, width + 2), np.uint8)
    distance = (tolerance,) * 3
    flags = 4 | cv2.FLOODFILL_MASK_ONLY | cv2.FLOODFILL_FIXED_RANGE | (255 << 8)
    source = np.ascontiguousarray(source)
    _, _, _, bounds = cv2.floodFill(source, found, (x, y), 0, distance, distance, flags)
    left, top, across, down = bounds
    area = (left, top, left + across, top + down)
    return Region(area, found[top + 1 : top + down + 1, left + 1 : left + across + 1] > 0)


def cut_out(pixels: Labels, area: Area) -> Region:
    """Return the object inside a rectangle by GrabCut (Rother et al., SIGGRAPH 2004).

    It works on a smaller copy of a large picture.

    Args:
        pixels: The picture, uint8, shape (height, width, 3).
        area: The rectangle around the object.
    """
    import cv2  # noqa: PLC0415

    height, width = pixels.shape[:2]
    left, top = max(0, area[0]), max(0, area[1])
    right, bottom = min(width, area[2]), min(height, area[3])
    # Some of what surrounds the rectangle shows what the background looks like.
    across, down = (right - left) // 2 + 8, (bottom - top) // 2 + 8
    near = (
        max(0, left - across),
        max(0, top - down),
        min(width, right + across),
        min(height, bottom + down),
    )
    crop = pixels[near[1] : near[3], near[0] : near[2]]
    scale = min(1.0, _CUT_SIDE / max(crop.shape[:2]))
    size = (max(2, round(crop.shape[1] * scale)), max(2, round(crop.shape[0] * scale)))
    small = np.ascontiguousarray(cv2.resize(crop, size, interpolation=cv2.INTER_AREA))
    rect = (
        round((left - near[0]) * scale),
        round((top - near[1]) * scale),
        max(1, round((right - left) * scale)),
        max(1, round((bottom - top) * scale)),
    )
    marks = np.zeros(small.shape[:2], np.uint8)
    models = np.zeros((1, 65), np.float64), np.zeros((1, 65), np.float64)
    cv2.setRNGSeed(0)
    cv2.grabCut(small, marks, rect, *models, _CUT_ROUNDS, cv2.GC_INIT_WITH_RECT)
    found = ((marks == cv2.GC_FGD) | (marks == cv2.GC_PR_FGD)).astype(np.uint8) * 255
    whole = cv2.resize(found, (crop.shape[1], crop.shape[0]), interpolation=cv2.INTER_LINEAR)
    inside = whole[top - near[1] : bottom - near[1], left - near[0] : right - near[0]] > 127
    return Region((left, top, right, bottom), inside)


def united(one: Area, other: Area) -> Area:
    """Return the smallest area that holds two others.

    Args:
        one: An area; `NOWHERE` for none.
        other: An area; `NOWHERE` for none.
    """
    if NOWHERE in (one, other):
        return other if one == NOWHERE else one
    return (
        min(one[0], other[0]),
        min(one[1], other[1]),
        max(one[2], other[2]),
        max(one[3], other[3]),
    )


def _slices(key: tuple[int, int]) -> tuple[slice, slice]:
    row, column = key
    return (
        slice(row * _TILE, (row + 1) * _TILE),
        slice(column * _TILE, (column + 1) * _TILE),
    )


def _same(one: Labels | int, other: Labels | int) -> bool:
    if isinstance(one, int) or isinstance(other, int):
        return isinstance(one, int) and isinstance(other, int) and one == other
    return bool(np.array_equal(one, other))
