"""The points of a curve, on NumPy arrays; free of Qt."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from studio.ui.charts.pyramid import Array, Pyramid

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
        """The y values and their pyramid; with `positive`, those above zero alone."""
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
    """Any sequence of numbers as a flat array of float64."""
    if not isinstance(values, np.ndarray):
        # An array of the standard library gives its memory; what is made of it is a copy.
        values = np.array(values if hasattr(values, "__len__") else list(values))
    return np.asarray(values, dtype=np.float64).reshape(-1)


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
