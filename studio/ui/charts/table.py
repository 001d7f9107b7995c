"""Data of a chart as a table, for the table view, screen readers and CSV."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from studio.engine.csv_cells import CsvWriter
from studio.ui.charts.series import Array
from studio.ui.widgets.figures import significant

Row = list[float | str | None]
Index = QModelIndex | QPersistentModelIndex
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Column:
    """Named values.

    Attributes:
        name: Heading.
        values: Numbers, (n,), where NaN is no value; or texts.
        text: Formats a number in the table view.
        key: Heading in CSV; the name unless given.
    """

    name: str
    values: Array | Sequence[str]
    text: Callable[[float], str] = significant
    key: str = ""

    @property
    def is_text(self) -> bool:
        """True if the values are texts."""
        return not isinstance(self.values, np.ndarray)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length."""

    columns: Sequence[Column] = ()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.columns[0].values) if self.columns else 0

    @property
    def header(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def rows(self) -> list[Row]:
        """Return all rows, with None where there is no value."""
        columns = [
            [None if math.isnan(value) else value for value in column.values.tolist()]
            if isinstance(column.values, np.ndarray)
            else list(column.values)
            for column in self.columns
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    def csv(self) -> str:
        """Return comma-separated values, with numbers in code notation whatever the locale.

        Takes about a second per million rows of numbers.
        """
        text = io.StringIO()
        writer = CsvWriter(text)
        writer.writerow([column.key or column.name for column in self.columns])
        rows = zip(*(_cells(column) for column in self.columns), strict=True)
        if any(column.is_text for column in self.columns):
            writer.writerows(rows)
        else:
            text.writelines(f"{','.join(row)}\n" for row in rows)
        return text.getvalue()


def _cells(column: Column) -> Sequence[str]:
    if not isinstance(column.values, np.ndarray):
        return column.values
    return ["" if math.isnan(value) else f"{value:.10g}" for value in column.values.tolist()]


class TableModel(QAbstractTableModel):
    """Rows of a chart for a table view; numbers follow the locale."""

    def __init__(self) -> None:
        super().__init__()
        self._table = Table()

    def set_table(self, table: Table) -> None:
        """Show another table."""
        self.beginResetModel()
        self._table = table
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows."""
        return 0 if parent is not None and parent.isValid() else len(self._table)

    def columnCount(self, parent: Index | None = None) -> int:
        """Return the number of columns."""
        return 0 if parent is not None and parent.isValid() else len(self._table.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return the name of a column; rows have none."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self._table.columns):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if self._table.columns[section].is_text else _RIGHT
        return self._table.columns[section].name if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell; numbers are aligned to the right."""
        column = self._table.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if column.is_text else _RIGHT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        value = column.values[index.row()]
        if isinstance(value, str):
            return value
        return "" if math.isnan(value) else column.text(float(value))
