"""What of a series is seen in a window: its very points, or its extremes in every column.

Free of Qt. Both cost as much as there are pixels, not points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.ui.charts.pyramid import Array, Places
from studio.ui.charts.series import Series
from studio.ui.charts.window import Window

_POINTS_PER_COLUMN = 2
_PIXELS_PER_PIECE = 4.0
_MANY = 8
_BEYOND = 20.0
"""Pixels outside of the window that are drawn."""


@dataclass(frozen=True, slots=True)
class Points:
    """A line through points, in pixels; NaN in `y` is a gap."""

    x: Array
    y: Array

    @property
    def length(self) -> float:
        """What it costs to stroke, in pixels: those up and down, and some for every piece."""
        return float(np.nansum(np.abs(np.diff(self.y)))) + _PIXELS_PER_PIECE * len(self.y)


@dataclass(frozen=True, slots=True)
class Columns:
    """From where to where a line goes in every column of pixels; NaN where it does not.

    Attributes:
        tops: The smaller numbers, since pixels are counted downwards; one per column.
        bottoms: The larger ones.
    """

    tops: Array
    bottoms: Array

    @property
    def length(self) -> float:
        """What it costs to stroke as a zigzag, in pixels."""
        pieces = _PIXELS_PER_PIECE * 2 * len(self.tops)
        return float(np.nansum(self.bottoms - self.tops)) + pieces

    def zigzag(self) -> Points:
        """A line that goes through every column from top to bottom."""
        x = np.repeat(np.arange(len(self.tops)) + 0.5, 2)
        return Points(x, np.stack([self.tops, self.bottoms], axis=1).reshape(-1))


def traces_of(many: Sequence[Series], window: Window) -> list[Points | Columns]:
    """The points in view and one beyond on each side; columns where they are too many to see.

    Of many series at once: a frame has little time, and a call of NumPy for ten lines takes hardly
    longer than one for a single line.
    """
    traces: list[Points | Columns] = []
    long: list[tuple[int, Places]] = []
    for series in many:
        places = np.searchsorted(series.x, window.edges)
        first = max(0, int(places[0]) - 1)
        last = min(len(series), int(places[-1]) + 2)
        if last - first > _POINTS_PER_COLUMN * window.width:
            long.append((len(traces), places))
            first, last = 0, 0
        x, y = series.x[first:last], series.y[first:last]
        points = Points(window.across(x), window.down(y))
        traces.append(_cut(points, -_BEYOND, window.width + _BEYOND))
    found = _columns([many[at] for at, _ in long], window, [places for _, places in long])
    for (at, _), columns in zip(long, found, strict=True):
        traces[at] = columns
    return traces


def _cut(points: Points, left: float, right: float) -> Points:
    """Without what the first and the last piece have far outside, where it would cost time."""
    x, y = points.x, points.y
    if len(x) < 2 or (x[0] >= left and x[-1] <= right):
        return points
    x, y = x.copy(), y.copy()
    for end, inner, limit in ((0, 1, max(x[0], left)), (-1, -2, min(x[-1], right))):
        if x[inner] != x[end] and (x[end] - limit) * (x[inner] - limit) < 0:
            y[end] += (y[inner] - y[end]) * (limit - x[end]) / (x[inner] - x[end])
            x[end] = limit
    return Points(x, y)


def columns_of(many: Sequence[Series], window: Window) -> list[Columns]:
    """The extremes in every column, those of the line where it crosses the edges among them."""
    places = [np.searchsorted(series.x, window.edges) for series in many]
    return _columns(many, window, places)


def _columns(many: Sequence[Series], window: Window, places: Sequence[Places]) -> list[Columns]:
    """The columns of each series, with the places of the edges of the columns in it."""
    lows, highs = np.empty((2, len(many), window.width))
    levels = [series.levels(positive=window.axes.log_y) for series in many]
    for row, (y, pyramid) in enumerate(levels):
        lows[row], highs[row] = pyramid.columns(y, places[row])
    bottoms, tops = window.down(lows), window.down(highs)
    for row, (y, _) in enumerate(levels):
        crossings = _crossings(many[row].x, y, places[row], window)
        if crossings is not None:
            for side in (crossings[:-1], crossings[1:]):
                tops[row] = np.fmin(tops[row], side)
                bottoms[row] = np.fmax(bottoms[row], side)
    # Each column reaches to the next, so that the line has no gap.
    upper, lower, next_upper, next_lower = (
        tops[:, :-1],
        bottoms[:, :-1],
        tops[:, 1:],
        bottoms[:, 1:],
    )
    joined = bottoms.copy()
    joined[:, :-1] = np.fmax(lower, np.where(lower < next_upper, next_upper, np.nan))
    tops[:, :-1] = np.fmin(upper, np.where(upper > next_lower, next_lower, np.nan))
    return [Columns(*each) for each in zip(tops, joined, strict=True)]


def _crossings(x: Array, y: Array, places: Places, window: Window) -> Array | None:
    """Where the line crosses the edges of columns, in pixels; NaN where it does not.

    None where points are many: the line between two columns is far shorter than what is in them.
    """
    few = np.diff(places) < _MANY
    if not few.any():
        return None
    sparse = np.append(few, False)
    sparse[1:] |= few
    chosen = np.flatnonzero(sparse)
    after = places[chosen]
    inside = (after > 0) & (after < len(x))
    after, at = after[inside], chosen[inside]
    if not len(after):
        return None
    crossings = np.full(len(places), np.nan)
    x0, x1 = window.across(x[after - 1]), window.across(x[after])
    y0, y1 = window.down(y[after - 1]), window.down(y[after])
    with np.errstate(invalid="ignore", divide="ignore"):
        crossings[at] = y0 + (y1 - y0) * ((at - x0) / (x1 - x0))
    return crossings
