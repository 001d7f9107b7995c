"""The smallest and the largest value of any stretch of a long series, at once; free of Qt.

Level k holds the extremes of runs of `FACTOR` ** k values. What is drawn into a column of pixels
is read from the highest level that still has several runs in it, so that a picture costs as much
as it has columns, however long the series is. The values themselves are never thinned.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

_HALVINGS = 3
FACTOR = 2**_HALVINGS
_PIECE = 2**15
_RUNS_PER_COLUMN = 4
"""At least so many, so that a run that lies across the edge of a column is off by little."""


class Extremes:
    """An array of extremes that grows at its end, in amortized constant time."""

    def __init__(self) -> None:
        self._room = np.empty(16)
        self._count = 0

    @property
    def values(self) -> Array:
        """All of them."""
        return self._room[: self._count]

    def replace_from(self, start: int, values: Array) -> None:
        """Put other values at the end, in place of those from `start` on."""
        end = start + len(values)
        if end > len(self._room):
            grown = np.empty(max(end, 2 * len(self._room)))
            grown[:start] = self._room[:start]
            self._room = grown
        self._room[start:end] = values
        self._count = end


class Pyramid:
    """Extremes of a growing array of float64, where NaN is a gap; 29 % of its memory more.

    `grow` takes 2 to 3 ms per million values (two cores of 2.x GHz, shared), and for a few new
    values a few microseconds per level.
    """

    def __init__(self) -> None:
        self._levels: list[tuple[Extremes, Extremes]] = []
        self._size = 0

    def grow(self, y: Array) -> None:
        """Take in what came since; `y` is the whole array, older values have not changed."""
        if len(y) == self._size:
            return
        low, high, start = y, y, self._size
        level = 0
        while len(low) > FACTOR:
            start //= FACTOR
            if level == len(self._levels):
                self._levels.append((Extremes(), Extremes()))
                start = 0  # of a whole run before it, it knows nothing yet
            lows, highs = self._levels[level]
            lows.replace_from(start, _folded(low[start * FACTOR :], np.fmin))
            highs.replace_from(start, _folded(high[start * FACTOR :], np.fmax))
            low, high = lows.values, highs.values
            level += 1
        self._size = len(y)

    def bounds(self, y: Array) -> tuple[float, float] | None:
        """The smallest and the largest of all values; None where all are gaps."""
        low, high = self._at(y, len(self._levels))
        if not len(low):
            return None
        lowest, highest = float(np.fmin.reduce(low)), float(np.fmax.reduce(high))
        return None if np.isnan(lowest) else (lowest, highest)

    def columns(self, y: Array, edges: Places) -> tuple[Array, Array]:
        """The extremes of `y[edges[i]:edges[i + 1]]` for every i; NaN where that is nothing.

        Args:
            y: The array that was grown.
            edges: Ascending places in it, one more than there are columns. Runs that lie across
                an edge count on both sides of it: no extreme is lost.
        """
        counts = np.diff(edges)
        steps = self._steps()
        lowest, highest = (bisect_right(steps, int(each)) for each in (counts.min(), counts.max()))
        if lowest == highest and counts.all():  # so it is where a whole long series is in view
            return self._extremes(y, lowest, edges[:-1], edges[1:])
        lows, highs = np.full((2, len(counts)), np.nan)
        filled = np.flatnonzero(counts)
        levels = np.searchsorted(steps, counts[filled], side="right")
        for level in range(lowest, highest + 1):
            chosen = filled[levels == level]
            if len(chosen):
                lows[chosen], highs[chosen] = self._extremes(
                    y, level, edges[chosen], edges[chosen + 1]
                )
        return lows, highs

    def _steps(self) -> list[int]:
        """The number of values in a column from which on a higher level is read."""
        return [_RUNS_PER_COLUMN * FACTOR**level for level in range(1, len(self._levels) + 1)]

    def _extremes(self, y: Array, level: int, starts: Places, ends: Places) -> tuple[Array, Array]:
        """The extremes of every stretch, read from a level; none is empty, and all ascend."""
        shift = _HALVINGS * level
        places = np.empty(2 * len(starts), dtype=np.intp)
        places[::2] = starts >> shift
        places[1::2] = -(-ends >> shift)
        low, high = self._at(y, level)
        # A stretch to the very end has no place after it: it is the last of the list.
        pairs, end = places[:-1], places[-1]
        lows = np.fmin.reduceat(low[:end], pairs)[::2]
        highs = np.fmax.reduceat(high[:end], pairs)[::2]
        return lows, highs

    def _at(self, y: Array, level: int) -> tuple[Array, Array]:
        if level == 0:
            return y, y
        lows, highs = self._levels[level - 1]
        return lows.values, highs.values


def _folded(values: Array, extreme: np.ufunc) -> Array:
    """The extreme of every `FACTOR` values, the last run may be shorter.

    Neighbors are compared as whole arrays, four times as fast as `reduceat`, in pieces that stay
    in the processor's cache.
    """
    folded = np.empty(-(-len(values) // FACTOR))
    whole = len(values) // FACTOR * FACTOR
    for start in range(0, whole, _PIECE):
        piece = values[start : min(start + _PIECE, whole)]
        for _ in range(_HALVINGS):
            piece = extreme(piece[::2], piece[1::2])
        folded[start // FACTOR : start // FACTOR + len(piece)] = piece
    if whole < len(values):
        folded[-1] = extreme.reduce(values[whole:])
    return folded
