"""The formats of a benchmark of predictions against its batch sizes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QWidget

from studio.engine.benchmarks.prediction import Pace
from studio.ui.pages.bench.pace_messages import pace_details, pace_text
from studio.ui.pages.bench.pace_state import name_of
from studio.ui.widgets.figures import count
from studio.ui.widgets.tables import dress_table

NAME_WIDTH, BATCH_WIDTH, ROW_HEIGHT = 152, 92, 48


class PaceTable(QTableWidget):
    """A row per format, precision and provider; all figures of a cell are in its tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        dress_table(self)
        self.setWordWrap(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAccessibleName(self.tr("Formats and batch sizes"))
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)

    def show_paces(self, paces: Sequence[Pace]) -> None:
        """Show measurements."""
        names = list(dict.fromkeys(name_of(pace) for pace in paces))
        batches = sorted({pace.batch for pace in paces})
        self.setRowCount(len(names))
        self.setColumnCount(1 + len(batches))
        heads = [self.tr("Batch {count}").format(count=count(each)) for each in batches]
        self.setHorizontalHeaderLabels([self.tr("Format"), *heads])
        self.setColumnWidth(0, NAME_WIDTH)
        for column in range(1, self.columnCount()):
            self.setColumnWidth(column, BATCH_WIDTH)
        for row, name in enumerate(names):
            self._put(row, 0, name, name)
        for pace in paces:
            place = names.index(name_of(pace)), 1 + batches.index(pace.batch)
            self._put(*place, pace_text(pace), pace_details(pace))

    def text(self, row: int, column: int) -> str:
        """What a cell says."""
        item = self.item(row, column)
        return "" if item is None else item.text()

    def _put(self, row: int, column: int, text: str, tip: str) -> None:
        item = self.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            self.setItem(row, column, item)
        item.setText(text)
        item.setToolTip(tip)
