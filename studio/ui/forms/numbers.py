"""Numbers as people type them: in the notation of their locale, or as in code. Free of widgets."""

from __future__ import annotations

import math

from PySide6.QtCore import QLocale


def parse_number(text: str, locale: QLocale) -> float | None:
    """The number in a text, or None. `0.001` and `1e-3` are understood in every locale.

    The notation of code is tried first: what forms show has no thousands separators, so `1.000`
    is one everywhere.
    """
    text = text.strip()
    try:
        return float(text)
    except ValueError:
        number, understood = locale.toDouble(text)
        return number if understood else None


def format_number(value: float, locale: QLocale) -> str:
    """The shortest text that reads back as the same number; no thousands separators."""
    if not math.isfinite(value):
        return str(value)
    plain = QLocale(locale)
    plain.setNumberOptions(QLocale.NumberOption.OmitGroupSeparator)
    exponent = math.floor(math.log10(abs(value))) if value else 0
    style = "f" if -5 <= exponent < 15 else "e"
    shortest = QLocale.FloatingPointPrecisionOption.FloatingPointShortest
    return plain.toString(float(value), style, shortest)


def stepped(value: float, up: int, scale: str, span: float | None) -> float:
    """The value that many steps up (or down, when negative).

    On a log scale the steps are 1, 2, 5, 10, ...; on a linear one a hundredth of the span rounded
    to a power of ten, or a tenth of the value's own power of ten where there is no span.
    """
    if scale == "log" and value > 0:
        for _ in range(abs(up)):
            value = _next_125(value, upwards=up > 0)
        return value
    size = span or abs(value) or 1.0
    step = 10.0 ** math.floor(math.log10(size / (100 if span else 10)) + 0.31)
    return round(round(value / step) * step + up * step, 12)


def _next_125(value: float, *, upwards: bool) -> float:
    exponent = math.floor(math.log10(value) + 1e-9)
    ladder = [m * 10.0 ** (exponent + e) for e in (-1, 0, 1) for m in (1, 2, 5)]
    above = [float(f"{step:.6g}") for step in ladder if step > value * (1 + 1e-9)]
    below = [float(f"{step:.6g}") for step in ladder if step < value * (1 - 1e-9)]
    return above[0] if upwards else below[-1]
