"""Rows of runs on the screen: sorted by headings, with small curves and columns of one's own."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QMenu,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from studio.engine.tasks.task import Task
from studio.ui.bridge.jobs import RunEntry
from studio.ui.pages.train.runs_columns import (
    COLUMNS,
    CURVE,
    NAME,
    Column,
    heading,
    is_measured,
    shown_at_first,
)
from studio.ui.pages.train.runs_model import VALUE_ROLE, RunsModel
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, chart_color
from studio.ui.widgets.eliding import ElidingDelegate
from studio.ui.widgets.sparkline import sparkline_path
from studio.ui.widgets.tables import dress_table

Index = QModelIndex | QPersistentModelIndex
LAYOUT = "train/runs-table"
_WIDEST = 2000
"""Pixels of a column, whatever the settings say."""
_UNFIT = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_SELECT = QItemSelectionModel.SelectionFlag


class _Rows(ElidingDelegate):
    """The curve of a run as small as a word."""

    def __init__(self, theme: Theme, model: RunsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The cell, and over it the curve."""
        super().paint(painter, option, index)
        if self._model.columns[index.column()].key != CURVE:
            return
        values = index.data(VALUE_ROLE)
        if not values:
            return
        area = QRectF(option.rect).adjusted(SPACE.s, SPACE.s, -SPACE.s, -SPACE.s)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(chart_color(0, dark=self._theme.is_dark)), 1.5))
        painter.drawPath(sparkline_path(values, area))
        painter.restore()


