"""Points of two values that should be equal, with the line on which they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from studio.ui.charts.axes import NumberAxis
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import chart_color
from studio.ui.widgets.figures import count, significant

_REACH = 9.0
"""Pixels from a point within which it is pointed at."""
_MARGIN = 0.04
_ALPHA = 150
Values = NDArray[np.float64]


class ScatterPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph ships no types
    """True values across, predicted ones up.

    Signals:
        pointed: Index of the point under the pointer; -1 for none.
        chosen: Index of the point that was clicked.
    """

    pointed = Signal(int)
    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        axes = (NumberAxis("bottom"), NumberAxis("left"))
        super().__init__(parent, axisItems=dict(zip(("bottom", "left"), axes, strict=True)))
        self._theme = theme
        self._axes = axes
        self._true = self._predicted = np.zeros(0)
        self._marked: int | None = None
        self._labels = ("", "")
        self._points = pg.ScatterPlotItem(size=7, pen=None)
        self._ring = pg.ScatterPlotItem(size=14, brush=None)
        self._line = pg.InfiniteLine(pos=(0, 0), angle=45, movable=False)
        for item in (self._line, self._points, self._ring):
            self.addItem(item)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMenuEnabled(False)
        self.setMouseEnabled(x=False, y=False)
        self.getPlotItem().hideButtons()
        self.getPlotItem().getViewBox().disableAutoRange()
        self.scene().sigMouseMoved.connect(self._pointer_moved)
        self.scene().sigMouseClicked.connect(self._clicked)
        theme.changed.connect(self.recolor)
        self.recolor()

    def show_values(self, true: Values, predicted: Values, labels: tuple[str, str]) -> None:
        """Show other points.

        Args:
            true: n values.
            predicted: n values; those that are no numbers are left out of the picture.
            labels: What stands below and beside the axes.
        """
        self._true, self._predicted, self._labels = true, predicted, labels
        self._points.setData(true, np.where(np.isfinite(predicted), predicted, math.nan))
        ends = np.concatenate([true, predicted[np.isfinite(predicted)]])
        low, high = (float(ends.min()), float(ends.max())) if len(ends) else (0.0, 1.0)
        room = max((high - low) * _MARGIN, 1e-9)
        reach = (low - room, high + room)
        self.getPlotItem().getViewBox().setRange(xRange=reach, yRange=reach, padding=0)
        self.setLabel("bottom", labels[0])
        self.setLabel("left", labels[1])
        self.mark(self._marked if self._marked is not None and self._marked < len(true) else None)
        self._describe()

    def mark(self, index: int | None) -> None:
        """Put a ring around a point, or take it away."""
        self._marked = index
        if index is None:
            self._ring.setData([], [])
        else:
            self._ring.setData([self._true[index]], [self._predicted[index]])

    def recolor(self) -> None:
        """Use the colors of the theme as it is now."""
        palette = self._theme.palette
        self.setBackground(palette.surface)
        for axis in self._axes:
            axis.setPen(pg.mkPen(palette.border))
            axis.setTextPen(pg.mkPen(palette.muted))
        self.showGrid(x=True, y=True, alpha=0.3)
        color = QColor(chart_color(0, dark=self._theme.is_dark))
        color.setAlpha(_ALPHA)
        self._points.setBrush(pg.mkBrush(color))
        self._ring.setPen(pg.mkPen(palette.text, width=2))
        self._line.setPen(pg.mkPen(palette.muted, width=1, style=Qt.PenStyle.DashLine))

    def _describe(self) -> None:
        if not len(self._true):
            self.setAccessibleDescription("")
            return
        error = float(np.nanmean(np.abs(self._predicted - self._true)))
        pattern = self.tr("{number} points, {error} from the diagonal on average")
        text = pattern.format(number=count(len(self._true)), error=significant(error))
        self.setAccessibleDescription(f"{self._labels[1]}, {self._labels[0]}: {text}")

    def _nearest(self, place: QPointF) -> int:
        box = self.getPlotItem().getViewBox()
        if not len(self._true) or not box.sceneBoundingRect().contains(place):
            return -1
        at = box.mapSceneToView(place)
        width, height = box.viewPixelSize()
        far = np.hypot((self._true - at.x()) / width, (self._predicted - at.y()) / height)
        index = int(np.nanargmin(far)) if np.isfinite(far).any() else 0
        return index if far[index] <= _REACH else -1

    def _pointer_moved(self, place: QPointF) -> None:
        self.pointed.emit(self._nearest(place))

    def _clicked(self, event: Any) -> None:  # noqa: ANN401 - untyped
        index = self._nearest(event.scenePos())
        if event.button() == Qt.MouseButton.LeftButton and index >= 0:
            self.chosen.emit(index)
