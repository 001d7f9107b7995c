"""The values of a sweep as people read them: shares in percent, sizes in bytes, words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from studio.engine.tasks import MEASURED_METRICS
from studio.ui.widgets.figures import NO_VALUE, count, duration, large, percent, size

if TYPE_CHECKING:
    from studio.ui.charts.sweep_data import SweepAxis, SweepTrials

_PERCENT = "\N{NO-BREAK SPACE}%"
_WHOLE = 1e6


def is_share(axis: SweepAxis) -> bool:
    """Whether values are shares from 0 to 1, shown in percent."""
    metric = MEASURED_METRICS.get(axis.name)
    return metric is not None and metric.is_fraction


def has_unit(axis: SweepAxis) -> bool:
    """Whether values are bytes, seconds or numbers of weights, and shown as such."""
    return axis.name in _UNITS


def value_text(axis: SweepAxis, value: float) -> str:
    """A value of an axis in as few signs as tell it; the word of a category."""
    if not math.isfinite(value):
        return NO_VALUE
    if axis.ticks:
        return dict(axis.ticks).get(value, NO_VALUE)
    if is_share(axis):
        return QLocale().toString(float(value) * 100, "g", 3) + _PERCENT
    if has_unit(axis):
        return _UNITS[axis.name](value)
    if value.is_integer() and abs(value) < _WHOLE:
        return count(round(value))
    return QLocale().toString(float(value), "g", 3)


def cell_text(axis: SweepAxis, value: float) -> str:
    """A value in a table of them: shares have as many digits everywhere."""
    if is_share(axis) and math.isfinite(value) and not axis.ticks:
        return percent(value)
    return value_text(axis, value)


def trial_text(trials: SweepTrials, index: int, title: str) -> str:
    """A trial in lines: a title such as "Trial 7", its objectives, then what varied."""
    axes = (*trials.objectives, *trials.axes)
    lines = [f"{axis.label}: {value_text(axis, float(axis.values[index]))}" for axis in axes]
    return "\n".join([title, *lines])


def _size(value: float) -> str:
    return size(round(value))


def _large(value: float) -> str:
    return large(round(value))


_UNITS = {"parameters": _large, "size": _size, "seconds": duration}
