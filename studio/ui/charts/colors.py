"""Color scales for values: even steps look even, with any color vision."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from studio.ui.charts.sweeps.data import Floats
from studio.ui.theme.tokens import mix

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
"""So many colors are told apart."""
_WORST = 0.95
_USED = {True: (0.28, 1.0), False: (0.88, 0.0)}
"""From where to where the map is used on a dark ground and on a light one: what is best stands out
the most, and nothing sinks into the ground."""


@functools.cache
def ramp(*, dark: bool) -> tuple[QColor, ...]:
    """The colors from the worst to the best, `LEVELS` of them."""
    first, last = _USED[dark]
    return tuple(_at(first + (last - first) * level / (LEVELS - 1)) for level in range(LEVELS))


def area_ramp() -> tuple[QColor, ...]:
    """The colors of areas, from the worst to the best: bright is best in either theme."""
    return ramp(dark=True)


def scale_ends(values: Floats, *, maximize: bool) -> tuple[float, float] | None:
    """The values that have the worst and the best color; None where there is no value."""
    costs = -values if maximize else values
    there = costs[np.isfinite(costs)]
    if not len(there):
        return None
    sign = -1.0 if maximize else 1.0
    return sign * float(np.quantile(there, _WORST)), sign * float(there.min())


def levels_of(values: Floats, *, maximize: bool) -> NDArray[np.intp]:
    """The color of each value, 0 for the worst, (n,); NaN has the worst.

    The worst twentieth shares a color: one run that went astray takes nothing from the others.
    """
    costs = -values if maximize else values
    there = costs[np.isfinite(costs)]
    if not len(there):
        return np.zeros(len(values), np.intp)
    best, worst = float(there.min()), float(np.quantile(there, _WORST))
    shares = (worst - costs) / ((worst - best) or 1.0)
    shares = np.clip(np.nan_to_num(shares, nan=0.0), 0.0, 1.0)
    return np.rint(shares * (LEVELS - 1)).astype(np.intp)


def _at(share: float) -> QColor:
    place = share * (len(_VIRIDIS) - 1)
    low = min(int(place), len(_VIRIDIS) - 2)
    return QColor(mix(_VIRIDIS[low], _VIRIDIS[low + 1], place - low))
