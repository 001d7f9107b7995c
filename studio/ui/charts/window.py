"""The part of a chart that is in view, and where in it a value lies; free of Qt."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from studio.ui.charts.pyramid import Array


@dataclass(frozen=True, slots=True)
class Axes:
    """Which of the axes count in powers of ten."""

    log_x: bool = False
    log_y: bool = False


def plotted(values: Array, *, log: bool) -> Array:
    """Values as they are plotted: on a log axis their logarithm, a gap if not positive."""
    if not log:
        return values
    logs = np.full(values.shape, np.nan)
    np.log10(values, out=logs, where=values > 0)
    return logs


@dataclass(frozen=True)
class Window:
    """What is in view, in the numbers of the plot (logarithms on a log axis), and its pixels."""

    left: float
    right: float
    low: float
    high: float
    width: int
    height: int
    axes: Axes = Axes()

    @functools.cached_property
    def edges(self) -> Array:
        """The x values at the edges of the columns of pixels: `width` + 1 of them."""
        edges = np.linspace(self.left, self.right, self.width + 1)
        # Beyond this a float64 is infinite; nobody zooms there, but a wheel may.
        return 10.0 ** np.clip(edges, -300, 300) if self.axes.log_x else edges

    def across(self, x: Array) -> Array:
        """Pixels from the left edge."""
        shown = plotted(x, log=self.axes.log_x)
        return (shown - self.left) * (self.width / (self.right - self.left))

    def down(self, y: Array) -> Array:
        """Pixels from the upper edge."""
        shown = plotted(y, log=self.axes.log_y)
        return (self.high - shown) * (self.height / (self.high - self.low))
