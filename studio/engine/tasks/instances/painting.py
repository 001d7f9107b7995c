"""Label images of outlines: polygons that are painted one over the other."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

_AT_ONCE: Final = 4_000_000
"""Pixels that are painted at once."""


def painted(outlines: NDArray[np.float64], size: tuple[int, int]) -> NDArray[np.int32]:
    """Return a label image of polygons: `i + 1` in polygon i, 0 elsewhere; the first is in front.

    A pixel is in a polygon if its center is.

    Args:
        outlines: Corners x and y in pixels from the upper left corner, shape (n, corners, 2).
        size: Width and height of the image.
    """
    last: NDArray[np.float64] = np.roll(outlines, -1, axis=1)
    owner = np.repeat(np.arange(len(outlines)), outlines.shape[1])
    return painted_edges(outlines.reshape(-1, 2), last.reshape(-1, 2), owner, size)


def painted_edges(
    first: NDArray[np.float64],
    last: NDArray[np.float64],
    owner: NDArray[np.int64],
    size: tuple[int, int],
) -> NDArray[np.int32]:
    """Return a label image of closed lines: `i + 1` inside those of owner i; see `painted`.

    Inside is what an odd number of the lines of an owner surrounds.

    Args:
        first: x and y where each line begins, shape (e, 2).
        last: x and y where each ends, shape (e, 2).
        owner: Owner of each, shape (e,).
        size: Width and height of the image.
    """
    width, height = size
    found = np.zeros(height * width, np.int32)
    owner, rows, starts, ends = spans_of(first, last, owner, size)
    lengths = ends - starts
    # Of numbers that are written to one pixel the last one stays.
    order = np.argsort(-owner, kind="stable")
    for part in _parts(lengths[order]):
        chosen = order[part]
        count = lengths[chosen]
        begin = rows[chosen] * width + starts[chosen]
        run = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        found[np.repeat(begin, count) + run] = np.repeat(owner[chosen] + 1, count)
    return found.reshape(height, width)


def _parts(lengths: NDArray[np.int64]) -> list[slice]:
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    cuts = np.searchsorted(ends, np.arange(_AT_ONCE, total + _AT_ONCE, _AT_ONCE)) + 1
    edges = [0, *np.minimum(cuts, len(lengths)).tolist()]
    return [slice(*pair) for pair in pairwise(edges) if pair[0] < pair[1]]


def spans_of(
    first: NDArray[np.float64],
    last: NDArray[np.float64],
    owners: NDArray[np.int64],
    size: tuple[int, int],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the runs of pixels whose center is inside of closed lines.

    Args:
        first: x and y where each line begins, shape (e, 2).
        last: x and y where each ends, shape (e, 2).
        owners: Owner of each, shape (e,).
        size: Width and height of the image.

    Returns:
        Owner, row, first column, and column behind the last one of each run.
    """
    width, height = size
    low, high = np.minimum(first[:, 1], last[:, 1]), np.maximum(first[:, 1], last[:, 1])
    # Rows whose middle is on an edge; its upper end counts, its lower one does not.
    start = np.clip(np.ceil(low - 0.5), 0, height).astype(np.int64)
    end = np.clip(np.ceil(high - 0.5), 0, height).astype(np.int64)
    counts = np.maximum(end - start, 0)
    edge = np.repeat(np.arange(len(counts)), counts)
    rows = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + start[edge]
    one, other = first[edge], last[edge]
    along = (rows + 0.5 - one[:, 1]) / (other[:, 1] - one[:, 1])
    x = one[:, 0] + along * (other[:, 0] - one[:, 0])
    column = np.clip(np.ceil(x - 0.5), 0, width).astype(np.int64)
    owner = owners[edge]
    order = np.lexsort((column, rows, owner))
    owner, rows, column = owner[order], rows[order], column[order]
    return owner[::2], rows[::2], column[::2], column[1::2]
