"""Axes that speak the user's locale: whole epochs, percentages, powers of ten."""

from __future__ import annotations

import functools
import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QLocale, QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from studio.ui.charts.export import VECTORS

Levels = list[tuple[float, list[float]]]
_Tick = tuple[QPen, QPointF, QPointF]

_FEW = 2.0
_ALMOST_PLAIN = 0.3
"""Less than a factor of two is marked as a plain axis is: 0.51, 0.52, ..."""


_ROOM = 60.0
"""Pixels that a number of an axis needs."""


def log_ticks(low: float, high: float, size: float) -> Levels:
    """Return numbers and the marks between them on an axis of logarithms, from `low` to `high`.

    Powers of ten, of which some are left out where they are many; 1, 2 and 5 of each power where
    there are one or two.
    """
    first, last = math.floor(low), math.ceil(high)
    step = max(1, math.ceil((high - low) * _ROOM / max(size, 1.0)))
    tens = [float(power) for power in range(first, last + 1)]
    parts = (2, 5) if (high - low) * _ROOM * 3 < size else ()
    numbers = [ten + math.log10(part) for ten in tens for part in (1, *parts)]
    marks = [ten + math.log10(part) for ten in tens for part in range(2, 10)]
    if not parts:
        numbers = [ten for ten in tens if ten % step == 0]
    levels = [(1.0, numbers), (0.1, marks if step == 1 else tens)]
    return [(gap, [at for at in places if low <= at <= high]) for gap, places in levels]


class Axis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph ships no types
    """An axis of plain numbers or of powers of ten."""

    has_fine_ticks = True
    """Whether there are ticks between powers of ten."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.enableAutoSIPrefix(False)
        self._specs: Any = None

    def tickValues(self, low: float, high: float, size: float) -> Levels:
        """Return where the ticks are, those with numbers first."""
        low, high = sorted((low, high))
        if self.logMode and high - low > _ALMOST_PLAIN:
            return log_ticks(low, high, size)
        if self.logMode:
            levels: Levels = self._plain.tickValues(10.0**low, 10.0**high, size)
            return [(gap, [math.log10(at) for at in places if at > 0]) for gap, places in levels]
        plain: Levels = super().tickValues(low, high, size)
        return plain

    @functools.cached_property
    def _plain(self) -> Any:  # noqa: ANN401 - untyped
        """Says where a plain axis has its ticks; a new one for each frame takes a millisecond."""
        return pg.AxisItem("left")

    def paint(self, painter: QPainter, _option: object, _widget: object) -> None:
        """Paint directly: the recorded picture that pyqtgraph plays takes longer than all curves.

        `picture` is what says, in pyqtgraph, whether anything has changed.
        """
        if self.picture is None:
            self._specs = self.generateDrawSpecs(painter)
            self.picture: object = True
        if self._specs is not None:
            painter.save()
            self.drawPicture(painter, *self._specs)
            painter.restore()

    def drawPicture(
        self, painter: QPainter, line: _Tick, ticks: list[_Tick], texts: list[Any]
    ) -> None:
        """Paint the ticks as thin bars: a line that shines through is slower than the dots."""
        if painter.paintEngine().type() not in VECTORS:
            for tick in ticks:
                _paint_bar(painter, *tick)
            ticks = []
        super().drawPicture(painter, line, ticks, texts)

    def logTickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Pyqtgraph asks here on a log axis."""
        texts: list[str] = self.tickStrings(values, scale, spacing)
        return texts


def _paint_bar(painter: QPainter, pen: QPen, start: QPointF, end: QPointF) -> None:
    """Paint an upright or level line, one pixel of the screen thick, where a pen would."""
    device = painter.deviceTransform()
    ends = device.map(start), device.map(end)
    (left, right), (top, bottom) = (
        sorted(math.floor(at) for at in along)
        for along in ((end.x() for end in ends), (end.y() for end in ends))
    )
    # The painter rounds corners: a little inside, they stay where they are.
    bar = QRectF(left + 0.25, top + 0.25, right - left + 1, bottom - top + 1)
    painter.fillRect(device.inverted()[0].mapRect(bar), pen.color())


def number_text(value: float, spacing: float, *, percent: bool) -> str:
    """Return a number of an axis, with as many decimals as tell it from the next one.

    Args:
        value: The number.
        spacing: How far the next one is.
        percent: True if it is a share from 0 to 1, shown in percent.
    """
    unit = ""
    if percent:
        value, spacing, unit = value * 100, spacing * 100, "\N{NO-BREAK SPACE}%"
    size = max(abs(value), abs(spacing))
    if size and not 1e-4 < size < 1e6:
        return QLocale().toString(float(value), "g", 3) + unit
    decimals = max(0, -math.floor(math.log10(spacing) + 1e-9)) if spacing > 0 else 0
    return QLocale().toString(float(value), "f", min(decimals, 8)) + unit


class CountAxis(Axis):
    """An axis of epochs or steps: ticks at whole numbers, unless less than two are in view."""

    def __init__(self) -> None:
        super().__init__("bottom")

    def tickValues(self, low: float, high: float, size: float) -> Levels:
        """Return the ticks of pyqtgraph, without those between whole numbers."""
        levels = super().tickValues(low, high, size)
        if self.logMode or high - low < _FEW:
            return levels
        return [
            (spacing, [v for v in values if abs(v - round(v)) < 1e-6])
            for spacing, values in levels
            if spacing > 0.999
        ] or [(1.0, [float(v) for v in range(math.ceil(low), math.floor(high) + 1)])]

    def tickStrings(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        """Whole numbers with the locale's separators; parts of one where there are any."""
        if self.logMode:
            return [QLocale().toString(float(10.0**value), "g", 6) for value in values]
        decimals = max(0, -math.floor(math.log10(spacing) + 1e-9)) if 0 < spacing < 1 else 0
        return [QLocale().toString(float(value), "f", min(decimals, 9)) for value in values]


class NumberAxis(Axis):
    """An axis of values, in percent if asked, linear or of powers of ten."""

    def __init__(self, side: str = "left", *, percent: bool = False) -> None:
        super().__init__(side)
        self._percent = percent

    def set_percent(self, *, percent: bool) -> None:
        """Show shares in percent from now on, or plain numbers."""
        self._percent = percent
        self.picture = None

    def tickStrings(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        """Return texts with as many decimals as distinguish the ticks."""
        if self.logMode:
            return [self._power(10.0**value) for value in values]
        return [number_text(value, spacing, percent=self._percent) for value in values]

    def _power(self, value: float) -> str:
        if self._percent:
            return QLocale().toString(value * 100, "g", 3) + "\N{NO-BREAK SPACE}%"
        return QLocale().toString(value, "g", 3)
