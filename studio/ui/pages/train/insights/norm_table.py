"""The norms of all layers at one moment, as a table from which layers are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from studio.ui.widgets.figures import significant

if TYPE_CHECKING:
    from studio.engine.training.insights import LayerNorm

Index = QModelIndex | QPersistentModelIndex


class NormModel(QAbstractTableModel):
    """One row per layer: its name, then the norms."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.norms: tuple[LayerNorm, ...] = ()
        self._headers = (
            self.tr("Layer"),
            self.tr("Weights"),
            self.tr("Gradient"),
            self.tr("Moved"),
        )

    def take(self, norms: Sequence[LayerNorm]) -> bool:
        """Show other norms; of the same layers, the selection stays.

        Returns:
            Whether these are other layers.
        """
        names = [norm.name for norm in self.norms]
        if names and names == [norm.name for norm in norms]:
            self.norms = tuple(norms)
            last = self.index(len(names) - 1, len(self._headers) - 1)
            self.dataChanged.emit(self.index(0, 0), last)
            return False
        self.beginResetModel()
        self.norms = tuple(norms)
        self.endResetModel()
        return True

    def rowCount(self, parent: Index | None = None) -> int:
        """Number of layers."""
        return 0 if parent is not None and parent.isValid() else len(self.norms)

    def columnCount(self, parent: Index | None = None) -> int:
        """Name and norms."""
        return 0 if parent is not None and parent.isValid() else len(self._headers)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The names of the figures."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return self._headers[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A name, or a figure as text."""
        norm = self.norms[index.row()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 0:
            return norm.name
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        figures = (norm.weight, norm.gradient, norm.update)
        return significant(figures[index.column() - 1], 3) if index.column() else norm.name


def _alignment(column: int) -> int:
    side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
