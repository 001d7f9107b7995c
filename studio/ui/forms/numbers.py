"""Numbers as people type them: in the notation of their locale, or as in code. Free of widgets."""

from __future__ import annotations

import math

from PySide6.QtCore import QLocale


def parse_number(text: str, locale: QLocale) -> float | None:
    """Parse a number; `0.001` and `1e-3` are valid in every locale.

    The notation of code is tried first: forms show no thousands separators, so `1.000` is one
    everywhere.

    Args:
        text: The text.
        locale: Defines the decimal separator.

    Returns:
        The number, or None.
    """
    text = text.strip()
    try:
        return float(text)
    except ValueError:
        number, understood = locale.toDouble(text)
        return number if understood else None


def format_number(value: float, locale: QLocale) -> str:
    """Return the shortest text that parses to the same number, without thousands separators.

    Args:
        value: The number.
        locale: Defines the decimal separator.
    """
    if not math.isfinite(value):
        return str(value)
    plain = QLocale(locale)
    plain.setNumberOptions(QLocale.NumberOption.OmitGroupSeparator)
    exponent = math.floor(math.log10(abs(value))) if value else 0
    style = "f" if -5 <= exponent < 15 else "e"
    shortest = QLocale.FloatingPointPrecisionOption.FloatingPointShortest
    return plain.toString(float(value), style, shortest)


def stepped(value: float, up: int, scale: str, span: float | None) -> float:
    """Return the value some steps up or down.

    On a log scale the steps are 1, 2, 5, 10, …; on a linear scale a hundredth of the span rounded
    to a power of ten, or a tenth of the value's own power of ten without a span.

    Args:
        value: Current value.
        up: Number of steps; negative for down.
        scale: `log` or `linear`.
        span: Range of the field; None if unlimited.
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
