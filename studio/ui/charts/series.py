"""Points of a curve in NumPy arrays: storage, extremes, smoothing, visible part in pixels.

First module of the curve engine (`series`, `curves`, `line_chart`). The engine exists
because it is faster than pyqtgraph: panning 10 runs of 1,000,000 steps takes 9.4 ms of CPU time at
p99, against 115 ms with `PlotDataItem` with peak downsampling and clip-to-view
(tests/benchmarks/charts.py, measured side by side on 2026-11-24). The cost depends on the number
of pixels, not on the number of points.

Qt needs time in proportion to the length of a line in pixels: 70 ms for ten noisy curves over a
thousand columns. Painted as an image they take 4 ms, however noisy.
"""

from __future__ import annotations

import functools
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor, QImage

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

_HALVINGS = 3
FACTOR = 2**_HALVINGS
_PIECE = 2**15
_RUNS_PER_COLUMN = 4
"""Least number of runs in a column, so that one across its edge is off by little."""


class Extremes:
    """Array that grows at its end in amortized constant time."""

    def __init__(self) -> None:
        self._room = np.empty(16)
        self._count = 0

    @property
    def values(self) -> Array:
        """All values."""
        return self._room[: self._count]

    def replace_from(self, start: int, values: Array) -> None:
        """Replace the last values.

        Args:
            start: Index of the first replaced value.
            values: The new values.
        """
        end = start + len(values)
        if end > len(self._room):
            grown = np.empty(2 * end)  # memory is used only when it is written
            grown[:start] = self._room[:start]
            self._room = grown
        self._room[start:end] = values
        self._count = end


class ExtremesPyramid:
    """Extremes of a growing array of float64 with NaN as gaps; takes 29 % of its memory.

    `grow` takes 2 to 3 ms per million values (two cores of 2.x GHz, shared), and for a few new
    values a few microseconds per level.
    """

    def __init__(self) -> None:
        self._levels: list[tuple[Extremes, Extremes]] = []
        self._size = 0

    def grow(self, y: Array) -> None:
        """Add new values; `y` is the whole array, whose earlier values are unchanged."""
        if len(y) == self._size:
            return
        low, high, start = y, y, self._size
        level = 0
        while len(low) > FACTOR:
            start //= FACTOR
            if level == len(self._levels):
                self._levels.append((Extremes(), Extremes()))
                start = 0  # a new level begins with the first value
            lows, highs = self._levels[level]
            lows.replace_from(start, _folded(low[start * FACTOR :], np.fmin))
            highs.replace_from(start, _folded(high[start * FACTOR :], np.fmax))
            low, high = lows.values, highs.values
            level += 1
        self._size = len(y)

    def bounds(self, y: Array) -> tuple[float, float] | None:
        """Return the smallest and the largest value; None if all are gaps."""
        low, high = self._at(y, len(self._levels))
        if not len(low):
            return None
        lowest, highest = float(np.fmin.reduce(low)), float(np.fmax.reduce(high))
        return None if np.isnan(lowest) else (lowest, highest)

    def lowest_and_highest(self, y: Array) -> tuple[int, int] | None:
        """Return the indices of the first smallest and largest value; None if all are gaps.

        Reads as many values as a run has, once per level.
        """
        if self.bounds(y) is None:
            return None
        found = []
        for side, choose in enumerate((np.nanargmin, np.nanargmax)):
            index = 0
            for level in range(len(self._levels), -1, -1):
                values = self._at(y, level)[side]
                if level < len(self._levels):
                    index *= FACTOR
                    values = values[index : index + FACTOR]
                index += int(choose(values))
            found.append(index)
        return found[0], found[1]

    def columns(self, y: Array, edges: Indices) -> tuple[Array, Array]:
        """Return the extremes of `y[edges[i]:edges[i + 1]]` for every i; NaN if that is empty.

        Args:
            y: The whole array.
            edges: Ascending indices, one more than columns. Runs across an edge count on both
                sides of it, so that no extreme is lost.
        """
        counts = np.diff(edges)
        steps = self._steps()
        lowest, highest = (bisect_right(steps, int(each)) for each in (counts.min(), counts.max()))
        if lowest == highest and counts.all():  # as when a whole long series is in view
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
        """Return the least number of values in a column for each level."""
        return [_RUNS_PER_COLUMN * FACTOR**level for level in range(1, len(self._levels) + 1)]

    def _extremes(
        self, y: Array, level: int, starts: Indices, ends: Indices
    ) -> tuple[Array, Array]:
        """Return the extremes of ascending, non-empty intervals, read from a level."""
        shift = _HALVINGS * level
        edges = np.empty(2 * len(starts), dtype=np.intp)
        edges[::2] = starts >> shift
        edges[1::2] = -(-ends >> shift)
        low, high = self._at(y, level)
        # `reduceat` takes no index behind the last value: the last interval ends with the array.
        pairs, end = edges[:-1], edges[-1]
        lows = np.fmin.reduceat(low[:end], pairs)[::2]
        highs = np.fmax.reduceat(high[:end], pairs)[::2]
        return lows, highs

    def _at(self, y: Array, level: int) -> tuple[Array, Array]:
        if level == 0:
            return y, y
        lows, highs = self._levels[level - 1]
        return lows.values, highs.values


