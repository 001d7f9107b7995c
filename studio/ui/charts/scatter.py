"""Predicted against true values, with the diagonal on which they are equal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QWidget

from studio.ui.charts.axes import NumberAxis
from studio.ui.charts.chart import Chart
from studio.ui.charts.dots import Dots, DotStyle, PointPlot, bounds_around
from studio.ui.charts.header import Tools
from studio.ui.charts.series import Array
from studio.ui.charts.table import Column, Table
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import chart_color
from studio.ui.widgets.figures import count, significant

_MARGIN = 0.04
_ALPHA = 150


class ScatterPlot(PointPlot):
    """Dots of two values; the chosen one is larger."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, NumberAxis("bottom"), NumberAxis("left"))
        theme.changed.connect(self.recolor)
        self.recolor()

    def show_values(self, true: Array, predicted: Array, marked: int | None) -> None:
        """Show n true and n predicted values, one of which may be marked."""
        ends = np.concatenate([true, predicted])
        reach = bounds_around(ends, ends, _MARGIN)
        kinds = np.zeros(len(true), np.intp)
        if marked is not None:
            kinds[marked] = 1
        line = np.array(reach[:2])
        self.set_dots(Dots(true, predicted, kinds, line, line), reach, stays=True)

    def styles(self) -> tuple[Sequence[DotStyle], QPen]:
        """Return the style of dots and of the marked one, and the pen of the diagonal."""
        palette, dark = self._theme.palette, self._theme.is_dark
        color = QColor(chart_color(0, dark=dark))
        marked = DotStyle(QColor(color), 12.0, QColor(palette.text))
        color.setAlpha(_ALPHA)
        pen = QPen(QColor(palette.muted), 1.0, Qt.PenStyle.DashLine)
        return (DotStyle(color, 7.0), marked), pen


class ScatterChart(Chart):
    """True values across, predicted values up.

    Signals:
        pointed: Index of the point under the pointer; -1 for none.
        chosen: Index of the point that was clicked.
    """

    pointed = Signal(int)
    chosen = Signal(int)

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, title, Tools.ZOOM, parent)
        self._true = self._predicted = np.zeros(0)
        self._labels = ("", "")
        self._marked: int | None = None
        self.plot = ScatterPlot(theme)
        self.plot.pointed.connect(self._on_pointed)
        self.plot.chosen.connect(self.chosen)
        plot = self.plot
        self.set_plot(plot, point_at=plot.point_at, show_all=plot.show_all, zoomed=plot.zoomed)
        self.legend.hide()

    def show_values(self, true: Array, predicted: Array, labels: tuple[str, str]) -> None:
        """Show other points.

        Args:
            true: n values.
            predicted: n values; those that are no numbers are left out of the picture.
            labels: Names of the axes, x first.
        """
        self._true, self._labels = true, labels
        self._predicted = np.where(np.isfinite(predicted), predicted, np.nan)
        self.plot.setLabel("bottom", labels[0])
        self.plot.setLabel("left", labels[1])
        still = self._marked is not None and self._marked < len(true)
        self.mark(self._marked if still else None)
        self.description.write()
        self.refresh_table()

    def mark(self, index: int | None) -> None:
        """Mark a point, or none."""
        self._marked = index
        self.plot.show_values(self._true, self._predicted, index)

    def data_table(self) -> Table:
        """Return true and predicted values."""
        x, y = self._labels
        return Table([Column(x, self._true), Column(y, self._predicted)])

    def summary(self) -> str:
        """Return the number of points and their mean distance from the diagonal."""
        if not len(self._true):
            return ""
        error = float(np.nanmean(np.abs(self._predicted - self._true)))
        pattern = self.tr("{number} points, {error} from the diagonal on average")
        text = pattern.format(number=count(len(self._true)), error=significant(error))
        return f"{self._labels[1]}, {self._labels[0]}: {text}"

    def _on_pointed(self, index: int, _position: object) -> None:
        self.pointed.emit(index)
