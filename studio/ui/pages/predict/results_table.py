"""Several pictures at once as a table: picture, answer, score, class and whether that is right."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from studio.ui.engine_text import engine_text
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.results_rows import (
    ANSWER,
    LABEL,
    PICTURE,
    RIGHT,
    SCORE,
    Row,
    cell_text,
    heading,
    sort_key,
)
from studio.ui.pages.predict.state import Batch
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import significant
from studio.ui.widgets.tables import dress_table

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_WIDTHS: Final = {PICTURE: 160, ANSWER: 110, SCORE: 80, LABEL: 100, RIGHT: 76}
"""Pixels; one column has the rest."""


class ResultsTableModel(QAbstractTableModel):
    """The pictures of a batch with their answers, sorted as a person asked."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._batch: Batch | None = None
        self._order: list[int] = []
        self._places: list[int] = []
        self._columns = 3
        self._quantities: tuple[str, ...] = ()
        self._answered = 0

    def show_batch(self, batch: Batch) -> None:
        """Show a batch, or what is new about the one that is shown."""
        values = next((each.values for each in batch.predictions if each.values), ())
        quantities = tuple(f"{each.name} [{each.unit}]".removesuffix(" []") for each in values)
        columns = 5 if batch.has_labels else 3 if batch.view.has_classes else 2
        columns = 1 + len(quantities) if quantities else columns
        same = batch is self._batch and len(self._order) == len(batch.pictures)
        same = same and quantities == self._quantities
        if not same or columns != self._columns or len(batch.predictions) < self._answered:
            self.beginResetModel()
            self._batch, self._columns, self._quantities = batch, columns, quantities
            self._set_order(list(range(len(batch.pictures))))
            self.endResetModel()
        elif len(batch.predictions) > self._answered:
            rows = self._places[self._answered : len(batch.predictions)]
            self.dataChanged.emit(
                self.index(min(rows), 0), self.index(max(rows), self._columns - 1)
            )
        self._answered = len(batch.predictions)

    def picture_at(self, row: int) -> int:
        """Which picture of the batch stands in a row."""
        return self._order[row]

    def row_of(self, picture: int) -> int:
        """The row of a picture of the batch."""
        return self._places[picture]

    def rowCount(self, parent: Index = _ROOT) -> int:
        """One per picture."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """The class and the verdict only where a class is known."""
        return 0 if parent.isValid() else self._columns

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """What a column holds."""
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        is_value = bool(section and self._quantities)
        return self._quantities[section - 1] if is_value else heading(section)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The words of a cell; mistakes and what cannot be read in their colors."""
        if not index.isValid() or self._batch is None:
            return None
        picture = self._order[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(picture, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._explained(picture)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._color(picture, index.column())
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; pictures without an answer stay behind the others."""
        if self._batch is None:
            return
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        pictures = [self._order[index.row()] for index in kept]
        if 0 <= column < self._columns:
            keys = [self._key(picture, column) for picture in range(len(self._order))]
            answered = [picture for picture, key in enumerate(keys) if key is not None]
            rest = [picture for picture, key in enumerate(keys) if key is None]
            answered.sort(
                key=lambda picture: (keys[picture],),
                reverse=order == Qt.SortOrder.DescendingOrder,
            )
            self._set_order(answered + rest)
        else:
            self._set_order(list(range(len(self._order))))
        moved = [
            self.index(self._places[picture], index.column())
            for picture, index in zip(pictures, kept, strict=True)
        ]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _set_order(self, order: list[int]) -> None:
        self._order = order
        self._places = [0] * len(order)
        for row, picture in enumerate(order):
            self._places[picture] = row

    def _text(self, picture: int, column: int) -> str:
        value = self._value(picture, column)
        return cell_text(self._row(picture), column) if value is None else significant(value)

    def _key(self, picture: int, column: int) -> str | float | None:
        if column and self._quantities:
            return self._value(picture, column)
        return sort_key(self._row(picture), column)

    def _value(self, picture: int, column: int) -> float | None:
        """Return the number in a column of a quantity; None where there is none."""
        prediction = self._row(picture).prediction
        if not column or not self._quantities or prediction is None or not prediction.values:
            return None
        return prediction.values[column - 1].value

    def _row(self, picture: int) -> Row:
        batch = self._batch
        if batch is None:
            return Row("", "", None)
        known = batch.pictures[picture]
        name = messages.name_within(known.path, batch.dropped)
        answered = picture < len(batch.predictions)
        prediction = batch.predictions[picture] if answered else None
        if prediction is None or prediction.error or batch.view.has_classes:
            return Row(name, known.label, prediction)
        return Row(name, known.label, prediction, batch.view.caption(prediction))

    def _explained(self, picture: int) -> str:
        if self._batch is None:
            return ""
        prediction = self._row(picture).prediction
        reason = "" if prediction is None else engine_text(prediction.error)
        return "\n".join(filter(None, (str(self._batch.pictures[picture].path), reason)))

    def _color(self, picture: int, column: int) -> QColor | None:
        row = self._row(picture)
        if column == ANSWER and row.prediction is not None and row.prediction.error:
            return self._theme.color("warn")
        if column != RIGHT or row.verdict is None:
            return None
        return self._theme.color("good" if row.verdict else "bad")


class ResultsTable(QTableView):
    """Shows a batch of several pictures; one of them is selected.

    Signals:
        picked: The picture whose answer is wanted.
        opened: The picture that is wanted alone.
    """

    picked = Signal(int)
    opened = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_laid_out = False
        self.results = ResultsTableModel(theme, self)
        self.setModel(self.results)
        dress_table(self)
        self.setCornerButtonEnabled(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setAccessibleName(self.tr("Answers as a table"))
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.horizontalHeader().setStretchLastSection(False)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.activated.connect(self._on_activated)
        theme.changed.connect(self.viewport().update)

    def show_batch(self, batch: Batch) -> None:
        """Show a batch with the picture selected whose answer is shown."""
        columns = self.results.columnCount()
        with QSignalBlocker(self.selectionModel()):
            self.results.show_batch(batch)
        if self.results.columnCount() != columns or not self._is_laid_out:
            self._is_laid_out = True
            modes = QHeaderView.ResizeMode
            # Several labels need more room than a class.
            wide = PICTURE if batch.view.has_classes else self.results.columnCount() - 1
            for column in range(self.results.columnCount()):
                mode = modes.Stretch if column == wide else modes.Interactive
                self.horizontalHeader().setSectionResizeMode(column, mode)
                self.setColumnWidth(column, _WIDTHS.get(column, _WIDTHS[ANSWER]))
        if batch.selected >= len(batch.pictures):
            return
        row = self.results.row_of(batch.selected)
        if self.currentIndex().row() != row:
            with QSignalBlocker(self.selectionModel()):
                self.selectRow(row)

    def _on_current(self, index: QModelIndex, _before: QModelIndex) -> None:
        if index.isValid():
            self.picked.emit(self.results.picture_at(index.row()))

    def _on_activated(self, index: QModelIndex) -> None:
        self.opened.emit(self.results.picture_at(index.row()))