def _folded(values: Array, extreme: np.ufunc) -> Array:
    """Return the extreme of every `FACTOR` values; the last run may be shorter.

    Neighbors are compared as whole arrays, four times as fast as `reduceat`, in pieces that fit
    into the cache of the processor.
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


class Series:
    """Points that are appended one by one or in bulk, in amortized constant time.

    `x` and `y` are read-only views of float64, both of length `len(series)`; values of `y` that
    are not finite are stored as NaN, a gap. No point is ever dropped.
    """

    def __init__(self, x: Iterable[float] = (), y: Iterable[float] = ()) -> None:
        self._x, self._y = np.empty(0), np.empty(0)
        self._count = 0
        self._pyramid = ExtremesPyramid()
        self._positive: tuple[Array, ExtremesPyramid] | None = None
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
        """Append a point.

        Args:
            x: Greater than the last one.
            y: Not finite is a gap.
        """
        self._reserve(1)
        self._x[self._count] = x
        self._y[self._count] = y if -np.inf < y < np.inf else np.nan
        self._count += 1

    def extend(self, x: Iterable[float], y: Iterable[float]) -> None:
        """Append points; the first float64 arrays are not copied and must not change.

        Args:
            x: Ascending, shape (n,).
            y: Shape (n,).

        Raises:
            ValueError: The lengths differ.
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
        """Remove all points."""
        self._x, self._y, self._count = np.empty(0), np.empty(0), 0
        self._pyramid, self._positive = ExtremesPyramid(), None

    def landmarks(self) -> tuple[int, int, int] | None:
        """Return the indices of the last, the smallest and the largest value, or None."""
        y, pyramid = self.levels()
        ends = pyramid.lowest_and_highest(y)
        if ends is None:
            return None
        last = len(y) - 1 if np.isfinite(y[-1]) else int(np.flatnonzero(np.isfinite(y))[-1])
        return last, *ends

    def levels(self, *, positive: bool = False) -> tuple[Array, ExtremesPyramid]:
        """Return the y values and their pyramid; with `positive`, only those above zero."""
        y = self.y
        self._pyramid.grow(y)
        if not positive:
            return y, self._pyramid
        bounds = self._pyramid.bounds(y)
        if bounds is None or bounds[0] > 0:
            return y, self._pyramid
        if self._positive is None or len(self._positive[0]) != len(y):
            above = np.where(y > 0, y, np.nan)
            pyramid = ExtremesPyramid()
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
    """Return numbers as a flat array of float64."""
    if not isinstance(values, np.ndarray):
        # An array of the standard library shares its memory: copy it.
        values = np.array(values if hasattr(values, "__len__") else list(values))
    return np.asarray(values, dtype=np.float64).reshape(-1)


