"""The numbers beside a chart: in the legend and above the plot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from studio.ui.widgets.figures import NO_VALUE, number, percent, significant

if TYPE_CHECKING:
    from studio.ui.charts.chart_bar import ChartBar
    from studio.ui.charts.curves import Curve
    from studio.ui.charts.legend import Legend


def points_at(curves: Iterable[Curve], x: float) -> dict[str, tuple[float, float]]:
    """The point of each visible curve nearest to x, by key; gaps are left out."""
    points = {curve.key: curve.at(x) for curve in curves if curve.visible}
    return {key: point for key, point in points.items() if point is not None}


class ReadOut:
    """Writes values into the legend and the bar of a chart.

    Args:
        legend: Gets one value per curve.
        bar: Gets the x value.
        x_label: What x counts.
        percent_values: Whether values are shares, shown in percent.
        whole_x: Whether x counts epochs, of which one decimal is enough.
    """

    def __init__(
        self,
        legend: Legend,
        bar: ChartBar,
        x_label: str,
        *,
        percent_values: bool,
        whole_x: bool = False,
    ) -> None:
        self._legend = legend
        self._bar = bar
        self._x_label = x_label
        self._percent = percent_values
        self._whole_x = whole_x

    def show(self, curves: Mapping[str, Curve], hover: float) -> float | None:
        """Show the values at the pointer, or the last ones when `hover` is NaN.

        Returns the x value to mark in the plot; None when the pointer is outside.
        """
        inside = math.isfinite(hover)
        points = points_at(curves.values(), hover if inside else math.inf)
        for key in curves:
            text = self.figure(points[key][1]) if key in points else NO_VALUE
            self._legend.entry(key).set_value(text)
        nearest = None
        if inside and points:
            nearest = min((abs(x - hover), x) for x, _ in points.values())[1]
        self._bar.set_read_out("" if nearest is None else f"{self._x_label} {self._x(nearest)}")
        return nearest

    def set_percent(self, *, percent_values: bool) -> None:
        """Show shares in percent from now on, or plain numbers."""
        self._percent = percent_values

    def _x(self, x: float) -> str:
        return number(round(x, 1) if self._whole_x else x)

    def figure(self, value: float) -> str:
        """A value as text."""
        return percent(value) if self._percent else significant(value)
