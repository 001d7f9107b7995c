"""A plot window in which a drag draws a line around points."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QPolygonF

from studio.ui.charts.canvas import ZoomBox

_STEP = 3.0
"""Pixels that the pointer moves before the line goes on: a slow hand is not a long line."""


class LassoBox(ZoomBox):
    """As `ZoomBox`, but a plain drag goes around points, while that is switched on.

    The wheel zooms along both axes: a map has no axis of its own.

    Signals:
        drawn: The line so far, a `QPolygonF` in pixels of the box.
        closed: The whole line.
    """

    drawn = Signal(object)
    closed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.lasso = True
        self._line = QPolygonF()

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: ANN401 - untyped
        """Draw the line, or zoom and move."""
        plain = event.button() == Qt.MouseButton.LeftButton and not (
            event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        )
        if not (self.lasso and plain):
            super().mouseDragEvent(event, axis)
            return
        event.accept()
        if event.isStart():
            self._line = QPolygonF([QPointF(event.buttonDownPos().x(), event.buttonDownPos().y())])
        place = QPointF(event.pos().x(), event.pos().y())
        gone = place - self._line.last()
        if abs(gone.x()) + abs(gone.y()) >= _STEP or event.isFinish():
            self._line.append(place)
        if event.isFinish():
            self.closed.emit(self._line)
        else:
            self.drawn.emit(self._line)

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: ANN401 - untyped
        """Zoom about the pointer."""
        pg.ViewBox.wheelEvent(self, event, axis)
