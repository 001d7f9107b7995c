"""Many pictures: progress, their predictions as a grid or as a table, and a file of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHeaderView,
    QTableView,
    QWidget,
)

from studio.engine.inference.questions import Prediction
from studio.engine.inference.table import is_right, write_table
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.pages.predict import messages
from studio.ui.pages.predict.media import load_thumbnail
from studio.ui.pages.predict.pictures import FOLDER_KEY, Batch, Content
from studio.ui.theme.icons import set_icon
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import NO_VALUE, percent, significant
from studio.ui.widgets.labels import ElidedLabel
from studio.ui.widgets.layout import hbox, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.picture_grid import ImageGrid, PictureModel
from studio.ui.widgets.tables import dress_table
from studio.ui.widgets.tips import explain

_tr = partial(QCoreApplication.translate, "predict")

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
PICTURE, ANSWER, SCORE, LABEL, RIGHT = range(5)
_WIDTHS: Final = {PICTURE: 160, ANSWER: 110, SCORE: 80, LABEL: 100, RIGHT: 76}
"""Pixels; one column has the rest."""


class FolderBar(QWidget):
    """Title of what is shown, progress, and the buttons for many pictures.

    `stop_button` resumes while the batch is stopped.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.back_button = push_button(
            self.tr("All pictures"), theme, kind="quiet", icon="back", parent=self
        )
        self.title = ElidedLabel("", self)
        self.bar = ThinBar(theme, self)
        self.stop_button = icon_button("stop", self.tr("Stop"), theme, parent=self)
        self.table_button = icon_button("table", self.tr("Show as a table"), theme, parent=self)
        self.table_button.setCheckable(True)
        self.save_button = icon_button(
            "save", self.tr("Save the answers as a table (CSV)"), theme, parent=self
        )
        buttons = (self.stop_button, self.table_button, self.save_button)
        row = hbox(self.back_button, (self.title, 1), *buttons, spacing=SPACE.s)
        vbox(row, self.bar, owner=self, spacing=SPACE.s)
        explain(self.back_button, self.tr("Goes back to all pictures of the folder."))

    def show_batch(self, content: Content, batch: Batch) -> None:
        """Show title, progress and buttons of a batch."""
        is_grid = content is Content.GRID
        self.title.setText(messages.grid_line(batch) if is_grid else messages.picture_name(batch))
        is_many = is_grid or bool(batch.times)
        self.back_button.setVisible(not is_many and len(batch.pictures) > 1)
        self.bar.setVisible(is_many and batch.is_working)
        if batch.pictures:
            self.bar.set_fraction(len(batch.predictions) / len(batch.pictures))
        is_stopped = batch.is_stopped or batch.failure is not None
        self.stop_button.setVisible(is_many and bool(batch.pictures) and not batch.is_answered)
        text = self.tr("Continue with the rest") if is_stopped else self.tr("Stop")
        if self.stop_button.toolTip() != text:
            self.stop_button.setToolTip(text)
            self.stop_button.setAccessibleName(text)
            icon = "resume" if is_stopped else "stop"
            set_icon(self.stop_button, icon, self._theme, "muted")
        self.table_button.setVisible(is_grid)
        self.save_button.setVisible(is_many)
        self.save_button.setEnabled(bool(batch.predictions))


