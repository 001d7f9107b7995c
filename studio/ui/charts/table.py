"""The table twin of a chart: the same numbers, one row per x value."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QPersistentModelIndex, Qt

from studio.engine.csv_cells import CsvWriter
from studio.ui.charts.curves import Curve
from studio.ui.charts.series import Array
from studio.ui.widgets.figures import percent, significant

Row = list[float | None]
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns of equal length; the first is x and ascends, NaN is no value."""

    header: list[str]
    columns: list[Array]

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def rows(self) -> list[Row]:
        """All rows, None where there is no value."""
        columns = [
            [None if math.isnan(value) else value for value in column.tolist()]
            for column in self.columns
        ]
        return [list(row) for row in zip(*columns, strict=True)]


def table_of(x_label: str, curves: Iterable[Curve]) -> Table:
    """The curves side by side: x first, then each curve's raw values."""
    chosen = list(curves)
    header = [x_label, *(curve.name for curve in chosen)]
    if not chosen:
        return Table(header, [])
    all_x = np.unique(np.concatenate([curve.series.x for curve in chosen]))
    columns = [all_x]
    for curve in chosen:
        column = np.full(len(all_x), np.nan)
        column[np.searchsorted(all_x, curve.series.x)] = curve.series.y
        columns.append(column)
    return Table(header, columns)


def csv_of(table: Table) -> str:
    """A table as comma-separated values, numbers in the notation of code, whatever the locale.

    Takes about a second per million rows.
    """
    text = io.StringIO()
    CsvWriter(text).writerow(table.header)
    columns = [
        ["" if math.isnan(value) else f"{value:.10g}" for value in column.tolist()]
        for column in table.columns
    ]
    text.writelines(f"{','.join(row)}\n" for row in zip(*columns, strict=True))
    return text.getvalue()


class ChartTable(QAbstractTableModel):
    """The rows of a chart for a table view, numbers by locale."""

    def __init__(self, *, percent_values: bool) -> None:
        super().__init__()
        self._percent = percent_values
        self._table = Table([], [])

    def set_percent(self, *, percent_values: bool) -> None:
        """Show shares in percent from now on, or plain numbers; the next table shows it."""
        self._percent = percent_values

    def set_table(self, table: Table) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._table = table
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """One per x value."""
        return 0 if parent is not None and parent.isValid() else len(self._table)

    def columnCount(self, parent: Index | None = None) -> int:
        """The x value and the curves."""
        return 0 if parent is not None and parent.isValid() else len(self._table.header)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Names of the curves; rows have none, their x value is in the first column."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return self._table.header[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A number as text, at the right edge."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        value = float(self._table.columns[index.column()][index.row()])
        if math.isnan(value):
            return ""
        if index.column() == 0:
            return QLocale().toString(value, "g", 8)
        return percent(value) if self._percent else significant(value)
