"""The table of runs and the bar above it."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import Final

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QToolButton, QWidget

from studio.engine.jobs.states import State
from studio.engine.tasks.task import Task
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RunDocument
from studio.ui.pages.train.runs.actions import RunsActions, RunSettings, differing_settings
from studio.ui.pages.train.runs.rows import NAME, STARTED, Filter, RunRow, run_columns
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import state_word
from studio.ui.widgets.layout import Debounce, hbox, text_label, vbox
from studio.ui.widgets.pages import PAGE_MARGINS, PageHeader
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import Column

LAYOUT: Final = "train/runs-table"
GROUPED: Final = "train/runs-grouped"
FILL_MS = 1000
_BOX_WIDTH = 104
_ALL = None
Button = QPushButton | QToolButton


class RunsView(Table[RunRow]):
    """The rows, with the actions of runs in the context menu."""

    def __init__(self, acts: RunsActions, parent: QWidget | None = None) -> None:
        super().__init__("", (), parent, key=attrgetter("id"), selection="many")
        self._acts = acts
        self.setAccessibleName(self.tr("All runs"))
        self.content.set_usual_sort([(STARTED, True)])

    def context_menu(self) -> QMenu:
        """Return the context menu."""
        menu = self._acts.menu(self) if self.selected else QMenu(self)
        self.add_copying(menu)
        return menu


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
        self._rows: dict[str, RunRow] = {}
        self._tasks: dict[str, Task] = {}
        self._settings: list[RunSettings] = []
        self._differing: list[str] = []
        self.acts = RunsActions(context, self)
        self.view = RunsView(self.acts, self)
        self.view.show_rows((), self._columns())
        self.view.remember(context.settings, LAYOUT)
        self.search = QLineEdit(self, clearButtonEnabled=True)
        self.state_box = self._box(self.tr("State"))
        self.tag_box = self._box(self.tr("Tag"))
        self.group_box = self._box(self.tr("Group"))
        self.grouped = icon_button("folder", self.tr("Rows by group"), context.theme, parent=self)
        self.columns_button = icon_button("table", self.tr("Columns"), context.theme, parent=self)
        self.counted = text_label("", "muted", self)
        self._filling = Debounce(FILL_MS, self._fill_boxes, self)
        self._reading = Debounce(0, self._read, self)
        self._lay_out()
        self._connect()

    def showEvent(self, event: QShowEvent) -> None:
        """Show the changes since the table was hidden."""
        super().showEvent(event)
        if self._is_stale:
            self._read()

    @property
    def selected(self) -> list[RunDocument]:
        """The selected runs, from top to bottom."""
        return [row.entry for row in self.view.selected]

    def _box(self, name: str) -> ComboBox:
        box = ComboBox(self, name)
        box.setMinimumContentsLength(len(name))
        box.setToolTip(name)
        box.setMinimumWidth(_BOX_WIDTH)
        box.addItem(name, _ALL)
        return box

    def _lay_out(self) -> None:
        self.search.setPlaceholderText(self.tr("Search names, networks, tags, notes …"))
        self.search.setAccessibleName(self.tr("Search the runs"))
        self.grouped.setCheckable(True)
        self.grouped.setChecked(bool(self._context.settings.text(GROUPED)))
        self._group()
        boxes = (self.state_box, self.tag_box, self.group_box)
        buttons = (self.grouped, self.columns_button)
        filters = hbox((self.search, 1), *boxes, *buttons, spacing=SPACE.s)
        parts = (PageHeader(self.tr("Runs"), parent=self), filters, (self.view, 1))
        vbox(*parts, self._action_row(), owner=self, spacing=SPACE.m, margins=PAGE_MARGINS)

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
        self.columns_button.clicked.connect(self._on_columns)
        self.view.selection_changed.connect(self._on_selection)
        self.view.opened.connect(self.opened.emit)
        acts.open_requested.connect(self.opened)
        acts.rename_requested.connect(self._on_rename)
        self.view.addActions([acts.rename, acts.delete])

    # Runs

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if kinds & {RecordKind.RUN, RecordKind.DATASET}:
            self._is_stale = True
            if self.isVisible() and not self._reading.isActive():
                self._reading.start()

    def _on_changed(self, entry: RunDocument, change: Change) -> None:
        row = self._rows.get(entry.record.id)
        if entry.key[0] != RecordKind.RUN or row is None:
            return
        row.forget()
        self.view.touch(row.id)
        if change.is_state:
            self._filling.start()
            self._on_selection()  # other actions may be possible now

    def _columns(self) -> list[Column[RunRow]]:
        theme, tasks = self._context.theme, self._tasks.values()
        return run_columns(theme, tasks, self._differing, self._on_edit)

    def _on_edit(self, row: RunRow, key: str, text: str) -> None:
        self.acts.save(row.entry, key, text)

    def _on_rename(self, record_id: str) -> None:
        self.view.edit_cell(record_id, NAME)

    def _read(self) -> None:
        self._is_stale = False
        jobs = self._context.jobs
        datasets = {each.record.id: each.name for each in jobs.entries(RecordKind.DATASET)}
        entries = jobs.entries(RecordKind.RUN)
        before, self._rows = self._rows, {}
        for entry in entries:
            row = before.get(entry.key[1])
            name = datasets.get(getattr(entry.plan, "dataset", ""), "")
            if row is None or row.entry is not entry or row.dataset != name:
                row = RunRow(entry, name)
            self._rows[row.id] = row
        self._tasks = {task.name: task for task in map(jobs.task_of, entries)}
        self.view.show_rows(self._rows.values(), self._columns())
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
        # Network and dataset have separate columns.
        self._differing = [name for name in names if name not in ("network", "dataset")]
        self.view.show_rows(self._rows.values(), self._columns())

    # Filters and selection

    def _fill_boxes(self) -> None:
        rows = [row.entry for row in self._rows.values()]
        states = {entry.state for entry in rows}
        tags = {tag for entry in rows for tag in entry.info.tags}
        groups = {entry.info.group for entry in rows} - {""}
        named = [(group, group) for group in sorted(groups, key=str.casefold)]
        for box, entries in (
            (self.state_box, [(state_word(s), s.value) for s in State if s in states]),
            (self.tag_box, [(tag, tag) for tag in sorted(tags, key=str.casefold)]),
            (self.group_box, [*named, (self.tr("No group"), "")] if named else []),
        ):
            box.set_entries([(box.accessibleName(), _ALL), *entries])
        self._on_filter()

    def _on_filter(self, _what: object = None) -> None:
        found = Filter(
            self.search.text().strip(),
            self.state_box.currentData() or "",
            self.tag_box.currentData() or "",
            self.group_box.currentData(),
        )
        self.view.content.set_filter(None if found == Filter() else found.takes)
        self._show_count()

    def _on_grouped(self, grouped: bool) -> None:
        self._context.settings.set_text(GROUPED, "1" if grouped else "")
        self._group()

    def _group(self) -> None:
        is_grouped = self.grouped.isChecked()
        self.view.content.set_group(attrgetter("entry.info.group") if is_grouped else None)

    def _on_columns(self) -> None:
        button = self.columns_button
        below = button.mapToGlobal(QPoint(0, button.height()))
        self.view.columns_menu().popup(below)

    def _on_selection(self) -> None:
        self.acts.set_entries(self.selected)
        self._show_count()

    def _show_count(self) -> None:
        selected = len(self.view.selected)
        shown, total = len(self.view.content.shown), len(self._rows)
        if selected:
            pattern = self.tr("{selected} of {shown} selected")
        else:
            pattern = self.tr("{shown} of {total} runs" if shown < total else "{total} runs")
        text = pattern.format(selected=count(selected), shown=count(shown), total=count(total))
        self.counted.setText(text)


def _follow(button: Button, action: QAction) -> None:
    button.setEnabled(action.isEnabled())
    button.setToolTip(action.toolTip())
    button.setAccessibleName(action.text())


def _same(new: list[RunSettings], old: list[RunSettings]) -> bool:
    """Return True if all plans and changes are the same objects."""
    return len(new) == len(old) and all(
        one[0] is other[0] and one[1] is other[1] for one, other in zip(new, old, strict=True)
    )
