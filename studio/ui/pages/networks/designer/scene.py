"""The canvas as a scene: presses, gestures and the selection."""

from __future__ import annotations

from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QTransform
from PySide6.QtWidgets import QGraphicsScene, QGraphicsSceneMouseEvent

from studio.engine.tasks import DEFAULT_TASK, find_task
from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.pages.networks.designer.gestures import Gesture, MoveGesture, WireGesture
from studio.ui.pages.networks.designer.items import FrameItem, NodeItem, NoteItem, WireItem
from studio.ui.pages.networks.designer.picture import BLOCK_PREFIX
from studio.ui.pages.networks.designer.stage import Stage
from studio.ui.tasks import view_of
from studio.ui.theme.theme import Theme

_ROOM = 800.0
"""Bare canvas around the drawing, to move on to."""


class CanvasScene(QGraphicsScene):
    """What is on the canvas.

    Signals:
        dropped_nowhere: A wire was let go over nothing: id of the node, `in` or `out`, place.
        edit_asked: A note was pressed twice.
    """

    dropped_nowhere = Signal(str, str, QPointF)
    edit_asked = Signal()

    def __init__(self, drawing: Drawing, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.drawing = drawing
        self.theme = theme
        self.stage = Stage(self, drawing, theme)
        self._gesture: Gesture | None = None
        self._showing = False
        drawing.changed.connect(self.refresh)
        drawing.folded.connect(self.refresh)
        drawing.examined.connect(self._say)
        drawing.selected.connect(self._show_selection)
        theme.changed.connect(self.restyle)
        self.selectionChanged.connect(self._take_selection)
        self.refresh()

    def refresh(self) -> None:
        """Show the drawing as it is."""
        self.cancel_gesture()
        self._showing = True
        self.stage.update(self._words())
        self._showing = False
        self._show_selection()
        content = self.stage.content()
        self.setSceneRect(content.adjusted(-_ROOM, -_ROOM, _ROOM, _ROOM))

    def restyle(self) -> None:
        """Paint everything in the colors of now."""
        self.stage.restyle()
        self.update()

    def cancel_gesture(self) -> bool:
        """End what the pressed button does, without effect; whether there was anything."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()
        return gesture is not None

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Begin a wire at a port, a move at a box or a header; else select."""
        place = event.scenePos()
        if event.button() != Qt.MouseButton.LeftButton:
            # Other buttons pan and open menus, and must not take the selection away.
            event.accept()
            return
        box = self.stage.box_at(place)
        port = box.port_at(place) if box is not None else None
        if box is not None and port is not None:
            self._gesture = WireGesture(self.stage, self.drawing, self.theme, box, port)
            self._gesture.move(place)
            event.accept()
            return
        frame = self.itemAt(place, QTransform())
        if isinstance(frame, FrameItem):
            self._press_frame(frame, event)
            return
        super().mousePressEvent(event)
        pressed = self.mouseGrabberItem()
        if isinstance(pressed, NodeItem | NoteItem) and pressed.isSelected():
            self._begin_move(place)

    def mouseMoveEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Go on with the gesture."""
        if self._gesture is not None:
            self._gesture.move(event.scenePos())
            event.accept()
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """End the gesture."""
        gesture, self._gesture = self._gesture, None
        if not isinstance(gesture, WireGesture):
            super().mouseReleaseEvent(event)
        if gesture is None:
            return
        place = event.scenePos()
        nowhere = isinstance(gesture, WireGesture) and gesture.is_over_nothing(place)
        gesture.finish(place)
        if isinstance(gesture, WireGesture) and nowhere:
            self.dropped_nowhere.emit(gesture.key, gesture.port, place)

    def mouseDoubleClickEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Open a folded block, fold an open one, edit a note."""
        item = self.itemAt(event.scenePos(), QTransform())
        closed = self.drawing.closed_blocks
        if isinstance(item, NodeItem) and item.key.startswith(BLOCK_PREFIX):
            self.drawing.fold(closed - {item.look.title})
        elif isinstance(item, FrameItem):
            self.drawing.fold(closed | {item.block})
        elif isinstance(item, NoteItem):
            self.edit_asked.emit()
        event.accept()

    def _press_frame(self, frame: FrameItem, event: QGraphicsSceneMouseEvent) -> None:
        event.accept()
        if frame.fold_button().contains(event.scenePos()):
            self.drawing.fold(self.drawing.closed_blocks | {frame.block})
            return
        members = self.stage.picture.inside[frame.key]
        more = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        self.drawing.select([*self.drawing.selection, *members] if more else members)
        self._begin_move(event.scenePos())

    def _begin_move(self, place: QPointF) -> None:
        self._gesture = MoveGesture(self.stage, self.drawing, self.drawing.selection, place)

    def _words(self) -> tuple[str, str, str]:
        task = find_task(self.drawing.spec.task) or DEFAULT_TASK
        return self.tr("Images"), view_of(task).heading(), self.tr("{0} layers")

    def _say(self) -> None:
        self.stage.say(self._words())

    def _show_selection(self) -> None:
        """Select the items that the drawing says."""
        chosen = set(self.drawing.selection)
        self._showing = True
        for key, box in self.stage.boxes.items():
            box.setSelected(all(node_id in chosen for node_id in self.stage.meant(key)))
        for key, note in self.stage.notes.items():
            note.setSelected(key in chosen)
        for wire in self.stage.wires.values():
            wire.setSelected(wire.wire == self.drawing.wire)
        self._showing = False
        self.stage.mark(chosen)

    def _take_selection(self) -> None:
        """Let the drawing know what a hand has selected."""
        if self._showing:
            return
        found: list[str] = []
        wires = []
        for item in self.selectedItems():
            if isinstance(item, NodeItem):
                found += self.stage.meant(item.key)
            elif isinstance(item, NoteItem):
                found.append(item.key)
            elif isinstance(item, WireItem):
                wires.append(item.wire)
        before = [key for key in self.drawing.selection if key in found]
        ordered = [*before, *(key for key in found if key not in before)]
        # A rubber band goes over wires as well; they count where nothing else is hit.
        self.drawing.select(ordered, wires[0] if len(wires) == 1 and not found else None)
