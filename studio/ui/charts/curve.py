"""One curve of a chart: its data, and what of it is drawn. Free of Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from studio.ui.charts.series import Array, Series, Smoother, decimate_min_max, nearest_index


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
        series: The points as they were given.
    """

    key: str
    name: str
    color_index: int = 0
    dashed: bool = False
    faint: bool = False
    visible: bool = True
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

    def smoothed(self, weight: float) -> Array:
        """The y values, smoothed; only what is new is computed."""
        if weight <= 0:
            return self.series.y
        if self._smoother is None or self._smoother.weight != weight:
            self._smoother, self._smoothed = Smoother(weight), Series()
        done = len(self._smoothed)
        if done < len(self.series):
            new = self._smoother.feed(self.series.y[done:])
            self._smoothed.extend(self.series.x[done:], new)
        return self._smoothed.y

    def at(self, x: float, weight: float = 0.0) -> tuple[float, float] | None:
        """The point nearest to x, as x and (smoothed) y; None where there is none or a gap."""
        place = nearest_index(self.series.x, x)
        if place < 0:
            return None
        value = float(self.smoothed(weight)[place])
        return (float(self.series.x[place]), value) if np.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest box around some points, in the coordinates of the plot."""

    left: float
    right: float
    low: float
    high: float

    def padded(self) -> Bounds:
        """With a little air, and never empty."""
        width, height = self.right - self.left, self.high - self.low
        side = width * 0.02 if width > 0 else 0.5
        air = height * 0.06 if height > 0 else max(abs(self.high) * 0.05, 1e-6)
        return Bounds(self.left - side, self.right + side, self.low - air, self.high + air)


def to_plot(y: Array, *, log: bool) -> Array:
    """The y values as they are plotted: on a log axis their logarithm, a gap if not positive."""
    if not log:
        return y
    plotted = np.full(len(y), np.nan)
    positive = y > 0
    plotted[positive] = np.log10(y[positive])
    return plotted


def bounds_of(curves: Iterable[Curve], weight: float, *, log: bool) -> Bounds | None:
    """The box around all visible curves, raw and smoothed; None where nothing is to be seen."""
    boxes = []
    for curve in curves:
        if not curve.visible:
            continue
        drawn = [curve.series.y] if weight <= 0 else [curve.series.y, curve.smoothed(weight)]
        for y in drawn:
            plotted = to_plot(y, log=log)
            finite = np.isfinite(plotted)
            if finite.any():
                x, values = curve.series.x[finite], plotted[finite]
                boxes.append((x.min(), x.max(), values.min(), values.max()))
    if not boxes:
        return None
    left, right, low, high = zip(*boxes, strict=True)
    return Bounds(float(min(left)), float(max(right)), float(min(low)), float(max(high)))


def in_window(x: Array, y: Array, left: float, right: float, pixels: int) -> tuple[Array, Array]:
    """The part of a curve between two x values and one point beyond, thinned to the screen."""
    first = max(0, int(np.searchsorted(x, left)) - 1)
    last = min(len(x), int(np.searchsorted(x, right, side="right")) + 1)
    return decimate_min_max(x[first:last], y[first:last], max(64, pixels))
