"""The boxes of a picture while they are drawn: selection, changes with undo. Free of Qt."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import BOTTOM, CLASS, FLAGS, LEFT, RIGHT, TOP, VALUES

BoxArray: TypeAlias = NDArray[np.float32]
"""Boxes, shape (n, 6), see `engine.tasks.boxes`."""

NONE: Final = -1
"""Index where no box is selected."""
_MOST_STEPS: Final = 1000
Rect = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels of the picture."""


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    boxes: BoxArray
    selected: int


class BoxList:
    """Boxes of a picture, one of which may be selected.

    Each change makes a new array; the arrays before it are the steps of undo.

    Args:
        most: Number of boxes that a picture may have.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.width = self.height = 0
        self._state = _State(np.zeros((0, VALUES), np.float32), NONE)
        self._undone: list[_State] = []
        self._done: list[_State] = []
        self._kind: Hashable = None

    def reset(self, boxes: BoxArray, width: int, height: int) -> None:
        """Begin with the boxes of a picture; nothing can be undone.

        Args:
            boxes: Shape (n, 6); places without a box are left out.
            width: Width of the picture in pixels.
            height: Height of the picture in pixels.
        """
        self.width, self.height = width, height
        self._state = _State(np.array(boxes[boxes[:, CLASS] >= 0], np.float32), NONE)
        self._done, self._undone, self._kind = [], [], None

    @property
    def boxes(self) -> BoxArray:
        """All boxes, shape (n, 6); never changed in place."""
        return self._state.boxes

    @property
    def selected(self) -> int:
        """Index of the selected box, or `NONE`."""
        return self._state.selected

    @property
    def is_full(self) -> bool:
        """True if there is no room for another box."""
        return len(self.boxes) >= self.most

    @property
    def can_undo(self) -> bool:
        """True if there is a change to undo."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """True if a change was undone."""
        return bool(self._undone)

    def rect(self, index: int) -> Rect:
        """Return the sides of a box."""
        left, top, right, bottom = self.boxes[index, LEFT:FLAGS].tolist()
        return left, top, right, bottom

    def select(self, index: int) -> None:
        """Select a box, or none; no step of undo."""
        self._kind = None
        self._state = _State(self.boxes, index)

    def add(self, number: int, rect: Rect) -> bool:
        """Add a box and select it; False if there is no room for it.

        Args:
            number: Index of the class.
            rect: Its sides; clipped to the picture.
        """
        sides = self.clipped(rect)
        if self.is_full or sides is None:
            return False
        row = np.array([[number, *sides, 0]], np.float32)
        self._change(np.concatenate([self.boxes, row]), len(self.boxes))
        return True

    def set_rect(self, index: int, rect: Rect, kind: Hashable = None) -> None:
        """Move or resize a box; what leaves nothing of it inside the picture is ignored.

        Args:
            index: Index of the box.
            rect: Its sides; clipped to the picture.
            kind: Changes of one kind, one after another, are one step of undo; None for a step of
                its own.
        """
        sides = self.clipped(rect)
        if sides is None or sides == self.rect(index):
            return
        boxes = self.boxes.copy()
        boxes[index, LEFT:FLAGS] = sides
        self._change(boxes, index, kind)

    def move(self, index: int, across: float, down: float, kind: Hashable = None) -> None:
        """Move a box; it keeps its size and stays inside the picture.

        Args:
            index: Index of the box.
            across: Pixels to the right.
            down: Pixels downward.
            kind: See `set_rect`.
        """
        left, top, right, bottom = self.rect(index)
        across = min(max(across, -left), self.width - right)
        down = min(max(down, -top), self.height - bottom)
        self.set_rect(index, (left + across, top + down, right + across, bottom + down), kind)

    def set_class(self, index: int, number: int) -> None:
        """Give a box a class.

        Args:
            index: Index of the box.
            number: Index of the class.
        """
        if self.boxes[index, CLASS] != number:
            boxes = self.boxes.copy()
            boxes[index, CLASS] = number
            self._change(boxes, index)

    def toggle_flag(self, index: int, flag: int) -> None:
        """Set or clear a flag of a box.

        Args:
            index: Index of the box.
            flag: Bit of the flag.
        """
        boxes = self.boxes.copy()
        boxes[index, FLAGS] = int(boxes[index, FLAGS]) ^ flag
        self._change(boxes, index)

    def remove(self, index: int) -> None:
        """Remove a box and select the one before it."""
        boxes = np.delete(self.boxes, index, axis=0)
        self._change(boxes, min(max(index - 1, 0), len(boxes) - 1))

    def paste(self, boxes: BoxArray) -> int:
        """Add boxes of another picture and return their number.

        Those that are there already, that lie outside or have no room are left out.

        Args:
            boxes: Shape (n, 6).
        """
        rows = []
        known = {tuple(row) for row in self.boxes[:, :FLAGS].tolist()}
        for row in boxes[boxes[:, CLASS] >= 0].tolist():
            sides = self.clipped((row[LEFT], row[TOP], row[RIGHT], row[BOTTOM]))
            if sides is not None and (row[CLASS], *sides) not in known:
                rows.append([row[CLASS], *sides, row[FLAGS]])
        rows = rows[: self.most - len(self.boxes)]
        if rows:
            added = np.concatenate([self.boxes, np.array(rows, np.float32)])
            self._change(added, len(added) - 1)
        return len(rows)

    def replace(self, boxes: BoxArray) -> None:
        """Replace all boxes as one step of undo; the same one stays selected.

        Args:
            boxes: Shape (n, 6), as many as before.
        """
        if not np.array_equal(boxes, self.boxes):
            self._change(boxes, self.selected)

    def undo(self) -> bool:
        """Undo the last change; False if there is none."""
        return self._step(self._done, self._undone)

    def redo(self) -> bool:
        """Repeat the change that was undone last; False if there is none."""
        return self._step(self._undone, self._done)

    def end_step(self) -> None:
        """Begin another step of undo with the next change."""
        self._kind = None

    def clipped(self, rect: Rect) -> Rect | None:
        """Return the part of a rectangle inside the picture in whole pixels; None for nothing."""
        left, right = sorted((rect[0], rect[2]))
        top, bottom = sorted((rect[1], rect[3]))
        left, right = (float(round(min(max(x, 0), self.width))) for x in (left, right))
        top, bottom = (float(round(min(max(y, 0), self.height))) for y in (top, bottom))
        return (left, top, right, bottom) if right > left and bottom > top else None

    def at(self, x: float, y: float, reach: float) -> int:
        """Return the box at a position: the smallest one around it, or `NONE`.

        Args:
            x: In pixels of the picture.
            y: In pixels of the picture.
            reach: Pixels around a box that count as inside.
        """
        sides = self.boxes[:, LEFT:FLAGS]
        inside = (
            (sides[:, 0] - reach <= x)
            & (x <= sides[:, 2] + reach)
            & (sides[:, 1] - reach <= y)
            & (y <= sides[:, 3] + reach)
        )
        found = np.flatnonzero(inside)
        if not len(found):
            return NONE
        areas = (sides[found, 2] - sides[found, 0]) * (sides[found, 3] - sides[found, 1])
        return int(found[np.argmin(areas)])

    def _change(self, boxes: BoxArray, selected: int, kind: Hashable = None) -> None:
        joins = kind is not None and kind == self._kind
        if not joins:
            self._done.append(self._state)
            del self._done[:-_MOST_STEPS]
        self._undone.clear()
        self._kind = kind
        self._state = _State(boxes, selected)

    def _step(self, source: list[_State], target: list[_State]) -> bool:
        self._kind = None
        if not source:
            return False
        target.append(self._state)
        self._state = source.pop()
        return True
