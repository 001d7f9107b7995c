"""One curve of a chart: its data and its looks. Free of Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from studio.ui.charts.series import Series, nearest_index
from studio.ui.charts.smoother import Smoother
from studio.ui.charts.window import Axes


@dataclass(slots=True)
class Curve:
    """Data and looks of a curve.

    Attributes:
        key: Its stable name.
        name: What the legend calls it.
        color_index: Which of the chart colors.
        dashed: Validation is dashed, training solid.
        faint: Drawn lightly, behind the others.
        visible: Switched on in the legend.
        weight: By how much it is smoothed; 0 is not at all.
        series: The points as they were given.
    """

    key: str
    name: str
    color_index: int = 0
    dashed: bool = False
    faint: bool = False
    visible: bool = True
    weight: float = 0.0
    series: Series = field(default_factory=Series)
    _smoother: Smoother | None = None
    _smoothed: Series = field(default_factory=Series)

    def set_data(self, x: Iterable[float], y: Iterable[float]) -> None:
        """Replace all points; x ascends."""
        self.series = Series(x, y)
        self._smoother = None

    def append(self, x: float, y: float) -> None:
        """Add a point at the end."""
        self.series.append(x, y)

    def extend(self, x: Iterable[float], y: Iterable[float]) -> None:
        """Add points at the end."""
        self.series.extend(x, y)

    def smoothed(self) -> Series:
        """The points, smoothed as far as `smooth_on` has come; with weight 0 the points."""
        if self.weight <= 0:
            return self.series
        if self._smoother is None or self._smoother.weight != self.weight:
            self._smoother, self._smoothed = Smoother(self.weight), Series()
        return self._smoothed

    def smooth_on(self, most: int) -> int:
        """Smooth at most so many points more; returns how many are left to do."""
        smoothed = self.smoothed()
        if self._smoother is None or smoothed is self.series:
            return 0
        done = len(smoothed)
        stop = min(len(self.series), done + most)
        if done < stop:
            new = self._smoother.feed(self.series.y[done:stop])
            smoothed.extend(self.series.x[done:stop], new)
        return len(self.series) - stop

    def at(self, x: float) -> tuple[float, float] | None:
        """The point nearest to x, as x and (smoothed) y; None where there is none or a gap."""
        place = nearest_index(self.series.x, x)
        smoothed = self.smoothed()
        if not 0 <= place < len(smoothed):
            return None
        value = float(smoothed.y[place])
        return (float(self.series.x[place]), value) if math.isfinite(value) else None


_AROUND = 0.05
"""Of a single share, shown above and below it."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest box around some points, in the coordinates of the plot."""

    left: float
    right: float
    low: float
    high: float

    def over_whole_x(self) -> Bounds:
        """At least one whole epoch wide, from a whole number on."""
        if self.right - self.left >= 1:
            return self
        left = max(0.0, float(math.ceil(self.left) - 1))
        return Bounds(left, max(left + 1, self.right), self.low, self.high)

    def of_shares(self) -> Bounds:
        """A single value between 0 and 1 with the percentages around it."""
        if self.high > self.low:
            return self
        low, high = max(0.0, self.low - _AROUND), min(1.0, self.high + _AROUND)
        return Bounds(self.left, self.right, min(low, self.low), max(high, self.high))

    def padded(self) -> Bounds:
        """With a little air, and never empty."""
        width, height = self.right - self.left, self.high - self.low
        side = width * 0.02 if width > 0 else 0.5
        air = height * 0.06 if height > 0 else abs(self.high) * 0.05 or 1.0
        return Bounds(self.left - side, self.right + side, self.low - air, self.high + air)


def bounds_of(curves: Iterable[Curve], axes: Axes) -> Bounds | None:
    """The box around all visible curves; None where nothing is to be seen.

    What is smoothed lies inside of what it was made from. Takes no longer for a longer curve.
    """
    boxes = [box for curve in curves if curve.visible and (box := _box(curve.series, axes))]
    if not boxes:
        return None
    left, right, low, high = zip(*boxes, strict=True)
    return Bounds(min(left), max(right), min(low), max(high))


def _box(series: Series, axes: Axes) -> tuple[float, float, float, float] | None:
    y, pyramid = series.levels(positive=axes.log_y)
    heights = pyramid.bounds(y)
    x = series.x
    first = int(np.searchsorted(x, 0.0, side="right")) if axes.log_x else 0
    if heights is None or first == len(x):
        return None
    left, right, (low, high) = float(x[first]), float(x[-1]), heights
    if axes.log_x:
        left, right = math.log10(left), math.log10(right)
    if axes.log_y:
        low, high = math.log10(low), math.log10(high)
    return left, right, low, high
