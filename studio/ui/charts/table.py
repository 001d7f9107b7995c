"""The table twin of a chart: the same numbers, one row per x value."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QPersistentModelIndex, Qt

from studio.ui.charts.curve import Curve
from studio.ui.widgets.figures import percent, significant

Row = list[float | None]
Index = QModelIndex | QPersistentModelIndex


def table_of(x_label: str, curves: Iterable[Curve]) -> tuple[list[str], list[Row]]:
    """The curves as a header and rows: x first, then each curve's raw value or None."""
    chosen = list(curves)
    header = [x_label, *(curve.name for curve in chosen)]
    if not chosen:
        return header, []
    all_x = np.unique(np.concatenate([curve.series.x for curve in chosen]))
    columns: list[list[float | None]] = [[float(x) for x in all_x]]
    for curve in chosen:
        column: list[float | None] = [None] * len(all_x)
        places = np.searchsorted(all_x, curve.series.x)
        for place, value in zip(places.tolist(), curve.series.y.tolist(), strict=True):
            column[place] = value if np.isfinite(value) else None
        columns.append(column)
    return header, [list(row) for row in zip(*columns, strict=True)]


def csv_of(header: list[str], rows: list[Row]) -> str:
    """A table as comma-separated values, numbers in the notation of code, whatever the locale."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([["" if value is None else f"{value:.10g}" for value in row] for row in rows])
    return text.getvalue()


class ChartTable(QAbstractTableModel):
    """The rows of a chart for a table view, numbers by locale."""

    def __init__(self, *, percent_values: bool) -> None:
        super().__init__()
        self._percent = percent_values
        self._header: list[str] = []
        self._rows: list[Row] = []

    def set_table(self, header: list[str], rows: list[Row]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._header, self._rows = header, rows
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """One per x value."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """The x value and the curves."""
        return 0 if parent is not None and parent.isValid() else len(self._header)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Names of the curves; rows have none, their x value is in the first column."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return self._header[section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A number as text, at the right edge."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        value = self._rows[index.row()][index.column()]
        if value is None:
            return ""
        if index.column() == 0:
            return QLocale().toString(float(value), "g", 8)
        return percent(value) if self._percent else significant(value)