class ResultsModel(PictureModel):
    """The pictures of a batch, in their order, with their first predictions."""

    def __init__(self) -> None:
        super().__init__()
        self._batch: Batch | None = None

    def show_batch(self, batch: Batch) -> None:
        """Show a batch, or the changes of the one that is shown."""
        if batch is not self._batch or self.count != len(batch.pictures):
            self._batch = batch
            self.reset(len(batch.pictures))
        elif self.count:
            self.dataChanged.emit(self.index(0), self.index(self.count - 1))

    def key(self, row: int) -> str:
        """Return the path."""
        return str(self._shown.pictures[row].path)

    def caption(self, row: int) -> str:
        """Return the first prediction."""
        return messages.caption(self._prediction(row), self._shown.view)

    def tip(self, row: int) -> str:
        """Return the path, and what is wrong about the prediction."""
        path = self.key(row)
        return f"{path}\n{self._full_caption(row)}" if self.is_wrong(row) else path

    def spoken(self, row: int) -> str:
        """Return the name of the file and the prediction."""
        return f"{self._shown.pictures[row].path.name}: {self._full_caption(row)}"

    def is_wrong(self, row: int) -> bool:
        """True if the picture has a class and another one was predicted."""
        prediction = self._prediction(row)
        if prediction is None or not self._shown.view.has_classes:
            return False
        return is_right(prediction, self._shown.pictures[row].label) is False

    @property
    def _shown(self) -> Batch:
        if self._batch is None:
            raise LookupError("no batch is shown")
        return self._batch

    def _prediction(self, row: int) -> Prediction | None:
        known = self._shown.predictions
        return known[row] if row < len(known) else None

    def _full_caption(self, row: int) -> str:
        caption = self.caption(row)
        label = self._shown.pictures[row].label
        return messages.wrong(caption, label) if self.is_wrong(row) else caption


