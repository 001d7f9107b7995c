"""Shapes that people drew on pictures; boxes and masks are made of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, as_message, message
from studio.engine.picture_files import LARGEST_PIXELS
from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotation_files.polygons import Points, checked, filled, points_of
from studio.engine.tasks.annotation_files.values import number_in
from studio.engine.tasks.annotations import Mask, Remark

Corners = tuple[float, float, float, float]
"""Left, top, right and bottom."""
_CORNERS = 128
"""Number of corners of the polygon for an ellipse."""


@dataclass(frozen=True, slots=True)
class Polygon:
    """The area inside an outline.

    Attributes:
        points: Its corners, in pixels or as fractions of the size of the picture.
        is_relative: True if they are fractions.
        is_box: True for a rectangle that is parallel to the sides of the picture.
    """

    points: Points
    is_relative: bool = False
    is_box: bool = False

    @property
    def corners(self) -> Corners:
        """The box around it."""
        (left, top), (right, bottom) = self.points.min(axis=0), self.points.max(axis=0)
        return float(left), float(top), float(right), float(bottom)

    def patch(self, size: tuple[int, int]) -> Patch:
        """Return its pixels.

        Args:
            size: Width and height of the picture.

        Raises:
            BadDataError: It has too many corners; the message is a short reason.
        """
        return filled([self.points * size if self.is_relative else self.points], size)


@dataclass(frozen=True, slots=True)
class PixelRuns:
    """Pixels that were painted in a rectangle of the picture, as runs along its rows.

    Attributes:
        window: Left, top, width and height of the rectangle in pixels.
        starts: First pixel of each run, counted along the rows of the rectangle, ascending.
        ends: First pixel behind each run.
    """

    window: tuple[int, int, int, int]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    is_relative = False
    is_box = False

    @property
    def corners(self) -> Corners:
        """The box around its pixels."""
        left, top, width, _ = self.window
        first, last = self.starts // width, (self.ends - 1) // width
        # A run that continues in the next row touches both sides.
        is_wide = bool((first < last).any())
        start = 0 if is_wide else int((self.starts % width).min())
        end = width if is_wide else int(((self.ends - 1) % width).max()) + 1
        sides = (left + start, top + int(first.min()), left + end, top + int(last.max()) + 1)
        return float(sides[0]), float(sides[1]), float(sides[2]), float(sides[3])

    def patch(self, size: tuple[int, int]) -> Patch:
        """Return its pixels.

        Args:
            size: Width and height of the picture.

        Raises:
            BadDataError: It extends beyond the picture; the message is a short reason.
        """
        left, top, width, height = self.window
        if left < 0 or top < 0 or left + width > size[0] or top + height > size[1]:
            raise BadDataError("a mask in it extends beyond the image")
        change = np.zeros(width * height + 1, np.int8)
        change[self.starts] += 1
        change[self.ends] -= 1
        inside = np.cumsum(change[:-1], dtype=np.int8).reshape(height, width) > 0
        return Patch.of(left, top, inside)


Region = Polygon | PixelRuns


@dataclass(frozen=True, slots=True)
class DrawnShape:
    """An area with a class.

    Attributes:
        label: Name of the class.
        region: The area.
        group: Names the object that it is a part of, among those of its class; empty if it is a
            whole object.
    """

    label: str
    region: Region
    group: str = ""


@dataclass(slots=True)
class DrawnPicture:
    """The shapes of a picture, as a file has them.

    Attributes:
        name: The picture, as the file names it.
        size: Width and height that the picture must have; None if unknown.
        split: Its split; None if the file tells none.
        shapes: The last one is on top.
        without_area: Number of points, lines and the like by their type.
        damaged: Number of shapes that cannot be used, by the reason.
        labels: Classes of the picture as a whole by the question that they answer.
        others: What else of the file is not used for it, such as a second annotation.
    """

    name: str
    size: tuple[int, int] | None = None
    split: str | None = None
    shapes: list[DrawnShape] = field(default_factory=list)
    without_area: Counter[str] = field(default_factory=Counter)
    damaged: Counter[Text] = field(default_factory=Counter)
    labels: dict[str, list[str]] = field(default_factory=dict)
    others: list[Remark] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Number of all its shapes in the file."""
        return len(self.shapes) + sum(each.objects for each in self.remarks)

    @property
    def label_count(self) -> int:
        """Number of its classes as a whole."""
        return sum(map(len, self.labels.values()))

    def add(
        self, label: str, kind: str, region: Callable[[], Region | None], group: str = ""
    ) -> None:
        """Add a shape, or note why it cannot be used.

        Args:
            label: Its class; may be empty.
            kind: Its type, as the tool names it.
            region: Returns its area; None if it has none. Raises `BadDataError` if it is damaged.
            group: See `DrawnShape`.
        """
        try:
            area = region()
        except BadDataError as error:
            self.damaged[error.message] += 1
            return
        if area is None:
            self.without_area[kind] += 1
        elif label:
            self.shapes.append(DrawnShape(label, area, group))
        else:
            self.damaged["a shape has no label"] += 1

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """Reports about the shapes that cannot be used."""
        lines = [Remark(_without_area(kind, n), n) for kind, n in self.without_area.items()]
        lines += [Remark(_unusable(why, n), n) for why, n in self.damaged.items()]
        return (*lines, *self.others)


