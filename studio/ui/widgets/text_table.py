"""A table of plain texts: classes with counts, files with reasons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from studio.ui.widgets.tables import ROW_HEIGHT, dress_table

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class TextRows(QAbstractTableModel):
    """Rows of texts under headings; columns after the first may hold numbers, at the right."""

    def __init__(self, headings: Sequence[str], *, numbers_last: bool = False) -> None:
        super().__init__()
        self._headings = list(headings)
        self._numbers_last = numbers_last
        self._rows: list[tuple[str, ...]] = []

    def set_rows(
        self, rows: Sequence[tuple[str, ...]], headings: Sequence[str] | None = None
    ) -> None:
        """Show other rows, perhaps under other headings."""
        self.beginResetModel()
        self._headings = self._headings if headings is None else list(headings)
        self._rows = list(rows)
        self.endResetModel()

    def rows(self) -> list[tuple[str, ...]]:
        """What is shown."""
        return list(self._rows)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """How many columns."""
        return 0 if parent.isValid() else len(self._headings)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The text of a cell, in its tooltip too, because long ones are cut."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The headings."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headings[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return None

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        right = self._numbers_last and column > 0
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class TextTable(QTableView):
    """Shows `TextRows`, as high as its rows up to a limit, beyond which it scrolls."""

    def __init__(
        self,
        name: str,
        headings: Sequence[str],
        *,
        most_rows: int,
        numbers_last: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._most_rows = most_rows
        self.rows_model = TextRows(headings, numbers_last=numbers_last)
        self.rows_model.setParent(self)
        self.setModel(self.rows_model)
        dress_table(self)
        self.setAccessibleName(name)
        header = self.horizontalHeader()
        header.setStretchLastSection(not numbers_last)
        if numbers_last:
            self._fit_columns(len(headings))
        else:
            header.resizeSection(0, 260)
        self.set_rows([])

    def set_rows(
        self, rows: Sequence[tuple[str, ...]], headings: Sequence[str] | None = None
    ) -> None:
        """Show other rows, perhaps under other headings."""
        self.rows_model.set_rows(rows, headings)
        if headings is not None:
            self._fit_columns(len(headings))
        self._fit()

    def _fit_columns(self, columns: int) -> None:
        """Give the names what the numbers leave."""
        header = self.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in range(1, columns):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)

    def showEvent(self, event: QShowEvent) -> None:
        """Only now is it known how high the style makes the headings."""
        self._fit()
        super().showEvent(event)

    def _fit(self) -> None:
        rows = self.rows_model.rowCount()
        shown = max(1, min(rows, self._most_rows))
        # Half a row more says that there are others below.
        half = ROW_HEIGHT // 2 if rows > self._most_rows else 0
        around = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth() + 2
        self.setFixedHeight(shown * ROW_HEIGHT + half + around)