def nearest_index(x: npt.ArrayLike, value: float) -> int:
    """Return the index of the nearest value, the first of equals; -1 for an empty array.

    Args:
        x: Ascending, shape (n,).
        value: The value.
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


_EVEN_FROM = 4096


def indices_of(x: Array, edges: Array) -> Indices:
    """Return the indices of ascending edges in an ascending array, like `searchsorted`.

    Steps and epochs are mostly evenly spaced: the indices are computed, and only wrong ones are
    searched. A search takes eight times as long, as it waits for the memory.

    Args:
        x: Ascending, shape (n,).
        edges: Ascending, shape (m,).
    """
    last = len(x) - 1
    indices: Indices
    if last < _EVEN_FROM or not x[last] > x[0]:
        indices = np.searchsorted(x, edges)
        return indices
    at = (edges - x[0]) * (last / (x[last] - x[0]))
    indices = np.ceil(np.clip(at, 0, last + 1)).astype(np.intp)
    # An extra or missing point shifts all indices by one.
    indices += x[np.minimum(indices, last)] < edges
    np.minimum(indices, last + 1, out=indices)
    indices -= (indices > 0) & (x[indices - 1] >= edges)
    is_right = (indices > last) | (edges <= x[np.minimum(indices, last)])
    is_right &= (indices == 0) | (x[indices - 1] < edges)
    wrong = np.flatnonzero(~is_right)
    if len(wrong):
        indices[wrong] = np.searchsorted(x, edges[wrong])
    return indices


_MOST_IN_A_ROW = 1024
_NO_WEIGHT = 1e-20
"""Weight below which smoothing changes nothing; its powers would overflow."""
_NOTHING = 40.0
"""Power of e that is negligible compared with 1."""
_RANGE = 200.0
"""Range of the weights in a row, in powers of e; float64 reaches 700."""


class Smoother:
    """Bias-corrected exponential moving average, as in TensorBoard.

    With weight w and the n-th finite value y_n (n = 1, 2, ...), m_0 = 0:
    m_n = w * m_(n-1) + (1 - w) * y_n, and the result is m_n / (1 - w^n). The division removes the
    bias towards the initial zero.

    Raises:
        ValueError: The weight is not in [0, 1).
    """

    def __init__(self, weight: float) -> None:
        if not 0 <= weight < 1:
            raise ValueError(f"a weight is at least 0 and below 1; received {weight}")
        self.weight = weight
        self._average = 0.0
        self._left = 1.0

    def feed(self, y: npt.ArrayLike) -> Array:
        """Smooth the next values; NaN values are kept."""
        values = np.array(y, dtype=np.float64).reshape(-1)
        if self.weight < _NO_WEIGHT:
            return values
        finite = np.isfinite(values)
        if finite.all():
            return self._smoothed(values)
        values[finite] = self._smoothed(values[finite])
        return values

    def _smoothed(self, values: Array) -> Array:
        """Smooth values in rows, without a step of Python for each value.

        In a row, m_n = w^n * (m_0 + (1 - w) * sum of y_k / w^k): a cumulative sum. Rows are short,
        so that 1 / w^k does not overflow.
        """
        if not len(values):
            return values
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
        for row, end in enumerate(ends):
            starts[row] = average
            average = last * (average + end)
        rows += starts[:, np.newaxis]
        rows *= powers
        smoothed: Array = rows.reshape(-1)[: len(values)]
        self._average = float(smoothed[-1])
        # The bias is soon negligible.
        biased = min(len(values), math.ceil(_NOTHING / fall))
        smoothed[:biased] /= 1 - self._left * np.exp(-fall * np.arange(1, biased + 1))
        self._left *= math.exp(-fall * len(values))
        return smoothed


def smooth(y: npt.ArrayLike, weight: float) -> Array:
    """Return all values smoothed; see `Smoother`.

    Raises:
        ValueError: The weight is not in [0, 1).
    """
    return Smoother(weight).feed(y)


# The visible part of a series in pixels: points, or extremes of each column; line segments.


@dataclass(frozen=True, slots=True)
class Axes:
    """Axes that are logarithmic."""

    log_x: bool = False
    log_y: bool = False


def plotted(values: Array, *, log: bool) -> Array:
    """Return plotted values: on a log axis their decimal logarithm, NaN if not positive.

    Args:
        values: Shape (n,).
        log: True for a logarithmic axis.
    """
    if not log:
        return values
    logs = np.full(values.shape, np.nan)
    np.log10(values, out=logs, where=values > 0)
    return logs


@dataclass(frozen=True)
class Window:
    """Visible range in plotted numbers (logarithms on a log axis), and its size in pixels."""

    left: float
    right: float
    low: float
    high: float
    width: int
    height: int
    axes: Axes = Axes()

    @functools.cached_property
    def edges(self) -> Array:
        """X values at the edges of the columns of pixels, (width + 1,)."""
        edges = np.linspace(self.left, self.right, self.width + 1)
        # Larger powers overflow; the wheel can zoom out that far.
        return 10.0 ** np.clip(edges, -300, 300) if self.axes.log_x else edges

    def across(self, x: Array) -> Array:
        """Return the distance in pixels from the left edge."""
        shown = plotted(x, log=self.axes.log_x)
        return (shown - self.left) * (self.width / (self.right - self.left))

    def down(self, y: Array) -> Array:
        """Return the distance in pixels from the upper edge."""
        shown = plotted(y, log=self.axes.log_y)
        return (self.high - shown) * (self.height / (self.high - self.low))


_POINTS_PER_COLUMN = 2
_PIXELS_PER_PIECE = 4.0
_MANY = 8
_BEYOND = 20.0
"""Pixels outside the window up to which lines are drawn."""


@dataclass(frozen=True, slots=True)
class Points:
    """Line through points, in pixels; NaN in `y` is a gap."""

    x: Array
    y: Array

    @property
    def length(self) -> float:
        """Cost of stroking, in pixels: vertical distances, and a constant for each segment."""
        return float(np.nansum(np.abs(np.diff(self.y)))) + _PIXELS_PER_PIECE * len(self.y)


@dataclass(frozen=True, slots=True)
class Columns:
    """Vertical extent of a line in each column of pixels; NaN for none.

    Attributes:
        tops: Upper ends (the smaller numbers), (width,).
        bottoms: Lower ends, (width,).
    """

    tops: Array
    bottoms: Array

    @property
    def length(self) -> float:
        """Cost of stroking as a zigzag, in pixels."""
        pieces = _PIXELS_PER_PIECE * 2 * len(self.tops)
        return float(np.nansum(self.bottoms - self.tops)) + pieces

    def zigzag(self) -> Points:
        """Return a line through each column from top to bottom."""
        x = np.repeat(np.arange(len(self.tops)) + 0.5, 2)
        return Points(x, np.stack([self.tops, self.bottoms], axis=1).reshape(-1))


def traces_of(many: Sequence[Series], window: Window) -> list[Points | Columns]:
    """Return the visible points and one more on each side; columns if there are too many.

    All series are processed at once: a NumPy call for ten lines takes little longer than for one.

    Args:
        many: The series.
        window: Visible range and pixel columns.
    """
    traces: list[Points | Columns] = []
    long: list[tuple[int, Indices]] = []
    for series in many:
        indices = indices_of(series.x, window.edges)
        first = max(0, int(indices[0]) - 1)
        last = min(len(series), int(indices[-1]) + 2)
        if last - first > _POINTS_PER_COLUMN * window.width:
            long.append((len(traces), indices))
            first, last = 0, 0
        x, y = series.x[first:last], series.y[first:last]
        points = Points(window.across(x), window.down(y))
        traces.append(_cut(points, -_BEYOND, window.width + _BEYOND))
    found = _columns([many[at] for at, _ in long], window, [indices for _, indices in long])
    for (at, _), columns in zip(long, found, strict=True):
        traces[at] = columns
    return traces


def _cut(points: Points, left: float, right: float) -> Points:
    """Clip the first and last segments of the points at a distance outside of the window."""
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
    """Return the extremes in each column, including those where the line crosses its edges.

    Args:
        many: The series.
        window: Visible range and pixel columns.
    """
    indices = [indices_of(series.x, window.edges) for series in many]
    return _columns(many, window, indices)


def _columns(many: Sequence[Series], window: Window, indices: Sequence[Indices]) -> list[Columns]:
    """Return the columns of each series, given the indices of their edges in it."""
    lows, highs = np.empty((2, len(many), window.width))
    levels = [series.levels(positive=window.axes.log_y) for series in many]
    for row, (y, pyramid) in enumerate(levels):
        lows[row], highs[row] = pyramid.columns(y, indices[row])
    bottoms, tops = window.down(lows), window.down(highs)
    for row, (y, _) in enumerate(levels):
        crossings = _crossings(many[row].x, y, indices[row], window)
        if crossings is not None:
            for side in (crossings[:-1], crossings[1:]):
                tops[row] = np.fmin(tops[row], side)
                bottoms[row] = np.fmax(bottoms[row], side)
    # Extend each column to the next, so that the line has no gap.
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


def _crossings(x: Array, y: Array, indices: Indices, window: Window) -> Array | None:
    """Return the heights at which the line crosses the edges of columns, NaN for none.

    None if there are many points: the line between two columns is far shorter than in them.
    """
    few = np.diff(indices) < _MANY
    if not few.any():
        return None
    sparse = np.append(few, False)
    sparse[1:] |= few
    chosen = np.flatnonzero(sparse)
    after = indices[chosen]
    inside = (after > 0) & (after < len(x))
    after, at = after[inside], chosen[inside]
    if not len(after):
        return None
    crossings = np.full(len(indices), np.nan)
    x0, x1 = window.across(x[after - 1]), window.across(x[after])
    y0, y1 = window.down(y[after - 1]), window.down(y[after])
    with np.errstate(invalid="ignore", divide="ignore"):
        crossings[at] = y0 + (y1 - y0) * ((at - x0) / (x1 - x0))
    return crossings


DASH, DASH_EVERY = 6.0, 10.0
"""Length of a dash, and distance to the next, in pixels."""
DOT = 3.0
"""Half the side of the square that marks a single point, in pixels."""
_MOST_LAYERS = 12
_WORD = 8

Segments = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class StyledLine:
    """Line in columns, with its style."""

    columns: Columns
    color: QColor
    width: float


def segments_of(points: Points) -> Segments:
    """Return the segments between points, (n, 4): x0, y0, x1, y1; none across a gap.

    A point between two gaps becomes a small square.
    """
    return np.concatenate(_lines_and_marks(points))


def _lines_and_marks(points: Points) -> tuple[Segments, Segments]:
    """Return the segments between points, and those that mark points between two gaps."""
    x, y = points.x, points.y
    ends = np.stack([x[:-1], y[:-1], x[1:], y[1:]], axis=1)
    there = np.isfinite(x) & np.isfinite(y)
    joined = there[:-1] & there[1:]
    alone = there & ~np.append(joined, False) & ~np.append(False, joined)
    x, y = x[alone], y[alone]
    # Three lines, each as wide as a curve, touch each other.
    heights = (y - 2 * DOT / 3, y, y + 2 * DOT / 3)
    marks = [np.stack([x - DOT, at, x + DOT, at], axis=1) for at in heights]
    return ends[joined], np.concatenate(marks)


def dashes_of(points: Points, unit: float = 1.0) -> Segments:
    """Return the segments of a dashed line; the marks of single points are whole.

    Args:
        points: Points of the line.
        unit: Length of the dashes in units of `DASH`.
    """
    whole, alone = _lines_and_marks(points)
    if not len(whole):
        return alone
    lengths = np.hypot(whole[:, 2] - whole[:, 0], whole[:, 3] - whole[:, 1])
    ends = np.cumsum(lengths)
    marks = np.arange(0, ends[-1], DASH_EVERY * unit)
    cuts = np.unique(np.concatenate([[0.0], ends, marks, marks + DASH * unit]))
    cuts = cuts[cuts <= ends[-1]]
    middles = (cuts[:-1] + cuts[1:]) / 2
    inked = (middles % (DASH_EVERY * unit)) < DASH * unit
    start, stop = cuts[:-1][inked], cuts[1:][inked]
    owner = np.minimum(np.searchsorted(ends, middles[inked]), len(whole) - 1)
    begin, size = (ends - lengths)[owner], np.maximum(lengths[owner], 1e-9)
    from_, to = whole[owner, :2], whole[owner, 2:]
    first = from_ + (to - from_) * ((start - begin) / size)[:, np.newaxis]
    last = from_ + (to - from_) * ((stop - begin) / size)[:, np.newaxis]
    return np.concatenate([np.concatenate([first, last], axis=1), alone])


def gapped(columns: Columns, unit: float = 1.0) -> Columns:
    """Return the columns of a dashed line.

    Args:
        columns: Columns of the solid line.
        unit: Length of the dashes in units of `DASH`.
    """
    at = np.arange(len(columns.tops)) + 0.5
    inked = (at % (DASH_EVERY * unit)) < DASH * unit
    return Columns(np.where(inked, columns.tops, np.nan), np.where(inked, columns.bottoms, np.nan))


def pictures_of(layers: Sequence[StyledLine], sheet: QImage) -> list[QImage]:
    """Return all layers, the first at the back, in as few images as possible.

    Args:
        layers: Lines in columns of the sheet.
        sheet: Reused as the first image: allocating memory takes as long as filling it.
    """
    pictures = []
    for start in range(0, len(layers), _MOST_LAYERS):
        picture = sheet if not start else QImage(sheet.size(), sheet.format())
        _draw_layers(layers[start : start + _MOST_LAYERS], picture)
        pictures.append(picture)
    return pictures


def _draw_layers(layers: Sequence[StyledLine], image: QImage) -> None:
    """Fill an image with layers: each flips its bit where its columns begin and end."""
    width, height = image.width(), image.height()
    kind = np.uint8 if len(layers) <= 8 else np.uint16
    # Whole words are combined at once, so rows are padded to a multiple of their size.
    bits = np.zeros((height + 1, -(-width // _WORD) * _WORD), dtype=kind)
    at = np.arange(width)
    for index, (first, last) in enumerate(zip(*_rows(layers, height), strict=True)):
        bit = kind(1 << index)
        bits[first, at] ^= bit
        bits[last, at] ^= bit
    words = bits.view(np.uint64)
    np.bitwise_xor.accumulate(words, axis=0, out=words)
    colors = np.zeros(1 << len(layers), dtype=np.uint32)
    for index, layer in enumerate(layers):
        colors[1 << index : 2 << index] = layer.color.rgba()
    pixels = np.frombuffer(image.bits(), dtype=np.uint32).reshape(height, width)
    np.take(colors, bits[:height, :width], out=pixels, mode="clip")


def _rows(layers: Sequence[StyledLine], height: int) -> tuple[Rows, Rows]:
    """Return the first row of each layer in each column, and the one after the last.

    A line is never thinner than its width; both rows are 0 if nothing is visible.
    """
    tops = np.stack([layer.columns.tops for layer in layers])
    bottoms = np.stack([layer.columns.bottoms for layer in layers])
    widths = np.array([[layer.width] for layer in layers])
    seen = np.isfinite(tops) & (bottoms > -widths) & (tops < height + widths)
    tops, bottoms = np.where(seen, tops, 0.0), np.where(seen, bottoms, 0.0)
    lack = np.maximum(widths - (bottoms - tops), 0.0) / 2
    first = np.clip(np.floor(tops - lack + 0.5), 0, height).astype(np.intp)
    last = np.clip(np.ceil(bottoms + lack - 0.5), 0, height).astype(np.intp)
    return first * seen, np.maximum(last, first) * seen
