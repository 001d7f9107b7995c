"""The files of one export beside each other: choose one to read its certificate, tick to keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QWidget

from studio.engine.exporting.certificate import ExportedFile
from studio.ui.pages.export import messages
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.tables import ROW_HEIGHT, dress_table, set_widths

_WIDTHS: Final = (172, 80, 88, 80, 80, 80, 84)
_USUAL_ROWS: Final = 6
_WIDEST: Final = 280


class FilesTable(QTableWidget):
    """A row per file.

    Signals:
        picked: Another file is to be shown; its name as in plans.
        ticked: Others are ticked.
    """

    picked = Signal(str)
    ticked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_WIDTHS), parent)
        self._files: list[ExportedFile] = []
        self._most = _USUAL_ROWS
        dress_table(self)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalHeaderLabels(messages.files_headings())
        self.setAccessibleName(self.tr("Formats compared"))
        set_widths(self, _WIDTHS)
        self.itemSelectionChanged.connect(self._on_selection)
        self.itemChanged.connect(self._on_changed)

    def show_files(self, files: Sequence[ExportedFile], *, can_tick: bool) -> None:
        """Show these; where they can be ticked, those that are certified are not ticked yet."""
        if list(files) == self._files:
            return
        self._files = list(files)
        self.setHorizontalHeaderLabels(messages.files_headings(files))
        with QSignalBlocker(self):
            self.setRowCount(len(files))
            for row, file in enumerate(files):
                for column, text in enumerate(messages.file_row(file)):
                    self.setItem(row, column, self._item(file, text, can_tick and column == 0))
            if files:
                self.selectRow(0)
        hints = [self.sizeHintForColumn(column) for column in range(len(_WIDTHS))]
        hints[0] += SPACE.l  # it leaves out some of the room that a box to tick takes
        pairs = zip(_WIDTHS, hints, strict=True)
        set_widths(self, [max(width, min(_WIDEST, hint)) for width, hint in pairs])
        self._fit()
        self.ticked.emit()

    def set_room(self, height: int) -> None:
        """Show more rows than usual where there are so many pixels for them."""
        most = max(_USUAL_ROWS, height // ROW_HEIGHT)
        if most != self._most:
            self._most = most
            self._fit()

    def _fit(self) -> None:
        height = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth()
        height += self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(height + ROW_HEIGHT * min(len(self._files), self._most))

    def current(self) -> ExportedFile | None:
        """The file whose row is selected; the first where none is."""
        row = max(self.currentRow(), 0)
        return self._files[row] if row < len(self._files) else None

    def ticked_files(self) -> list[ExportedFile]:
        """The files to keep."""
        checked = Qt.CheckState.Checked
        items = [self.item(row, 0) for row in range(self.rowCount())]
        pairs = zip(self._files, items, strict=True)
        return [file for file, item in pairs if item is not None and item.checkState() == checked]

    def cells(self) -> list[list[str]]:
        """What is shown."""
        return [messages.file_row(file) for file in self._files]

    @staticmethod
    def _item(file: ExportedFile, text: str, can_tick: bool) -> QTableWidgetItem:
        item = QTableWidgetItem(text)
        item.setToolTip(file.problem or text)
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if can_tick and file.path:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
            item.setCheckState(Qt.CheckState.Unchecked)
        item.setFlags(flags)
        return item

    def _on_selection(self) -> None:
        file = self.current()
        if file is not None:
            self.picked.emit(file.name)

    def _on_changed(self, _item: QTableWidgetItem) -> None:
        self.ticked.emit()
