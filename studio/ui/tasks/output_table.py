"""The classes, labels or quantities of a dataset as a table with a bar or a histogram for each."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QPainter, QShowEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.tables import ROW_HEIGHT, dress_table

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_LINE_ROLE = Qt.ItemDataRole.UserRole
_SORT_ROLE = Qt.ItemDataRole.UserRole + 1
_NAME, _BAR = range(2)
_MOST_HEIGHT = 12 * ROW_HEIGHT
_BAR_HEIGHT = 10
_HISTOGRAM_ROW = 44
_NAME_WIDTH = 120
FAILED = "bad"
"""Stands for a color of the palette in `OutputLine.parts`."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A number as text, and as it is sorted."""

    text: str
    value: float


@dataclass(frozen=True, slots=True)
class OutputLine:
    """A class, a label or a quantity.

    Attributes:
        name: What it is called.
        cells: Numbers, for the columns behind the bar.
        told: All of it in a sentence.
        parts: Colors and lengths of the parts of its bar.
        histogram: How high the bars of its histogram are, in place of the bar.
    """

    name: str
    cells: tuple[Cell, ...]
    told: str
    parts: tuple[tuple[str, float], ...] = ()
    histogram: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputLines:
    """A table.

    Attributes:
        headings: Of the name, the bar and the cells.
        lines: One for each output, in their order.
        sorted_by: Column that the table is sorted by at first, descending; None as they come.
    """

    headings: tuple[str, ...]
    lines: list[OutputLine] = field(default_factory=list)
    sorted_by: int | None = 2


class OutputRows(QAbstractTableModel):
    """A row for each output: name, bar, numbers."""

    def __init__(self) -> None:
        super().__init__()
        self._shown = OutputLines(("", ""))
        self.largest = 1.0

    def set_lines(self, lines: OutputLines) -> None:
        """Show others."""
        self.beginResetModel()
        self._shown = lines
        lengths = (sum(length for _, length in line.parts) for line in lines.lines)
        self.largest = max(lengths, default=1.0) or 1.0
        self.endResetModel()

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of outputs."""
        return 0 if parent.isValid() else len(self._shown.lines)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._shown.headings)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text of a cell, or the value to sort by."""
        line, column = self._shown.lines[index.row()], index.column()
        cell = line.cells[column - 2] if column > _BAR else None
        if role == _LINE_ROLE:
            return line
        if role == _SORT_ROLE:
            return line.name if cell is None else cell.value
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text if cell else line.name if column == _NAME else ""
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return line.told
        return self._alignment(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

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
            return self._shown.headings[section]
        return self._alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    @staticmethod
    def _alignment(column: int) -> Qt.AlignmentFlag | None:
        if column <= _BAR:
            return None
        return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class _Bars(QStyledItemDelegate):
    """Paints the parts of a bar side by side, or a histogram."""

    def __init__(self, theme: Theme, rows: OutputRows, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rows = rows

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one bar over the ground of the row."""
        super().paint(painter, option, index)
        line: OutputLine = index.data(_LINE_ROLE)
        area = option.rect.adjusted(SPACE.s, SPACE.xs, -SPACE.s, -SPACE.xs)
        left, middle = float(area.left()), area.center().y()
        for color, length in line.parts:
            paint = QColor(self._theme.palette.bad if color == FAILED else color)
            width = area.width() * length / self._rows.largest
            painter.fillRect(QRectF(left, middle - _BAR_HEIGHT / 2, width, _BAR_HEIGHT), paint)
            left += width
        most, wide = max(line.histogram, default=0), area.width() / max(1, len(line.histogram))
        for place, number in enumerate(line.histogram):
            if number:
                tall = max(1.0, number / most * area.height())
                bar = QRectF(left + place * wide, area.bottom() + 1 - tall, wide - 1, tall)
                painter.fillRect(bar, self._theme.color("accent"))


class OutputTable(QTableView):
    """All outputs of a dataset; a press on a heading sorts them.

    Signals:
        output_activated: Number of the output that was pressed twice, or with Enter.
    """

    output_activated = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._headings: tuple[str, ...] = ()
        self.rows = OutputRows()
        self.rows.setParent(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.rows)
        self._sorted.setSortRole(_SORT_ROLE)
        self._sorted.setSortCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setModel(self._sorted)
        dress_table(self)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setSortingEnabled(True)
        self.setItemDelegateForColumn(_BAR, _Bars(theme, self.rows, self))
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSortIndicatorShown(False)  # it would be painted over the words at the right
        self.activated.connect(self._on_activated)

    @property
    def chosen(self) -> int:
        """Number of the output that is selected; -1 for none."""
        rows = self.selectionModel().selectedRows()
        return self._sorted.mapToSource(rows[0]).row() if rows else -1

    def set_lines(self, lines: OutputLines) -> None:
        """Show other outputs; the order stays where the columns are the same."""
        chosen = self.chosen
        self.rows.set_lines(lines)
        if lines.headings != self._headings:
            self._headings = lines.headings
            self._fit_columns(lines)
        if 0 <= chosen < len(lines.lines):
            self.selectRow(self._sorted.mapFromSource(self.rows.index(chosen, 0)).row())
        is_high = any(line.histogram for line in lines.lines)
        height = _HISTOGRAM_ROW if is_high else ROW_HEIGHT
        self.verticalHeader().setDefaultSectionSize(height)
        shown = min(max(1, len(lines.lines)) * height, _MOST_HEIGHT)
        around = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth() + 2
        self.setFixedHeight(shown + around)

    def showEvent(self, event: QShowEvent) -> None:
        """Only now is it known how wide the style makes the cells."""
        super().showEvent(event)
        self.horizontalHeader().resizeSections()

    def _fit_columns(self, lines: OutputLines) -> None:
        self.setAccessibleName(lines.headings[_NAME])
        header = self.horizontalHeader()
        header.setSectionResizeMode(_BAR, QHeaderView.ResizeMode.Stretch)
        for column in range(_BAR + 1, len(lines.headings)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.resizeSection(_NAME, _NAME_WIDTH)
        column = -1 if lines.sorted_by is None else lines.sorted_by
        is_unsorted = lines.sorted_by is None
        orders = Qt.SortOrder
        order = orders.AscendingOrder if is_unsorted else orders.DescendingOrder
        header.setSortIndicator(column, order)
        self._sorted.sort(column, order)

    def _on_activated(self, index: QModelIndex) -> None:
        self.output_activated.emit(self._sorted.mapToSource(index).row())
