"""Smooth surface through the trials of a sweep, over two of its fields. Free of Qt.

A Gaussian process on axes from 0 to 1 (logarithms on a log axis). Length scales and noise are
those of a few candidates that make the measured values most likely. Nothing is claimed where no
trial is near.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from studio.ui.charts.sweeps.data import Floats, Scale, SweepAxis

if TYPE_CHECKING:
    from sklearn.gaussian_process import GaussianProcessRegressor


LEAST = 8
"""So many trials are needed; with fewer, a surface would tell more than is known."""
BLANK = 127
"""The band of places of which nothing is claimed."""
_MOST = 300
"""Of more trials the means of `_CELLS` by `_CELLS` cells count: the time grows with the cube."""
_CELLS = 16
_SHAPE = 36, 48
"""Rows and columns of the surface; between them it is as good as even."""
_REACHES = (0.15, 0.3, 0.6, 1.5)
_NOISES = (0.01, 0.1, 0.5)
_DOUBT = 0.8
"""With more of what was not known before any trial, nothing is claimed of a place."""
_ASTRAY = 0.05
_BANDS = 8
_NICE = (1.0, 2.0, 5.0, 10.0)
_HAIR = 1e-9
_STRIPE = 32
"""Rows of pixels that are worked out at a time: so few stay near the processor."""


@dataclass(frozen=True, eq=False)
class Surface:
    """What an objective is likely to be over two fields.

    Attributes:
        x: Across, from the first column to the last.
        y: Upwards, from the first row to the last.
        values: Of the objective, (rows, columns).
        doubt: Standard deviation of each, 1 for nothing known, (rows, columns).
        edges: Where bands of values begin, rising by equal steps, and where the last one ends.
    """

    x: Scale
    y: Scale
    values: Floats
    doubt: Floats
    edges: Floats

    @property
    def bands(self) -> int:
        """How many bands there are."""
        return len(self.edges) - 1

    def at(self, x: Floats, y: Floats) -> Floats:
        """Return the values at plotted places, (len(y), len(x)); NaN where nothing is claimed."""
        across, up = self._weights(x, y)
        values = up @ self.values @ across
        doubt = up @ self.doubt @ across
        outside = (across.sum(axis=0) == 0)[None, :] | (up.sum(axis=1) == 0)[:, None]
        return np.where(outside | (doubt > _DOUBT), np.nan, values)

    def bands_at(self, x: Floats, y: Floats) -> NDArray[np.uint8]:
        """Return the band of each plotted position, (len(y), len(x)); `BLANK` for unknown."""
        # Without a product of matrices: its threads wait for each other while others compute, and
        # a frame of two milliseconds takes thirty.
        rows, columns = self.values.shape
        across, up = self._shares(x, y)
        places = _Between.of(across, columns), _Between.of(up, rows)
        step = self.edges[1] - self.edges[0]
        heights = np.clip((self.values - self.edges[0]) / step, 0, self.bands - 1e-3)
        bands: NDArray[np.uint8] = np.empty((len(y), len(x)), np.uint8)
        for part, found in _stripes(heights, *places):
            bands[part] = found
        if self.doubt.max() > _DOUBT:
            for part, doubt in _stripes(self.doubt, *places):
                bands[part][doubt > _DOUBT] = BLANK
        bands[:, ~_inside(across)] = BLANK
        bands[~_inside(up)] = BLANK
        return bands

    def _weights(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        rows, columns = self.values.shape
        across, up = self._shares(x, y)
        return _shares_of_neighbors(across, columns).T, _shares_of_neighbors(up, rows)

    def _shares(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Plotted places as shares of the scales, 0 at the first column and row."""
        across = (x - self.x.low) / (self.x.high - self.x.low)
        up = (y - self.y.low) / (self.y.high - self.y.low)
        return across, up


def can_rise(axis: SweepAxis) -> bool:
    """Return True if a surface can be drawn along a field: several different numbers."""
    if axis.ticks:
        return False
    return len(np.unique(axis.values[np.isfinite(axis.values)])) > 1


