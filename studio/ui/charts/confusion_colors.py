"""A confusion matrix as colors, also where it has more cells than the screen has pixels."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from studio.ui.theme.tokens import Palette, mix

_LEVELS = 256


@dataclass(frozen=True, slots=True)
class Shares:
    """The matrix by rows: which part of each class was taken for which.

    Attributes:
        counts: Images by true class (row) and predicted class (column), C x C.
        totals: Images of each class, C; more than the row has where other classes are left out.
        shares: Counts as shares of the totals, 0 where a class has no images, float32, C x C.
    """

    counts: NDArray[np.int32]
    totals: NDArray[np.int64]
    shares: NDArray[np.float32]

    @classmethod
    def of(cls, counts: NDArray[np.int32], totals: NDArray[np.int64] | None = None) -> Shares:
        """Divide every row by its total, which is its sum unless it is given."""
        sums = counts.sum(axis=1, dtype=np.int64) if totals is None else totals
        shares = counts / np.maximum(sums, 1)[:, np.newaxis]
        return cls(counts, sums, shares.astype(np.float32))

    def strongest(self, rows: slice, columns: slice) -> tuple[int, int]:
        """Of some cells the one with the most images, a mistake rather than a right answer."""
        part = self.counts[rows, columns].astype(np.float64)
        truth, predicted = np.indices(part.shape)
        on_diagonal = truth + rows.start == predicted + columns.start
        mistaken = np.where(on_diagonal, 0.0, part)
        chosen = mistaken if mistaken.any() else part
        row, column = np.unravel_index(int(chosen.argmax()), part.shape)
        return rows.start + int(row), columns.start + int(column)


def most_confused(counts: NDArray[np.int32]) -> tuple[int, int] | None:
    """The commonest mistake as (true class, predicted class); None where there is none."""
    mistakes = counts.copy()
    np.fill_diagonal(mistakes, 0)
    if not mistakes.any():
        return None
    row, column = np.unravel_index(int(mistakes.argmax()), mistakes.shape)
    return int(row), int(column)


def matrix_image(matrix: Shares, palette: Palette, most: int) -> QImage:
    """One pixel per cell, or per block of cells where there are more than `most` in a row.

    Right answers are in the accent color, mistakes in that of what is wrong, both the stronger the
    larger their share. A block is as strong as its strongest mistake, so that none is lost.
    """
    classes = len(matrix.shares)
    block = math.ceil(classes / max(1, most))
    side = math.ceil(classes / block)
    wrong = np.zeros((side * block, side * block), np.float32)
    wrong[:classes, :classes] = matrix.shares
    places = np.arange(classes)
    on_diagonal = np.zeros(side * block, np.float32)
    on_diagonal[:classes] = wrong[places, places]
    wrong[places, places] = 0
    wrong = _blocks(wrong, block)
    right = on_diagonal.reshape(side, block).max(axis=1)
    mostly_right = np.flatnonzero((right > 0) & (right >= np.diag(wrong)))
    # A root lifts what is rare: a mistake of one in a hundred is to be seen.
    np.sqrt(wrong, out=wrong)
    wrong *= _LEVELS - 1
    wrong += 0.5
    pixels = _ramp(palette.surface, palette.bad).take(wrong.astype(np.uint8))
    levels = np.rint(right[mostly_right] * (_LEVELS - 1)).astype(np.int64)
    pixels[mostly_right, mostly_right] = _ramp(palette.surface, palette.accent)[levels]
    return QImage(pixels.tobytes(), side, side, 4 * side, QImage.Format.Format_RGB32).copy()


def _blocks(values: NDArray[np.float32], block: int) -> NDArray[np.float32]:
    """The largest of each block of cells."""
    if block == 1:
        return values
    side = len(values) // block
    rows = values.reshape(side, block, -1).max(axis=1)
    found: NDArray[np.float32] = rows.reshape(side, side, block).max(axis=2)
    return found


@functools.cache
def _ramp(low: str, high: str) -> NDArray[np.uint32]:
    """Colors from one to another, the first apart: nothing looks like nothing."""
    steps = [mix(low, high, 0.0)]
    steps += [mix(low, high, 0.12 + 0.88 * at / (_LEVELS - 1)) for at in range(1, _LEVELS)]
    return np.array([QColor(color).rgb() for color in steps], np.uint32)
