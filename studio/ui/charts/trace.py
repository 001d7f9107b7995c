"""Visible part of a series in pixels: points or extremes per column, and line segments.

The cost depends on the number of pixels, not on the number of points. Free of Qt's widgets.

Qt needs time in proportion to the length of a line in pixels: 70 ms for ten noisy curves over a
thousand columns. Painted as an image they take 4 ms, however noisy.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor, QImage

from studio.ui.charts.series import Array, Places, Series


@dataclass(frozen=True, slots=True)
class Axes:
    """Which of the axes count in powers of ten."""

    log_x: bool = False
    log_y: bool = False


def plotted(values: Array, *, log: bool) -> Array:
    """Return values as they are plotted: on a log axis their logarithm, a gap if not positive."""
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
        """Return the distance in pixels from the left edge."""
        shown = plotted(x, log=self.axes.log_x)
        return (shown - self.left) * (self.width / (self.right - self.left))

    def down(self, y: Array) -> Array:
        """Return pixels from the upper edge."""
        shown = plotted(y, log=self.axes.log_y)
        return (self.high - shown) * (self.height / (self.high - self.low))


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
        """Return a line that goes through every column from top to bottom."""
        x = np.repeat(np.arange(len(self.tops)) + 0.5, 2)
        return Points(x, np.stack([self.tops, self.bottoms], axis=1).reshape(-1))


def traces_of(many: Sequence[Series], window: Window) -> list[Points | Columns]:
    """Return the visible points and one more on each side; columns if there are too many.

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
    """Return points without what the first and last segment have far outside."""
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
    """Return the extremes in every column, including where the line crosses its edges."""
    places = [np.searchsorted(series.x, window.edges) for series in many]
    return _columns(many, window, places)


def _columns(many: Sequence[Series], window: Window, places: Sequence[Places]) -> list[Columns]:
    """Return the columns of each series, with the places of the edges of the columns in it."""
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
    """Return where the line crosses the edges of columns, in pixels; NaN where it does not.

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


DASH, DASH_EVERY = 6.0, 10.0
"""Pixels that a dash is long, and from one to the next."""
DOT = 3.0
"""Pixels from the middle of a lonely point to the ends of the dash that stands for it."""
_MOST_LAYERS = 12
_WORD = 8

Segments = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Layer:
    """A line in columns, with its looks."""

    columns: Columns
    color: QColor
    width: float


def segments_of(points: Points) -> Segments:
    """Return the line from each point to the next: rows of x0, y0, x1, y1; none across a gap.

    A point between two gaps has no line; a short dash shows that something is there.
    """
    x, y = points.x, points.y
    ends = np.stack([x[:-1], y[:-1], x[1:], y[1:]], axis=1)
    there = np.isfinite(x) & np.isfinite(y)
    joined = there[:-1] & there[1:]
    alone = there & ~np.append(joined, False) & ~np.append(False, joined)
    if not alone.any():
        return ends[joined]
    x, y = x[alone], y[alone]
    return np.concatenate([ends[joined], np.stack([x - DOT, y, x + DOT, y], axis=1)])


def dashes_of(points: Points, unit: float = 1.0) -> Segments:
    """Return the same in dashes, `unit` times as long as usual."""
    whole = segments_of(points)
    if not len(whole):
        return whole
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
    return np.concatenate([first, last], axis=1)


def gapped(columns: Columns, unit: float = 1.0) -> Columns:
    """Return the columns that are left of a line when it is dashed."""
    at = np.arange(len(columns.tops)) + 0.5
    inked = (at % (DASH_EVERY * unit)) < DASH * unit
    return Columns(np.where(inked, columns.tops, np.nan), np.where(inked, columns.bottoms, np.nan))


def pictures_of(layers: Sequence[Layer], width: int, height: int) -> list[QImage]:
    """Return all layers, the first at the back, in as few pictures as there can be."""
    return [
        _picture(layers[start : start + _MOST_LAYERS], width, height)
        for start in range(0, len(layers), _MOST_LAYERS)
    ]


def _picture(layers: Sequence[Layer], width: int, height: int) -> QImage:
    """Return layers as one image: each flips its bit where a column of it begins and ends."""
    kind = np.uint8 if len(layers) <= 8 else np.uint16
    # Whole words are taken at once, so that rows are as long as some number of these.
    bits = np.zeros((height + 1, -(-width // _WORD) * _WORD), dtype=kind)
    at = np.arange(width)
    for place, (first, last) in enumerate(zip(*_rows(layers, height), strict=True)):
        bit = kind(1 << place)
        bits[first, at] ^= bit
        bits[last, at] ^= bit
    words = bits.view(np.uint64)
    np.bitwise_xor.accumulate(words, axis=0, out=words)
    colors = np.zeros(1 << len(layers), dtype=np.uint32)
    for place, layer in enumerate(layers):
        colors[1 << place : 2 << place] = layer.color.rgba()
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    pixels = np.frombuffer(image.bits(), dtype=np.uint32).reshape(height, width)
    np.take(colors, bits[:height, :width], out=pixels, mode="clip")
    return image


def _rows(layers: Sequence[Layer], height: int) -> tuple[Rows, Rows]:
    """Return the first row of every layer in every column, and the one after the last.

    A line is never thinner than its width; where nothing is to be seen both are row 0.
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
