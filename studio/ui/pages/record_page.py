"""Pages of records: a list at the left; one record, a form or an empty state at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPen, QShowEvent
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import Following, Jobs
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RecordDocument
from studio.ui.pages.page import Page
from studio.ui.theme.icons import pixmap
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import ICON_SMALL, SPACE, STATE_ROLES, TYPE, chart_color
from studio.ui.widgets.labels import elided, state_word
from studio.ui.widgets.layout import Part, Splitter, vbox
from studio.ui.widgets.pages import PageStack
from studio.ui.widgets.small_charts import sparkline_path

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
DOCUMENT_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 1
_ROW_ROLE: Final = DOCUMENT_ROLE + 1
_CURVE_WIDTH: Final = 64
_LIST_WIDTH: Final = 240
_DETAIL_WIDTH: Final = 1000
_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


AnyDocument = RecordDocument[Any]


class RecordRow(NamedTuple):
    """Content of a row beside the name and the state of the record.

    Attributes:
        result: Best result, at the right of the name.
        detail: Progress or kind, at the right of the state.
        curve: Values of the sparkline.
        curve_text: Description of the sparkline for screen readers.
        tip: Lines of the tooltip below the name.
        name: Shown instead of the name of the record.
    """

    result: str = ""
    detail: str = ""
    curve: Sequence[float] = ()
    curve_text: str = ""
    tip: str = ""
    name: str = ""


Describe = Callable[[AnyDocument], RecordRow]


class RecordModel(QAbstractListModel):
    """Records of some kinds, newest first; follows the workspace.

    Args:
        jobs: The records.
        kinds: Kinds of the listed records.
        describe: Returns the content of the row of a record.
        parent: Owner.
        groups_trials: List the runs of a sweep below it; they are folded at first.

    Signals:
        renamed: A `RecordDocument`, and the name that was typed for it.
    """

    renamed = Signal(object, str)

    def __init__(
        self,
        jobs: Jobs,
        kinds: Sequence[RecordKind],
        describe: Describe,
        parent: QWidget,
        *,
        groups_trials: bool = False,
    ) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._kinds = kinds
        self._describe = describe
        self._groups_trials = groups_trials
        self._unfolded: set[str] = set()
        self._sweep_of: dict[str, str] = {}
        self._entries = self._arranged()
        jobs.loaded.connect(self._on_loaded)
        jobs.changed.connect(self._on_changed)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return the number of records."""
        return 0 if parent.isValid() else len(self._entries)

    def row_of(self, record_id: str) -> int:
        """Return the row of a record, or -1."""
        ids = [entry.key[1] for entry in self._entries]
        return ids.index(record_id) if record_id in ids else -1

    def shown_row_of(self, record_id: str) -> int:
        """Return the row of a record, or of its sweep where that is folded, or -1."""
        row = self.row_of(record_id)
        return row if row >= 0 else self.row_of(self._sweep_of.get(record_id, ""))

    def is_head(self, entry: AnyDocument) -> bool:
        """Return True for a sweep that heads its runs."""
        return entry.key[0] not in self._kinds

    def fold(self, entry: AnyDocument, *, unfolds: bool) -> None:
        """Hide the runs of a sweep, or show them."""
        if unfolds:
            self._unfolded.add(entry.record.id)
        else:
            self._unfolded.discard(entry.record.id)
        self._arrange()
        self.refresh([entry.record.id])

    def is_unfolded(self, entry: AnyDocument) -> bool:
        """Return True if the runs of a sweep are listed."""
        return entry.record.id in self._unfolded

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the name, the tooltip, the text for screen readers, the row or the record."""
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        found: object = None
        if role == DOCUMENT_ROLE:
            found = entry
        elif role == Qt.ItemDataRole.EditRole:
            found = entry.name
        elif role == Qt.ItemDataRole.DisplayRole:
            found = self._describe(entry).name or entry.name
        elif role == _ROW_ROLE:
            found = self._describe(entry)
        elif role == Qt.ItemDataRole.ToolTipRole:
            row = self._describe(entry)
            state = " · ".join(filter(None, [state_word(entry.shown_state), row.detail]))
            found = "\n".join(filter(None, [row.name or entry.name, state, row.tip]))
        elif role == Qt.ItemDataRole.AccessibleTextRole:
            found = self._spoken(entry)
        return found

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let names of listed records be edited in place."""
        flags, entry = super().flags(index), index.data(DOCUMENT_ROLE)
        is_head = isinstance(entry, RecordDocument) and self.is_head(entry)
        return flags if is_head else flags | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Emit a name that was typed; the row shows it once it is stored."""
        entry = index.data(DOCUMENT_ROLE)
        if role != Qt.ItemDataRole.EditRole or not isinstance(entry, RecordDocument):
            return False
        if str(value) != entry.name:
            self.renamed.emit(entry, str(value))
        return True

    def refresh(self, record_ids: Sequence[str]) -> None:
        """Show these records as they are described now."""
        for record_id in record_ids:
            index = self.index(self.row_of(record_id))
            self.dataChanged.emit(index, index)

    def _spoken(self, entry: AnyDocument) -> str:
        row = self._describe(entry)
        state = state_word(entry.shown_state)
        name = row.name or entry.name
        fold = ""
        if self.is_head(entry):
            fold = self.tr("unfolded") if self.is_unfolded(entry) else self.tr("folded")
        return ", ".join(filter(None, [name, state, row.detail, row.result, row.curve_text, fold]))

    def _on_loaded(self) -> None:
        self.beginResetModel()
        self._entries = self._arranged()
        self.endResetModel()

    def _on_changed(self, entry: AnyDocument, change: RecordChange) -> None:
        kind = entry.key[0]
        if kind in self._kinds:
            if change.is_new or change.is_removed:
                self._arrange()
            else:
                self.refresh([entry.record.id])
        elif kind == RecordKind.SWEEP and self._groups_trials:
            self._arrange()
            self.refresh([entry.record.id])

    def is_trial(self, entry: AnyDocument) -> bool:
        """Return True for a run that is listed below its sweep."""
        return entry.record.id in self._sweep_of

    def _arranged(self) -> list[AnyDocument]:
        """Return the records to list; runs of a sweep are below it."""
        newest = self._jobs.newest(self._kinds)
        sweeps = self._jobs.entries(RecordKind.SWEEP) if self._groups_trials else []
        self._sweep_of = {run: each.record.id for each in sweeps for run in each.history.children}
        trials: dict[str, list[AnyDocument]] = {}
        for entry in filter(self.is_trial, newest):
            trials.setdefault(self._sweep_of[entry.record.id], []).append(entry)
        heads = [each for each in sweeps if each.record.id in trials]
        alone = [each for each in newest if not self.is_trial(each)]
        found: list[AnyDocument] = []
        for entry in sorted([*alone, *heads], key=lambda each: each.info.created, reverse=True):
            found.append(entry)
            if entry.record.id in self._unfolded:
                found += trials.get(entry.record.id, [])
        return found

    def _arrange(self) -> None:
        """Add and remove rows; those that stay keep their order, the others are added again."""
        requested = self._arranged()
        places = {entry.key: place for place, entry in enumerate(requested)}
        last = len(requested)
        for row in reversed(range(len(self._entries))):
            place = places.get(self._entries[row].key, last)
            if place < last:
                last = place
            else:
                self.beginRemoveRows(_ROOT, row, row)
                del self._entries[row]
                self.endRemoveRows()
        for row, entry in enumerate(requested):
            if row >= len(self._entries) or self._entries[row].key != entry.key:
                self.beginInsertRows(_ROOT, row, row)
                self._entries.insert(row, entry)
                self.endInsertRows()


class _RecordDelegate(QStyledItemDelegate):
    """Paints a record in two lines: name and result; state, detail and sparkline."""

    def __init__(self, theme: Theme, records: RecordModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._records = records

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Return the size of two lines of text with padding."""
        return QSize(160, 2 * option.fontMetrics.height() + 2 * SPACE.s + SPACE.xs)

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, _index: Index
    ) -> None:
        """Give the line for the name the whole row."""
        editor.setGeometry(option.rect)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the background in the style of the application, and the content over it."""
        super().initStyleOption(option, index)
        option.text = ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        entry: AnyDocument = index.data(DOCUMENT_ROLE)
        row: RecordRow = index.data(_ROW_ROLE)
        box = option.rect.adjusted(SPACE.m, SPACE.s, -SPACE.m, -SPACE.s)
        height = option.fontMetrics.height()
        top = QRect(box.left(), box.top(), box.width(), height)
        bottom = QRect(box.left(), box.bottom() - height + 1, box.width(), height)
        painter.save()
        painter.setPen(self._theme.color("text"))
        if self._records.is_head(entry):
            name = "chevron-down" if self._records.is_unfolded(entry) else "chevron-right"
            sign = pixmap(name, self._theme, "muted", ICON_SMALL)
            painter.drawPixmap(box.left() - SPACE.xs, box.top() + (height - ICON_SMALL) // 2, sign)
        if self._records.is_head(entry) or self._records.is_trial(entry):
            top.setLeft(top.left() + ICON_SMALL)
            bottom.setLeft(bottom.left() + ICON_SMALL)
        painter.drawText(top, _RIGHT, row.result)
        room = top.width() - option.fontMetrics.horizontalAdvance(row.result) - SPACE.s
        name = elided(option.fontMetrics, row.name or entry.name, room)
        painter.drawText(top, _LEFT, name)
        small = option.font
        small.setPixelSize(TYPE.caption)
        painter.setFont(small)
        painter.setPen(self._theme.color(STATE_ROLES[entry.shown_state]))
        state = " · ".join(filter(None, [state_word(entry.shown_state), row.detail]))
        metrics, beside = QFontMetrics(small), bottom.width() - _CURVE_WIDTH - SPACE.s
        painter.drawText(bottom, _LEFT, elided(metrics, state, bottom.width()))
        if metrics.horizontalAdvance(state) <= beside:  # words come before the curve
            self._draw_curve(painter, bottom, row.curve)
        painter.restore()

    def _draw_curve(self, painter: QPainter, line: QRect, values: Sequence[float]) -> None:
        box = QRectF(line.right() - _CURVE_WIDTH, line.top() + 2, _CURVE_WIDTH, line.height() - 4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = QColor(chart_color(0, dark=self._theme.is_dark))
        painter.setPen(QPen(color, 1.5))
        painter.drawPath(sparkline_path(values, box))


class RecordList(QListView):
    """A list of records.

    Args:
        context: The jobs and the theme.
        kinds: Kinds of the records.
        name: Name for screen readers.
        describe: Returns the content of the row of a record.
        parent: Owns the list.
        groups_trials: See `RecordModel`. A click on a sweep, or the right and the left arrow,
            unfolds and folds it.

    Signals:
        chosen: Id of the record that the user selected.
        several_chosen: Ids of the records, if the user selected several.
        menu_requested: The selected records as a list, and the position on the screen.
    """

    chosen = Signal(str)
    several_chosen = Signal(list)
    menu_requested = Signal(list, QPoint)

    def __init__(
        self,
        context: AppContext,
        kinds: Sequence[RecordKind],
        name: str,
        describe: Describe,
        parent: QWidget | None = None,
        *,
        groups_trials: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setMinimumWidth(168)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._selected: list[str] = []
        self.records = RecordModel(
            context.jobs, kinds, describe, self, groups_trials=groups_trials
        )
        self.setModel(self.records)
        self.clicked.connect(self._on_clicked)
        self.setItemDelegate(_RecordDelegate(context.theme, self.records, self))
        self.selectionModel().selectionChanged.connect(self._on_selection)
        self.customContextMenuRequested.connect(self._on_menu)
        context.theme.changed.connect(self.viewport().update)

    def set_current(self, record_id: str) -> None:
        """Select a record without emitting a signal; an unknown id clears the selection."""
        row = self.records.shown_row_of(record_id)
        is_known = row >= 0
        self._selected = [record_id] if self.records.row_of(record_id) >= 0 else []
        if is_known and [index.row() for index in self._selected_rows()] == [row]:
            return  # the user may have scrolled away
        if not is_known:
            self.selectionModel().clear()
            return
        # The view's own selection would extend the old one while Ctrl or Shift is held.
        flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(self.records.index(row), flag)
        self.scrollTo(self.records.index(row))

    def selected_entries(self) -> list[AnyDocument]:
        """Return the selected records, from top to bottom, without heads."""
        entries: list[AnyDocument] = [each.data(DOCUMENT_ROLE) for each in self._selected_rows()]
        return [each for each in entries if not self.records.is_head(each)]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Fold and unfold a sweep by the arrows."""
        key, head = Qt.Key(event.key()), self._head_at(self.currentIndex())
        if head is not None and key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.records.fold(head, unfolds=key == Qt.Key.Key_Right)
        elif head is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._on_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _on_clicked(self, index: Index) -> None:
        head = self._head_at(index)
        if head is not None:
            self.records.fold(head, unfolds=not self.records.is_unfolded(head))

    def _head_at(self, index: Index) -> AnyDocument | None:
        entry = index.data(DOCUMENT_ROLE) if index.isValid() else None
        is_head = isinstance(entry, RecordDocument) and self.records.is_head(entry)
        return entry if is_head else None

    def _selected_rows(self) -> list[QModelIndex]:
        return sorted(self.selectionModel().selectedRows(), key=QModelIndex.row)

    def edit_name(self, record_id: str) -> None:
        """Let the user edit the name of a record in its row."""
        row = self.records.row_of(record_id)
        if row >= 0:
            self.edit(self.records.index(row))

    def _on_selection(self, _selected: QItemSelection, _deselected: QItemSelection) -> None:
        ids = [entry.record.id for entry in self.selected_entries()]
        if ids == self._selected:
            return  # rows were added or removed, which is not a choice of the user
        self._selected = ids
        if len(ids) == 1:
            self.chosen.emit(ids[0])
        elif ids:
            self.several_chosen.emit(ids)

    def _on_menu(self, position: QPoint) -> None:
        entries = self.selected_entries()
        if entries:
            self.menu_requested.emit(entries, self.viewport().mapToGlobal(position))


