"""The cells of a study with their figures, filling in while it measures."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QWidget

from studio.engine.benchmarks.results import Cell, speed_ups
from studio.ui.engine_text import engine_text
from studio.ui.pages.bench.messages import table_headings, table_row
from studio.ui.widgets.tables import dress_table, set_widths

_WIDTHS = (96, 64, 96, 116, 56, 116, 108, 80, 80, 84, 56, 64)


class CellsTable(QTableWidget):
    """A row per cell; why one has no figures is in its tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_WIDTHS), parent)
        dress_table(self)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalHeaderLabels(table_headings())
        self.setAccessibleName(self.tr("Cells"))
        set_widths(self, _WIDTHS)
        self._cells: list[list[str]] = []

    def show_cells(self, cells: Sequence[Cell], devices: Sequence[str]) -> None:
        """Show cells; only rows that changed are touched."""
        gains = speed_ups(cells, devices)
        rows = [
            [*table_row(cell, gains.get(cell.number)), engine_text(cell.outcome.reason)]
            for cell in cells
        ]
        self.setRowCount(len(rows))
        for row, texts in enumerate(rows):
            if row >= len(self._cells) or texts != self._cells[row]:
                self._fill(row, texts)
        self._cells = rows

    def rows(self) -> list[list[str]]:
        """What is shown, without the reasons."""
        return [row[:-1] for row in self._cells]

    def _fill(self, row: int, texts: list[str]) -> None:
        *columns, reason = texts
        for column, text in enumerate(columns):
            item = QTableWidgetItem(text)
            item.setToolTip(reason or text)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            self.setItem(row, column, item)
