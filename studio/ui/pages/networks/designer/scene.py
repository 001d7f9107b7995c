"""The canvas as a scene: its items in line with the drawing, presses, gestures, selection."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPen, QTransform
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsPathItem,
    QGraphicsScene,
    QGraphicsSceneMouseEvent,
)

from studio.engine.networks import edits
from studio.engine.networks.edits import CLASSES, Position, Wire
from studio.engine.networks.spec import INPUT, Comment, Examination, LayerNode, NetworkSpec
from studio.engine.tasks import known_task
from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.pages.networks.designer.items import (
    GRID,
    FrameItem,
    NodeItem,
    NodeStyle,
    NoteItem,
    Port,
    WireItem,
    curve,
    family_of,
    rate_text,
    size_text,
)
from studio.ui.pages.networks.designer.picture import (
    BLOCK_PREFIX,
    NOTE_PREFIX,
    DrawingPicture,
    frame_around,
    picture_of,
)
from studio.ui.tasks import view_of
from studio.ui.theme.theme import Theme


class Styles:
    """The words of the canvas for one state of a drawing.

    Args:
        spec: The drawing.
        examination: Examination of the layer; None if not yet available.
        stale: True if it is older than the drawing.
        inside: Ids of the layers of each folded box.
        words: Names of the images and of the classes, and `{0} layers`, translated.
    """

    def __init__(
        self,
        spec: NetworkSpec,
        examination: Examination | None,
        words: tuple[str, str, str],
        inside: Mapping[str, tuple[str, ...]],
        *,
        stale: bool,
    ) -> None:
        self._spec = spec
        self._nodes = {node.id: node for node in spec.nodes}
        self._stale = stale
        self._words = words
        self._inside = inside
        # The frame of a block says it for all of its layers.
        self._said = {
            node_id
            for ids in inside.values()
            if common_rate([self._nodes[node_id] for node_id in ids])
            for node_id in ids
        }
        reports = examination.nodes if examination else {}
        self._shapes = {key: report.output_shape for key, report in reports.items()}
        self._trouble: dict[str, str] = {}
        for problem in examination.problems if examination else ():
            grave = "serious" if problem.serious else "advice"
            if self._trouble.get(problem.node) != "serious":
                self._trouble[problem.node] = grave

    def of(self, key: str) -> NodeStyle:
        """Return the appearance of a box."""
        images, classes, _ = self._words
        shape = self._spec.input
        if key == INPUT:
            sides = (shape.height, shape.width, shape.channels)
            return NodeStyle("images", images, size_text(sides))
        if key == CLASSES:
            return NodeStyle("classes", classes, str(self._spec.classes))
        if key.startswith(BLOCK_PREFIX):
            return self._of_block([self._nodes[node_id] for node_id in self._inside[key]])
        node = self._nodes[key]
        return NodeStyle(
            "layer",
            node.id.removeprefix(f"{node.block}_") if node.block else node.id,
            self.size(key),
            family_of(node),
            node.frozen,
            "" if node.rate == 1 or node.frozen or key in self._said else rate_text(node.rate),
            self._trouble.get(key, ""),
            self._stale,
        )

    def size(self, key: str) -> str:
        """Return the output shape of a node as text; empty if unknown."""
        return size_text(self._shapes[key]) if key in self._shapes else ""

    def channels(self, key: str) -> str:
        """Return the number of output channels as text; empty if unknown."""
        if key == INPUT:
            return str(self._spec.input.channels)
        shape = self._shapes.get(key)
        return str(shape[-1]) if shape and shape[-1] is not None else ""

    def _of_block(self, inside: Sequence[LayerNode]) -> NodeStyle:
        states = {self._trouble.get(node.id, "") for node in inside}
        trouble = next((grave for grave in ("serious", "advice") if grave in states), "")
        layers = self._words[2].format(len(inside))
        return NodeStyle(
            "block",
            inside[0].block,
            self.size(inside[-1].id) or layers,
            frozen=all(node.frozen for node in inside),
            rate=common_rate(inside),
            trouble=trouble,
            stale=self._stale,
            tip=layers,
        )


def common_rate(nodes: Iterable[LayerNode]) -> str:
    """Return the common learning-rate multiplier as text; empty for 1 or different ones."""
    rates = {node.rate for node in nodes}
    return rate_text(rates.pop()) if len(rates) == 1 and rates != {1} else ""


K = TypeVar("K")
I = TypeVar("I", bound=QGraphicsItem)  # noqa: E741 - an item


class NetworkItems:
    """The items of a scene by their nodes and wires."""

    def __init__(self, scene: QGraphicsScene, drawing: Drawing, theme: Theme) -> None:
        self._scene = scene
        self._drawing = drawing
        self._theme = theme
        self.picture = DrawingPicture({}, {})
        self._content = QRectF()
        self.boxes: dict[str, NodeItem] = {}
        self.wires: dict[Wire, WireItem] = {}
        self.frames: dict[str, FrameItem] = {}
        self.notes: dict[str, NoteItem] = {}

    def update(self, words: tuple[str, str, str]) -> None:
        """Show the current drawing."""
        drawing, theme = self._drawing, self._theme
        self.picture = picture = picture_of(drawing.spec, drawing.closed_blocks, drawing.direction)
        styles = self._styles(words)
        self._keep(self.boxes, picture.positions, lambda key: NodeItem(key, styles.of(key), theme))
        for key, (x, y) in picture.positions.items():
            self.boxes[key].setPos(x, y)
        self._keep(self.wires, picture.wires, lambda _ends: WireItem(theme))
        for ends, wire in picture.wires.items():
            self.wires[ends].wire = wire
        frames = {frame.key: frame for frame in picture.frames}
        self._keep(self.frames, frames, lambda key: FrameItem(key, frames[key].block, theme))
        for key, frame in frames.items():
            self.frames[key].run(frame)
        notes = {f"{NOTE_PREFIX}{at}": note for at, note in enumerate(drawing.spec.comments)}
        self._keep(self.notes, notes, lambda key: NoteItem(key, theme))
        for key, note in notes.items():
            self.notes[key].show_comment(note)
        self.say(words)
        self.lead()
        self._measure()

    def say(self, words: tuple[str, str, str]) -> None:
        """Update the texts of all items.

        Args:
            words: For `Styles`.
        """
        styles = self._styles(words)
        for key, box in self.boxes.items():
            box.show_style(styles.of(key), self._drawing.direction)
        for wire in self.wires.values():
            wire.say(styles.channels(wire.wire[0]), stale=self._drawing.is_stale)
        nodes = {node.id: node for node in self._drawing.spec.nodes}
        for key, frame in self.frames.items():
            inside = [nodes[node_id] for node_id in self.picture.inside[key]]
            frame.say(frozen=all(node.frozen for node in inside), rate=common_rate(inside))

    def mark(self, chosen: Collection[str]) -> None:
        """Highlight the blocks whose layers are all selected."""
        for key, frame in self.frames.items():
            frame.mark(chosen=all(node in chosen for node in self.picture.inside[key]))

    def lead(self, keys: Collection[str] | None = None) -> None:
        """Connect the ports: all wires along their lanes, or those of moving boxes."""
        for (source, target), wire in self.wires.items():
            if keys is None or source in keys or target in keys:
                start, end = self.boxes[source].port("out"), self.boxes[target].port("in")
                lane = self.picture.lanes.get((source, target)) if keys is None else None
                wire.run(start, end, self._drawing.direction, lane)

    def follow(self, keys: Collection[str]) -> None:
        """Update the frames around moving boxes."""
        for key, frame in self.frames.items():
            inside = self.picture.inside[key]
            if any(node_id in keys for node_id in inside):
                positions = [self.boxes[node_id].pos() for node_id in inside]
                corners = [(at.x(), at.y()) for at in positions]
                frame.run(frame_around(key, frame.block, corners))

    def shown(self, node_ids: Iterable[str]) -> list[str]:
        """Return the boxes that show some nodes: their own, or those of folded blocks."""
        folded = {
            node_id: key
            for key, inside in self.picture.inside.items()
            if key in self.boxes
            for node_id in inside
        }
        return list(dict.fromkeys(folded.get(node_id, node_id) for node_id in node_ids))

    def meant(self, key: str) -> Sequence[str]:
        """Return the nodes that a box represents."""
        return self.picture.inside[key] if key.startswith(BLOCK_PREFIX) else (key,)

    def _styles(self, words: tuple[str, str, str]) -> Styles:
        drawing = self._drawing
        inside = self.picture.inside
        return Styles(drawing.spec, drawing.examination, words, inside, stale=drawing.is_stale)

    def light(self, keys: Collection[str]) -> None:
        """Highlight the boxes that accept the wire."""
        for key, box in self.boxes.items():
            box.show_style(replace(box.style, lit=key in keys), self._drawing.direction)

    def light_wire(self, lit: WireItem | None) -> None:
        """Highlight the wire that accepts the dragged layer."""
        for wire in self.wires.values():
            wire.light(lit=wire is lit)

    def restyle(self) -> None:
        """Repaint everything in the colors of the theme."""
        for box in self.boxes.values():
            box.restyle()

    def content(self) -> QRectF:
        """Return the bounds of everything, as of the last update."""
        return self._content

    def _measure(self) -> None:
        self._content = QRectF()
        for items in (self.boxes, self.frames, self.notes):
            for item in items.values():
                self._content = self._content.united(item.sceneBoundingRect())

    def box_at(self, point: QPointF) -> NodeItem | None:
        """Return the box at a position, including its ports."""
        items = self._scene.items(point)
        return next((item for item in items if isinstance(item, NodeItem)), None)

    def wire_at(self, point: QPointF) -> WireItem | None:
        """Return the wire at a position, unless a box covers it."""
        for item in self._scene.items(point):
            if isinstance(item, NodeItem | WireItem):
                return item if isinstance(item, WireItem) else None
        return None

    def _keep(self, items: dict[K, I], keys: Collection[K], make: Callable[[K], I]) -> None:
        """Keep the items with these keys, make those that are missing, and remove the others."""
        for key in [key for key in items if key not in keys]:
            self._scene.removeItem(items.pop(key))
        for key in keys:
            if key not in items:
                items[key] = make(key)
                self._scene.addItem(items[key])


class Gesture(Protocol):
    """Something between a press and letting go."""

    def move(self, point: QPointF) -> None:
        """Follow the pointer."""

    def finish(self, point: QPointF) -> None:
        """Complete the gesture."""

    def cancel(self) -> None:
        """Cancel the gesture."""


class MoveGesture:
    """Moves boxes and notes; the drawing learns of it at the end, as one change."""

    def __init__(
        self, graphics: NetworkItems, drawing: Drawing, keys: Sequence[str], start: QPointF
    ) -> None:
        self._graphics = graphics
        self._drawing = drawing
        self._start = start
        self._by = QPointF()
        shown = graphics.shown(keys)
        self._boxes = {key: graphics.boxes[key].pos() for key in shown if key in graphics.boxes}
        self._notes = {key: graphics.notes[key].pos() for key in keys if key in graphics.notes}

    def move(self, point: QPointF) -> None:
        """Move in steps of the grid."""
        by = point - self._start
        by = QPointF(round(by.x() / GRID) * GRID, round(by.y() / GRID) * GRID)
        if by != self._by:
            self._by = by
            self._show()

    def finish(self, point: QPointF) -> None:
        """Change the drawing."""
        self.move(point)
        if not self._by.isNull():
            shift(self._graphics, self._drawing, [*self._boxes, *self._notes], self._by)

    def cancel(self) -> None:
        """Restore the positions."""
        self._by = QPointF()
        self._show()

    def _show(self) -> None:
        for key, at in self._boxes.items():
            self._graphics.boxes[key].setPos(at + self._by)
        for key, at in self._notes.items():
            self._graphics.notes[key].setPos(at + self._by)
        self._graphics.lead(self._boxes)
        self._graphics.follow(self._boxes)


def shift(
    graphics: NetworkItems, drawing: Drawing, keys: Sequence[str], by: QPointF, merge: str = ""
) -> None:
    """Move boxes and notes of the drawing by a distance on the canvas."""
    picture, spec = graphics.picture, drawing.spec
    along = 1 if drawing.direction == "down" else 0
    delta = (by.x(), by.y())
    positions: dict[str, Position] = {}
    for key in keys:
        if key not in picture.positions:
            continue
        at = picture.positions[key]
        opened = [at[0] + delta[0], at[1] + delta[1]]
        opened[along] = picture.axis.opened(opened[along])
        if key.startswith(BLOCK_PREFIX):
            front = picture.axis.opened(at[along])
            step = list(delta)
            step[along] = opened[along] - front
            for node_id in picture.inside[key]:
                x, y = spec.positions[node_id]
                positions[node_id] = (x + step[0], y + step[1])
        else:
            positions[key] = (opened[0], opened[1])
    notes = [
        Comment(text=note.text, x=note.x + delta[0], y=note.y + delta[1])
        if f"{NOTE_PREFIX}{at}" in keys
        else note
        for at, note in enumerate(spec.comments)
    ]
    after = edits.set_comments(edits.move(spec, positions), notes)
    drawing.change(after, QCoreApplication.translate("designer", "Move"), merge)


class WireGesture:
    """Draws a wire from a port; boxes on which it may be dropped light up."""

    def __init__(
        self, graphics: NetworkItems, drawing: Drawing, theme: Theme, box: NodeItem, port: Port
    ) -> None:
        self._graphics = graphics
        self._drawing = drawing
        self.key = box.key
        self.port: Port = port
        self._from = box.port(port)
        self._line = QGraphicsPathItem()
        self._line.setPen(QPen(theme.color("accent"), 2, Qt.PenStyle.DashLine))
        self._line.setZValue(5)
        box.scene().addItem(self._line)
        self._allowed = self._ends()
        graphics.light(self._allowed)

    def move(self, point: QPointF) -> None:
        """Move the loose end with the pointer; it snaps to boxes that accept it."""
        box = self._target(point)
        if box is not None:
            point = box.port("in" if self.port == "out" else "out")
        ends = (self._from, point) if self.port == "out" else (point, self._from)
        self._line.setPath(curve(*ends, self._drawing.direction))

    def finish(self, point: QPointF) -> None:
        """Add the wire if it ends at a box that accepts it."""
        target = self._target(point)
        self.cancel()
        if target is not None:
            ends = (self.key, target.key) if self.port == "out" else (target.key, self.key)
            self._drawing.add_wire(*ends)

    def is_over_nothing(self, point: QPointF) -> bool:
        """Return True if the pointer is over the empty canvas."""
        return self._graphics.box_at(point) is None

    def cancel(self) -> None:
        """Remove the dragged wire."""
        if self._line.scene() is not None:
            self._line.scene().removeItem(self._line)
            self._graphics.light(())

    def _target(self, point: QPointF) -> NodeItem | None:
        box = self._graphics.box_at(point)
        return box if box is not None and box.key in self._allowed else None

    def _ends(self) -> set[str]:
        spec = self._drawing.spec
        if self.port == "out":
            return edits.targets(spec, self.key)
        sources = edits.ids_of(spec)
        if self.key == CLASSES:
            return sources - {INPUT}
        return {key for key in sources if not edits.refusal(spec, key, self.key)}


_ROOM = 800.0
"""Bare canvas around the drawing, to move on to."""


class CanvasScene(QGraphicsScene):
    """Items and gestures of the canvas.

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
        self.graphics = NetworkItems(self, drawing, theme)
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
        """Show the current drawing."""
        self.cancel_gesture()
        self._showing = True
        self.graphics.update(self._words())
        self._showing = False
        self._show_selection()
        content = self.graphics.content()
        self.setSceneRect(content.adjusted(-_ROOM, -_ROOM, _ROOM, _ROOM))

    def restyle(self) -> None:
        """Repaint everything in the colors of the theme."""
        self.graphics.restyle()
        self.update()

    def cancel_gesture(self) -> bool:
        """Cancel the current gesture; return True if there was one."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()
        return gesture is not None

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Start a wire at a port, a move at a box or a header; otherwise select."""
        point = event.scenePos()
        if event.button() != Qt.MouseButton.LeftButton:
            # Other buttons pan and open menus, and must not take the selection away.
            event.accept()
            return
        box = self.graphics.box_at(point)
        port = box.port_at(point) if box is not None else None
        if box is not None and port is not None:
            self._gesture = WireGesture(self.graphics, self.drawing, self.theme, box, port)
            self._gesture.move(point)
            event.accept()
            return
        frame = self.itemAt(point, QTransform())
        if isinstance(frame, FrameItem):
            self._press_frame(frame, event)
            return
        super().mousePressEvent(event)
        pressed = self.mouseGrabberItem()
        if isinstance(pressed, NodeItem | NoteItem) and pressed.isSelected():
            self._begin_move(point)

    def mouseMoveEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Continue the gesture."""
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
        point = event.scenePos()
        nowhere = isinstance(gesture, WireGesture) and gesture.is_over_nothing(point)
        gesture.finish(point)
        if isinstance(gesture, WireGesture) and nowhere:
            self.dropped_nowhere.emit(gesture.key, gesture.port, point)

    def mouseDoubleClickEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        """Open a folded block, fold an open one, edit a note."""
        item = self.itemAt(event.scenePos(), QTransform())
        closed = self.drawing.closed_blocks
        if isinstance(item, NodeItem) and item.key.startswith(BLOCK_PREFIX):
            self.drawing.fold(closed - {item.style.title})
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
        members = self.graphics.picture.inside[frame.key]
        more = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        self.drawing.select([*self.drawing.selection, *members] if more else members)
        self._begin_move(event.scenePos())

    def _begin_move(self, point: QPointF) -> None:
        self._gesture = MoveGesture(self.graphics, self.drawing, self.drawing.selection, point)

    def _words(self) -> tuple[str, str, str]:
        task = known_task(self.drawing.spec.task)
        return self.tr("Images"), view_of(task).heading(), self.tr("{0} layers")

    def _say(self) -> None:
        self.graphics.say(self._words())

    def _show_selection(self) -> None:
        """Show the selection of the drawing."""
        chosen = set(self.drawing.selection)
        self._showing = True
        for key, box in self.graphics.boxes.items():
            box.setSelected(all(node_id in chosen for node_id in self.graphics.meant(key)))
        for key, note in self.graphics.notes.items():
            note.setSelected(key in chosen)
        for wire in self.graphics.wires.values():
            wire.setSelected(wire.wire == self.drawing.wire)
        self._showing = False
        self.graphics.mark(chosen)

    def _take_selection(self) -> None:
        """Apply the selection of the user to the drawing."""
        if self._showing:
            return
        found: list[str] = []
        wires = []
        for item in self.selectedItems():
            if isinstance(item, NodeItem):
                found += self.graphics.meant(item.key)
            elif isinstance(item, NoteItem):
                found.append(item.key)
            elif isinstance(item, WireItem):
                wires.append(item.wire)
        before = [key for key in self.drawing.selection if key in found]
        ordered = [*before, *(key for key in found if key not in before)]
        # A rubber band goes over wires as well; they count where nothing else is hit.
        self.drawing.select(ordered, wires[0] if len(wires) == 1 and not found else None)
