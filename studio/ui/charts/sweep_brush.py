"""Ranges on axes that pick out trials."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from studio.ui.charts.sweep_data import Floats
from studio.ui.charts.sweep_scale import Scale

Range = tuple[float, float]
"""From where to where on an axis, each from 0 to 1."""
STEP = 0.05
_QUARTER = 0.25
_HAIR = 1e-9


class Brush:
    """At most one range on each axis; a trial is picked out where it lies in all of them."""

    def __init__(self) -> None:
        self.ranges: dict[int, Range] = {}

    def set(self, axis: int, one: float, other: float) -> None:
        """Pick out what lies between two places of an axis."""
        low, high = sorted(min(max(each, 0.0), 1.0) for each in (one, other))
        self.ranges[axis] = low, high

    def clear(self, axis: int | None = None) -> bool:
        """Take the range of an axis away, or all; tells whether there was one."""
        had = bool(self.ranges) if axis is None else axis in self.ranges
        if axis is None:
            self.ranges.clear()
        else:
            self.ranges.pop(axis, None)
        return had

    def move(self, axis: int, by: float) -> None:
        """Move the range of an axis and keep its length; without one, take a quarter at an end."""
        found = self.ranges.get(axis)
        if found is None:
            self.set(axis, *((1 - _QUARTER, 1.0) if by > 0 else (0.0, _QUARTER)))
            return
        low, high = found
        by = min(max(by, -low), 1 - high)
        self.set(axis, low + by, high + by)

    def stretch(self, axis: int, by: float) -> None:
        """Move the upper end of the range of an axis."""
        low, high = self.ranges.get(axis, (0.0, 1.0))
        self.set(axis, low, max(high + by, low + STEP))

    def rescale(self, earlier: Sequence[Scale], scales: Sequence[Scale]) -> None:
        """Keep the values that are picked out although axes have become longer."""
        for axis, found in self.ranges.items():
            before, now = earlier[axis], scales[axis]
            low, high = (now.share_of(before.place_at(share)) for share in found)
            self.ranges[axis] = min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0)

    def mask(self, shares: Floats) -> NDArray[np.bool_] | None:
        """Of each trial, whether it is picked out; None without any range.

        Args:
            shares: Where each trial lies on each axis, (n, axes).
        """
        if not self.ranges:
            return None
        picked = np.ones(len(shares), np.bool_)
        for axis, (low, high) in self.ranges.items():
            picked &= (shares[:, axis] >= low - _HAIR) & (shares[:, axis] <= high + _HAIR)
        return picked
