"""Axes that speak the user's locale: whole epochs, percentages, powers of ten."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import QLocale

Levels = list[tuple[float, list[float]]]


class CountAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph ships no types
    """An axis of epochs or steps: ticks at whole numbers only."""

    def __init__(self) -> None:
        super().__init__("bottom")
        self.enableAutoSIPrefix(False)

    def tickValues(self, low: float, high: float, size: float) -> Levels:
        """The ticks of pyqtgraph, without those between whole numbers."""
        levels: Levels = super().tickValues(low, high, size)
        return [
            (spacing, [v for v in values if abs(v - round(v)) < 1e-6])
            for spacing, values in levels
            if spacing > 0.999
        ] or [(1.0, [float(v) for v in range(math.ceil(low), math.floor(high) + 1)])]

    def tickStrings(self, values: list[float], _scale: float, _spacing: float) -> list[str]:
        """Whole numbers with the locale's separators."""
        return [QLocale().toString(round(value)) for value in values]


class NumberAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph ships no types
    """An axis of values, in percent if asked, linear or of powers of ten."""

    def __init__(self, side: str = "left", *, percent: bool = False) -> None:
        super().__init__(side)
        self._percent = percent
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        """As many decimals as tell the ticks apart."""
        if self.logMode:
            return [self._text(10.0**value, 10.0**value) for value in values]
        return [self._text(value, spacing) for value in values]

    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Pyqtgraph asks here on a log axis."""
        return self.tickStrings(values, scale, spacing)

    def _text(self, value: float, spacing: float) -> str:
        unit = ""
        if self._percent:
            value, spacing, unit = value * 100, spacing * 100, "\N{NO-BREAK SPACE}%"
        size = max(abs(value), abs(spacing))
        if size and not 1e-4 < size < 1e6:
            return QLocale().toString(float(value), "g", 3) + unit
        decimals = max(0, -math.floor(math.log10(spacing) + 1e-9)) if spacing > 0 else 0
        return QLocale().toString(float(value), "f", min(decimals, 8)) + unit
