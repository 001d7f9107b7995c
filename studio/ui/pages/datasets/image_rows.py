"""The images of a selection as a model for the grid."""

from __future__ import annotations

from pathlib import PurePosixPath

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from studio.ui.pages.datasets.pictures import Selection
from studio.ui.widgets.image_grid import KEY_ROLE

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class ImageRows(QAbstractListModel):
    """One row per image: its file name, its whole path as a tooltip, its row in the dataset."""

    def __init__(self, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selection = selection

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many images."""
        return 0 if parent.isValid() else len(self._selection.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What the grid shows of an image."""
        path = self._selection.paths[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return PurePosixPath(path).name
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return path
        if role == KEY_ROLE:
            return self._selection.rows[index.row()]
        return None
