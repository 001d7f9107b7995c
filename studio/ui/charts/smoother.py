"""Smoothing that goes on where it was, on NumPy arrays; free of Qt."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from studio.ui.charts.pyramid import Array

_FEW = 48
_MOST_IN_A_ROW = 1024
_NOTHING = 40.0
"""A power of e by which a number falls below what counts beside 1."""
_RANGE = 200.0
"""How far, in powers of e, the weights of a row may lie apart; a float64 reaches 700."""


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
        finite = np.isfinite(values)
        if finite.all():
            return self._smoothed(values)
        values[finite] = self._smoothed(values[finite])
        return values

    def _smoothed(self, values: Array) -> Array:
        few = len(values) < _FEW
        return self._one_by_one(values) if few else self._in_rows(values)

    def _one_by_one(self, values: Array) -> Array:
        smoothed = []
        for value in values.tolist():
            self._average += (1 - self.weight) * (value - self._average)
            self._left *= self.weight
            smoothed.append(self._average / (1 - self._left))
        return np.array(smoothed)

    def _in_rows(self, values: Array) -> Array:
        """Many values, without a step of Python for each.

        Inside a row, m_n = w^n * (m_0 + (1 - w) * sum of y_k / w^k): a cumulative sum. Rows are so
        short that 1 / w^k stays far inside the range of numbers.
        """
        fall = -math.log(self.weight)
        width = max(1, min(_MOST_IN_A_ROW, int(_RANGE / fall)))
        count = -(-len(values) // width)
        rows = np.zeros((count, width))
        rows.reshape(-1)[: len(values)] = values
        powers = np.exp(-fall * np.arange(1, width + 1))
        rows *= (1 - self.weight) / powers
        np.cumsum(rows, axis=1, out=rows)
        starts = np.empty(count)
        last, ends = float(powers[-1]), rows[:, -1].tolist()
        average = self._average
        for place, end in enumerate(ends):
            starts[place] = average
            average = last * (average + end)
        rows += starts[:, np.newaxis]
        rows *= powers
        smoothed: Array = rows.reshape(-1)[: len(values)]
        self._average = float(smoothed[-1])
        # The pull of the start is soon too small to be a number.
        pulled = min(len(values), math.ceil(_NOTHING / fall))
        smoothed[:pulled] /= 1 - self._left * np.exp(-fall * np.arange(1, pulled + 1))
        self._left *= math.exp(-fall * len(values))
        return smoothed


def smooth(y: npt.ArrayLike, weight: float) -> Array:
    """All values smoothed at once; the formula is in `Smoother`.

    Raises:
        ValueError: The weight is not at least 0 and below 1.
    """
    return Smoother(weight).feed(y)
