"""Keeps the items of the canvas in line with the drawing: boxes, wires, frames and notes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene

from studio.engine.networks.spec import INPUT, Examination, LayerNode, NetworkSpec
from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.pages.networks.designer.items import (
    FrameItem,
    NodeItem,
    NodeLook,
    NoteItem,
    WireItem,
    family_of,
    rate_text,
    size_text,
)
from studio.ui.pages.networks.designer.picture import (
    BLOCK_PREFIX,
    NOTE_PREFIX,
    Picture,
    frame_around,
    picture_of,
)
from studio.ui.pages.networks.designer.wiring import CLASSES, Wire
from studio.ui.theme.theme import Theme


class Looks:
    """The words of the canvas for one state of a drawing.

    Args:
        spec: The drawing.
        examination: What is known of it; None for nothing yet.
        stale: Whether it is older than the drawing.
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
        self._shapes = (
            {key: report.output_shape for key, report in examination.nodes.items()}
            if examination
            else {}
        )
        self._trouble: dict[str, str] = {}
        for problem in examination.problems if examination else ():
            grave = "serious" if problem.serious else "advice"
            if self._trouble.get(problem.node) != "serious":
                self._trouble[problem.node] = grave

    def of(self, key: str) -> NodeLook:
        """What a box says."""
        images, classes, _ = self._words
        shape = self._spec.input
        if key == INPUT:
            sides = (shape.height, shape.width, shape.channels)
            return NodeLook("images", images, size_text(sides))
        if key == CLASSES:
            return NodeLook("classes", classes, str(self._spec.classes))
        if key.startswith(BLOCK_PREFIX):
            return self._of_block([self._nodes[node_id] for node_id in self._inside[key]])
        node = self._nodes[key]
        return NodeLook(
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
        """The size of what comes out of a node, written; empty where it is not known."""
        return size_text(self._shapes[key]) if key in self._shapes else ""

    def channels(self, key: str) -> str:
        """How many channels come out of a node, written."""
        if key == INPUT:
            return str(self._spec.input.channels)
        shape = self._shapes.get(key)
        return str(shape[-1]) if shape and shape[-1] is not None else ""

    def _of_block(self, inside: Sequence[LayerNode]) -> NodeLook:
        states = {self._trouble.get(node.id, "") for node in inside}
        trouble = next((grave for grave in ("serious", "advice") if grave in states), "")
        layers = self._words[2].format(len(inside))
        return NodeLook(
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
    """The factor that all nodes have, written; empty for 1 or for several."""
    rates = {node.rate for node in nodes}
    return rate_text(rates.pop()) if len(rates) == 1 and rates != {1} else ""


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
