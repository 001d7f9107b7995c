"""Dragging from the palette onto the canvas: a ghost follows, wires under it light up."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QLabel, QWidget

from studio.ui.pages.networks.designer.layer_catalog import choices
from studio.ui.pages.networks.designer.look import word
from studio.ui.pages.networks.designer.palette import Palette
from studio.ui.pages.networks.designer.scene import CanvasScene
from studio.ui.pages.networks.designer.view import CanvasView


class PaletteDrag(QObject):
    """Follows the pointer itself: no system drag, so it looks and acts the same everywhere."""

    def __init__(
        self, palette: Palette, view: CanvasView, scene: CanvasScene, window: QWidget
    ) -> None:
        super().__init__(window)
        self._view = view
        self._scene = scene
        self._window = window
        self.ghost = QLabel(window)
        self.ghost.setProperty("card", True)
        self.ghost.setStyleSheet(
            "background: palette(base); border: 1px solid palette(highlight);"
            "border-radius: 10px; padding: 8px 12px; font-weight: 600;"
        )
        self.ghost.hide()
        palette.dragged.connect(self._move)
        palette.dropped.connect(self._drop)
        palette.drag_ended.connect(self._end)

    def _move(self, name: str, place: QPoint) -> None:
        if self.ghost.isHidden():
            label = next(choice.label for choice in choices() if choice.name == name)
            self.ghost.setText(word(label))
            self.ghost.adjustSize()
            self.ghost.show()
            self.ghost.raise_()
        here = self._window.mapFromGlobal(place)
        self.ghost.move(here + QPoint(12, 12))
        over = self._over_canvas(place)
        target = self._scene.stage.wire_at(self._view.mapToScene(over)) if over else None
        self._scene.stage.light_wire(target)

    def _drop(self, name: str, place: QPoint) -> None:
        self._end()
        over = self._over_canvas(place)
        if over is None:
            return
        at = self._view.mapToScene(over)
        wire = self._scene.stage.wire_at(at)
        self._scene.drawing.add(name, (at.x(), at.y()), wire.wire if wire is not None else None)
        self._view.setFocus()

    def _end(self) -> None:
        self.ghost.hide()
        self._scene.stage.light_wire(None)

    def _over_canvas(self, place: QPoint) -> QPoint | None:
        here = self._view.viewport().mapFromGlobal(place)
        return here if self._view.viewport().rect().contains(here) else None
