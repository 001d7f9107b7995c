"""Several pictures at once: a grid with the first answer under each."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QWidget

from studio.engine.inference.table import is_right
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.pictures import load_thumbnail
from studio.ui.pages.predict.state import Batch
from studio.ui.theme.theme import Theme
from studio.ui.widgets.picture_grid import KEY_ROLE, WRONG_ROLE, ImageGrid

Index = QModelIndex | QPersistentModelIndex


class ResultsModel(QAbstractListModel):
    """The pictures of a batch, in their order."""

    def __init__(self) -> None:
        super().__init__()
        self._batch: Batch | None = None
        self._rows = 0

    def show_batch(self, batch: Batch) -> None:
        """Show a batch, or what is new about the one that is shown."""
        if batch is self._batch and self._rows == len(batch.pictures):
            if self._rows:
                self.dataChanged.emit(self.index(0), self.index(self._rows - 1))
            return
        self.beginResetModel()
        self._batch, self._rows = batch, len(batch.pictures)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """One per picture."""
        return 0 if parent is not None and parent.isValid() else self._rows

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The first answer as text; the path as the key of the picture."""
        if self._batch is None:
            return None
        picture, place = self._batch.pictures[index.row()], index.row()
        path = picture.path
        done = place < len(self._batch.predictions)
        prediction = self._batch.predictions[place] if done else None
        view = self._batch.view
        verdict = is_right(prediction, picture.label) if prediction and view.has_classes else None
        is_wrong = verdict is False
        words = messages.caption(prediction, view)
        spoken = messages.wrong(words, picture.label) if is_wrong else words
        values: dict[int, object] = {
            KEY_ROLE: str(path),
            WRONG_ROLE: is_wrong,
            Qt.ItemDataRole.ToolTipRole: f"{path}\n{spoken}" if is_wrong else str(path),
            Qt.ItemDataRole.DisplayRole: words,
            Qt.ItemDataRole.AccessibleTextRole: f"{path.name}: {spoken}",
        }
        return values.get(role)


class ResultsGrid(ImageGrid):
    """Shows a batch of several pictures; one of them is selected.

    Signals:
        picked: The row whose answer is wanted.
        opened: The row that is wanted alone.
    """

    picked = Signal(int)
    opened = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._results = ResultsModel()
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.set_source(self._results, load_thumbnail)
        self.setAccessibleName(self.tr("Pictures with answers"))
        self.selection_changed.connect(self._on_selection)
        self.activated.connect(self._on_activated)

    def show_batch(self, batch: Batch) -> None:
        """Show a batch with the picture selected whose answer is shown."""
        self._results.show_batch(batch)
        if batch.selected < len(batch.pictures) and self.selected_rows() != [batch.selected]:
            self.setCurrentIndex(self._results.index(batch.selected))

    def captions(self) -> list[str]:
        """What stands under the pictures."""
        return [str(self._results.index(row).data()) for row in range(self._results.rowCount())]

    def _on_selection(self, rows: list[int]) -> None:
        if rows:
            self.picked.emit(rows[0])

    def _on_activated(self, index: QModelIndex) -> None:
        self.opened.emit(index.row())
