"""Colors of heat maps: a scale for values, and one for confusion matrices."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from studio.ui.charts.series import Array as Floats
from studio.ui.theme.tokens import ColorPalette, mix

# Viridis (Smith and van der Walt 2015, CC0) at every ninth of its length.
_VIRIDIS = (
    "#440154",
    "#482878",
    "#3E4989",
    "#31688E",
    "#26828E",
    "#1F9E89",
    "#35B779",
    "#6DCD59",
    "#B4DE2C",
    "#FDE725",
)
LEVELS = 32
"""Number of colors."""
_WORST = 0.95
_USED = {True: (0.28, 1.0), False: (0.88, 0.0)}
"""Used part of the color map on a dark and on a light background: the best value has the most
contrast, and no color is too close to the background."""


@functools.cache
def ramp(*, dark: bool) -> tuple[QColor, ...]:
    """Return the colors from the worst to the best, `LEVELS` of them."""
    first, last = _USED[dark]
    return tuple(_at(first + (last - first) * level / (LEVELS - 1)) for level in range(LEVELS))


def area_ramp() -> tuple[QColor, ...]:
    """Return the colors of areas, from the worst to the best, which is the brightest."""
    return ramp(dark=True)


def scale_ends(values: Floats, *, maximize: bool) -> tuple[float, float] | None:
    """Return the values with the worst and the best color; None without values.

    Args:
        values: Shape (n,).
        maximize: True if higher is better.
    """
    costs = -values if maximize else values
    there = costs[np.isfinite(costs)]
    if not len(there):
        return None
    sign = -1.0 if maximize else 1.0
    return sign * float(np.quantile(there, _WORST)), sign * float(there.min())


def levels_of(values: Floats, *, maximize: bool) -> NDArray[np.intp]:
    """Return the color index of each value, shape (n,); 0 for the worst and for NaN.

    The worst twentieth shares a color, so that an outlier does not compress the scale.

    Args:
        values: Shape (n,).
        maximize: True if higher is better.
    """
    costs = -values if maximize else values
    there = costs[np.isfinite(costs)]
    if not len(there):
        return np.zeros(len(values), np.intp)
    best, worst = float(there.min()), float(np.quantile(there, _WORST))
    fractions = (worst - costs) / ((worst - best) or 1.0)
    fractions = np.clip(np.nan_to_num(fractions, nan=0.0), 0.0, 1.0)
    return np.rint(fractions * (LEVELS - 1)).astype(np.intp)


_STRENGTHS = 256


@dataclass(frozen=True, slots=True)
class RowFractions:
    """Confusion matrix, normalized by rows.

    Attributes:
        counts: Images by true class (row) and predicted class (column), (C, C).
        totals: Images of each class, (C,); more than in the row if some classes are hidden.
        fractions: Counts divided by totals, 0 for a class without images, float32, (C, C).
    """

    counts: NDArray[np.integer]
    totals: NDArray[np.int64]
    fractions: NDArray[np.float32]

    @classmethod
    def of(
        cls, counts: NDArray[np.integer], totals: NDArray[np.int64] | None = None
    ) -> RowFractions:
        """Divide each row of a confusion matrix by its total.

        Args:
            counts: Shape (C, C).
            totals: Shape (C,); None for the sums of the rows.
        """
        sums = counts.sum(axis=1, dtype=np.int64) if totals is None else totals
        fractions = counts / np.maximum(sums, 1)[:, np.newaxis]
        return cls(counts, sums, fractions.astype(np.float32))

    def strongest(self, rows: slice, columns: slice) -> tuple[int, int]:
        """Return the cell with the most images, preferring errors.

        Args:
            rows: Range of true classes.
            columns: Range of predicted classes.
        """
        part = self.counts[rows, columns].astype(np.float64)
        truth, predicted = np.indices(part.shape)
        on_diagonal = truth + rows.start == predicted + columns.start
        mistaken = np.where(on_diagonal, 0.0, part)
        chosen = mistaken if mistaken.any() else part
        row, column = np.unravel_index(int(chosen.argmax()), part.shape)
        return rows.start + int(row), columns.start + int(column)


def most_confused(counts: NDArray[np.integer]) -> tuple[int, int] | None:
    """Return the most frequent error as (true class, predicted class), or None."""
    mistakes = counts.copy()
    np.fill_diagonal(mistakes, 0)
    if not mistakes.any():
        return None
    row, column = np.unravel_index(int(mistakes.argmax()), mistakes.shape)
    return int(row), int(column)


def matrix_image(
    matrix: RowFractions, palette: ColorPalette, most: int, *, has_mistakes: bool = True
) -> QImage:
    """Return one pixel per cell, or per block of cells if there are more than `most` in a row.

    Correct predictions have the accent color and errors the error color, stronger for a larger
    share. A block is as strong as its strongest error.

    Args:
        matrix: The values.
        palette: Colors of the theme.
        most: Most pixels in a row.
        has_mistakes: False if cells off the diagonal are not errors: all have the accent color.
    """
    classes = len(matrix.fractions)
    block = math.ceil(classes / max(1, most))
    side = math.ceil(classes / block)
    if not has_mistakes:
        values = np.zeros((side * block, side * block), np.float32)
        values[:classes, :classes] = matrix.fractions
        levels = np.rint(_blocks(values, block) * (_STRENGTHS - 1)).astype(np.int64)
        return _image(_strength_ramp(palette.surface, palette.accent)[levels])
    wrong = np.zeros((side * block, side * block), np.float32)
    wrong[:classes, :classes] = matrix.fractions
    indices = np.arange(classes)
    on_diagonal = np.zeros(side * block, np.float32)
    on_diagonal[:classes] = wrong[indices, indices]
    wrong[indices, indices] = 0
    wrong = _blocks(wrong, block)
    right = on_diagonal.reshape(side, block).max(axis=1)
    mostly_right = np.flatnonzero((right > 0) & (right >= np.diag(wrong)))
    # The square root makes rare errors visible, even one in a hundred.
    np.sqrt(wrong, out=wrong)
    wrong *= _STRENGTHS - 1
    wrong += 0.5
    pixels = _strength_ramp(palette.surface, palette.bad).take(wrong.astype(np.uint8))
    levels = np.rint(right[mostly_right] * (_STRENGTHS - 1)).astype(np.int64)
    pixels[mostly_right, mostly_right] = _strength_ramp(palette.surface, palette.accent)[levels]
    return _image(pixels)


def _image(pixels: NDArray[np.uint32]) -> QImage:
    side = len(pixels)
    return QImage(pixels.tobytes(), side, side, 4 * side, QImage.Format.Format_RGB32).copy()


def _blocks(values: NDArray[np.float32], block: int) -> NDArray[np.float32]:
    """Return the largest value of each block of cells."""
    if block == 1:
        return values
    side = len(values) // block
    rows = values.reshape(side, block, -1).max(axis=1)
    found: NDArray[np.float32] = rows.reshape(side, side, block).max(axis=2)
    return found


@functools.cache
def _strength_ramp(low: str, high: str) -> NDArray[np.uint32]:
    """Return colors from one to another; the first one, for zero, is distinct."""
    steps = [mix(low, high, 0.0)]
    steps += [mix(low, high, 0.12 + 0.88 * at / (_STRENGTHS - 1)) for at in range(1, _STRENGTHS)]
    return np.array([QColor(color).rgb() for color in steps], np.uint32)


def _at(share: float) -> QColor:
    position = share * (len(_VIRIDIS) - 1)
    low = min(int(position), len(_VIRIDIS) - 2)
    return QColor(mix(_VIRIDIS[low], _VIRIDIS[low + 1], position - low))
