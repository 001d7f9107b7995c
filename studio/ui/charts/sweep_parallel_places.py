"""Where lines and axes of parallel coordinates are, and what lies under a place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

from studio.ui.charts.sweep_data import Floats

_GRIP = 14.0
"""Pixels beside an axis that belong to it."""
_REACH = 5.0
"""Pixels from a line within which it is pointed at."""


@dataclass(frozen=True, eq=False)
class Places:
    """Lines across axes in an area.

    Attributes:
        area: From the first axis to the last, in pixels of the window.
        shares: Where each trial lies on each axis, from 0 to 1, (n, axes); NaN for nowhere.
        order: Places of the trials, what is in front last, (n,).
    """

    area: QRectF
    shares: Floats
    order: NDArray[np.intp]

    @property
    def axes(self) -> int:
        """How many axes there are."""
        count: int = self.shares.shape[1]
        return count

    def axis_x(self, axis: int) -> float:
        """Pixels from the left edge to an axis."""
        return self.area.left() + self.area.width() * axis / max(1, self.axes - 1)

    def at(self, axis: int, share: float) -> QPointF:
        """Where a share of an axis is."""
        return QPointF(self.axis_x(axis), self.area.bottom() - share * self.area.height())

    def ends(self, ratio: float) -> Floats:
        """Ends of the lines between the axes, in their order, (n, axes - 1, 4).

        Args:
            ratio: Pixels of the screen per pixel of the window.
        """
        x = np.array([self.axis_x(axis) for axis in range(self.axes)])
        y = self.area.bottom() - self.shares[self.order] * self.area.height()
        ends = np.empty((len(self.order), max(0, self.axes - 1), 4))
        ends[:, :, 0], ends[:, :, 2] = x[:-1], x[1:]
        ends[:, :, 1], ends[:, :, 3] = y[:, :-1], y[:, 1:]
        ends *= ratio
        return ends

    def axis_at(self, place: QPointF) -> int | None:
        """The axis at a place."""
        for axis in range(self.axes):
            if abs(self.axis_x(axis) - place.x()) <= _GRIP:
                return axis
        return None

    def share_at(self, place: QPointF) -> float:
        """The share of any axis at a height."""
        return min(max((self.area.bottom() - place.y()) / self.area.height(), 0.0), 1.0)

    def line_at(self, place: QPointF, mask: NDArray[np.bool_] | None) -> int | None:
        """The trial whose line is under a place, of several the one in front.

        Args:
            place: In the window.
            mask: Of each trial, whether it counts; None for all.
        """
        area, gaps = self.area, self.axes - 1
        if gaps < 1 or not area.adjusted(-1, -_REACH, 1, _REACH).contains(place):
            return None
        along = (place.x() - area.left()) / area.width() * gaps
        gap = min(max(int(along), 0), gaps - 1)
        left, right = self.shares[:, gap], self.shares[:, gap + 1]
        rise = np.abs(right - left) * area.height() * gaps / area.width()
        y = area.bottom() - (left + (right - left) * (along - gap)) * area.height()
        far = np.nan_to_num(np.abs(y - place.y()) / np.hypot(1.0, rise), nan=np.inf)
        if mask is not None:
            far = np.where(mask, far, np.inf)
        near = np.flatnonzero(far[self.order] <= min(_REACH, far.min(initial=np.inf) + 1))
        return int(self.order[near[-1]]) if len(near) else None
