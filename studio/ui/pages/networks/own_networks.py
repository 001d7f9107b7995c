"""The saved networks of the workspace: read, kept, renamed, deleted, brought back."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.engine.networks.library import SavedNetwork, rename, save, saved
from studio.engine.networks.spec import NetworkSpec
from studio.engine.workspace import Record, RecordKind
from studio.ui.context import AppContext
from studio.ui.shared.trash import Trash


class OwnNetworks(QObject):
    """Does what the page asks for, in the background.

    Signals:
        known: `list[SavedNetwork]`, after every reading.
        changed: Id of one that was renamed or brought back; empty after a deletion.
        kept: Id of a drawing that has just been saved.
        refused: A name could not be given; carries the exception.
    """

    known = Signal(list)
    changed = Signal(str)
    kept = Signal(str)
    refused = Signal(object)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._workspace = context.workspace
        self._records: dict[str, Record] = {}
        self._trash = Trash(context, self)
        self._trash.thrown.connect(self._on_thrown)
        self._trash.restored.connect(self.changed)

    def read(self) -> None:
        """Read all of them."""
        self._context.background.run(self, partial(saved, self._workspace), self._on_read)

    def keep(self, spec: NetworkSpec, name: str) -> None:
        """Save a drawing under that name, or one like it where it is taken."""
        work = partial(_save_as, self._context, spec, name)
        self._context.background.run(self, work, self._on_kept)

    def rename(self, record_id: str, name: str) -> None:
        """Give one another name."""
        work = partial(rename, self._workspace, record_id, name)
        self._context.background.run(self, work, self._on_renamed, self.refused.emit)

    def throw(self, record_id: str, label: str) -> None:
        """Move one to the trash; a notice offers to undo it."""
        record = self._records.get(record_id)
        if record is not None:
            self._trash.throw(record, label)

    def _on_read(self, networks: list[SavedNetwork]) -> None:
        self._records = {network.id: network.record for network in networks}
        self.known.emit(networks)

    def _on_kept(self, network: SavedNetwork) -> None:
        self.kept.emit(network.id)

    def _on_renamed(self, network: SavedNetwork) -> None:
        self.changed.emit(network.id)

    def _on_thrown(self, _record_id: str) -> None:
        self.changed.emit("")


def _save_as(context: AppContext, spec: NetworkSpec, name: str) -> SavedNetwork:
    free = context.workspace.unused_name(RecordKind.NETWORK, name)
    return save(context.workspace, spec, free)
