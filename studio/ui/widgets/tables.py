"""Tables: their style, texts under headings, names and figures that a press on a heading sorts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from studio.ui.widgets.labels import ElidingDelegate
from studio.ui.widgets.tips import HeaderTips

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
ROW_HEIGHT: Final = 32
_ARROWS: Final = {Qt.SortOrder.AscendingOrder: "▲", Qt.SortOrder.DescendingOrder: "▼"}
Row = TypeVar("Row")


def dress_table(view: QTableView) -> None:
    """Give a table calm rows without a grid, whole-row selection and headings at the left."""
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    view.setItemDelegate(ElidingDelegate(view))
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    # Tab leaves the table; the arrow keys move inside it.
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    view.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
    header = view.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setHighlightSections(False)
    header.setStretchLastSection(True)
    HeaderTips(header)


def set_widths(view: QTableView, widths: Sequence[int]) -> None:
    """Give the first columns these widths in pixels, or those that their headings need."""
    header = view.horizontalHeader()
    for column, width in enumerate(widths):
        view.setColumnWidth(column, max(width, header.sectionSizeHint(column)))


@dataclass(frozen=True)  # with slots, TableColumn[Row](…) fails in Python 3.11
class TableColumn(Generic[Row]):
    """A column of a table.

    Attributes:
        heading: Above the column.
        text: Returns the text of a row.
        value: Returns what a row is sorted by; None sorts last in both directions.
        tip: Explains the heading.
        cell_tip: Returns the tooltip of a row; the text by default.
        is_text: True for names, at the left; numbers are at the right.
    """

    heading: str
    text: Callable[[Row], str]
    value: Callable[[Row], float | str | None] | None = None
    tip: str = ""
    cell_tip: Callable[[Row], str] | None = None
    is_text: bool = False


class TableModel(QAbstractTableModel, Generic[Row]):
    """Rows under columns, sorted by any of them.

    Args:
        columns: The first columns.
        key: Identifies a row. While the keys stay, selection and scroll position stay, and
            rows are added at the end. Without it, other rows always replace all.
        parent: Owns the model.
    """

    def __init__(
        self,
        columns: Sequence[TableColumn[Row]] = (),
        parent: QObject | None = None,
        *,
        key: Callable[[Row], object] | None = None,
    ) -> None:
        super().__init__(parent)
        self._columns = list(columns)
        self._key = key
        self._order: Sequence[int] = ()
        self._sorted = (-1, Qt.SortOrder.AscendingOrder)
        self.rows: list[Row] = []

    def show_rows(
        self, rows: Iterable[Row], columns: Sequence[TableColumn[Row]] | None = None
    ) -> None:
        """Show other rows, in their order unless sorted, and other columns if given."""
        rows, columns = list(rows), self._columns if columns is None else list(columns)
        known, is_kept = len(self.rows), False
        if self._key is not None and 0 < known <= len(rows):
            same = [each.heading for each in columns] == [each.heading for each in self._columns]
            keys = list(map(self._key, self.rows))
            is_kept = same and keys == list(map(self._key, rows[:known]))
        if not is_kept:
            self.beginResetModel()
            self._columns, self.rows = columns, rows
            self._order = self._arranged()
            self.endResetModel()
            return
        self._columns = columns
        if len(rows) > known:
            self.beginInsertRows(ROOT, known, len(rows) - 1)
            self.rows, self._order = rows, [*self._order, *range(known, len(rows))]
            self.endInsertRows()
        self.rows = rows
        if self._sorted[0] >= 0:
            self.sort(*self._sorted)
        self.dataChanged.emit(self.index(0, 0), self.index(known - 1, len(columns) - 1))

    def position(self, row: int) -> int:
        """Return the position, in the order given, of what is shown in a row."""
        return self._order[row]

    def row_of(self, position: int) -> int:
        """Return the row in which a position of the order given is shown."""
        return self._order.index(position)

    def rowCount(self, parent: Index = ROOT) -> int:
        """Number of rows."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the text, tooltip or alignment of a cell."""
        column = self._columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(is_text=column.is_text)
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(self.rows[self._order[index.row()]])
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return (column.cell_tip or column.text)(self.rows[self._order[index.row()]])
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a heading, with an arrow if sorted by it, its tip or its alignment."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self._columns):
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(is_text=column.is_text)
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.tip or None
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        # The style would paint its arrow over headings at the right.
        by, order = self._sorted
        return f"{column.heading} {_ARROWS[order]}" if section == by else column.heading

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column, or restore the order given (-1); the selection stays."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        positions = [self._order[index.row()] for index in before]
        self._sorted = (column, order)
        self._order = self._arranged()
        rows = {position: row for row, position in enumerate(self._order)}
        after = [
            self.index(rows[position], index.column())
            for position, index in zip(positions, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(0, len(self._columns) - 1))

    def _arranged(self) -> Sequence[int]:
        by, order = self._sorted
        value = self._columns[by].value if 0 <= by < len(self._columns) else None
        if value is None:
            return range(len(self.rows))
        values = list(map(value, self.rows))
        known = [position for position, each in enumerate(values) if each is not None]
        known.sort(
            key=lambda position: (values[position],),
            reverse=order == Qt.SortOrder.DescendingOrder,
        )
        unknown = [position for position, each in enumerate(values) if each is None]
        return known + unknown


def text_columns(
    headings: Sequence[str], *, numbers_last: bool = False
) -> list[TableColumn[tuple[str, ...]]]:
    """Return columns of rows of texts; with `numbers_last` all but the first are numbers."""
    return [
        TableColumn(heading, itemgetter(at), is_text=not (numbers_last and at))
        for at, heading in enumerate(headings)
    ]


def sort_by_headings(view: QTableView) -> None:
    """Sort a table by a click on a heading, whose text shows the arrow."""
    header = view.horizontalHeader()
    header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    view.setSortingEnabled(True)
    header.setSortIndicatorShown(False)


class TextTable(QTableView):
    """Shows rows of texts, as high as its rows up to a limit, beyond which it scrolls."""

    def __init__(
        self,
        name: str,
        headings: Sequence[str],
        *,
        most_rows: int,
        numbers_last: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._most_rows = most_rows
        self._numbers_last = numbers_last
        self.rows_model = TableModel(text_columns(headings, numbers_last=numbers_last), self)
        self.setModel(self.rows_model)
        dress_table(self)
        self.setAccessibleName(name)
        header = self.horizontalHeader()
        header.setStretchLastSection(not numbers_last)
        if numbers_last:
            self._fit_columns(len(headings))
        else:
            header.resizeSection(0, 260)
        self.set_rows([])

    def set_rows(
        self, rows: Sequence[tuple[str, ...]], headings: Sequence[str] | None = None
    ) -> None:
        """Show other rows, perhaps under other headings."""
        if headings is None:
            self.rows_model.show_rows(rows)
        else:
            columns = text_columns(headings, numbers_last=self._numbers_last)
            self.rows_model.show_rows(rows, columns)
            self._fit_columns(len(headings))
        self._fit()

    def _fit_columns(self, columns: int) -> None:
        """Give the names what the numbers leave."""
        header = self.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column in range(1, columns):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)

    def showEvent(self, event: QShowEvent) -> None:
        """Only now is it known how high the style makes the headings."""
        self._fit()
        super().showEvent(event)

    def _fit(self) -> None:
        rows = self.rows_model.rowCount()
        shown = max(1, min(rows, self._most_rows))
        # Half a row more says that there are others below.
        half = ROW_HEIGHT // 2 if rows > self._most_rows else 0
        around = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth() + 2
        self.setFixedHeight(shown * ROW_HEIGHT + half + around)


_LEAST = 90
"""Pixels of a column."""
_MOST_NAMES = 180
"""Pixels that names get, even if the numbers then have to be scrolled."""


@dataclass(frozen=True, slots=True)
class FigureCell:
    """A cell.

    Attributes:
        text: As it is shown.
        value: As it is sorted; None for what is not known, which comes last in both directions.
        tip: The same at length; empty where the text has it all.
    """

    text: str
    value: float | str | None
    tip: str = ""


class FigureTable(QTableView):
    """Shows such rows, and which one is chosen.

    Signals:
        row_chosen: Position of the row that became the current one.
        row_clicked: Position of the row that was clicked.
    """

    row_chosen = Signal(int)
    row_clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.figures = TableModel[Sequence[FigureCell]]((), self)
        self.setModel(self.figures)
        dress_table(self)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSortIndicatorClearable(True)
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(_LEAST)
        header.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        sort_by_headings(self)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.clicked.connect(self._on_clicked)

    def show_rows(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[FigureCell]],
        tips: Sequence[str] = (),
    ) -> None:
        """Show other rows, as they come; the first one is chosen."""
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        columns = [
            _figure_column(at, heading, tips[at] if at < len(tips) else "")
            for at, heading in enumerate(headings)
        ]
        self.figures.show_rows(rows, columns)
        header = self.horizontalHeader()
        for column in range(1, len(headings)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self._fit_names()
        if rows:
            self.setCurrentIndex(self.figures.index(0, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the names what the figures leave over, but enough to be read."""
        super().resizeEvent(event)
        self._fit_names()

    def choose(self, position: int) -> None:
        """Choose one of the rows that came."""
        self.selectRow(self.figures.row_of(position))

    def fit_height(self) -> None:
        """Take no more height than the rows need."""
        header = self.horizontalHeader().sizeHint().height()
        bar = self.horizontalScrollBar().sizeHint().height()
        rows = self.figures.rowCount() * ROW_HEIGHT
        self.setFixedHeight(header + rows + bar + 2 * self.frameWidth())

    def _fit_names(self) -> None:
        header = self.horizontalHeader()
        if not header.count():
            return
        names = min(self.sizeHintForColumn(0), _MOST_NAMES)
        room = self.viewport().width() - (header.length() - header.sectionSize(0))
        if room >= names:
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        else:
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(0, names)

    def _on_current(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self.row_chosen.emit(self.figures.position(current.row()))

    def _on_clicked(self, index: QModelIndex) -> None:
        self.row_clicked.emit(self.figures.position(index.row()))


def _figure_column(at: int, heading: str, tip: str) -> TableColumn[Sequence[FigureCell]]:
    return TableColumn(
        heading,
        lambda row: row[at].text,
        value=lambda row: row[at].value,
        tip=tip,
        cell_tip=lambda row: row[at].tip or row[at].text,
        is_text=at == 0,
    )


def _alignment(*, is_text: bool) -> int:
    side = Qt.AlignmentFlag.AlignLeft if is_text else Qt.AlignmentFlag.AlignRight
    return int(side | Qt.AlignmentFlag.AlignVCenter)
