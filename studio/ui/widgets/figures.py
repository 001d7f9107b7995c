"""Formatting of numbers, the same everywhere: by locale, with a unit, no false precision."""

from __future__ import annotations

import math
from functools import partial

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from studio.engine.jobs.time_left import rounded_time
from studio.engine.tasks.metric import MetricSpec

_tr = partial(QCoreApplication.translate, "figures")

NO_VALUE = "\N{EN DASH}"
_EXPONENT_FROM = 1e6
_GAP = "\N{NO-BREAK SPACE}"


def count(number: float) -> str:
    """Return a count with the locale's thousands separators: 12,500."""
    return QLocale().toString(round(number))


def counted(number: int, one: str, many: str) -> str:
    """Return how many there are, in the singular or the plural.

    Args:
        number: The number.
        one: The text for one.
        many: The text for other numbers, with `{n}`.
    """
    return one if number == 1 else many.replace("{n}", count(number))


def metric_text(metric: MetricSpec, value: float) -> str:
    """Return the value of a metric as text, in percent if it is a fraction.

    Args:
        metric: The metric.
        value: Its value.
    """
    return percent(value) if metric.is_fraction else significant(value)


def percent(fraction: float, decimals: int = 1) -> str:
    """Format a fraction as a percentage: 98.2 %.

    Args:
        fraction: From 0 to 1.
        decimals: Digits after the point.
    """
    if not math.isfinite(fraction):
        return NO_VALUE
    return f"{QLocale().toString(float(fraction) * 100, 'f', decimals)}{_GAP}%"


def significant(number: float, digits: int = 4) -> str:
    """Format a number with significant digits, for losses and rates: 0.02341, 1.5e-05.

    Args:
        number: The number.
        digits: Significant digits.
    """
    if not math.isfinite(number):
        return NO_VALUE
    if number == 0:
        return QLocale().toString(0)
    exponent = math.floor(math.log10(abs(number)))
    if -5 <= exponent < digits + 3:
        return QLocale().toString(float(number), "f", max(0, digits - 1 - exponent))
    return QLocale().toString(float(number), "e", max(0, digits - 1))


def axis_number(value: float) -> str:
    """Format a number on an axis: three digits, no exponent below a million, such as 1,600."""
    whole = len(str(int(abs(value)))) if abs(value) < _EXPONENT_FROM else 0
    return QLocale().toString(float(value), "g", max(3, whole))


def number(value: float, digits: int = 6) -> str:
    """Format a number as short as possible, for settings and axes: 0.5, 1e-05.

    Args:
        value: The number.
        digits: Greatest number of significant digits.
    """
    locale = QLocale()
    locale.setNumberOptions(QLocale.NumberOption.OmitGroupSeparator)
    return locale.toString(float(value), "g", digits)


def duration(seconds: float) -> str:
    """Return a length of time in its two largest units: 1 h 12 min, 2 min 5 s, 8 s."""
    if not math.isfinite(seconds) or seconds < 0:
        return NO_VALUE
    whole = round(seconds)
    days, rest = divmod(whole, 86_400)
    hours, rest = divmod(rest, 3600)
    minutes, left = divmod(rest, 60)
    parts = [(days, _tr("d")), (hours, _tr("h")), (minutes, _tr("min")), (left, _tr("s"))]
    while len(parts) > 1 and parts[0][0] == 0:
        parts.pop(0)
    shown = [parts[0], *(part for part in parts[1:2] if part[0])]
    return " ".join(f"{count(number)}{_GAP}{unit}" for number, unit in shown)


def estimated_duration(low: float, high: float | None = None) -> str:
    """Return an estimated length of time, without seconds above a minute.

    Args:
        low: Expected or shortest seconds.
        high: Longest seconds; None if the first figure is certain enough.

    Returns:
        Text for a sentence: about 30 min, or 15 min to 45 min.
    """
    shortest, longest = rounded_time(low), rounded_time(low if high is None else high)
    if shortest == longest:
        return _tr("about {time}").format(time=duration(shortest))
    return _tr("{low} to {high}").format(low=duration(shortest), high=duration(longest))


def time_left(seconds: float | None) -> str:
    """Return the estimated time left: about 5 min left; "measuring…" while it is unknown."""
    if seconds is None:
        return _tr("measuring the time…")
    return _tr("about {time} left").format(time=duration(rounded_time(seconds)))


def date_text(seconds: float) -> str:
    """Return a date with the time of day, short, of seconds since 1970."""
    time = QDateTime.fromSecsSinceEpoch(int(seconds))
    return QLocale().toString(time, QLocale.FormatType.ShortFormat)


def size(number_of_bytes: float) -> str:
    """Return a size in units of 1000 bytes: 3.1 MB."""
    return _in_thousands(number_of_bytes, ["B", "kB", "MB", "GB", "TB"])


def large(number: float) -> str:
    """Return a number of weights or operations in thousands, millions or billions: 61.1 M."""
    tr = QCoreApplication.translate
    thousand, million = tr("figures", "k"), tr("figures", "M")
    units = ["", thousand, million, tr("figures", "G"), tr("figures", "T")]
    return _in_thousands(number, units).strip(_GAP)


def _in_thousands(number: float, units: list[str]) -> str:
    value, left = float(number), list(units)
    while abs(value) >= 999.5 and len(left) > 1:
        value /= 1000
        left.pop(0)
    decimals = 1 if len(left) < len(units) and abs(value) < 99.95 else 0
    return f"{QLocale().toString(value, 'f', decimals)}{_GAP}{left[0]}"
