"""A confusion matrix as colors, also where it has more cells than the screen has pixels."""

from __future__ import annotations

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
    padded = np.zeros((side * block, side * block), np.float32)
    padded[:classes, :classes] = matrix.shares
    right = np.zeros_like(padded)
    places = np.arange(classes)
    right[places, places] = padded[places, places]
    padded[places, places] = 0
    wrong = _blocks(padded, block)
    right = _blocks(right, block)
    # A root lifts what is rare: a mistake of one in a hundred is to be seen.
    levels = np.rint(np.sqrt(wrong) * (_LEVELS - 1)).astype(np.int64)
    pixels = _ramp(palette.surface, palette.bad)[levels]
    mostly_right = (right > 0) & (right >= wrong)
    right_levels = np.rint(right * (_LEVELS - 1)).astype(np.int64)
    pixels[mostly_right] = _ramp(palette.surface, palette.accent)[right_levels[mostly_right]]
    data = np.ascontiguousarray(pixels.astype(np.uint32))
    return QImage(data.tobytes(), side, side, 4 * side, QImage.Format.Format_RGB32).copy()


def _blocks(values: NDArray[np.float32], block: int) -> NDArray[np.float32]:
    side = len(values) // block
    found: NDArray[np.float32] = values.reshape(side, block, side, block).max(axis=(1, 3))
    return found


def _ramp(low: str, high: str) -> NDArray[np.uint32]:
    """Colors from one to another, the first apart: nothing looks like nothing."""
    steps = [mix(low, high, 0.0)]
    steps += [mix(low, high, 0.12 + 0.88 * at / (_LEVELS - 1)) for at in range(1, _LEVELS)]
    return np.array([QColor(color).rgb() for color in steps], np.uint32)