class ResultsGrid(ImageGrid):
    """Shows a batch of several pictures; one of them is selected.

    Signals:
        picked: Position of the picture whose prediction is to be shown.
        opened: Position of the picture to show alone.
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
        """Show a batch and select the picture whose prediction is shown."""
        self._results.show_batch(batch)
        if batch.selected < len(batch.pictures) and self.selected_rows() != [batch.selected]:
            self.setCurrentIndex(self._results.index(batch.selected))

    def captions(self) -> list[str]:
        """Return the captions of the pictures."""
        return [self._results.caption(row) for row in range(self._results.count)]

    def _on_selection(self, rows: list[int]) -> None:
        if rows:
            self.picked.emit(rows[0])

    def _on_activated(self, index: QModelIndex) -> None:
        self.opened.emit(index.row())


@dataclass(frozen=True, slots=True)
class _Row:
    """A picture in the table.

    Attributes:
        name: Name of the picture.
        label: Known class; empty where it is not known.
        prediction: The prediction; None while it is computed.
        answer: The prediction in a line, where it is not one class.
    """

    name: str
    label: str
    prediction: Prediction | None
    answer: str = ""

    @property
    def verdict(self) -> bool | None:
        """True if the prediction is right; None where the class is not known."""
        return None if self.prediction is None else is_right(self.prediction, self.label)

    def text(self, column: int) -> str:
        """Return the text of a cell."""
        if column == PICTURE:
            return self.name
        if column == LABEL:
            return self.label or NO_VALUE
        if column == RIGHT:
            return {True: _tr("right"), False: _tr("wrong"), None: NO_VALUE}[self.verdict]
        if self.prediction is None:
            return "…" if column == ANSWER else ""
        best = self.prediction.scores[0] if self.prediction.scores else None
        if column == ANSWER:
            return self.answer or (_tr("unreadable") if best is None else best.label)
        return NO_VALUE if best is None else percent(best.score)

    def sort_key(self, column: int) -> str | float | None:
        """Return the value that a column is sorted by; None stays behind everything else."""
        if column == PICTURE:
            return self.name
        if column == LABEL:
            return self.label or None
        if self.answer and column == ANSWER:
            return self.answer
        if self.prediction is None or not self.prediction.scores:
            return None
        best = self.prediction.scores[0]
        if column == RIGHT:
            # The most confident mistakes first: they tell most.
            return None if self.verdict is None else self.verdict - best.score / 2
        return best.label if column == ANSWER else best.score


class ResultsTableModel(QAbstractTableModel):
    """The pictures of a batch with their predictions, in a sorted order."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._batch: Batch | None = None
        self._order: list[int] = []
        self._rows: list[int] = []
        self._columns = 3
        self._quantities: tuple[str, ...] = ()
        self._answered = 0

    def show_batch(self, batch: Batch) -> None:
        """Show a batch, or the changes of the one that is shown."""
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
            rows = self._rows[self._answered : len(batch.predictions)]
            self.dataChanged.emit(
                self.index(min(rows), 0), self.index(max(rows), self._columns - 1)
            )
        self._answered = len(batch.predictions)

    def picture_at(self, row: int) -> int:
        """Return the position in the batch of the picture in a row."""
        return self._order[row]

    def row_of(self, picture: int) -> int:
        """Return the row of a picture of the batch."""
        return self._rows[picture]

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of pictures."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return the number of columns: class and verdict only where a class is known."""
        return 0 if parent.isValid() else self._columns

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the heading of a column."""
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        if section and self._quantities:
            return self._quantities[section - 1]
        headings = (_tr("Picture"), _tr("Answer"), _tr("Score"), _tr("Class"), _tr("Right?"))
        return headings[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell; mistakes and unreadable pictures have their colors."""
        if not index.isValid() or self._batch is None:
            return None
        picture = self._order[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(picture, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(picture)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._color(picture, index.column())
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; pictures without a prediction stay behind the others."""
        if self._batch is None:
            return
        self.layoutAboutToBeChanged.emit()
        persistent = self.persistentIndexList()
        pictures = [self._order[index.row()] for index in persistent]
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
            self.index(self._rows[picture], index.column())
            for picture, index in zip(pictures, persistent, strict=True)
        ]
        self.changePersistentIndexList(persistent, moved)
        self.layoutChanged.emit()

    def _set_order(self, order: list[int]) -> None:
        self._order = order
        self._rows = [0] * len(order)
        for row, picture in enumerate(order):
            self._rows[picture] = row

    def _text(self, picture: int, column: int) -> str:
        value = self._value(picture, column)
        return self._row(picture).text(column) if value is None else significant(value)

    def _key(self, picture: int, column: int) -> str | float | None:
        if column and self._quantities:
            return self._value(picture, column)
        return self._row(picture).sort_key(column)

    def _value(self, picture: int, column: int) -> float | None:
        """Return the number in a column of a quantity; None where there is none."""
        prediction = self._row(picture).prediction
        if not column or not self._quantities or prediction is None or not prediction.values:
            return None
        return prediction.values[column - 1].value

    def _row(self, picture: int) -> _Row:
        batch = self._batch
        if batch is None:
            return _Row("", "", None)
        known = batch.pictures[picture]
        name = messages.name_within(known.path, batch.dropped)
        answered = picture < len(batch.predictions)
        prediction = batch.predictions[picture] if answered else None
        if prediction is None or prediction.error or batch.view.has_classes:
            return _Row(name, known.label, prediction)
        return _Row(name, known.label, prediction, batch.view.caption(prediction))

    def _tip(self, picture: int) -> str:
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
    """Shows a batch of several pictures as a table; one of them is selected.

    Signals:
        picked: Position of the picture whose prediction is to be shown.
        opened: Position of the picture to show alone.
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
        """Show a batch and select the picture whose prediction is shown."""
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


class PredictionSaver(QObject):
    """Asks for a file and writes a table of predictions in another thread."""

    def __init__(self, context: AppContext, owner: QWidget) -> None:
        super().__init__(owner)
        self._context = context
        self._owner = owner

    def save(self, batch: Batch) -> None:
        """Ask for a file, and write the predictions so far."""
        path = self._ask(f"{messages.batch_name(batch)}.csv")
        if path is None:
            return
        self._context.settings.set_folder(FOLDER_KEY, path.parent)
        predictions = tuple(batch.predictions)
        labels = [picture.label for picture in batch.pictures[: len(predictions)]]
        write = partial(write_table, path, predictions, batch.task.predictor, labels)
        self._context.background.run(self, write, partial(self._on_saved, path))

    def _on_saved(self, path: Path, _nothing: None) -> None:
        text = self.tr("The answers are in {file}.").format(file=path.name)
        self._context.navigator.notify(Notice("success", text, str(path.parent)))

    def _ask(self, name: str) -> Path | None:
        start = str(self._context.settings.folder(FOLDER_KEY) / name)
        chosen, _ = QFileDialog.getSaveFileName(
            self._owner, self.tr("Save the answers"), start, self.tr("Table (*.csv)")
        )
        path = Path(chosen)
        return None if not chosen else path if path.suffix else path.with_suffix(".csv")