def surface_of(x: SweepAxis, y: SweepAxis, objective: SweepAxis, *, maximize: bool) -> Surface:
    """Return the surface over two fields; of ten thousand trials it takes half a second.

    Args:
        x: Across.
        y: Upwards.
        objective: What was measured.
        maximize: True if more of it is better; the worst of the trials count only as bad as the
            twentieth part is, so that one that went astray does not bend everything.
    """
    scales = Scale.of(x), Scale.of(y)
    places = np.stack([scale.shares() for scale in scales], axis=1)
    there = np.isfinite(places).all(axis=1) & np.isfinite(objective.values)
    values = objective.values[there]
    if maximize:
        values = np.maximum(values, np.quantile(values, _ASTRAY, method="higher"))
    else:
        values = np.minimum(values, np.quantile(values, 1 - _ASTRAY, method="lower"))
    middle, spread = float(values.mean()), float(values.std()) or 1.0
    from threadpoolctl import (  # type: ignore[import-untyped]  # ships no types  # noqa: PLC0415
        threadpool_limits,
    )

    # For matrices this small, several threads only wait for each other: up to fifty times as long.
    with threadpool_limits(1):
        model = _fitted(*_gathered(places[there], (values - middle) / spread))
    rows, columns = _SHAPE
    spots = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
    heights, doubt = model.predict(np.stack([s.ravel() for s in spots], axis=1), return_std=True)
    found = middle + spread * heights.reshape(_SHAPE)
    doubt = doubt.reshape(_SHAPE)
    known = found[doubt <= _DOUBT]
    low, high = (known.min(), known.max()) if len(known) else (middle, middle)
    return Surface(*scales, found, doubt, band_edges(float(low), float(high)))


def band_edges(low: float, high: float) -> Floats:
    """Return round numbers in equal steps, from `low` or less to `high` or more."""
    if high - low <= abs(low) * _HAIR:
        margin = abs(low) * 0.01 or 0.5
        return np.array([low - margin, low + margin])
    rough = (high - low) / _BANDS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(nice for nice in _NICE if nice * power >= rough * (1 - _HAIR)) * power
    first, last = math.floor(low / step + _HAIR), math.ceil(high / step - _HAIR)
    edges: Floats = np.arange(first, last + 1, dtype=np.float64) * step
    return edges


def _gathered(places: Floats, heights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return positions, values and number of trials of each: all trials, or means of cells."""
    if len(heights) <= _MOST:
        return places, heights, np.ones(len(heights))
    cells = np.minimum((places * _CELLS).astype(np.intp), _CELLS - 1)
    flat = cells[:, 1] * _CELLS + cells[:, 0]
    counts = np.bincount(flat)
    full = counts > 0
    sums = [np.bincount(flat, each)[full] for each in (places[:, 0], places[:, 1], heights)]
    x, y, height = (each / counts[full] for each in sums)
    return np.stack([x, y], axis=1), height, counts[full].astype(np.float64)


def _fitted(places: Floats, heights: Floats, counts: Floats) -> GaussianProcessRegressor:
    """Return the process under which the heights are most likely.

    A search by gradients would take longer, and would warn where it runs into a bound.
    """
    from sklearn.gaussian_process import (  # noqa: PLC0415 - half a second
        GaussianProcessRegressor,
    )
    from sklearn.gaussian_process.kernels import RBF  # noqa: PLC0415

    models = (
        GaussianProcessRegressor(RBF(reaches), alpha=noise / counts, optimizer=None).fit(
            places, heights
        )
        for reaches in itertools.product(_REACHES, repeat=2)
        for noise in _NOISES
    )
    best: GaussianProcessRegressor = max(models, key=_likelihood)
    return best


def _likelihood(model: GaussianProcessRegressor) -> float:
    return float(model.log_marginal_likelihood_value_)


@dataclass(frozen=True)
class _Between:
    """Where places lie between even ones: which is before each, and how far on it is, (n,)."""

    before: NDArray[np.intp]
    part: Floats

    @classmethod
    def of(cls, shares: Floats, count: int) -> _Between:
        """Return positions of shares from 0 to 1 among even steps, outside at an end."""
        along = np.clip(shares, 0, 1) * (count - 1)
        before = np.minimum(along.astype(np.intp), count - 2)
        return cls(before, along - before)


def _stripes(
    values: Floats, across: _Between, up: _Between
) -> Iterator[tuple[slice, NDArray[np.float32]]]:
    """Return values at all places, from the first row to the last, some rows at a time."""
    wide = values[:, across.before]
    wide += across.part * (values[:, across.before + 1] - wide)
    # A picture has a million places: in half the bytes it takes half the time.
    rise, wide = np.diff(wide, axis=0).astype(np.float32), wide.astype(np.float32)
    way = up.part.astype(np.float32)[:, None]
    for first in range(0, len(up.before), _STRIPE):
        part = slice(first, first + _STRIPE)
        found = rise[up.before[part]]
        found *= way[part]
        found += wide[up.before[part]]
        yield part, found


def _inside(shares: Floats) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (shares >= -_HAIR) & (shares <= 1 + _HAIR)
    return inside


def _shares_of_neighbors(shares: Floats, count: int) -> Floats:
    """Return how much each of so many even places counts at shares from 0 to 1, (n, count).

    Those before and after a share count by how near they are; outside, none counts.
    """
    weights = np.zeros((len(shares), count))
    inside = np.flatnonzero(_inside(shares))
    place = _Between.of(shares[inside], count)
    weights[inside, place.before] = 1 - place.part
    weights[inside, place.before + 1] = place.part
    return weights
