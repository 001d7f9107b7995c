"""The table of runs and the bar above it."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterable
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QKeyEvent, QPainter, QPen, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QWidget,
)

from studio.engine.jobs.states import State
from studio.engine.tasks.task import Task
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RunDocument
from studio.ui.pages.train.runs.actions import RunsActions, RunSettings, differing_settings
from studio.ui.pages.train.runs.model import (
    COLUMNS,
    CURVE,
    NAME,
    VALUE_ROLE,
    Column,
    Filter,
    RunsModel,
    heading,
    is_measured,
    shown_at_first,
)
from studio.ui.settings import Settings
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, chart_color
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import ElidingDelegate, state_word
from studio.ui.widgets.layout import Debounce, hbox, vbox
from studio.ui.widgets.pages import PageHeader
from studio.ui.widgets.small_charts import sparkline_path
from studio.ui.widgets.tables import dress_table

Index = QModelIndex | QPersistentModelIndex
LAYOUT = "train/runs-table"
_WIDEST = 2000
"""Greatest width of a column in pixels."""
_UNFIT = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
_SELECT = QItemSelectionModel.SelectionFlag


class _Cells(ElidingDelegate):
    """Cells of the table; those of curves show a sparkline."""

    def __init__(self, theme: Theme, model: RunsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the cell and its sparkline."""
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
    """The table of runs with groups that can be folded.

    Signals:
        selection_changed: The selection changed.
        opened: Id of a run that was opened by a double click or Enter.
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
        self._saving = Debounce(300, self.save, self)
        self.setModel(model)
        self._style()
        self.setItemDelegate(_Cells(theme, model, self))
        self._restore()
        self._connect(theme)

    def set_tasks(self, tasks: Iterable[Task]) -> None:
        """Show the columns of these tasks, except those that the user switched."""
        named = {task.name: task for task in tasks}
        if named.keys() != self._tasks.keys():
            self._tasks = named
            self._apply_columns()

    def selected_entries(self) -> list[RunDocument]:
        """Return the selected runs from top to bottom."""
        rows: set[int] = set()
        # `selectedRows` would query every cell of every row.
        selection = self.selectionModel().selection()
        for part in (selection.at(number) for number in range(selection.size())):
            rows.update(range(part.top(), part.bottom() + 1))
        found = (self._model.entry_at(row) for row in sorted(rows))
        return [entry for entry in found if entry is not None]

    def select_ids(self, ids: list[str]) -> None:
        """Select only these runs; hidden ones are left out."""
        chosen = QItemSelection()
        last = len(self._model.columns) - 1
        places = (self._model.index_of(record_id) for record_id in ids)
        rows = sorted(index.row() for index in places if index.isValid())
        for _, run in itertools.groupby(enumerate(rows), lambda pair: pair[1] - pair[0]):
            block = [row for _, row in run]
            chosen.select(self._model.index(block[0], 0), self._model.index(block[-1], last))
        self.selectionModel().select(chosen, _SELECT.ClearAndSelect)

    def edit_name(self, record_id: str) -> None:
        """Edit the name of a run in its cell."""
        index = self._model.index_of(record_id)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def columns_menu(self) -> QMenu:
        """Return a menu to show and hide columns."""
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
        """Open a run or fold a group with Enter; Ctrl+D deselects, Ctrl+I inverts."""
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

    def _style(self) -> None:
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

    # Settings

    def _save_soon(self, *_what: int) -> None:
        self._saving.start()

    def save(self) -> None:
        """Store the columns, their widths and order, and the sorting in the settings."""
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
            # A layout of another version, or a damaged one, is ignored.
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

    # Selection when rows change

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


ARRANGE_MS = 1000
_BOX_WIDTH = 104
_ALL = None
Button = QPushButton | QToolButton


class RunsTable(QWidget):
    """The table with search, filters and actions on the selected runs.

    Signals:
        opened: Id of the run to open.
    """

    opened = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._is_stale = True
        self._settings: list[RunSettings] = []
        self.model = RunsModel(context.theme, self)
        self.view = RunsView(self.model, context.theme, context.settings, self)
        self.acts = RunsActions(context, self)
        self.search = QLineEdit(self)
        self.state_box = self._box(self.tr("State"))
        self.tag_box = self._box(self.tr("Tag"))
        self.group_box = self._box(self.tr("Group"))
        self.grouped = icon_button("folder", self.tr("Rows by group"), context.theme, parent=self)
        self.columns = icon_button("table", self.tr("Columns"), context.theme, parent=self)
        self.counted = QLabel(self)
        # Running runs change their position at most once a second.
        self._arranging = Debounce(ARRANGE_MS, self._on_arrange, self)
        self._reading = Debounce(0, self._read, self)
        self._lay_out()
        self._connect()

    def showEvent(self, event: QShowEvent) -> None:
        """Show the changes since the table was hidden."""
        super().showEvent(event)
        if self._is_stale:
            self._read()

    def _box(self, name: str) -> QComboBox:
        box = ComboBox(self)
        box.setMinimumContentsLength(len(name))
        box.setAccessibleName(name)
        box.setToolTip(name)
        box.setMinimumWidth(_BOX_WIDTH)
        box.addItem(name, _ALL)
        return box

    def _lay_out(self) -> None:
        self.search.setPlaceholderText(self.tr("Search names, networks, tags, notes …"))
        self.search.setAccessibleName(self.tr("Search the runs"))
        self.search.setClearButtonEnabled(True)
        self.grouped.setCheckable(True)
        self.grouped.setChecked(self.model.is_grouped)
        self.counted.setProperty("role", "muted")
        boxes = (self.state_box, self.tag_box, self.group_box)
        filters = hbox((self.search, 1), *boxes, self.grouped, self.columns, spacing=SPACE.s)
        vbox(
            PageHeader(self.tr("Runs"), parent=self),
            filters,
            (self.view, 1),
            self._action_row(),
            owner=self,
            spacing=SPACE.m,
            margins=(SPACE.xl, SPACE.l, SPACE.l, SPACE.l),
        )

    def _action_row(self) -> QHBoxLayout:
        acts, theme = self.acts, self._context.theme
        row = hbox((self.counted, 1), spacing=SPACE.s)
        for action, icon in (
            (acts.compare, "chart"),
            (acts.stop, "stop"),
            (acts.tags.menuAction(), "tag"),
            (acts.groups.menuAction(), "folder"),
        ):
            button = push_button(action.text(), theme, icon=icon, parent=self)
            row.addWidget(self._bind(button, action))
        for action, icon in ((acts.clone, "copy"), (acts.delete, "trash")):
            row.addWidget(self._bind(icon_button(icon, action.text(), theme, parent=self), action))
        return row

    @staticmethod
    def _bind(button: Button, action: QAction) -> Button:
        """Let a button trigger an action, or open its menu, and follow its state."""
        menu = action.menu()
        if isinstance(menu, QMenu):
            button.setMenu(menu)
        else:
            button.clicked.connect(action.trigger)
        follow = partial(_follow, button, action)
        action.changed.connect(follow)
        follow()
        return button

    def _connect(self) -> None:
        jobs, acts = self._context.jobs, self.acts
        jobs.listed.connect(self._on_listed)
        jobs.changed.connect(self._on_changed)
        self.search.textChanged.connect(self._on_filter)
        for box in (self.state_box, self.tag_box, self.group_box):
            box.activated.connect(self._on_filter)
        self.grouped.toggled.connect(self._on_grouped)
        self.columns.clicked.connect(self._on_columns)
        self.model.edited.connect(acts.save)
        self.view.selection_changed.connect(self._on_selection)
        self.view.opened.connect(self.opened)
        self.view.customContextMenuRequested.connect(self._on_menu)
        acts.open_wanted.connect(self.opened)
        acts.rename_wanted.connect(self.view.edit_name)
        self.view.addActions([acts.rename, acts.delete])

    # Runs

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if kinds & {RecordKind.RUN, RecordKind.DATASET}:
            self._is_stale = True
            if self.isVisible() and not self._reading.isActive():
                self._reading.start()

    def _on_changed(self, entry: RunDocument, change: Change) -> None:
        if entry.key[0] != RecordKind.RUN:
            return
        is_other = self.model.touch(entry.record.id)
        if is_other and not change.is_info and not self._arranging.isActive():
            self._arranging.start()
        if change.is_state:
            self._on_selection()  # other actions may be possible now

    def _on_arrange(self) -> None:
        if self.isVisible():
            self.model.arrange()
            self._fill_boxes()
        else:
            self._is_stale = True

    def _read(self) -> None:
        self._is_stale = False
        jobs = self._context.jobs
        datasets = {each.record.id: each.name for each in jobs.entries(RecordKind.DATASET)}
        entries = jobs.entries(RecordKind.RUN)
        self.view.set_tasks(jobs.task_of(entry) for entry in entries)
        self.model.set_entries(entries, datasets)
        self._fill_boxes()
        self._on_selection()
        settings: list[RunSettings] = [
            (entry.plan, entry.history.changes)
            for entry in entries
            if isinstance(entry.plan, TrainingPlan)
        ]
        if not _same(settings, self._settings):
            self._settings = settings
            work = partial(differing_settings, settings)
            self._context.background.run(self, work, self._on_settings)

    def _on_settings(self, names: list[str]) -> None:
        # Network and dataset have columns of their own.
        self.model.set_settings([name for name in names if name not in ("network", "dataset")])

    # Filters and selection

    def _fill_boxes(self) -> None:
        rows = [row.entry for row in self.model.every_row()]
        states = {entry.state for entry in rows}
        tags = {tag for entry in rows for tag in entry.info.tags}
        groups = {entry.info.group for entry in rows} - {""}
        _fill(self.state_box, [(state_word(s), s.value) for s in State if s in states])
        _fill(self.tag_box, [(tag, tag) for tag in sorted(tags, key=str.casefold)])
        named = [(group, group) for group in sorted(groups, key=str.casefold)]
        _fill(self.group_box, [*named, (self.tr("No group"), "")] if named else [])
        self._on_filter()

    def _on_filter(self, _what: object = None) -> None:
        self.model.set_filter(
            Filter(
                self.search.text().strip(),
                self.state_box.currentData() or "",
                self.tag_box.currentData() or "",
                self.group_box.currentData(),
            )
        )
        self._show_count()

    def _on_grouped(self, grouped: bool) -> None:
        self.model.set_grouped(grouped=grouped)
        self.view.save()

    def _on_columns(self) -> None:
        below = self.columns.mapToGlobal(QPoint(0, self.columns.height()))
        self.view.columns_menu().popup(below)

    def _on_selection(self) -> None:
        self.acts.set_entries(self.view.selected_entries())
        self._show_count()

    def _show_count(self) -> None:
        selected = len(self.view.selected_entries())
        shown, total = len(self.model.rows()), self.model.total
        if selected:
            text = self.tr("{selected} of {shown} selected").format(
                selected=count(selected), shown=count(shown)
            )
        elif shown < total:
            text = self.tr("{shown} of {total} runs").format(
                shown=count(shown), total=count(total)
            )
        else:
            text = self.tr("{total} runs").format(total=count(total))
        self.counted.setText(text)

    def _on_menu(self, place: QPoint) -> None:
        if self.view.selected_entries():
            menu = self.acts.menu(self.view)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self.view.viewport().mapToGlobal(place))


def _follow(button: Button, action: QAction) -> None:
    button.setEnabled(action.isEnabled())
    button.setToolTip(action.toolTip())
    button.setAccessibleName(action.text())


def _fill(box: QComboBox, words: list[tuple[str, str]]) -> None:
    """Replace the choices after the first one, which stands for all, and keep the current one."""
    there = [(box.itemText(n), box.itemData(n)) for n in range(1, box.count())]
    if there == words:
        return
    chosen = box.currentData()
    while box.count() > 1:
        box.removeItem(1)
    for text, value in words:
        box.addItem(text, value)
    box.setCurrentIndex(max(0, box.findData(chosen)) if chosen is not None else 0)


def _same(new: list[RunSettings], old: list[RunSettings]) -> bool:
    """Return True if all plans and changes are the same objects."""
    return len(new) == len(old) and all(
        one[0] is other[0] and one[1] is other[1] for one, other in zip(new, old, strict=True)
    )
