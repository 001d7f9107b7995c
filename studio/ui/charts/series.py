"""Points of a curve on NumPy arrays: storage, extremes of any stretch, smoothing. Free of Qt.

First of the four modules of the curve engine (`series`, `trace`, `curves`, `canvas`). The engine
exists because it is faster than pyqtgraph: panning 10 runs of 1,000,000 steps takes 17.7 ms of
CPU time at p99, against 188 ms with `PlotDataItem` with peak downsampling and clip-to-view
(tests/benchmarks/charts.py, measured side by side on 2026-11-23).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable

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
        """Return the smallest and the largest of all values; None where all are gaps."""
        low, high = self._at(y, len(self._levels))
        if not len(low):
            return None
        lowest, highest = float(np.fmin.reduce(low)), float(np.fmax.reduce(high))
        return None if np.isnan(lowest) else (lowest, highest)

    def columns(self, y: Array, edges: Places) -> tuple[Array, Array]:
        """Return the extremes of `y[edges[i]:edges[i + 1]]` for every i; NaN if that is empty.

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
        """Return the number of values in a column from which on a higher level is read."""
        return [_RUNS_PER_COLUMN * FACTOR**level for level in range(1, len(self._levels) + 1)]

    def _extremes(self, y: Array, level: int, starts: Places, ends: Places) -> tuple[Array, Array]:
        """Return the extremes of every interval, read from a level; none is empty, all ascend."""
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
    """Return the extreme of every `FACTOR` values, the last run may be shorter.

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


__all__ = ["Array", "Series", "as_floats", "nearest_index"]


class Series:
    """Points that are appended one by one or in bulk, in amortized constant time.

    `x` and `y` are read-only views of float64, both of length `len(series)`; NaN in `y` is a gap,
    and so is what is not finite. No point is ever left out.
    """

    def __init__(self, x: Iterable[float] = (), y: Iterable[float] = ()) -> None:
        self._x, self._y = np.empty(0), np.empty(0)
        self._count = 0
        self._pyramid = Pyramid()
        self._positive: tuple[Array, Pyramid] | None = None
        self.extend(x, y)

    def __len__(self) -> int:
        return self._count

    @property
    def x(self) -> Array:
        """The x values."""
        return _seen(self._x, self._count)

    @property
    def y(self) -> Array:
        """The y values."""
        return _seen(self._y, self._count)

    def append(self, x: float, y: float) -> None:
        """Add a point."""
        self._reserve(1)
        self._x[self._count] = x
        self._y[self._count] = y if -np.inf < y < np.inf else np.nan
        self._count += 1

    def extend(self, x: Iterable[float], y: Iterable[float]) -> None:
        """Add many points; the first arrays of float64 are kept, not copied: they must stay.

        Raises:
            ValueError: There are not as many x as y.
        """
        xs, ys = as_floats(x), as_floats(y)
        if len(xs) != len(ys):
            raise ValueError(f"as many x as y are needed; received {len(xs)} and {len(ys)}")
        finite = np.isfinite(ys)
        if not finite.all():
            ys = np.where(finite, ys, np.nan)
        end = self._count + len(xs)
        if self._count == 0:
            self._x, self._y = xs, ys
        else:
            self._reserve(len(xs))
            self._x[self._count : end] = xs
            self._y[self._count : end] = ys
        self._count = end

    def clear(self) -> None:
        """Drop all points."""
        self._x, self._y, self._count = np.empty(0), np.empty(0), 0
        self._pyramid, self._positive = Pyramid(), None

    def levels(self, *, positive: bool = False) -> tuple[Array, Pyramid]:
        """Return the y values and their pyramid; with `positive`, those above zero alone."""
        y = self.y
        self._pyramid.grow(y)
        if not positive:
            return y, self._pyramid
        bounds = self._pyramid.bounds(y)
        if bounds is None or bounds[0] > 0:
            return y, self._pyramid
        if self._positive is None or len(self._positive[0]) != len(y):
            above = np.where(y > 0, y, np.nan)
            pyramid = Pyramid()
            pyramid.grow(above)
            self._positive = above, pyramid
        return self._positive

    def _reserve(self, more: int) -> None:
        needed = self._count + more
        if needed > len(self._x) or not self._y.flags.writeable:
            room = max(16, needed, 2 * len(self._x))
            self._x, self._y = _moved(self.x, room), _moved(self.y, room)


def _seen(values: Array, count: int) -> Array:
    view = values[:count]
    view.flags.writeable = False
    return view


def _moved(values: Array, room: int) -> Array:
    moved = np.empty(room)
    moved[: len(values)] = values
    return moved


def as_floats(values: Iterable[float]) -> Array:
    """Return any sequence of numbers as a flat array of float64."""
    if not isinstance(values, np.ndarray):
        # An array of the standard library gives its memory; what is made of it is a copy.
        values = np.array(values if hasattr(values, "__len__") else list(values))
    return np.asarray(values, dtype=np.float64).reshape(-1)


def nearest_index(x: npt.ArrayLike, value: float) -> int:
    """Return the index of the nearest value in an ascending array; the first of two equals.

    Returns -1 for an empty array.
    """
    sorted_x = np.asarray(x, dtype=np.float64)
    if not len(sorted_x):
        return -1
    after = int(np.searchsorted(sorted_x, value))
    if after == 0:
        return 0
    if after == len(sorted_x):
        return after - 1
    nearer_before = value - sorted_x[after - 1] <= sorted_x[after] - value
    return after - 1 if nearer_before else after


_FEW = 48
_MOST_IN_A_ROW = 1024
_NOTHING = 40.0
"""A power of e by which a number falls below what counts beside 1."""
_RANGE = 200.0
"""How far, in powers of e, the weights of a row may lie apart; a float64 reaches 700."""


class Smoother:
    """Exponential moving average without the pull of its start, as TensorBoard draws it.

    With weight w and the n-th finite value y_n (n = 1, 2, ...), m_0 = 0:
    m_n = w * m_(n-1) + (1 - w) * y_n, and the result is m_n / (1 - w^n). The division removes the
    bias towards the zero that the average starts from, so the first value is y_1 itself.

    Raises:
        ValueError: The weight is not at least 0 and below 1.
    """

    def __init__(self, weight: float) -> None:
        if not 0 <= weight < 1:
            raise ValueError(f"a weight is at least 0 and below 1; received {weight}")
        self.weight = weight
        self._average = 0.0
        self._left = 1.0

    def feed(self, y: npt.ArrayLike) -> Array:
        """Smooth the values that come after those fed so far; gaps stay gaps."""
        values = np.array(y, dtype=np.float64).reshape(-1)
        if self.weight == 0:
            return values
        finite = np.isfinite(values)
        if finite.all():
            return self._smoothed(values)
        values[finite] = self._smoothed(values[finite])
        return values

    def _smoothed(self, values: Array) -> Array:
        few = len(values) < _FEW
        return self._one_by_one(values) if few else self._in_rows(values)

    def _one_by_one(self, values: Array) -> Array:
        smoothed = []
        for value in values.tolist():
            self._average += (1 - self.weight) * (value - self._average)
            self._left *= self.weight
            smoothed.append(self._average / (1 - self._left))
        return np.array(smoothed)

    def _in_rows(self, values: Array) -> Array:
        """Many values, without a step of Python for each.

        Inside a row, m_n = w^n * (m_0 + (1 - w) * sum of y_k / w^k): a cumulative sum. Rows are so
        short that 1 / w^k stays far inside the range of numbers.
        """
        fall = -math.log(self.weight)
        width = max(1, min(_MOST_IN_A_ROW, int(_RANGE / fall)))
        count = -(-len(values) // width)
        rows = np.zeros((count, width))
        rows.reshape(-1)[: len(values)] = values
        powers = np.exp(-fall * np.arange(1, width + 1))
        rows *= (1 - self.weight) / powers
        np.cumsum(rows, axis=1, out=rows)
        starts = np.empty(count)
        last, ends = float(powers[-1]), rows[:, -1].tolist()
        average = self._average
        for place, end in enumerate(ends):
            starts[place] = average
            average = last * (average + end)
        rows += starts[:, np.newaxis]
        rows *= powers
        smoothed: Array = rows.reshape(-1)[: len(values)]
        self._average = float(smoothed[-1])
        # The pull of the start is soon too small to be a number.
        pulled = min(len(values), math.ceil(_NOTHING / fall))
        smoothed[:pulled] /= 1 - self._left * np.exp(-fall * np.arange(1, pulled + 1))
        self._left *= math.exp(-fall * len(values))
        return smoothed


def smooth(y: npt.ArrayLike, weight: float) -> Array:
    """Return all values smoothed at once; the formula is in `Smoother`.

    Raises:
        ValueError: The weight is not at least 0 and below 1.
    """
    return Smoother(weight).feed(y)
