"""Trials gathered into the cells of two fields; free of Qt."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from studio.ui.charts.sweep_data import Floats, SweepAxis
from studio.ui.charts.sweep_text import value_text

Statistic = Literal["best", "mean"]
_FEW = 12
"""Up to so many different numbers have a cell each."""
_BINS = 10


@dataclass(frozen=True, eq=False)
class Bins:
    """The values of one field in cells, from low to high.

    Attributes:
        places: Cell of each trial, (n,); -1 for none.
        words: What is written beside each cell.
        ranges: What a cell holds, in words.
    """

    places: NDArray[np.intp]
    words: tuple[str, ...]
    ranges: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Grid:
    """An objective by two fields.

    Attributes:
        x, y: The fields.
        values: Best or mean of the objective, (rows, columns); NaN in empty cells.
        counts: Trials in each cell, (rows, columns).
        best: Place of the best trial of each cell among the trials, -1 in empty cells.
    """

    x: Bins
    y: Bins
    values: Floats
    counts: NDArray[np.intp]
    best: NDArray[np.intp]


@functools.lru_cache(maxsize=16)
def bins_of(axis: SweepAxis) -> Bins:
    """A cell for each category or each of a few numbers, else ten stretches of equal length.

    On a logarithmic axis it is ratios that are equal.
    """
    if axis.ticks:
        codes = np.array([code for code, _ in axis.ticks])
        words = tuple(word for _, word in axis.ticks)
        return Bins(_place(axis.values, codes), words, words)
    there = axis.values[np.isfinite(axis.values)]
    distinct = np.unique(there)
    if len(distinct) <= _FEW:
        words = tuple(value_text(axis, value) for value in distinct.tolist())
        return Bins(_place(axis.values, distinct), words, words)
    places = axis.plotted()
    edges = np.linspace(np.nanmin(places), np.nanmax(places), _BINS + 1)
    found = np.clip(np.searchsorted(edges, places, side="right") - 1, 0, _BINS - 1)
    texts = [value_text(axis, float(f"{axis.raw(edge):.3g}")) for edge in edges.tolist()]
    middles = (edges[:-1] + edges[1:]) / 2
    return Bins(
        np.where(np.isfinite(places), found, -1),
        tuple(value_text(axis, float(f"{axis.raw(at):.2g}")) for at in middles.tolist()),
        tuple(f"{low} \N{EN DASH} {high}" for low, high in itertools.pairwise(texts)),
    )


def grid_of(
    x: SweepAxis, y: SweepAxis, objective: SweepAxis, statistic: Statistic, *, maximize: bool
) -> Grid:
    """The best or the mean of an objective in every cell of two fields."""
    columns, rows = bins_of(x), bins_of(y)
    width, height = len(columns.words), len(rows.words)
    values = objective.values
    there = (columns.places >= 0) & (rows.places >= 0) & np.isfinite(values)
    trials = np.flatnonzero(there)
    cells = rows.places[trials] * width + columns.places[trials]
    counts = np.bincount(cells, minlength=width * height).astype(np.intp)
    # The last one that is written stays: the best of each cell comes last.
    costs = -values[trials] if maximize else values[trials]
    order = np.argsort(costs, kind="stable")[::-1]
    best = np.full(width * height, -1, np.intp)
    best[cells[order]] = trials[order]
    if statistic == "mean":
        sums = np.bincount(cells, values[trials], minlength=width * height)
        found = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    else:
        found = np.where(best >= 0, values[best], np.nan) if len(values) else np.full(0, np.nan)
    shape = height, width
    return Grid(columns, rows, found.reshape(shape), counts.reshape(shape), best.reshape(shape))


def _place(values: Floats, known: Floats) -> NDArray[np.intp]:
    if not len(known):
        return np.full(len(values), -1, np.intp)
    found = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[found] == values, found, -1)
