"""The jobs of one kind, or of several, as rows, newest first; follows the workspace."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex

from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import Jobs
from studio.ui.documents.record import Change, RecordDocument

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class JobRows(QAbstractListModel):
    """What a row says is up to the class that inherits; it tells when rows are not as they were.

    Args:
        jobs: All jobs of the workspace.
        kinds: Those that are shown.
        parent: Owns the model.
    """

    def __init__(
        self, jobs: Jobs, kinds: tuple[RecordKind, ...], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._kinds = kinds
        self._entries = self._all()
        jobs.loaded.connect(self._on_loaded)
        jobs.changed.connect(self._on_changed)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Number of jobs."""
        return 0 if parent.isValid() else len(self._entries)

    def row_of(self, record_id: str) -> int:
        """The row of a job, or -1."""
        ids = [entry.record.id for entry in self._entries]
        return ids.index(record_id) if record_id in ids else -1

    def _all(self) -> list[RecordDocument]:
        found = [entry for kind in self._kinds for entry in self._jobs.entries(kind)]
        return sorted(found, key=lambda entry: entry.info.created, reverse=True)

    def _on_loaded(self) -> None:
        self.beginResetModel()
        self._entries = self._all()
        self.endResetModel()

    def _on_changed(self, entry: RecordDocument, change: Change) -> None:
        if entry.key[0] not in self._kinds:
            return
        if change.is_new:
            self._add(entry)
        elif change.is_removed:
            self._remove(entry)
        else:
            self._tell(entry.record.id)

    def _add(self, entry: RecordDocument) -> None:
        newer = [other.info.created > entry.info.created for other in self._entries]
        row = newer.index(False) if False in newer else len(newer)
        self.beginInsertRows(QModelIndex(), row, row)
        self._entries.insert(row, entry)
        self.endInsertRows()

    def _remove(self, entry: RecordDocument) -> None:
        row = self.row_of(entry.record.id)
        if row >= 0:
            self.beginRemoveRows(QModelIndex(), row, row)
            del self._entries[row]
            self.endRemoveRows()

    def _tell(self, record_id: str) -> None:
        index = self.index(self.row_of(record_id))
        self.dataChanged.emit(index, index)
