"""The classes of a dataset as bars with their names and numbers, and the files that failed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from studio.ui.pages.datasets.about_work import ClassLine
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, SPLIT_COLORS
from studio.ui.widgets.figures import count
from studio.ui.widgets.split_bar import split_word
from studio.ui.widgets.tables import ROW_HEIGHT, dress_table

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_LINE_ROLE = Qt.ItemDataRole.UserRole
_SORT_ROLE = Qt.ItemDataRole.UserRole + 1
_NAME, _BAR, _TOTAL, _FAILED = range(4)
_MOST_ROWS = 12
_BAR_HEIGHT = 10


class ClassRows(QAbstractTableModel):
    """A row for each class: name, bar, images, files left out."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[ClassLine] = []
        self.largest = 1

    def set_lines(self, lines: Sequence[ClassLine]) -> None:
        """Show other classes."""
        self.beginResetModel()
        self._lines = list(lines)
        self.largest = max([line.total + line.failed for line in lines], default=1) or 1
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many classes."""
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """How many columns."""
        return 0 if parent.isValid() else _FAILED + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What is shown of a class, and what it is sorted by."""
        line, column = self._lines[index.row()], index.column()
        if role == _LINE_ROLE:
            return line
        if role == _SORT_ROLE:
            return (line.name, line.total, line.total, line.failed)[column]
        if role == Qt.ItemDataRole.DisplayRole:
            return (line.name, "", count(line.total), count(line.failed))[column]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._told(line)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (_TOTAL, _FAILED):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """The headings."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            names = (self.tr("Class"), self.tr("By split"), self.tr("Images"), self.tr("Left out"))
            return names[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in (_TOTAL, _FAILED):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _told(self, line: ClassLine) -> str:
        parts = [f"{split_word(split)} {count(number)}" for split, number in line.counts.items()]
        if line.failed:
            parts.append(self.tr("{n} left out by the import").format(n=count(line.failed)))
        return f"{line.name}: {', '.join(parts)}"


class _Bars(QStyledItemDelegate):
    """Paints the splits of a class side by side, and what failed at their end."""

    def __init__(self, theme: Theme, rows: ClassRows, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows = rows

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one bar over the ground of the row."""
        super().paint(painter, option, index)
        line: ClassLine = index.data(_LINE_ROLE)
        area = option.rect.adjusted(SPACE.s, 0, -SPACE.s, 0)
        left, top = float(area.left()), area.center().y() - _BAR_HEIGHT / 2
        parts = [(SPLIT_COLORS[split], number) for split, number in line.counts.items()]
        parts.append((self._theme.palette.bad, line.failed))
        for color, number in parts:
            width = area.width() * number / self._rows.largest
            painter.fillRect(QRectF(left, top, width, _BAR_HEIGHT), QColor(color))
            left += width


class ClassTable(QTableView):
    """All classes, the largest first; a press on a heading sorts otherwise.

    Signals:
        class_activated: Number of the class that was pressed twice, or with Enter.
    """

    class_activated = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines = ClassRows()
        self.lines.setParent(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.lines)
        self._sorted.setSortRole(_SORT_ROLE)
        self._sorted.setSortCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setModel(self._sorted)
        dress_table(self)
        self.setAccessibleName(self.tr("Classes"))
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setSortingEnabled(True)
        self.sortByColumn(_TOTAL, Qt.SortOrder.DescendingOrder)
        self.setItemDelegateForColumn(_BAR, _Bars(theme, self.lines, self))
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSortIndicatorShown(False)  # it would be painted over the words at the right
        header.setSectionResizeMode(_BAR, QHeaderView.ResizeMode.Stretch)
        for column in (_TOTAL, _FAILED):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.resizeSection(_NAME, 120)
        self.activated.connect(self._on_activated)

    def set_lines(self, lines: Sequence[ClassLine]) -> None:
        """Show other classes; files that failed have a column only where there are any."""
        self.lines.set_lines(lines)
        self.setColumnHidden(_FAILED, not any(line.failed for line in lines))
        shown = max(1, min(len(lines), _MOST_ROWS))
        around = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth() + 2
        self.setFixedHeight(shown * ROW_HEIGHT + around)

    def _on_activated(self, index: QModelIndex) -> None:
        self.class_activated.emit(self._sorted.mapToSource(index).row())
