"""The arithmetic of curves, on NumPy arrays; free of Qt."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Series:
    """Points that are appended one by one or in bulk, in amortized constant time.

    `x` and `y` are read-only views of float64, both of length `len(series)`; NaN in `y` is a gap.
    """

    def __init__(self, x: Iterable[float] = (), y: Iterable[float] = ()) -> None:
        self._data = np.empty((2, 16), dtype=np.float64)
        self._count = 0
        self.extend(x, y)

    def __len__(self) -> int:
        return self._count

    @property
    def x(self) -> Array:
        """The x values."""
        return self._view(0)

    @property
    def y(self) -> Array:
        """The y values."""
        return self._view(1)

    def append(self, x: float, y: float) -> None:
        """Add a point."""
        self._reserve(1)
        self._data[0, self._count] = x
        self._data[1, self._count] = y
        self._count += 1

    def extend(self, x: Iterable[float], y: Iterable[float]) -> None:
        """Add many points.

        Raises:
            ValueError: There are not as many x as y.
        """
        xs, ys = as_floats(x), as_floats(y)
        if len(xs) != len(ys):
            raise ValueError(f"as many x as y are needed; received {len(xs)} and {len(ys)}")
        self._reserve(len(xs))
        self._data[0, self._count : self._count + len(xs)] = xs
        self._data[1, self._count : self._count + len(ys)] = ys
        self._count += len(xs)

    def clear(self) -> None:
        """Drop all points."""
        self._count = 0

    def _view(self, row: int) -> Array:
        view = self._data[row, : self._count]
        view.flags.writeable = False
        return view

    def _reserve(self, more: int) -> None:
        needed = self._count + more
        if needed > self._data.shape[1]:
            grown = np.empty((2, max(needed, 2 * self._data.shape[1])), dtype=np.float64)
            grown[:, : self._count] = self._data[:, : self._count]
            self._data = grown


def as_floats(values: Iterable[float]) -> Array:
    """Any sequence of numbers as a flat array of float64."""
    given = values if isinstance(values, np.ndarray) else list(values)
    return np.asarray(given, dtype=np.float64).reshape(-1)


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
        for place in np.flatnonzero(np.isfinite(values)).tolist():
            self._average += (1 - self.weight) * (float(values[place]) - self._average)
            self._left *= self.weight
            values[place] = self._average / (1 - self._left)
        return values


def smooth(y: npt.ArrayLike, weight: float) -> Array:
    """All values smoothed at once; the formula is in `Smoother`.

    Raises:
        ValueError: The weight is not at least 0 and below 1.
    """
    return Smoother(weight).feed(y)


def nearest_index(x: npt.ArrayLike, value: float) -> int:
    """The place of the entry of an ascending array nearest to a value; the first of two equals.

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


def decimate_min_max(x: npt.ArrayLike, y: npt.ArrayLike, buckets: int) -> tuple[Array, Array]:
    """At most four points per bucket that draw the same picture: first, lowest, highest, last.

    Buckets hold equally many points. Extremes are never lost, order is kept, and a bucket without
    a finite value becomes a gap (NaN).

    Raises:
        ValueError: Fewer than one bucket.
    """
    if buckets < 1:
        raise ValueError(f"at least one bucket is needed; received {buckets}")
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if len(xs) <= 4 * buckets:
        return xs, ys
    edges = np.linspace(0, len(xs), buckets + 1).astype(np.int64)
    starts = edges[:-1]
    finite = np.isfinite(ys)
    low_values = np.where(finite, ys, np.inf)
    high_values = np.where(finite, ys, -np.inf)
    owner = np.repeat(np.arange(buckets), np.diff(edges))
    lows = _first_equal(low_values, np.minimum.reduceat(low_values, starts), owner, starts)
    highs = _first_equal(high_values, np.maximum.reduceat(high_values, starts), owner, starts)
    keep = np.unique(np.concatenate([starts, edges[1:] - 1, lows, highs]))
    return xs[keep], ys[keep]


def _first_equal(
    values: Array, extremes: Array, owner: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The first place in each bucket that holds the bucket's extreme."""
    hits = np.flatnonzero(values == extremes[owner])
    _, first = np.unique(owner[hits], return_index=True)
    found: npt.NDArray[np.int64] = hits[first] if len(hits) else starts
    return found
