"""Tables: their style, texts under headings, names and figures that a press on a heading sorts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
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


class TextRows(QAbstractTableModel):
    """Rows of texts under headings; columns after the first may hold numbers, at the right."""

    def __init__(self, headings: Sequence[str], *, numbers_last: bool = False) -> None:
        super().__init__()
        self._headings = list(headings)
        self._numbers_last = numbers_last
        self._rows: list[tuple[str, ...]] = []

    def set_rows(
        self, rows: Sequence[tuple[str, ...]], headings: Sequence[str] | None = None
    ) -> None:
        """Show other rows, perhaps under other headings."""
        self.beginResetModel()
        self._headings = self._headings if headings is None else list(headings)
        self._rows = list(rows)
        self.endResetModel()

    def rows(self) -> list[tuple[str, ...]]:
        """What is shown."""
        return list(self._rows)

    def rowCount(self, parent: Index = ROOT) -> int:
        """How many rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        """How many columns."""
        return 0 if parent.isValid() else len(self._headings)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The text of a cell, in its tooltip too, because long ones are cut."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The headings."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headings[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return None

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        right = self._numbers_last and column > 0
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter


class TextTable(QTableView):
    """Shows `TextRows`, as high as its rows up to a limit, beyond which it scrolls."""

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
        self.rows_model = TextRows(headings, numbers_last=numbers_last)
        self.rows_model.setParent(self)
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
        self.rows_model.set_rows(rows, headings)
        if headings is not None:
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


_ARROWS = {Qt.SortOrder.AscendingOrder: "▲", Qt.SortOrder.DescendingOrder: "▼"}

_LEAST = 90
"""Pixels of a column."""
_MOST_NAMES = 180
"""Pixels that names have even where the figures must then be scrolled."""


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


class FigureModel(QAbstractTableModel):
    """Rows of cells; the first column holds names, the others numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._headings: Sequence[str] = ()
        self._tips: Sequence[str] = ()
        self._rows: Sequence[Sequence[FigureCell]] = ()
        self._order: list[int] = []
        self._sorted = (-1, Qt.SortOrder.AscendingOrder)

    def show_rows(
        self,
        headings: Sequence[str],
        rows: Sequence[Sequence[FigureCell]],
        tips: Sequence[str] = (),
    ) -> None:
        """Show other rows, in the order in which they come.

        Args:
            headings: Of the columns.
            rows: As many cells in each as there are headings.
            tips: What the columns hold; none for no tips.
        """
        self.beginResetModel()
        self._headings, self._rows, self._tips = headings, rows, tips
        self._order = list(range(len(rows)))
        self._sorted = (-1, Qt.SortOrder.AscendingOrder)
        self.endResetModel()

    def place(self, row: int) -> int:
        """Return which of the rows that came is shown in a row."""
        return self._order[row]

    def row_of(self, place: int) -> int:
        """Return the row of one of the rows that came."""
        return self._order.index(place)

    def rowCount(self, parent: Index = ROOT) -> int:
        """Number of rows."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Number of columns."""
        return 0 if parent.isValid() else len(self._headings)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The headings, and what the columns hold."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.ToolTipRole and section < len(self._tips):
            return self._tips[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        # The style paints its arrow over the words at the right.
        column, order = self._sorted
        heading = self._headings[section]
        return f"{heading} {_ARROWS[order]}" if section == column else heading

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A name or a figure as text; its tip says more."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        cell = self._rows[self._order[index.row()]][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        is_tip = role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
        return cell.tip or cell.text if is_tip else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column, or by none as the rows came; what is selected stays selected."""
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        places = [self._order[index.row()] for index in before]
        self._sorted = (column, order)
        self._order = list(range(len(self._rows)))
        if 0 <= column < len(self._headings):
            values = [row[column].value for row in self._rows]
            unknown = [place for place in self._order if values[place] is None]
            known = [place for place in self._order if values[place] is not None]
            is_falling = order == Qt.SortOrder.DescendingOrder
            known.sort(key=lambda place: (values[place],), reverse=is_falling)
            self._order = known + unknown
        rows = {place: row for row, place in enumerate(self._order)}
        after = [
            self.index(rows[place], index.column())
            for place, index in zip(places, before, strict=True)
        ]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(0, len(self._headings) - 1))


class FigureTable(QTableView):
    """Shows such rows, and which one is chosen.

    Signals:
        row_chosen: Place of the row that became the current one.
        row_clicked: Place of the row that was clicked.
    """

    row_chosen = Signal(int)
    row_clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.figures = FigureModel(self)
        self.setModel(self.figures)
        dress_table(self)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSortIndicatorClearable(True)
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(_LEAST)
        header.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        header.setSortIndicatorShown(False)
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
        self.figures.show_rows(headings, rows, tips)
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

    def choose(self, place: int) -> None:
        """Choose one of the rows that came."""
        self.selectRow(self.figures.row_of(place))

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
            self.row_chosen.emit(self.figures.place(current.row()))

    def _on_clicked(self, index: QModelIndex) -> None:
        self.row_clicked.emit(self.figures.place(index.row()))


def _alignment(column: int) -> int:
    side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
    return int(side | Qt.AlignmentFlag.AlignVCenter)