def _without_area(kind: str, count: int) -> Text:
    return message(
        'left out {count} shapes of the type "{kind}", which have no area',
        one='left out a shape of the type "{kind}", which has no area',
        count=count,
        kind=kind,
    )


def _unusable(reason: Text, count: int) -> Text:
    return message(
        "left out {count} shapes: {reason}",
        one="left out a shape: {reason}",
        count=count,
        reason=as_message(reason),
    )


# Regions of the values in files.


def numbers_of(values: Sequence[object]) -> list[float]:
    """Return finite numbers that are not far outside any picture.

    Raises:
        BadDataError: One is not; the message is a short reason.
    """
    numbers = [number_in(value) for value in values]
    checked(np.array(numbers, np.float64))
    return numbers


def polygon(values: object) -> Polygon:
    """Return the area inside corners: a flat list of numbers, or a list of pairs.

    Raises:
        BadDataError: They are no corners; the message is a short reason.
    """
    return Polygon(points_of(values))


def rectangle(left: float, top: float, right: float, bottom: float, turn: float = 0) -> Polygon:
    """Return a rectangle.

    Args:
        left: Left side in pixels.
        top: Upper side.
        right: Right side.
        bottom: Lower side.
        turn: Degrees clockwise around its center.
    """
    points = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)
    center = np.array([(left + right) / 2, (top + bottom) / 2])
    return turned(Polygon(points, is_box=True), center, turn)


def turned(shape: Polygon, center: Points, turn: float) -> Polygon:
    """Return an outline turned clockwise.

    Args:
        shape: The outline, in pixels.
        center: Point that stays, x and y.
        turn: Degrees.
    """
    if turn % 360 == 0:
        return shape
    angle = math.radians(turn)
    matrix = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    return Polygon((shape.points - center) @ matrix + center)


def ellipse(x: float, y: float, radii: tuple[float, float], turn: float = 0) -> Polygon:
    """Return an ellipse.

    Args:
        x: Center in pixels.
        y: Center in pixels.
        radii: Radii along x and y in pixels.
        turn: Degrees clockwise around the center.

    Raises:
        BadDataError: It has no area; the message is a short reason.
    """
    if min(radii) <= 0:
        raise BadDataError("the radius of a circle or ellipse is not positive")
    angles = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
    points = np.stack([x + radii[0] * np.cos(angles), y + radii[1] * np.sin(angles)], axis=1)
    return turned(Polygon(points), np.array([x, y]), turn)


def runs_in_window(
    window: tuple[int, int, int, int], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> PixelRuns | None:
    """Return painted pixels; None if there are none.

    Args:
        window: Left, top, width and height in pixels.
        starts: First pixel of each run, ascending; see `PixelRuns`.
        ends: First pixel behind each run.

    Raises:
        BadDataError: The rectangle has too many pixels; the message is a short reason.
    """
    if window[2] * window[3] > LARGEST_PIXELS:
        raise BadDataError("more than {limit} million pixels", limit=LARGEST_PIXELS // 10**6)
    used = starts < ends
    return PixelRuns(window, starts[used], ends[used]) if used.any() else None


def runs_of_mask(left: int, top: int, mask: Mask | NDArray[np.bool_]) -> PixelRuns | None:
    """Return the pixels of a small mask; None if it is empty.

    Args:
        left: Its left side in the picture.
        top: Its upper side in the picture.
        mask: Shape (height, width).
    """
    flat = np.concatenate([[False], mask.ravel() > 0, [False]])
    changes = np.flatnonzero(flat[1:] != flat[:-1])
    return runs_in_window((left, top, *mask.shape[::-1]), changes[::2], changes[1::2])
