"""Data of a chart as a table, for the table view, screen readers and CSV."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from studio.engine.csv_cells import CsvWriter
from studio.ui.charts.series import Array
from studio.ui.widgets.figures import significant
from studio.ui.widgets.table_model import Column


@dataclass(frozen=True, slots=True)
class DataColumn:
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
class DataTable:
    """Columns of equal length."""

    columns: Sequence[DataColumn] = ()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.columns[0].values) if self.columns else 0

    def csv(self) -> str:
        """Return comma-separated values, with numbers independent of the locale.

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


def _cells(column: DataColumn) -> Sequence[str]:
    if not isinstance(column.values, np.ndarray):
        return column.values
    return ["" if math.isnan(value) else f"{value:.10g}" for value in column.values.tolist()]


def table_columns(table: DataTable, *, is_sortable: bool) -> list[Column[int]]:
    """Return the columns of a table whose rows are positions.

    Args:
        table: The table.
        is_sortable: True if the user may sort.
    """
    return [
        Column(
            column.name,
            partial(_text, column),
            value=partial(_value, column) if is_sortable else None,
            key=str(at),
            is_text=column.is_text,
        )
        for at, column in enumerate(table.columns)
    ]


def _text(column: DataColumn, row: int) -> str:
    value = column.values[row]
    if isinstance(value, str):
        return value
    return "" if math.isnan(value) else column.text(float(value))


def _value(column: DataColumn, row: int) -> float | str:
    value = column.values[row]
    return value if isinstance(value, str) else float(value)