class RunsView(QTableView):
    """Runs in rows; groups, where there are any, can be folded.

    Signals:
        selection_changed: Something else is selected.
        opened: Id of a run that was pressed twice, or with Enter.
    """

    selection_changed = Signal()
    opened = Signal(str)

    def __init__(
        self, model: RunsModel, theme: Theme, settings: Settings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._settings = settings
        self._kept: list[str] = []
        self._is_applying = False
        self._hidden: dict[str, bool] = {}
        self._tasks: dict[str, Task] = {}
        self._widths: dict[str, int] = {}
        self._saving = QTimer(self)
        self._saving.setSingleShot(True)
        self._saving.setInterval(300)
        self.setModel(model)
        self._dress()
        self.setItemDelegate(_Rows(theme, model, self))
        self._restore()
        self._connect(theme)

    def set_tasks(self, tasks: Iterable[Task]) -> None:
        """Show the columns of these tasks where the user has not chosen otherwise."""
        named = {task.name: task for task in tasks}
        if named.keys() != self._tasks.keys():
            self._tasks = named
            self._apply_columns()

    def selected_entries(self) -> list[RunEntry]:
        """The runs that are selected, in their order on the screen."""
        rows: set[int] = set()
        # Not `selectedRows`, which asks the model for every cell of every row.
        selection = self.selectionModel().selection()
        for part in (selection.at(number) for number in range(selection.size())):
            rows.update(range(part.top(), part.bottom() + 1))
        found = (self._model.entry_at(row) for row in sorted(rows))
        return [entry for entry in found if entry is not None]

    def select_ids(self, ids: list[str]) -> None:
        """Select these runs and no other; those that are not shown are left out."""
        chosen = QItemSelection()
        last = len(self._model.columns) - 1
        places = (self._model.index_of(record_id) for record_id in ids)
        rows = sorted(index.row() for index in places if index.isValid())
        for _, run in itertools.groupby(enumerate(rows), lambda pair: pair[1] - pair[0]):
            block = [row for _, row in run]
            chosen.select(self._model.index(block[0], 0), self._model.index(block[-1], last))
        self.selectionModel().select(chosen, _SELECT.ClearAndSelect)

    def edit_name(self, record_id: str) -> None:
        """Let the name of a run be typed where it stands."""
        index = self._model.index_of(record_id)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def columns_menu(self) -> QMenu:
        """All columns to switch on and off, and back to what they were at first."""
        menu = QMenu(self)
        for column in self._model.columns:
            if self._is_hidden(column) and not is_measured(column, self._tasks):
                continue
            action = menu.addAction(heading(column.key))
            action.setCheckable(True)
            action.setChecked(not self._is_hidden(column))
            action.setEnabled(column.key != NAME)
            action.setData(column.key)
        menu.triggered.connect(self._on_column)
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, or folds a group; Ctrl+D selects nothing and Ctrl+I all others."""
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        editing = self.state() == QAbstractItemView.State.EditingState
        entry = self._model.entry(self.currentIndex())
        pressed = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if pressed and not editing and entry is not None and event.key() != Qt.Key.Key_Space:
            self.opened.emit(entry.record.id)
        elif pressed and not editing and self._fold(self.currentIndex()):
            event.accept()
        elif control and event.key() == Qt.Key.Key_D:
            self.clearSelection()
        elif control and event.key() == Qt.Key.Key_I:
            chosen = {entry.record.id for entry in self.selected_entries()}
            ids = [row.entry.key[1] for row in self._model.rows()]
            self.select_ids([each for each in ids if each not in chosen])
        else:
            super().keyPressEvent(event)

    def _dress(self) -> None:
        dress_table(self)
        self.setAccessibleName(self.tr("All runs"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setCornerButtonEnabled(False)
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        # Qt sorts nothing here, but this way a press on a heading does not select the column;
        # the headings get a selection of their own, or they would ask for every cell of it.
        self.setSortingEnabled(True)
        header.setSortIndicatorShown(False)
        header.setSelectionModel(QItemSelectionModel(self._model, header))
        header.setSectionsMovable(True)
        header.setFirstSectionMovable(False)
        header.setMinimumSectionSize(48)
        header.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def _connect(self, theme: Theme) -> None:
        header = self.horizontalHeader()
        header.sectionClicked.connect(self._on_heading)
        header.sectionResized.connect(self._on_resized)
        header.sectionMoved.connect(self._save_soon)
        header.customContextMenuRequested.connect(self._on_heading_menu)
        self._saving.timeout.connect(self.save)
        self._model.modelAboutToBeReset.connect(self._on_before_reset)
        self._model.modelReset.connect(self._on_reset)
        self._model.columnsInserted.connect(self._on_columns)
        self.clicked.connect(self._on_click)
        self.doubleClicked.connect(self._on_double_click)
        self.selectionModel().selectionChanged.connect(self._on_selection)
        theme.changed.connect(self.viewport().update)

    # Sorting

    def _on_heading(self, section: int) -> None:
        """A click sorts by one column, again turns it round; with Shift it is a further key."""
        column = self._model.columns[section]
        shift = bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)
        keys = self._model.sort_keys
        at = next((n for n, (key, _) in enumerate(keys) if key == column.key), -1)
        turned = (column.key, not keys[at][1] if at >= 0 else column.is_figure)
        if not shift:
            self._model.sort_by([turned])
        elif at >= 0:
            self._model.sort_by([*keys[:at], turned, *keys[at + 1 :]])
        else:
            self._model.sort_by([*keys, turned])
        self._save_soon()

    # Columns

    def _is_hidden(self, column: Column) -> bool:
        return self._hidden.get(column.key, not shown_at_first(column, self._tasks))

    def _on_column(self, action: Any) -> None:  # noqa: ANN401 - a QAction, told as an object
        self._hidden[action.data()] = not action.isChecked()
        self._apply_columns()
        self._save_soon()

    def _on_heading_menu(self, place: Any) -> None:  # noqa: ANN401 - a QPoint
        self.columns_menu().popup(self.horizontalHeader().mapToGlobal(place))

    def _on_columns(self, _parent: QModelIndex, _first: int, _last: int) -> None:
        self._apply_columns()

    def _apply_columns(self) -> None:
        self._is_applying = True
        header = self.horizontalHeader()
        for section, column in enumerate(self._model.columns):
            self.setColumnHidden(section, self._is_hidden(column))
            # At first no heading is cut, in whichever language.
            usual = max(column.width, header.sectionSizeHint(section))
            header.resizeSection(section, self._widths.get(column.key, usual))
        self._is_applying = False

    def _on_resized(self, section: int, _before: int, width: int) -> None:
        if width and not self._is_applying:
            self._widths[self._model.columns[section].key] = width
            self._save_soon()

    # Remembering

    def _save_soon(self, *_what: int) -> None:
        self._saving.start()

    def save(self) -> None:
        """Remember columns, their widths and order, and how it is sorted."""
        header = self.horizontalHeader()
        order = [self._model.columns[header.logicalIndex(n)].key for n in range(header.count())]
        layout = {
            "hidden": self._hidden,
            "widths": self._widths,
            "order": order,
            "sort": self._model.sort_keys,
            "grouped": self._model.is_grouped,
        }
        self._settings.set_text(LAYOUT, json.dumps(layout))

    def _restore(self) -> None:
        saved = self._settings.text(LAYOUT)
        if saved is not None:
            # Of another version, or damaged: as at first.
            with contextlib.suppress(*_UNFIT):
                self._take_layout(json.loads(saved))
        self._apply_columns()
        self._on_reset()

    def _take_layout(self, layout: dict[str, Any]) -> None:
        hidden = {str(key): bool(on) for key, on in layout["hidden"].items()}
        # Of layouts in which all columns stood only what was chosen counts: the others follow
        # the tasks of the runs.
        usual = {column.key: not shown_at_first(column, {}) for column in COLUMNS}
        self._hidden |= {key: on for key, on in hidden.items() if on != usual.get(key)}
        self._widths = {
            str(key): max(0, min(int(width), _WIDEST)) for key, width in layout["widths"].items()
        }
        known = {column.key for column in COLUMNS}
        self._model.sort_by(
            [(str(key), bool(down)) for key, down in layout["sort"] if key in known]
        )
        self._model.set_grouped(grouped=bool(layout["grouped"]))
        self._move_columns([str(key) for key in layout["order"]])

    def _move_columns(self, order: list[str]) -> None:
        keys = [column.key for column in self._model.columns]
        wanted = [key for key in order if key in keys]
        header = self.horizontalHeader()
        for place, key in enumerate(wanted):
            header.moveSection(header.visualIndex(keys.index(key)), place)

    # What stays when rows come and go

    def _on_before_reset(self) -> None:
        self._kept = [entry.record.id for entry in self.selected_entries()]

    def _on_reset(self) -> None:
        self.clearSpans()
        for row in self._model.group_rows():
            self.setSpan(row, 0, 1, len(self._model.columns))
        if self._kept:
            self.select_ids(self._kept)
            self._kept = []
        self.selection_changed.emit()

    def _on_click(self, index: QModelIndex) -> None:
        self._fold(index)

    def _fold(self, index: QModelIndex) -> bool:
        group = self._model.group_at(index)
        if group is None:
            return False
        self._model.fold(group)
        heads = self._model.group_rows()
        here = [row for row in heads if self._model.group_at(self._model.index(row, 0)) == group]
        if here:
            self.selectionModel().setCurrentIndex(self._model.index(here[0], 0), _SELECT.NoUpdate)
        return True

    def _on_selection(self, _chosen: QItemSelection, _gone: QItemSelection) -> None:
        self.selection_changed.emit()

    def _on_double_click(self, index: QModelIndex) -> None:
        entry = self._model.entry(index)
        if entry is not None:
            self.opened.emit(entry.record.id)
