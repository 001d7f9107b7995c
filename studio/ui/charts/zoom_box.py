"""How a chart is zoomed and moved by mouse and wheel."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt

_STEP = 120
"""What a notch of a wheel counts."""
_MOVED = 0.1
"""Share of the width that a notch moves."""
_THINNEST = 1e-9
"""Nothing is magnified further than this: numbers would run out."""


class ZoomBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph ships no types
    """Drag marks what to zoom into; Shift-drag and middle drag move.

    The wheel zooms along x about the pointer, with Ctrl along both axes; with Shift, or tilted, it
    moves along x. The right button is for the menu.
    """

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseMode(pg.ViewBox.RectMode)
        self.setLimits(minXRange=_THINNEST, minYRange=_THINNEST)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: ANN401 - untyped
        """Zoom or move, but not with the right button."""
        if event.button() == Qt.MouseButton.RightButton:
            event.ignore()
            return
        moves = (
            event.button() == Qt.MouseButton.MiddleButton
            or event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        )
        self.state["mouseMode"] = pg.ViewBox.PanMode if moves else pg.ViewBox.RectMode
        super().mouseDragEvent(event, axis)
        self.state["mouseMode"] = pg.ViewBox.RectMode

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: ANN401 - untyped
        """Zoom, or move."""
        keys = event.modifiers()
        tilted = event.orientation() == Qt.Orientation.Horizontal
        if tilted or keys & Qt.KeyboardModifier.ShiftModifier:
            left, right = self.viewRange()[0]
            self.translateBy(x=-event.delta() / _STEP * _MOVED * (right - left))
            event.accept()
            self.sigRangeChangedManually.emit(self.state["mouseEnabled"])
            return
        if axis is None and not keys & Qt.KeyboardModifier.ControlModifier:
            axis = pg.ViewBox.XAxis
        super().wheelEvent(event, axis)
