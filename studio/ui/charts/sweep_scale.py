"""Where the values of an axis lie between its ends, and what is written beside it."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from studio.ui.charts.axes import log_ticks
from studio.ui.charts.sweep_data import Floats, SweepAxis
from studio.ui.charts.sweep_text import value_text

_FEW = 6
_NICE = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, eq=False)
class Scale:
    """From where to where an axis goes, in plotted numbers."""

    axis: SweepAxis
    low: float
    high: float

    @classmethod
    def of(cls, axis: SweepAxis) -> Scale:
        """As far as the values go; categories have half a place more at each end."""
        if axis.ticks:
            return cls(axis, -0.5, max(code for code, _ in axis.ticks) + 0.5)
        values = axis.plotted()
        there = values[np.isfinite(values)]
        if not len(there):
            return cls(axis, 0.0, 1.0)
        low, high = float(there.min()), float(there.max())
        if low == high:
            return cls(axis, low - 0.5, high + 0.5)
        return cls(axis, low, high)

    def shares(self) -> Floats:
        """Where each value lies, from 0 at the low end to 1, (n,)."""
        shares: Floats = (self.axis.plotted() - self.low) / (self.high - self.low)
        return shares

    def place_at(self, share: float) -> float:
        """The plotted number at a share."""
        return self.low + share * (self.high - self.low)

    def share_of(self, place: float) -> float:
        """The share at which a plotted number is."""
        return (place - self.low) / (self.high - self.low)

    def text_at(self, share: float) -> str:
        """The value at a place between 0 and 1; of categories the nearest one."""
        place = self.place_at(share)
        if self.axis.ticks:
            nearest = min(self.axis.ticks, key=lambda tick: abs(tick[0] - place))
            return nearest[1]
        return value_text(self.axis, self.axis.raw(place))

    def ticks(self, length: float) -> list[tuple[float, str]]:
        """Shares and texts along so many pixels."""
        span = self.high - self.low
        if self.axis.ticks:
            return [((code - self.low) / span, word) for code, word in self.axis.ticks]
        few = self._few
        if few:
            places = few
        elif self.axis.is_log and span > 1.0:
            places = log_ticks(self.low, self.high, length)[0][1]
        else:
            places = self._even(max(2, int(length / 70)))
        return [
            ((at - self.low) / span, value_text(self.axis, _clean(self.axis.raw(at))))
            for at in places
        ]

    @functools.cached_property
    def _few(self) -> list[float]:
        """The values themselves where there are not many, as of a list; else none."""
        places = np.unique(self.axis.plotted())
        there = places[np.isfinite(places)]
        return there.tolist() if len(there) <= _FEW else []

    def _even(self, most: int) -> list[float]:
        low, high = self.axis.raw(self.low), self.axis.raw(self.high)
        rough = (high - low) / most
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(nice for nice in _NICE if nice * power >= rough * 0.999) * power
        values = np.arange(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1) * step
        return [math.log10(at) if self.axis.is_log else float(at) for at in values.tolist()]


def _clean(value: float) -> float:
    """Without the last digits of a float64: 0.1 and not 0.10000000000000002."""
    return float(f"{value:.12g}")
