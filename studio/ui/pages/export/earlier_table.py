"""All exports of the workspace with their figures, newest first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QWidget

from studio.ui.pages.export import messages
from studio.ui.pages.export.state import Exported
from studio.ui.settings import Settings
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.tables import ROW_HEIGHT, dress_table, set_widths

COLUMNS_KEY: Final = "export/columns"
_LEAST_ROWS: Final = 2
_MOST_ROWS: Final = 8
_WIDTH: Final = re.compile("[0-9]{1,4}")
_WIDEST: Final = 280
_WIDTHS: Final = (150, 116, 104, 80, 80, 80)


class EarlierTable(QTableWidget):
    """Select a row to see its certificate.

    Signals:
        picked: Id of the export that is wanted.
    """

    picked = Signal(str)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_WIDTHS), parent)
        self._settings = settings
        self._ids: list[str] = []
        self._cells: list[list[str]] = []
        dress_table(self)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalHeaderLabels(messages.table_headings(messages.metric_label(())))
        self.setAccessibleName(self.tr("All exports"))
        # The last column takes what the window leaves, which has to be enough for a date.
        day = self.fontMetrics().horizontalAdvance("00/00/0000") + 2 * SPACE.m
        self.horizontalHeader().setMinimumSectionSize(day)
        kept = _widths_in(settings.text(COLUMNS_KEY) or "")
        self._is_arranged = bool(kept)
        set_widths(self, kept or _WIDTHS)
        self.horizontalHeader().sectionResized.connect(self._on_resized)
        self.itemSelectionChanged.connect(self._on_selection)

    def show_exports(self, exports: Sequence[Exported], current: str) -> None:
        """Show these, with the row of that id selected."""
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
        """What is shown."""
        return [list(row) for row in self._cells]

    def _fill(self) -> None:
        self.setRowCount(len(self._cells))
        # What is not needed for rows is room for the certificate above.
        height = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth()
        height += self.horizontalScrollBar().sizeHint().height()
        rows = max(_LEAST_ROWS, min(len(self._cells), _MOST_ROWS))
        self.setMaximumHeight(height + ROW_HEIGHT * rows)
        for row, texts in enumerate(self._cells):
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                self.setItem(row, column, item)
        if not self._is_arranged:
            self._widen()

    def _widen(self) -> None:
        """Show names and verdicts whole, until the user arranges the columns."""
        with QSignalBlocker(self.horizontalHeader()):
            for column, width in enumerate(_WIDTHS[:2]):
                wanted = min(_WIDEST, self.sizeHintForColumn(column))
                self.setColumnWidth(column, max(width, wanted))

    def _on_selection(self) -> None:
        row = self.currentRow()
        if 0 <= row < len(self._ids):
            self.picked.emit(self._ids[row])

    def _on_resized(self, column: int, *_: int) -> None:
        if column == len(_WIDTHS) - 1:
            return  # it takes what the window leaves
        self._is_arranged = True
        widths = [str(self.columnWidth(column)) for column in range(len(_WIDTHS))]
        self._settings.set_text(COLUMNS_KEY, " ".join(widths))


def _widths_in(text: str) -> list[int]:
    """Widths as they are kept; none where they are not.

    Not in Qt's own form, of which a damaged one ends the process.
    """
    words = text.split()
    fit = len(words) == len(_WIDTHS) and all(map(_WIDTH.fullmatch, words))
    return [int(word) for word in words] if fit else []
