"""The table of all pages: selecting, sorting by headings, remembering columns, copying."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, Generic, Literal, Protocol

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    Qt,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QMenu,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from studio.engine.csv_cells import table_text
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.labels import ElidingDelegate
from studio.ui.widgets.layout import Debounce
from studio.ui.widgets.table_model import FILL, Column, Index, Row, TableModel
from studio.ui.widgets.tips import HeaderTips

ROW_HEIGHT: Final = 32
_WIDEST_CONTENT: Final = 280
"""Pixels up to which a column is as wide as its content at first."""
_MEASURED_ROWS: Final = 64
"""Rows that are measured for this, around those in sight."""
_WIDEST_NAME: Final = 180
"""Pixels that a stretched column keeps, even if the others then have to be scrolled."""
_WIDEST: Final = 2000
"""Greatest width of a column in pixels."""
_ARRANGE_MS: Final = 1000
"""Rows that change all the time move at most this often."""
_UNFIT = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_SELECT = QItemSelectionModel.SelectionFlag


class TextStore(Protocol):
    """Texts by name, such as the settings."""

    def text(self, name: str) -> str | None:
        """Return a text, or None."""

    def set_text(self, name: str, value: str) -> None:
        """Store a text.

        Args:
            name: Name of the setting.
            value: The text.
        """


class _PaintedCells(ElidingDelegate, Generic[Row]):
    """Paints the cells of columns that paint; Qt paints all other cells, which is faster."""

    def __init__(self, model: TableModel[Row], parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        """Leave out the text of painted cells."""
        super().initStyleOption(option, index)
        if self._model.head_at(index.row()) is None:
            option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the background, then the content."""
        super().paint(painter, option, index)
        row = self._model.row_at(index.row())
        paint = self._model.columns[index.column()].paint
        if row is not None and paint is not None:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint(painter, option, row)
            painter.restore()


Selection = Literal["one", "many"]


