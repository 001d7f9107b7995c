"""The images of a selection as a model for the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from studio.ui.pages.datasets.image_query import Answers
from studio.ui.pages.datasets.pictures import Selection
from studio.ui.widgets.figures import percent
from studio.ui.widgets.image_grid import KEY_ROLE, WRONG_ROLE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class ImageRows(QAbstractListModel):
    """One row per image: its targets or its file name, its whole path as a tooltip, its row.

    Where a model's answers are looked at, they stand in place of the name.

    Holds an array of row numbers and nothing per image: texts are made when Qt asks for them.
    """

    def __init__(self, selection: Selection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._answers: Answers | None = None

    @property
    def selection(self) -> Selection:
        """What is shown."""
        return self._selection

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row in the dataset of each row of the model."""
        return self._selection.rows

    def take(self, selection: Selection, answers: Answers | None = None) -> None:
        """Show other images of the same dataset, and what a model took them for."""
        self.beginResetModel()
        self._selection = selection
        self._answers = answers
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many images."""
        return 0 if parent.isValid() else len(self._selection.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Images can be dragged out."""
        return super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What the grid shows of an image."""
        row = int(self._selection.rows[index.row()])
        table = self._selection.table
        if role == Qt.ItemDataRole.DisplayRole:
            caption = self._answer(row) or table.view.caption(table.targets, row)
            return caption or table.names.shown(row).rpartition("/")[2]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            caption = table.view.caption(table.targets, row)
            return "\n".join(filter(None, (table.names.shown(row), caption)))
        if role == KEY_ROLE:
            return row
        return self._is_wrong(row) if role == WRONG_ROLE else None

    def _is_wrong(self, row: int) -> bool:
        answer = None if self._answers is None else self._answers.predictions.answer(row)
        return answer is not None and answer[0] != int(self._selection.table.labels[row])

    def _answer(self, row: int) -> str:
        """Such as “cat · 98 %”; empty where no model was asked about the image."""
        answer = None if self._answers is None else self._answers.predictions.answer(row)
        classes = self._selection.table.classes
        if answer is None or answer[0] >= len(classes):
            return ""
        return f"{classes[answer[0]]} · {percent(answer[1])}"
