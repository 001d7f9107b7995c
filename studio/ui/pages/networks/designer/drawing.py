"""The drawing at hand: its document, what is selected, what is folded.

Every change of a drawing goes through here: from canvas, palette, inspector, strip
or menu. None of them knows the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.networks import edits
from studio.engine.networks.drafts import NetworkDocument
from studio.engine.networks.edits import CLASSES, Position, Wire
from studio.engine.networks.layout import Direction
from studio.engine.networks.placing import added, direction_of, laid_out, placed
from studio.engine.networks.spec import Comment, Examination, InputShape, NetworkSpec
from studio.ui.pages.networks.designer.picture import NOTE_PREFIX


class Drawing(QObject):
    """A document that can be watched, and the selection in it.

    Signals:
        opened: Another drawing takes the place of the one before.
        changed: The drawing is another, by an edit, by undo or by opening one.
        selected: Something else is selected.
        folded: Other blocks are folded.
        examined: `examination` or `is_stale` changed.
        refused: A `StudioError`: what was requested cannot be done.
    """

    opened = Signal()
    changed = Signal()
    selected = Signal()
    folded = Signal()
    examined = Signal()
    refused = Signal(object)

    def __init__(self, spec: NetworkSpec, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.direction: Direction = direction_of(spec)
        self.document = settled(NetworkDocument.opened(spec))
        self.selection: tuple[str, ...] = ()
        self.wire: Wire | None = None
        self.closed_blocks: frozenset[str] = frozenset()
        self.examination: Examination | None = None
        self.is_stale = True

    @property
    def spec(self) -> NetworkSpec:
        """The network in the drawing."""
        return self.document.spec

    def notes(self) -> list[int]:
        """Return the indices of the selected notes."""
        keys = [key for key in self.selection if key.startswith(NOTE_PREFIX)]
        return [int(key.removeprefix(NOTE_PREFIX)) for key in keys]

    def nodes(self) -> list[str]:
        """Return the ids of the selected layers."""
        known = {node.id for node in self.spec.nodes}
        return [key for key in self.selection if key in known]

    def take_up(self, document: NetworkDocument, closed_blocks: Collection[str] = ()) -> None:
        """Show another document."""
        self.direction = direction_of(document.spec)
        self.document = settled(document)
        self.selection, self.wire = (), None
        self.closed_blocks = frozenset(closed_blocks)
        self.examination, self.is_stale = None, True
        for signal in (self.changed, self.selected, self.examined, self.opened):
            signal.emit()

    def change(self, spec: NetworkSpec, what: str, merge: str = "") -> None:
        """Apply a change; see `NetworkDocument.changed`."""
        self._show(self.document.changed(placed(spec, self.direction), what, merge))

    def attempt(
        self, make: Callable[[NetworkSpec], NetworkSpec], what: str, merge: str = ""
    ) -> bool:
        """Make a change that may be refused.

        Returns:
            Whether it was made; the reason is emitted where it was not.
        """
        try:
            spec = make(self.spec)
        except StudioError as error:
            self.refused.emit(error)
            return False
        self.change(spec, what, merge)
        return True

    def undo(self) -> None:
        """Undo the latest change."""
        self._show(self.document.undo())

    def redo(self) -> None:
        """Redo the change that was undone last."""
        self._show(self.document.redo())

    def mark_saved(self, sent: NetworkSpec, name: str, record_id: str) -> None:
        """Mark a state of the drawing as saved under a name and id."""
        self.document = self.document.as_saved(sent, name, record_id)
        self.changed.emit()

    def show_examination(self, examination: Examination | None, *, stale: bool) -> None:
        """Show an examination, or mark the shown one as out of date."""
        if examination is not None:
            self.examination = examination
        self.is_stale = stale
        self.examined.emit()

    def select(self, ids: Iterable[str], wire: Wire | None = None) -> None:
        """Select layers, or one wire."""
        known = self._selectable()
        requested = tuple(dict.fromkeys(key for key in ids if key in known))
        if (requested, wire) != (self.selection, self.wire):
            self.selection, self.wire = requested, wire
            self.selected.emit()

    def select_all(self) -> None:
        """Select all layers."""
        self.select(node.id for node in self.spec.nodes)

    def fold(self, blocks: Collection[str]) -> None:
        """Show exactly these blocks as one node each."""
        requested = frozenset(blocks) & frozenset(edits.blocks_of(self.spec))
        if requested != self.closed_blocks:
            self.closed_blocks = requested
            self.folded.emit()

    def reveal(self, node_id: str) -> None:
        """Select a layer, and open the block that hides it."""
        for node in self.spec.nodes:
            if node.id == node_id:
                self.fold(self.closed_blocks - {node.block})
        self.select([node_id])

    # What hands do.

    def add(self, name: str, position: Position, into: Wire | None = None) -> list[str]:
        """Add a layer or a block and select it.

        Args:
            name: Name of a layer, or `BLOCK_CHOICE` and that of a block.
            position: Center of the new layer; ignored if it is inserted into a connection.
            into: The wire.

        Returns:
            Ids of what was added.
        """
        new: list[str] = []

        def make(spec: NetworkSpec) -> NetworkSpec:
            after, ids = added(spec, name, position, into, self.direction)
            new.extend(ids)
            return after

        self.attempt(make, self.tr("Add a layer"))
        self.select(new)
        return new

    def add_beside(self, name: str, position: Position, node_id: str, port: str) -> None:
        """Add a layer or a block and connect it to the output or input of a node."""

        def make(spec: NetworkSpec) -> NetworkSpec:
            after, ids = added(spec, name, position, None, self.direction)
            if port == "in":
                return edits.wire(after, ids[-1], node_id)
            for key in ids:
                if not after.node(key).inputs:
                    after = edits.wire(after, node_id, key)
            return after

        before = edits.ids_of(self.spec)
        if self.attempt(make, self.tr("Add a layer")):
            self.select(node.id for node in self.spec.nodes if node.id not in before)

    def add_wire(self, source: str, target: str) -> None:
        """Draw a wire."""
        self.attempt(lambda spec: edits.wire(spec, source, target), self.tr("Add a wire"))

    def remove_selected(self) -> None:
        """Remove the selected layers or the selected wire."""
        if self.wire is not None:
            spec = edits.unwire(self.spec, *self.wire)
            self.change(spec, self.tr("Remove a wire"))
            self.select([])
        elif self.nodes() or self.notes():
            notes = set(self.notes())
            rest = (note for at, note in enumerate(self.spec.comments) if at not in notes)
            ids = self.nodes()
            after = edits.set_comments(edits.remove(self.spec, ids), rest)
            self.select([])
            self.change(after, self.tr("Remove {0}").format(", ".join(ids)[:40]))

    def copied(self) -> str:
        """Return the selected layers as text; empty for none."""
        return edits.copied(self.spec, self.nodes())

    def paste(self, text: str, position: Position | None, what: str) -> None:
        """Add the layers in a text and select them; emit `refused` if it contains none."""
        new: list[str] = []

        def make(spec: NetworkSpec) -> NetworkSpec:
            after, ids = edits.pasted(spec, edits.read_fragment(text), position)
            new.extend(ids)
            return after

        if self.attempt(make, what):
            self.select(new)

    def move(self, positions: Mapping[str, Position], merge: str = "") -> None:
        """Move nodes."""
        self.change(edits.move(self.spec, positions), self.tr("Move"), merge)

    def rename(self, old: str, new: str) -> bool:
        """Rename a layer."""
        chosen = tuple(new if key == old else key for key in self.selection)
        folded = self.closed_blocks
        done = self.attempt(lambda spec: edits.rename(spec, old, new), self.tr("Rename"))
        if done:
            self.select(chosen)
            self.fold(folded)
        return done

    def lay_out(self, direction: Direction) -> None:
        """Lay out all nodes."""
        self.direction = direction
        self.change(laid_out(self.spec, direction), self.tr("Arrange"))

    def set_frozen(self, ids: Collection[str], *, frozen: bool) -> None:
        """Freeze or unfreeze layers."""
        what = self.tr("Freeze") if frozen else self.tr("Unfreeze")
        self.change(edits.change(self.spec, ids, frozen=frozen), what)

    def freeze_only(self, ids: Collection[str], merge: str = "") -> None:
        """Freeze some layers, and unfreeze all others."""
        after = edits.change(self.spec, edits.ids_of(self.spec) - set(ids), frozen=False)
        after = edits.change(after, ids, frozen=True)
        self.change(after, self.tr("Freeze up to here"), merge)

    def set_rate(self, ids: Collection[str], rate: float) -> None:
        """Set the factor of the learning rate of layers."""
        key = f"rate {' '.join(sorted(ids))}"
        self.change(edits.change(self.spec, ids, rate=rate), self.tr("Learning rate"), key)

    def set_block(self, ids: Collection[str], block: str) -> None:
        """Put layers into a block; an empty name removes them from theirs."""
        what = self.tr("Make a block") if block else self.tr("Dissolve a block")
        self.change(edits.change(self.spec, ids, block=block.strip()), what)

    def set_parameters(self, node_id: str, values: Mapping[str, object], field: str) -> None:
        """Set the parameters of a layer; edits of the same field are merged into one change."""
        after = edits.change(self.spec, [node_id], parameters=dict(values))
        self.change(after, self.tr("Settings of {0}").format(node_id), f"{node_id}.{field}")

    def set_sizes(self, shape: InputShape, classes: int) -> None:
        """Set the input size and the number of classes."""
        after = edits.set_sizes(self.spec, shape, classes)
        self.change(after, self.tr("Sizes"), "sizes")

    def set_name(self, name: str) -> None:
        """Rename the network."""
        self.change(
            self.spec.model_copy(update={"name": name}), self.tr("Name of the network"), "name"
        )

    def set_comments(self, comments: Iterable[Comment], merge: str = "") -> None:
        """Replace the notes in the drawing."""
        self.change(edits.set_comments(self.spec, comments), self.tr("Note"), merge)

    def _selectable(self) -> set[str]:
        notes = {f"{NOTE_PREFIX}{at}" for at in range(len(self.spec.comments))}
        return edits.ids_of(self.spec) | notes | {CLASSES}

    def _show(self, document: NetworkDocument) -> None:
        if document is self.document:
            return
        self.document = document
        known = self._selectable()
        stored = tuple(key for key in self.selection if key in known)
        wire = self.wire if self.wire in edits.wires_of(self.spec) else None
        self.closed_blocks &= frozenset(edits.blocks_of(self.spec))
        self.changed.emit()
        if (stored, wire) != (self.selection, self.wire):
            self.selection, self.wire = stored, wire
            self.selected.emit()


def settled(document: NetworkDocument) -> NetworkDocument:
    """Return a newly opened document with a position for each node."""
    return document.settled(placed(document.spec, direction_of(document.spec)))
