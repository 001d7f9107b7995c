"""Lines as the segments that a painter draws, and as a picture where they are too long for it.

Qt strokes a line in time with its length in pixels: ten noisy curves of a thousand columns take
it 70 ms. As a picture they take 4 ms, however noisy. Free of Qt's widgets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor, QImage

from studio.ui.charts.trace import Columns, Points

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
    """The line from each point to the next: rows of x0, y0, x1, y1; none across a gap.

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
    """The same in dashes, `unit` times as long as usual."""
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
    """The columns that are left of a line when it is dashed."""
    at = np.arange(len(columns.tops)) + 0.5
    inked = (at % (DASH_EVERY * unit)) < DASH * unit
    return Columns(np.where(inked, columns.tops, np.nan), np.where(inked, columns.bottoms, np.nan))


def pictures_of(layers: Sequence[Layer], width: int, height: int) -> list[QImage]:
    """All layers, the first at the back, in as few pictures as there can be."""
    return [
        _picture(layers[start : start + _MOST_LAYERS], width, height)
        for start in range(0, len(layers), _MOST_LAYERS)
    ]


def _picture(layers: Sequence[Layer], width: int, height: int) -> QImage:
    """A layer flips its bit where a column begins and ends: running down, bits say who is on."""
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
    """The first row of every layer in every column, and the one after the last.

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