class Table(QTableView, Generic[Row]):
    """A table.

    A click on a heading sorts by it, a further one in the other direction, a third one restores
    the usual order; Shift adds a column. Ctrl+C copies the selected rows; Ctrl+A, D and I select
    all, none and the others. The context menu has the actions of the table and copies it as CSV.

    Args:
        name: Name for screen readers.
        columns: The first columns.
        parent: Owns the table.
        key: Identifies a row; see `TableModel`.
        selection: "one" or "many" rows can be selected.
        max_rows: Rows up to which the table is as high as its content; None if the layout
            decides.

    Signals:
        selection_changed: Other rows are selected.
        row_chosen: Key or position of the row that became the current one.
        row_clicked: Key or position of the row that was clicked.
        opened: Key or position of the row that was double-clicked or opened with Enter.

    Attributes:
        content: The rows and columns.
    """

    selection_changed = Signal()
    row_chosen = Signal(object)
    row_clicked = Signal(object)
    opened = Signal(object)

    def __init__(
        self,
        name: str,
        columns: Sequence[Column[Row]] = (),
        parent: QWidget | None = None,
        *,
        key: Callable[[Row], Hashable] | None = None,
        selection: Selection = "one",
        max_rows: int | None = None,
    ) -> None:
        super().__init__(parent)
        self.content: TableModel[Row] = TableModel(columns, self, key=key)
        self._has_keys = key is not None
        self._empty = ""
        self._max_rows = max_rows
        self._row_height = ROW_HEIGHT
        self._names: list[str] = []
        self._headings: list[str] = []
        self._least: dict[int, int] = {}
        self._widths: dict[str, int] = {}
        self._hidden: dict[str, bool] = {}
        self._order: list[str] = []
        self._remembered: list[Hashable] = []
        self._settings: TextStore | None = None
        self._settings_key = ""
        self._is_applying = False
        self._saving = Debounce(300, self.save, self)
        self._is_stale = False
        self._arranging = Debounce(_ARRANGE_MS, self._arrange, self)
        self._painted = _PaintedCells(self.content, self)
        self.setModel(self.content)
        self.setAccessibleName(name)
        many = QAbstractItemView.SelectionMode.ExtendedSelection
        one = QAbstractItemView.SelectionMode.SingleSelection
        self.setSelectionMode(many if selection == "many" else one)
        self._style()
        self._connect()
        self._apply_columns()
        self._fit_height()

    # Rows

    def show_rows(self, rows: Iterable[Row], columns: Sequence[Column[Row]] | None = None) -> None:
        """Show rows, sorted as before.

        Args:
            rows: The rows.
            columns: The columns; None to keep them.
        """
        self.content.show_rows(rows, columns)
        if self.isVisible():
            self._apply_columns()
            self._fit_height()

    def touch(self, key: Hashable) -> bool:
        """Update a row that changed in place and move it soon; return False if it is unknown."""
        if self.content.touch(key):
            self._is_stale = True
            if self.isVisible() and not self._arranging.isActive():
                self._arranging.start()
        return self.content.index_of(key).isValid()

    def texts(self) -> list[list[str]]:
        """Return the texts of the shown rows."""
        columns = self.content.columns
        return [[column.text(row) for column in columns] for row in self.content.shown]

    @property
    def current(self) -> Row | None:
        """The row with the focus, which is selected; None if there is none."""
        index = self.currentIndex()
        return self.content.row_at(index.row()) if index.isValid() else None

    @property
    def selected(self) -> list[Row]:
        """The selected rows, from top to bottom."""
        rows = (self.content.row_at(row) for row in self._selected_rows())
        return [row for row in rows if row is not None]

    def select(self, *keys: Hashable) -> None:
        """Select only these rows by their keys or positions; hidden ones are left out."""
        indexes = (self.content.index_of(key) for key in keys)
        rows = sorted(index.row() for index in indexes if index.isValid())
        last = max(0, len(self.content.columns) - 1)
        chosen = QItemSelection()
        for _, run in itertools.groupby(enumerate(rows), lambda pair: pair[1] - pair[0]):
            block = [row for _, row in run]
            chosen.select(self.content.index(block[0], 0), self.content.index(block[-1], last))
        if len(rows) == 1:
            index = self.content.index(rows[0], 0)
            how = _SELECT.ClearAndSelect | _SELECT.Rows
            self.selectionModel().setCurrentIndex(index, how)
            self.scrollTo(index)
        else:
            self.selectionModel().select(chosen, _SELECT.ClearAndSelect)

    def edit_cell(self, key: Hashable, column: str) -> None:
        """Edit the text of a cell.

        Args:
            key: Key of the row.
            column: Key of the column.
        """
        index = self.content.index_of(key).siblingAtColumn(self.section(column))
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def section(self, column: str) -> int:
        """Return the number of a column by its key; -1 if it is unknown."""
        names = [each.name for each in self.content.columns]
        return names.index(column) if column in names else -1

    def set_max_rows(self, rows: int) -> None:
        """Let the table be as high as its content up to this many rows."""
        if rows != self._max_rows:
            self._max_rows = rows
            self._fit_height()

    def set_empty_text(self, text: str) -> None:
        """Set the text that is shown in place of rows."""
        self._empty = text
        self.viewport().update()

    def set_row_headings(self, heading: Callable[[Row], str]) -> None:
        """Show headings at the left of the rows."""
        self.content.row_heading = heading
        self.verticalHeader().show()

    def set_row_height(self, height: int) -> None:
        """Make the rows this many pixels high; texts of several lines then have room."""
        if height != self._row_height:
            self._row_height = height
            self.setWordWrap(height > ROW_HEIGHT)
            self.verticalHeader().setDefaultSectionSize(height)
            self._fit_height()

    def height_of(self, rows: int) -> int:
        """Return the height of this many rows, in pixels."""
        header = self.horizontalHeader()
        is_wide = header.length() > self.viewport().width()
        bar = self.horizontalScrollBar().sizeHint().height() if is_wide else 0
        heading = 0 if header.isHidden() else header.sizeHint().height()
        return rows * self._row_height + bar + heading + 2 * self.frameWidth() + 2

    # Columns

    def remember(self, settings: TextStore, key: str) -> None:
        """Store widths, order and visibility of the columns, and the sorting, in the settings.

        Args:
            settings: Stores the state.
            key: Name of the setting.
        """
        self._settings, self._settings_key = settings, key
        header = self.horizontalHeader()
        header.setSectionsMovable(True)
        header.setFirstSectionMovable(False)
        header.sectionMoved.connect(self._on_moved)
        saved = settings.text(key)
        if saved is not None:
            # A layout of another version, or a damaged one, is ignored.
            with contextlib.suppress(*_UNFIT):
                self._take_layout(json.loads(saved))
        self._names = []
        self._apply_columns()

    def save(self) -> None:
        """Store the layout now."""
        if self._settings is None:
            return
        layout = {
            "hidden": self._hidden,
            "widths": self._widths,
            "order": self._order,
            "sort": self.content.sort_keys,
        }
        self._settings.set_text(self._settings_key, json.dumps(layout))

    def columns_menu(self) -> QMenu:
        """Return a menu to show and hide columns; the first one is always shown."""
        menu = QMenu(self)
        for at, column in enumerate(self.content.columns):
            action = menu.addAction(column.heading)
            action.setCheckable(True)
            action.setChecked(not self._is_hidden(column))
            action.setEnabled(at > 0)
            action.setData(column.name)
        menu.triggered.connect(self._on_column)
        return menu

    # Copying

    def copy(self) -> None:
        """Copy the selected rows, with tabs between the cells."""
        rows = self.selected
        columns = self._visible_columns()
        lines = ["\t".join(column.text(row) for column in columns) for row in rows]
        if lines:
            QGuiApplication.clipboard().setText("\n".join(lines))

    def copy_csv(self) -> None:
        """Copy all shown rows as comma-separated values."""
        QGuiApplication.clipboard().setText(self.csv())

    def csv(self) -> str:
        """Return all shown rows as comma-separated values, with numbers in code notation."""
        columns = self._visible_columns()
        head = [column.heading for column in columns]
        rows = [[column.exact(row) for column in columns] for row in self.content.shown]
        return table_text([head, *rows])

    def context_menu(self) -> QMenu:
        """Return the context menu."""
        menu = QMenu(self)
        menu.addActions(self.actions())
        self.add_copying(menu)
        return menu

    def add_copying(self, menu: QMenu) -> None:
        """Add the actions that copy to a context menu."""
        menu.addSeparator()
        copy = menu.addAction(self.tr("Copy"), self.copy)
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setEnabled(bool(self._selected_rows()))
        menu.addAction(self.tr("Copy table as CSV"), self.copy_csv)

    # Events

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the context menu."""
        menu = self.context_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open a row or fold a group with Enter; copy; select none or the others."""
        if self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)
            return
        is_many = self.selectionMode() == QAbstractItemView.SelectionMode.ExtendedSelection
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif is_enter and self.current is not None:
            self.opened.emit(self.content.key_at(self.currentIndex().row()))
        elif (is_enter or event.key() == Qt.Key.Key_Space) and self._fold(self.currentIndex()):
            event.accept()
        elif is_many and control and event.key() == Qt.Key.Key_D:
            self.clearSelection()
        elif is_many and control and event.key() == Qt.Key.Key_I:
            before = set(self._selected_rows())
            others = set(range(self.content.rowCount())) - before
            self.select(*map(self.content.key_at, others))
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, or a text in place of them."""
        super().paintEvent(event)
        if self._empty and not self.content.rowCount():
            painter = QPainter(self.viewport())
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            area = self.viewport().rect().adjusted(SPACE.m, SPACE.s, -SPACE.m, -SPACE.s)
            how = Qt.AlignmentFlag.AlignCenter.value | Qt.TextFlag.TextWordWrap.value
            painter.drawText(area, how, self._empty)
            painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the stretched columns what the others leave."""
        super().resizeEvent(event)
        self._fit_stretched()
        self._fit_height()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the table, because the style is known only now."""
        super().showEvent(event)
        self._apply_columns()
        self._fit_height()
        if self._is_stale:
            self._arrange()

    # Inside

    def _arrange(self) -> None:
        self._is_stale = False
        self.content.arrange()

    def _style(self) -> None:
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setItemDelegate(ElidingDelegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        # The Tab key leaves the table; the arrow keys move inside it.
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        side = self.verticalHeader()
        side.hide()
        side.setDefaultSectionSize(self._row_height)
        side.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        side.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        side.setHighlightSections(False)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(48)
        header.setResizeContentsPrecision(_MEASURED_ROWS)
        header.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        # Qt sorts nothing here, but this way a click on a heading does not select the column;
        # the headings get a separate selection, or they would ask for every cell of it.
        self.setSortingEnabled(True)
        header.setSortIndicatorShown(False)
        header.setSelectionModel(QItemSelectionModel(self.content, header))
        HeaderTips(header)

    def _connect(self) -> None:
        header = self.horizontalHeader()
        header.sectionClicked.connect(self._on_heading)
        header.sectionResized.connect(self._on_resized)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._on_heading_menu)
        self.content.modelAboutToBeReset.connect(self._on_before_reset)
        self.content.modelReset.connect(self._on_reset)
        for changed in (self.content.rowsInserted, self.content.rowsRemoved):
            changed.connect(self._fit_height)
            changed.connect(self._span_heads)
        self.content.layoutChanged.connect(self._span_heads)
        self.selectionModel().selectionChanged.connect(self.selection_changed)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.clicked.connect(self._on_click)
        self.doubleClicked.connect(self._on_double_click)

    def _selected_rows(self) -> list[int]:
        # `selectedRows` would query every cell of every row.
        selection = self.selectionModel().selection()
        rows: set[int] = set()
        for part in (selection.at(index) for index in range(selection.size())):
            rows.update(range(part.top(), part.bottom() + 1))
        return sorted(rows)

    def _visible_columns(self) -> list[Column[Row]]:
        header = self.horizontalHeader()
        indices = [header.logicalIndex(index) for index in range(header.count())]
        return [self.content.columns[at] for at in indices if not header.isSectionHidden(at)]

    def _fold(self, index: QModelIndex) -> bool:
        head = self.content.head_at(index.row()) if index.isValid() else None
        if head is None:
            return False
        self.content.fold(head.name)
        index = self.content.index_of(head)
        self.selectionModel().setCurrentIndex(index, _SELECT.NoUpdate)
        return True

    def _on_heading(self, section: int) -> None:
        column = self.content.columns[section]
        if column.value is None:
            return
        is_added = bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)
        keys = self.content.sort_keys
        at = next((index for index, (name, _) in enumerate(keys) if name == column.name), -1)
        first = (column.name, column.is_descending)
        turned = (column.name, not keys[at][1]) if at >= 0 else first
        if not is_added:
            is_third = len(keys) == 1 and at == 0 and turned == first
            self.content.sort_by(() if is_third else [turned])
        elif at >= 0:
            self.content.sort_by([*keys[:at], turned, *keys[at + 1 :]])
        else:
            self.content.sort_by([*keys, first])
        self._save_soon()

    def _on_before_reset(self) -> None:
        if self._has_keys:
            self._remembered = [self.content.key_at(row) for row in self._selected_rows()]

    def _on_reset(self) -> None:
        if [column.name for column in self.content.columns] != self._names:
            self._apply_columns()
        self._fit_height()
        self._span_heads()
        remembered, self._remembered = self._remembered, []
        if remembered:
            self.select(*remembered)
        self.selection_changed.emit()

    def _span_heads(self, *_what: object) -> None:
        """Let the heads of groups take whole rows."""
        self.clearSpans()
        for row in self.content.heads():
            self.setSpan(row, 0, 1, len(self.content.columns))

    def _on_current(self, current: QModelIndex, _before: QModelIndex) -> None:
        self._emit(self.row_chosen, current)

    def _on_click(self, index: QModelIndex) -> None:
        if not self._fold(index):
            self._emit(self.row_clicked, index)

    def _on_double_click(self, index: QModelIndex) -> None:
        self._emit(self.opened, index)

    def _emit(self, signal: SignalInstance, index: QModelIndex) -> None:
        """Emit the key of a row, unless it is the head of a group."""
        if index.isValid() and self.content.head_at(index.row()) is None:
            signal.emit(self.content.key_at(index.row()))

    # Layout

    def _is_hidden(self, column: Column[Row]) -> bool:
        return self._hidden.get(column.name, column.is_hidden)

    def _on_column(self, action: QAction) -> None:
        self._hidden[action.data()] = not action.isChecked()
        self._apply_columns()
        self._save_soon()

    def _on_heading_menu(self, point: QPoint) -> None:
        if self._settings is not None:
            self.columns_menu().popup(self.horizontalHeader().mapToGlobal(point))

    def _on_resized(self, section: int, _before: int, width: int) -> None:
        column = self.content.columns[section]
        header = self.horizontalHeader()
        is_last = header.visualIndex(section) == header.count() - 1
        is_filling = column.width == FILL or (is_last and header.stretchLastSection())
        if width and not self._is_applying and not is_filling:
            self._widths[column.name] = width
            self._save_soon()

    def _on_moved(self, *_what: int) -> None:
        if not self._is_applying:
            header = self.horizontalHeader()
            indices = map(header.logicalIndex, range(header.count()))
            self._order = [self._names[at] for at in indices]
            self._save_soon()

    def _save_soon(self) -> None:
        if self._settings is not None:
            self._saving.start()

    def _take_layout(self, layout: dict[str, Any]) -> None:
        usual = {column.name: column.is_hidden for column in self.content.columns}
        hidden = {str(key): bool(is_on) for key, is_on in layout["hidden"].items()}
        # Columns that are as usual may be hidden in another way for other rows.
        self._hidden = {key: is_on for key, is_on in hidden.items() if is_on != usual.get(key)}
        self._widths = {
            str(key): max(0, min(int(width), _WIDEST)) for key, width in layout["widths"].items()
        }
        self._order = [str(key) for key in layout["order"]]
        self.content.sort_by([(str(key), bool(is_down)) for key, is_down in layout["sort"]])

    def _apply_columns(self) -> None:
        self._is_applying = True
        header, columns = self.horizontalHeader(), self.content.columns
        headings = [column.heading for column in columns]
        is_other = headings != self._headings
        self._headings = headings
        if [column.name for column in columns] != self._names:
            self._names = [column.name for column in columns]
            self._apply_order()
        has_stretch = any(column.width == FILL for column in columns)
        header.setStretchLastSection(not has_stretch and bool(columns) and columns[-1].is_text)
        for section, column in enumerate(columns):
            self.setColumnHidden(section, self._is_hidden(column))
            cells = self.itemDelegate() if column.paint is None else self._painted
            if self.itemDelegateForColumn(section) is not cells:
                self.setItemDelegateForColumn(section, cells)
            if column.width == FILL or self._is_hidden(column):
                continue
            # At first no heading is cut, in whichever language.
            width = max(column.width, self._heading_width(section))
            if not column.width:
                least = 0 if is_other else header.sectionSize(section)
                content = min(_WIDEST_CONTENT, self.sizeHintForColumn(section))
                width = max(width, content, least)
            header.resizeSection(section, self._widths.get(column.name, width))
        self._is_applying = False
        # Measured here alone, not at each change of the size: all visible cells are asked.
        stretched = [at for at, column in enumerate(columns) if column.width == FILL]
        self._least = {at: self._min_width(at) for at in stretched if not self.isColumnHidden(at)}
        self._fit_stretched()

    def _apply_order(self) -> None:
        """Place the columns as the user did; others stay behind the one before them."""
        header, names = self.horizontalHeader(), self._names
        order = [name for name in self._order if name in names]
        for at, name in enumerate(names):
            if name not in order:
                order.insert(order.index(names[at - 1]) + 1 if at else 0, name)
        for index, name in enumerate(order):
            header.moveSection(header.visualIndex(names.index(name)), index)

    def _fit_stretched(self) -> None:
        """Share the room that is left among the stretched columns.

        They stay readable where the others can be scrolled.
        """
        header, columns = self.horizontalHeader(), self.content.columns
        shown = [at for at in range(header.count()) if not header.isSectionHidden(at)]
        stretched = [at for at in shown if columns[at].width == FILL]
        if not stretched:
            return
        never = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        can_scroll = self.horizontalScrollBarPolicy() != never
        least = {at: self._least.get(at, 0) if can_scroll else 0 for at in stretched}
        others = sum(header.sectionSize(at) for at in shown if at not in least)
        room = self.viewport().width() - others
        # What a column takes beyond its part leaves less to the others, until all of them fit.
        sharing, are_fitting = stretched, False
        while sharing and not are_fitting:
            fitting = [at for at in sharing if least[at] <= room // len(sharing)]
            room -= sum(least[at] for at in sharing if at not in fitting)
            are_fitting = fitting == sharing
            sharing = fitting
        self._is_applying = True
        modes = QHeaderView.ResizeMode
        for at in stretched:
            is_sharing = at in sharing
            header.setSectionResizeMode(at, modes.Stretch if is_sharing else modes.Interactive)
            if not is_sharing:
                header.resizeSection(at, least[at])
        self._is_applying = False

    def _min_width(self, section: int) -> int:
        """Return the width at which a stretched column can be read."""
        content = min(_WIDEST_NAME, self.sizeHintForColumn(section))
        return max(content, self._heading_width(section))

    def _heading_width(self, section: int) -> int:
        header = self.horizontalHeader()
        return 0 if header.isHidden() else header.sectionSizeHint(section)

    def _fit_height(self, *_what: object) -> None:
        if self._max_rows is not None:
            rows = self.content.rowCount()
            # Half a row more says that there are others below.
            half = self._row_height // 2 if rows > self._max_rows else 0
            self.setFixedHeight(self.height_of(max(1, min(rows, self._max_rows))) + half)
