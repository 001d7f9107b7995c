"""Keeps the items of the canvas in line with the drawing: boxes, wires, frames and notes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene

from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.pages.networks.designer.frame_item import FrameItem
from studio.ui.pages.networks.designer.looks import Looks, common_rate
from studio.ui.pages.networks.designer.node_item import NodeItem
from studio.ui.pages.networks.designer.note_item import NoteItem
from studio.ui.pages.networks.designer.picture import (
    BLOCK_PREFIX,
    NOTE_PREFIX,
    Picture,
    frame_around,
    picture_of,
)
from studio.ui.pages.networks.designer.wire_item import WireItem
from studio.ui.pages.networks.designer.wiring import Wire
from studio.ui.theme.theme import Theme

K = TypeVar("K")
I = TypeVar("I", bound=QGraphicsItem)  # noqa: E741 - an item


class Stage:
    """The items of a scene, by what they stand for."""

    def __init__(self, scene: QGraphicsScene, drawing: Drawing, theme: Theme) -> None:
        self._scene = scene
        self._drawing = drawing
        self._theme = theme
        self.picture = Picture({}, {})
        self._content = QRectF()
        self.boxes: dict[str, NodeItem] = {}
        self.wires: dict[Wire, WireItem] = {}
        self.frames: dict[str, FrameItem] = {}
        self.notes: dict[str, NoteItem] = {}

    def update(self, words: tuple[str, str, str]) -> None:
        """Show the drawing as it is."""
        drawing = self._drawing
        self.picture = picture_of(drawing.spec, drawing.closed_blocks, drawing.direction)
        looks = self._looks(words)
        self._forget(self.boxes, self.picture.places)
        for key, (x, y) in self.picture.places.items():
            if key not in self.boxes:
                self._put(self.boxes, key, NodeItem(key, looks.of(key), self._theme))
            self.boxes[key].setPos(x, y)
        self._forget(self.wires, self.picture.wires)
        for ends, wire in self.picture.wires.items():
            if ends not in self.wires:
                self._put(self.wires, ends, WireItem(self._theme))
            self.wires[ends].wire = wire
        frames = {frame.key: frame for frame in self.picture.frames}
        self._forget(self.frames, frames)
        for key, frame in frames.items():
            if key not in self.frames:
                self._put(self.frames, key, FrameItem(key, frame.block, self._theme))
            self.frames[key].run(frame)
        notes = {f"{NOTE_PREFIX}{at}": note for at, note in enumerate(drawing.spec.comments)}
        self._forget(self.notes, notes)
        for key, note in notes.items():
            if key not in self.notes:
                self._put(self.notes, key, NoteItem(key, self._theme))
            self.notes[key].show_comment(note)
        self.say(words)
        self.lead()
        self._measure()

    def say(self, words: tuple[str, str, str]) -> None:
        """Show other words in the same places.

        Args:
            words: For `Looks`.
        """
        looks = self._looks(words)
        for key, box in self.boxes.items():
            box.show_look(looks.of(key), self._drawing.direction)
        for wire in self.wires.values():
            wire.say(looks.channels(wire.wire[0]), stale=self._drawing.is_stale)
        nodes = {node.id: node for node in self._drawing.spec.nodes}
        for key, frame in self.frames.items():
            inside = [nodes[node_id] for node_id in self.picture.inside[key]]
            frame.say(frozen=all(node.frozen for node in inside), rate=common_rate(inside))

    def mark(self, chosen: Collection[str]) -> None:
        """Show which blocks are selected whole."""
        for key, frame in self.frames.items():
            frame.mark(chosen=all(node in chosen for node in self.picture.inside[key]))

    def lead(self, keys: Collection[str] | None = None) -> None:
        """Lead the wires from port to port: all along their lanes, or those of moving boxes."""
        for (source, target), wire in self.wires.items():
            if keys is None or source in keys or target in keys:
                start, end = self.boxes[source].port("out"), self.boxes[target].port("in")
                lane = self.picture.lanes.get((source, target)) if keys is None else None
                wire.run(start, end, self._drawing.direction, lane)

    def follow(self, keys: Collection[str]) -> None:
        """Lead the frames around boxes that move."""
        for key, frame in self.frames.items():
            inside = self.picture.inside[key]
            if any(node_id in keys for node_id in inside):
                places = [self.boxes[node_id].pos() for node_id in inside]
                corners = [(at.x(), at.y()) for at in places]
                frame.run(frame_around(key, frame.block, corners))

    def shown(self, node_ids: Iterable[str]) -> list[str]:
        """What is shown for some nodes: themselves, or the folded box that they are in."""
        folded = {
            node_id: key
            for key, inside in self.picture.inside.items()
            if key in self.boxes
            for node_id in inside
        }
        return list(dict.fromkeys(folded.get(node_id, node_id) for node_id in node_ids))

    def meant(self, key: str) -> Sequence[str]:
        """The nodes that a box stands for."""
        return self.picture.inside[key] if key.startswith(BLOCK_PREFIX) else (key,)

    def _looks(self, words: tuple[str, str, str]) -> Looks:
        drawing = self._drawing
        inside = self.picture.inside
        return Looks(drawing.spec, drawing.examination, words, inside, stale=drawing.is_stale)

    def light(self, keys: Collection[str]) -> None:
        """Light the boxes on which a wire may be dropped."""
        for key, box in self.boxes.items():
            box.show_look(replace(box.look, lit=key in keys), self._drawing.direction)

    def light_wire(self, lit: WireItem | None) -> None:
        """Light the wire into which something would be dropped."""
        for wire in self.wires.values():
            wire.light(lit=wire is lit)

    def restyle(self) -> None:
        """Paint everything in the colors of now."""
        for box in self.boxes.values():
            box.restyle()

    def content(self) -> QRectF:
        """Around everything that is drawn, as of the last update."""
        return self._content

    def _measure(self) -> None:
        self._content = QRectF()
        for items in (self.boxes, self.frames, self.notes):
            for item in items.values():
                self._content = self._content.united(item.sceneBoundingRect())

    def box_at(self, place: QPointF) -> NodeItem | None:
        """The box at a place, ports included."""
        items = self._scene.items(place)
        return next((item for item in items if isinstance(item, NodeItem)), None)

    def wire_at(self, place: QPointF) -> WireItem | None:
        """The wire at a place, if no box lies over it."""
        for item in self._scene.items(place):
            if isinstance(item, NodeItem | WireItem):
                return item if isinstance(item, WireItem) else None
        return None

    def _put(self, items: dict[K, I], key: K, item: I) -> None:
        self._scene.addItem(item)
        items[key] = item

    def _forget(self, items: dict[K, I], wanted: Collection[K]) -> None:
        for key in [key for key in items if key not in wanted]:
            self._scene.removeItem(items.pop(key))
