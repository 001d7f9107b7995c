"""Axes of plots: their range, and the positions and texts of their ticks.

Painted without NumPy and pyqtgraph, so that pages with small charts open without loading them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QLocale

from studio.ui.widgets.figures import percent, significant

Ends = tuple[float, float]
"""First and last end of an axis, in plotted numbers: decimal logarithms on a logarithmic axis."""

_STEPS = (1.0, 2.0, 5.0)
_PARTS = _STEPS, (1, 1.5, 2, 3, 4, 5, 6, 8), tuple(at / 10 for at in range(10, 100))
"""First digits of the ticks of a short logarithmic axis; the latter where the former are few."""
_ALMOST = 1 - 1e-9
_EDGE = 1e-9
_LARGEST = 300.0
"""Largest power of ten on an axis."""
_ALMOST_PLAIN = 0.3
"""Powers of ten below which a logarithmic axis has the ticks of a linear one: 0.51, 0.52, …"""
_EXPONENT_BELOW, _EXPONENT_FROM, _EXPONENT_ALWAYS_FROM = 1e-4, 1e6, 1e15
_DIGITS, _MOST_DIGITS = 3, 17
"""Digits of numbers with an exponent, and of all that float64 has."""
_SUPERSCRIPT_BELOW, _SUPERSCRIPT_FROM = 1e-3, 1e4
_SUPERSCRIPTS = str.maketrans(
    "-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
)
_PERCENT = "\N{NO-BREAK SPACE}%"


def round_step(least: float, firsts: Sequence[float] = _STEPS) -> float:
    """Return the smallest round step that is not below a number.

    Args:
        least: The number, above 0.
        firsts: Steps from 1 to below 10.
    """
    power = 10.0 ** math.floor(math.log10(least))
    return next((first for first in firsts if first * power >= least * _ALMOST), 10.0) * power


def number_text(
    value: float, spacing: float, *, percent: bool = False, whole: bool = False
) -> str:
    """Return a number of an axis, with the digits that distinguish it from the next one.

    Args:
        value: The number.
        spacing: Distance to the next one.
        percent: True if it is a fraction, shown in percent.
        whole: True for whole numbers, which have an exponent only if they are very large.
    """
    unit = ""
    if percent:
        value, spacing, unit = value * 100, spacing * 100, _PERCENT
    size = max(abs(value), abs(spacing))
    first, last = _power(size), _power(spacing)
    digits = min(first - last + 1, _MOST_DIGITS)
    is_plain = whole or digits >= _DIGITS
    plain_below = _EXPONENT_ALWAYS_FROM if is_plain else _EXPONENT_FROM
    if size and not _EXPONENT_BELOW < size < plain_below:
        return QLocale().toString(float(value), "g", max(digits, _DIGITS)) + unit
    return QLocale().toString(float(value), "f", max(0, digits - 1 - first)) + unit


def _power(size: float) -> int:
    """Return the power of ten of the first digit; 0 for nothing."""
    return math.floor(math.log10(size) + _EDGE) if size > 0 else 0


class Tick(NamedTuple):
    """Tick of an axis.

    Attributes:
        at: Plotted number.
        text: Its text; empty for a mark between those with numbers.
    """

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class AxisScale:
    """Range and ticks of an axis.

    Attributes:
        label: Name of the values; empty for none.
        low: First end; may be the larger one.
        high: Last end.
        percent: True for fractions, written in percent.
        log: True for a logarithmic scale; both ends are positive.
        whole: True for whole numbers: no ticks between them, unless less than two are visible.
        named: Ticks instead of round numbers, such as those of categories.
        write: Writes the value of a tick, for example with its unit.
    """

    label: str
    low: float
    high: float
    percent: bool = False
    log: bool = False
    whole: bool = False
    named: Sequence[Tick] = ()
    write: Callable[[float], str] | None = None

    @property
    def ends(self) -> Ends:
        """The ends in plotted numbers."""
        return self.plotted(self.low), self.plotted(self.high)

    def between(self, first: float, last: float) -> AxisScale:
        """Return the axis with other ends.

        Args:
            first: First end, in plotted numbers.
            last: Last end.
        """
        return dataclasses.replace(self, low=self.raw(first), high=self.raw(last))

    def plotted(self, value: float) -> float:
        """Return the plotted number of a value; NaN for one that the axis does not have."""
        if not self.log:
            return value
        return math.log10(value) if value > 0 else math.nan

    def raw(self, plotted: float) -> float:
        """Return the value of a plotted number."""
        if not self.log:
            return plotted
        return float(10.0 ** min(max(plotted, -_LARGEST), _LARGEST))

    def share(self, value: float) -> float:
        """Return the position of a value, 0 at the first end and 1 at the last; NaN for none."""
        return self.share_of(self.plotted(value))

    def share_of(self, plotted: float) -> float:
        """Return the position of a plotted number, 0 at the first end and 1 at the last."""
        low, high = self.ends
        return (plotted - low) / ((high - low) or 1.0)

    def value(self, share: float) -> float:
        """Return the value at a position."""
        low, high = self.ends
        return self.raw(low + share * (high - low))

    def ticks(self, most: int = 5) -> list[Tick]:
        """Return the visible ticks.

        Args:
            most: Number of steps between ticks that there is room for.
        """
        low, high = sorted(self.ends)
        if self.named:
            return [tick for tick in self.named if low <= tick.at <= high]
        if self.log and high - low > _ALMOST_PLAIN:
            numbers = log_numbers(low, high, most)
            marks = log_marks(low, high, most)
            texts = [self._log_text(self.raw(at)) for at in numbers]
            return [*map(Tick, numbers, texts), *(Tick(at, "") for at in marks)]
        values, step = self._round_values(most)
        return [Tick(self.plotted(value), self._text(value, step)) for value in values]

    def text(self, value: float) -> str:
        """Format a value for the line above the chart."""
        return percent(value) if self.percent else significant(value, 3)

    def _round_values(self, most: int) -> tuple[list[float], float]:
        """Return round numbers, and the step between them."""
        low, high = sorted((self.low, self.high))
        if not high > low:
            return [low], 0.0
        step = round_step((high - low) / max(1, most))
        if self.whole and high - low >= 2:
            step = max(1.0, step)
        first, last = math.ceil(low / step - _EDGE), math.floor(high / step + _EDGE)
        return [index * step for index in range(first, last + 1)], step

    def _text(self, value: float, step: float) -> str:
        if self.write is not None:
            return self.write(value)
        return number_text(value, step, percent=self.percent, whole=self.whole)

    def _log_text(self, value: float) -> str:
        if self.write is not None:
            return self.write(value)
        power = math.log10(value)
        is_far = not _SUPERSCRIPT_BELOW * _ALMOST <= value < _SUPERSCRIPT_FROM
        if is_far and not self.percent and abs(power - round(power)) < _EDGE:
            return "10" + str(round(power)).translate(_SUPERSCRIPTS)
        factor, unit = (100.0, _PERCENT) if self.percent else (1.0, "")
        return QLocale().toString(value * factor, "g", 3) + unit


FRACTIONS = AxisScale("", 0.0, 1.0, percent=True)


def log_numbers(low: float, high: float, most: int) -> list[float]:
    """Return the decimal logarithms of the numbers of a logarithmic axis.

    Powers of ten, or every n-th of many; also other digits if there are few.

    Args:
        low: Decimal logarithm of the low end.
        high: Decimal logarithm of the high end.
        most: Number of steps between ticks that there is room for.
    """
    powers = _powers(low, high)
    if len(powers) > max(1, most // 3):
        step = max(1, math.ceil((high - low) / max(1, most)))
        return [power for power in powers if power % step == 0]
    for digits in _PARTS:
        found = _times(digits, low, high)
        if len(found) > 1:
            return found
    return [low, high]


def log_marks(low: float, high: float, most: int) -> list[float]:
    """Return the decimal logarithms of 2, 3, … 9 times each power of ten; none if there are many.

    Args:
        low: Decimal logarithm of the low end.
        high: Decimal logarithm of the high end.
        most: Number of steps between ticks that there is room for.
    """
    return _times(range(2, 10), low, high) if high - low <= most else []


def _powers(low: float, high: float) -> list[float]:
    first, last = math.ceil(low - _EDGE), math.floor(high + _EDGE)
    return [float(power) for power in range(first, last + 1)]


def _times(digits: Iterable[float], low: float, high: float) -> list[float]:
    """Return the logarithms of digits times each power of ten within a range."""
    parts = [math.log10(digit) for digit in digits]
    powers = range(math.floor(low), math.ceil(high) + 1)
    found = (power + part for power in powers for part in parts)
    return [at for at in found if low - _EDGE <= at <= high + _EDGE]
