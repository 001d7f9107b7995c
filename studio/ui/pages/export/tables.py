"""Tables of the export page: the files of one export, and all exports of the workspace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QWidget

from studio.engine.exporting.certificate import ExportedFile
from studio.ui.pages.export import messages
from studio.ui.pages.export.state import Exported
from studio.ui.settings import Settings
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.tables import ROW_HEIGHT, dress_table, set_widths

COLUMNS_KEY: Final = "export/columns"
_WIDEST: Final = 280
_READ_ONLY: Final = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class _Table(QTableWidget):
    """Read-only rows, of which one is selected.

    Signals:
        selected: Name or id of the row that the user selected.
    """

    selected = Signal(str)

    def __init__(self, widths: Sequence[int], parent: QWidget | None) -> None:
        super().__init__(0, len(widths), parent)
        self._widths = widths
        dress_table(self)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)

    def _height_of(self, rows: int) -> int:
        """Return the height that shows so many rows, in pixels."""
        height = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth()
        return height + self.horizontalScrollBar().sizeHint().height() + ROW_HEIGHT * rows


class FilesTable(_Table):
    """The files of one export: select one to read its certificate, check those to save.

    Signals:
        checked_changed: Other files are checked.
    """

    checked_changed = Signal()

    _WIDTHS: Final = (172, 80, 88, 80, 80, 80, 84)
    _USUAL_ROWS: Final = 6

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self._WIDTHS, parent)
        self._files: list[ExportedFile] = []
        self._most = self._USUAL_ROWS
        self.setHorizontalHeaderLabels(messages.files_headings())
        self.setAccessibleName(self.tr("Formats compared"))
        set_widths(self, self._WIDTHS)
        self.itemSelectionChanged.connect(self._on_selection)
        self.itemChanged.connect(self._on_changed)

    def show_files(self, files: Sequence[ExportedFile], *, can_check: bool) -> None:
        """Show files, none of them checked.

        Args:
            files: The files.
            can_check: True if they are not saved yet.
        """
        if list(files) == self._files:
            return
        self._files = list(files)
        self.setHorizontalHeaderLabels(messages.files_headings(files))
        with QSignalBlocker(self):
            self.setRowCount(len(files))
            for row, file in enumerate(files):
                for column, text in enumerate(messages.file_row(file)):
                    self.setItem(row, column, self._item(file, text, can_check and column == 0))
            if files:
                self.selectRow(0)
        hints = [self.sizeHintForColumn(column) for column in range(len(self._WIDTHS))]
        hints[0] += SPACE.l  # the hint leaves out some of the room for the check box
        pairs = zip(self._WIDTHS, hints, strict=True)
        set_widths(self, [max(width, min(_WIDEST, hint)) for width, hint in pairs])
        self._fit()
        self.checked_changed.emit()

    def set_room(self, height: int) -> None:
        """Show more rows than usual if there are so many pixels for them."""
        most = max(self._USUAL_ROWS, height // ROW_HEIGHT)
        if most != self._most:
            self._most = most
            self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(self._height_of(min(len(self._files), self._most)))

    def current(self) -> ExportedFile | None:
        """The file whose row is selected, or the first."""
        row = max(self.currentRow(), 0)
        return self._files[row] if row < len(self._files) else None

    def checked_files(self) -> list[ExportedFile]:
        """The files to save."""
        checked = Qt.CheckState.Checked
        items = [self.item(row, 0) for row in range(self.rowCount())]
        pairs = zip(self._files, items, strict=True)
        return [file for file, item in pairs if item is not None and item.checkState() == checked]

    def cells(self) -> list[list[str]]:
        """The texts of all rows."""
        return [messages.file_row(file) for file in self._files]

    @staticmethod
    def _item(file: ExportedFile, text: str, can_check: bool) -> QTableWidgetItem:
        item = QTableWidgetItem(text)
        item.setToolTip(file.problem or text)
        item.setFlags(_READ_ONLY)
        if can_check and file.path:
            item.setFlags(_READ_ONLY | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
        return item

    def _on_selection(self) -> None:
        file = self.current()
        if file is not None:
            self.selected.emit(file.name)

    def _on_changed(self, _item: QTableWidgetItem) -> None:
        self.checked_changed.emit()


class ExportsTable(_Table):
    """All exports of the workspace with their figures, newest first."""

    _WIDTHS: Final = (150, 116, 104, 80, 80, 80)
    _LEAST_ROWS: Final = 2
    _MOST_ROWS: Final = 8

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(self._WIDTHS, parent)
        self._settings = settings
        self._ids: list[str] = []
        self._cells: list[list[str]] = []
        self.setHorizontalHeaderLabels(messages.table_headings(messages.metric_label(())))
        self.setAccessibleName(self.tr("All exports"))
        # The last column takes what the window leaves, which has to be enough for a date.
        day = self.fontMetrics().horizontalAdvance("00/00/0000") + 2 * SPACE.m
        self.horizontalHeader().setMinimumSectionSize(day)
        stored = _widths_in(settings.text(COLUMNS_KEY) or "", len(self._WIDTHS))
        self._is_arranged = bool(stored)
        set_widths(self, stored or self._WIDTHS)
        self.horizontalHeader().sectionResized.connect(self._on_resized)
        self.itemSelectionChanged.connect(self._on_selection)

    def show_exports(self, exports: Sequence[Exported], current: str) -> None:
        """Show exports.

        Args:
            exports: The exports, newest first.
            current: Id of the one whose row is selected.
        """
        ids = [export.id for export in exports]
        metric = messages.metric_label(export.certificate for export in exports)
        is_named = metric == messages.metric_label(())
        cells = [messages.table_row(export, is_named=is_named) for export in exports]
        with QSignalBlocker(self):
            self.setHorizontalHeaderLabels(messages.table_headings(metric))
            if (ids, cells) != (self._ids, self._cells):
                self._ids, self._cells = ids, cells
                self._fill()
            if current in ids and self.currentRow() != ids.index(current):
                self.selectRow(ids.index(current))

    def cells(self) -> list[list[str]]:
        """The texts of all rows."""
        return [list(row) for row in self._cells]

    def _fill(self) -> None:
        self.setRowCount(len(self._cells))
        # The rest of the height is for the certificate below.
        rows = max(self._LEAST_ROWS, min(len(self._cells), self._MOST_ROWS))
        self.setMaximumHeight(self._height_of(rows))
        for row, texts in enumerate(self._cells):
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                item.setFlags(_READ_ONLY)
                self.setItem(row, column, item)
        if not self._is_arranged:
            self._widen()

    def _widen(self) -> None:
        """Show whole names and metrics, until the user arranges the columns."""
        with QSignalBlocker(self.horizontalHeader()):
            for column, width in enumerate(self._WIDTHS[:2]):
                hint = min(_WIDEST, self.sizeHintForColumn(column))
                self.setColumnWidth(column, max(width, hint))

    def _on_selection(self) -> None:
        row = self.currentRow()
        if 0 <= row < len(self._ids):
            self.selected.emit(self._ids[row])

    def _on_resized(self, column: int, *_: int) -> None:
        if column == len(self._WIDTHS) - 1:
            return  # it takes what the window leaves
        self._is_arranged = True
        widths = [str(self.columnWidth(column)) for column in range(len(self._WIDTHS))]
        self._settings.set_text(COLUMNS_KEY, " ".join(widths))


def _widths_in(text: str, count: int) -> list[int]:
    """Return the stored widths of so many columns; none if they are damaged.

    They are not stored in Qt's own form: a damaged one ends the process.
    """
    words = text.split()
    fits = len(words) == count and all(re.fullmatch("[0-9]{1,4}", word) for word in words)
    return [int(word) for word in words] if fits else []
