"""The figures of the classes as a table that sorts itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QWidget

from studio.engine.evaluation.report import ClassFigures, Report
from studio.ui.pages.evaluation import messages

Index = QModelIndex | QPersistentModelIndex
FIGURES = ("precision", "recall", "f1", "support", "roc_auc", "average_precision")
_ROOT = QModelIndex()


class ClassModel(QAbstractTableModel):
    """One row per class; what is not known sorts last."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        names = messages.figure_names()
        self._headers = [self.tr("Class"), *(names[name] for name in FIGURES)]
        self._names: Sequence[str] = ()
        self._figures: Sequence[ClassFigures] = ()
        self._order: list[int] = []
        self._sorted = (0, Qt.SortOrder.AscendingOrder)

    def show_report(self, report: Report) -> None:
        """Show the classes of a report, sorted as before."""
        self.beginResetModel()
        self._names, self._figures = report.classes, report.per_class
        self._arrange()
        self.endResetModel()

    def has_interval(self, column: int) -> bool:
        """Whether any class has an interval of a figure."""
        return column > 0 and any(FIGURES[column - 1] in each.intervals for each in self._figures)

    def label(self, row: int) -> int:
        """The class in a row."""
        return self._order[row]

    def row_of(self, label: int) -> int:
        """The row of a class."""
        return self._order.index(label)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Number of classes."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """The name and the figures."""
        return 0 if parent.isValid() else len(self._headers)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The names of the figures."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._headers[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A figure as text with its interval; more exactly in the tooltip."""
        label, column = self._order[index.row()], index.column()
        if column == 0:
            is_text = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
            return self._names[label] if is_text else None
        name, figures = FIGURES[column - 1], self._figures[label]
        if role == Qt.ItemDataRole.DisplayRole:
            interval = figures.intervals.get(name)
            return messages.with_interval(name, getattr(figures, name), interval)
        if role == Qt.ItemDataRole.ToolTipRole:
            return messages.interval_text(name, figures.intervals.get(name))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column."""
        self.layoutAboutToBeChanged.emit()
        self._sorted = (column, order)
        self._arrange()
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        column, order = self._sorted
        labels = range(len(self._names))
        falls = order == Qt.SortOrder.DescendingOrder
        if column == 0:
            self._order = sorted(labels, key=self._name, reverse=falls)
            return
        values = [getattr(each, FIGURES[column - 1]) for each in self._figures]
        unknown = -math.inf if falls else math.inf
        keys = [unknown if value is None else value for value in values]
        self._order = sorted(labels, key=keys.__getitem__, reverse=falls)

    def _name(self, label: int) -> str:
        return self._names[label].casefold()
