"""What a hand does with a pressed button: moving boxes and drawing wires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QCoreApplication, QPointF, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QGraphicsPathItem

from studio.engine.networks.spec import INPUT, Comment
from studio.ui.pages.networks.designer import edits, wiring
from studio.ui.pages.networks.designer.drawing import Drawing
from studio.ui.pages.networks.designer.edits import Place
from studio.ui.pages.networks.designer.items import GRID, NodeItem, Port, curve
from studio.ui.pages.networks.designer.picture import BLOCK_PREFIX, NOTE_PREFIX
from studio.ui.pages.networks.designer.stage import Stage
from studio.ui.pages.networks.designer.wiring import CLASSES
from studio.ui.theme.theme import Theme


class Gesture(Protocol):
    """Something between a press and letting go."""

    def move(self, place: QPointF) -> None:
        """The pointer is there now."""

    def finish(self, place: QPointF) -> None:
        """The button was let go."""

    def cancel(self) -> None:
        """Nothing is to come of it."""


class MoveGesture:
    """Moves boxes and notes; the drawing learns of it at the end, as one change."""

    def __init__(
        self, stage: Stage, drawing: Drawing, keys: Sequence[str], start: QPointF
    ) -> None:
        self._stage = stage
        self._drawing = drawing
        self._start = start
        self._by = QPointF()
        shown = stage.shown(keys)
        self._boxes = {key: stage.boxes[key].pos() for key in shown if key in stage.boxes}
        self._notes = {key: stage.notes[key].pos() for key in keys if key in stage.notes}

    def move(self, place: QPointF) -> None:
        """Move along, by steps of the grid."""
        by = place - self._start
        by = QPointF(round(by.x() / GRID) * GRID, round(by.y() / GRID) * GRID)
        if by != self._by:
            self._by = by
            self._show()

    def finish(self, place: QPointF) -> None:
        """Let the drawing know."""
        self.move(place)
        if not self._by.isNull():
            shift(self._stage, self._drawing, [*self._boxes, *self._notes], self._by)

    def cancel(self) -> None:
        """Put everything back."""
        self._by = QPointF()
        self._show()

    def _show(self) -> None:
        for key, at in self._boxes.items():
            self._stage.boxes[key].setPos(at + self._by)
        for key, at in self._notes.items():
            self._stage.notes[key].setPos(at + self._by)
        self._stage.lead(self._boxes)
        self._stage.follow(self._boxes)


def shift(
    stage: Stage, drawing: Drawing, keys: Sequence[str], by: QPointF, merge: str = ""
) -> None:
    """Move what is shown under some keys by a distance on the canvas, in the drawing."""
    picture, spec = stage.picture, drawing.spec
    along = 1 if drawing.direction == "down" else 0
    delta = (by.x(), by.y())
    places: dict[str, Place] = {}
    for key in keys:
        if key not in picture.places:
            continue
        at = picture.places[key]
        opened = [at[0] + delta[0], at[1] + delta[1]]
        opened[along] = picture.axis.opened(opened[along])
        if key.startswith(BLOCK_PREFIX):
            front = picture.axis.opened(at[along])
            step = list(delta)
            step[along] = opened[along] - front
            for node_id in picture.inside[key]:
                x, y = spec.positions[node_id]
                places[node_id] = (x + step[0], y + step[1])
        else:
            places[key] = (opened[0], opened[1])
    notes = [
        Comment(text=note.text, x=note.x + delta[0], y=note.y + delta[1])
        if f"{NOTE_PREFIX}{at}" in keys
        else note
        for at, note in enumerate(spec.comments)
    ]
    after = edits.set_comments(edits.move(spec, places), notes)
    drawing.change(after, QCoreApplication.translate("designer", "Move"), merge)


class WireGesture:
    """Draws a wire from a port; boxes on which it may be dropped light up."""

    def __init__(
        self, stage: Stage, drawing: Drawing, theme: Theme, box: NodeItem, port: Port
    ) -> None:
        self._stage = stage
        self._drawing = drawing
        self.key = box.key
        self.port: Port = port
        self._from = box.port(port)
        self._line = QGraphicsPathItem()
        self._line.setPen(QPen(theme.color("accent"), 2, Qt.PenStyle.DashLine))
        self._line.setZValue(5)
        box.scene().addItem(self._line)
        self._allowed = self._ends()
        stage.light(self._allowed)

    def move(self, place: QPointF) -> None:
        """The loose end follows the pointer, and snaps to where it may go."""
        box = self._target(place)
        if box is not None:
            place = box.port("in" if self.port == "out" else "out")
        ends = (self._from, place) if self.port == "out" else (place, self._from)
        self._line.setPath(curve(*ends, self._drawing.direction))

    def finish(self, place: QPointF) -> None:
        """Wire, if it was let go over a box that takes it."""
        target = self._target(place)
        self.cancel()
        if target is not None:
            ends = (self.key, target.key) if self.port == "out" else (target.key, self.key)
            self._drawing.add_wire(*ends)

    def is_over_nothing(self, place: QPointF) -> bool:
        """Whether it would be let go over the bare canvas."""
        return self._stage.box_at(place) is None

    def cancel(self) -> None:
        """Draw no wire."""
        if self._line.scene() is not None:
            self._line.scene().removeItem(self._line)
            self._stage.light(())

    def _target(self, place: QPointF) -> NodeItem | None:
        box = self._stage.box_at(place)
        return box if box is not None and box.key in self._allowed else None

    def _ends(self) -> set[str]:
        spec = self._drawing.spec
        if self.port == "out":
            return wiring.targets(spec, self.key)
        sources = edits.ids_of(spec)
        if self.key == CLASSES:
            return sources - {INPUT}
        return {key for key in sources if not wiring.refusal(spec, key, self.key)}