class ListWidget(Protocol):
    """A widget that lists records and has a signal `chosen`."""

    def set_current(self, record_id: str) -> None:
        """Mark a record as the one that is shown; an empty id marks none."""


ViewT = TypeVar("ViewT", bound=QWidget)


class RecordPage(Page):
    """Base of pages that list records at the left and show one of them at the right.

    A subclass makes its parts, calls `lay_out`, and implements `show_detail`.

    Args:
        context: The parts of the application.
        kinds: Kinds of the listed records.
        parent: Owns the page.

    Attributes:
        shown: The record that was shown last, as long as it exists.
        stack: The views at the right.
        left: The column with the list.
    """

    def __init__(
        self, context: AppContext, kinds: Sequence[RecordKind], parent: QWidget | None = None
    ) -> None:
        super().__init__(context, parent)
        # Parts are made where they stay: Qt styles all widgets of a part that moves.
        across = Qt.Orientation.Horizontal
        self._splitter = Splitter(context.settings, "", across, self)
        self.left = QWidget(self._splitter)
        self.shown: AnyDocument | None = None
        self.stack = PageStack(self._splitter)
        self._kinds = kinds
        self._requested = self._removed = ""
        self._detail: QWidget | None = None
        self._list: ListWidget
        self._empty: QWidget
        # Shown until the workspace has been read.
        self._unread = self._placeholder = self.add_view(QWidget(self.stack))
        self._following = Following(self, self._on_change)

    @property
    def current_record(self) -> str:
        """Id of the record that was shown last, or empty."""
        return "" if self.shown is None else self.shown.record.id

    @property
    def is_detail_shown(self) -> bool:
        """True if the right side shows a record, not a form."""
        return self._detail is not None and self.stack.currentWidget() is self._detail

    def show_record(self, record_id: str) -> None:
        """Show a record now, or as soon as it is known."""
        self._requested = record_id
        self.show_requested()

    def show_detail(self, entry: AnyDocument) -> QWidget:
        """Show a record in its view and return this view."""
        raise NotImplementedError

    def show_entry(self, entry: AnyDocument) -> None:
        """Show a record that is known."""
        self._requested = self._removed = ""
        self._following.show(entry)
        self._list.set_current(entry.record.id)
        self._detail = self.show_detail(entry)
        self.shown = entry
        self.stack.setCurrentWidget(self._detail)

    def show_requested(self) -> bool:
        """Show the record that was requested, if it is known; return True if it was."""
        return self._show_known(self._requested)

    def start_entries(self) -> Sequence[AnyDocument]:
        """Return the records of which `show_start` shows one, newest first."""
        return self.context.jobs.newest(self._kinds)

    def show_start(self) -> None:
        """Show a running record, else the newest one, else the page for no records."""
        entries = self.start_entries()
        running = [entry for entry in entries if entry.state.has_worker]
        if entries:
            self.show_entry((running or entries)[0])
        else:
            self.show_nothing()

    def show_nothing(self) -> None:
        """Show what to do while there are no records."""
        self.show_placeholder(self._empty)

    def show_placeholder(self, view: QWidget) -> None:
        """Show a view that gives way to the first record that comes."""
        self._following.show()
        self.shown, self._placeholder = None, view
        self._list.set_current("")
        self.stack.setCurrentWidget(view)

    def show_view(self, view: QWidget) -> None:
        """Show a view of no single record; the list marks none."""
        self._list.set_current("")
        self.stack.setCurrentWidget(view)

    @property
    def has_content(self) -> bool:
        """True if the left column is shown; the right side says how to begin otherwise."""
        return bool(self.context.jobs.newest(self._kinds))

    def refresh(self) -> None:
        """Update what depends on the records of the workspace."""

    def follow(self, entry: AnyDocument, change: RecordChange) -> None:
        """Show a change, also the removal, of the record that was shown last."""

    @property
    def has_data(self) -> bool:
        """True if there is a dataset to train on."""
        datasets = self.context.jobs.entries(RecordKind.DATASET)
        return any(entry.state == State.COMPLETED for entry in datasets)

    def update_page(self, _change: object = None) -> None:
        """Show the record that was requested or restored, or replace a placeholder."""
        is_placeholder = self.stack.currentWidget() is self._placeholder
        if not self.show_requested() and (is_placeholder or self.is_detail_shown):
            is_restored = self._show_known(self._removed)
            if is_placeholder and not is_restored:
                self.show_start()
        self.refresh()
        self._show_left()

    def add_view(self, view: ViewT) -> ViewT:
        """Add a view to the right side and return it; it is made with `stack` as its parent."""
        self.stack.addWidget(view)
        return view

    def lay_out(
        self,
        page: str,
        records: ListWidget,
        empty: QWidget,
        *parts: Part,
        width: int = _LIST_WIDTH,
    ) -> None:
        """Place the list and the right side, which shows a record once the page is seen.

        Args:
            page: Name of the page; the position of the splitter is stored under it.
            records: The list, in the left column or in a view of the right side.
            empty: The view at the right while there are no records.
            parts: The left column from top to bottom.
            width: First width of the left column in pixels.
        """
        self._list = records
        self._empty = self.add_view(empty)
        margins = (SPACE.m, SPACE.l, 0, SPACE.m)
        vbox(*parts, owner=self.left, spacing=SPACE.m, margins=margins)
        self._splitter.key = f"{page}/splitter"
        self._splitter.split((self.left, 0, width), (self.stack, 1, _DETAIL_WIDTH))
        vbox(self._splitter, owner=self)
        self.context.jobs.listed.connect(self.update_page)
        if self.context.jobs.is_loaded:
            self.refresh()
        self._show_left()

    def showEvent(self, event: QShowEvent) -> None:
        """Show the first record, unless a form or another record was opened before."""
        super().showEvent(event)
        if self.context.jobs.is_loaded and self.stack.currentWidget() is self._unread:
            requested = self._requested  # a record that is not known yet
            self.show_start()
            self._requested = requested

    def _show_known(self, record_id: str) -> bool:
        found = (self.context.jobs.get(kind, record_id) for kind in self._kinds)
        entry = next(filter(None, found), None)
        if entry is not None:
            self.show_entry(entry)
        return entry is not None

    def _show_left(self) -> None:
        """Hide the left column while it is empty."""
        has_content = self.has_content
        if self.left.isHidden() == has_content:
            self.left.setVisible(has_content)
            self._splitter.restore()

    def _on_change(self, entry: AnyDocument, change: RecordChange) -> None:
        self.follow(entry, change)
        if change.is_removed:
            self.shown = None
            if self.is_detail_shown:
                self.show_start()
                self._removed = entry.record.id
