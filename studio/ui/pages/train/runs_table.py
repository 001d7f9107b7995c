"""All runs in a table: searched, filtered, sorted, grouped, and acted on several at once."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.engine.jobs.events import Event, StateChanged
from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import RunEntry
from studio.ui.context import AppContext
from studio.ui.pages.train.runs_actions import RunsActions
from studio.ui.pages.train.runs_model import RunsModel
from studio.ui.pages.train.runs_order import Filter
from studio.ui.pages.train.runs_view import RunsView
from studio.ui.pages.train.runs_work import Asked, differing_settings
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import icon_button, push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.page_header import PageHeader
from studio.ui.widgets.spin_box import ComboBox
from studio.ui.widgets.state_badge import state_word

ARRANGE_MS = 1000
_BOX_WIDTH = 104
_ALL = None


class RunsTable(QWidget):
    """The table with its search, its filters and what can be done with the selected runs.

    Signals:
        opened: Id of a run that is wanted alone.
    """

    opened = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._is_stale = True
        self._asked: list[Asked] = []
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
        # Runs that train change places now and then, not ten times a second.
        self._arranging = QTimer(self)
        self._arranging.setSingleShot(True)
        self._arranging.setInterval(ARRANGE_MS)
        self._reading = QTimer(self)
        self._reading.setSingleShot(True)
        self._reading.setInterval(0)
        self._lay_out()
        self._connect()

    def showEvent(self, event: QShowEvent) -> None:
        """What happened while nobody looked is caught up with."""
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
        filters = QHBoxLayout()
        filters.setSpacing(SPACE.s)
        filters.addWidget(self.search, 1)
        for widget in (self.state_box, self.tag_box, self.group_box, self.grouped, self.columns):
            filters.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.l, SPACE.l, SPACE.l)
        column.setSpacing(SPACE.m)
        column.addWidget(PageHeader(self.tr("Runs"), parent=self))
        column.addLayout(filters)
        column.addWidget(self.view, 1)
        column.addLayout(self._bulk_row())

    def _bulk_row(self) -> QHBoxLayout:
        acts = self.acts
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addWidget(self.counted, 1)
        for action, icon in ((acts.compare, "chart"), (acts.stop, "stop")):
            row.addWidget(self._button(action, icon))
        for menu, icon in ((acts.tags, "tag"), (acts.groups, "folder")):
            row.addWidget(self._button(menu.menuAction(), icon, menu))
        for action, icon in ((acts.clone, "copy"), (acts.delete, "trash")):
            row.addWidget(self._icon(action, icon))
        return row

    def _button(self, action: QAction, icon: str, menu: QMenu | None = None) -> QPushButton:
        """A button that is as its action is."""
        button = push_button(action.text(), self._context.theme, icon=icon, parent=self)
        if menu is not None:
            button.setMenu(menu)
        else:
            button.clicked.connect(action.trigger)
        follow = partial(_follow, button, action)
        action.changed.connect(follow)
        follow()
        return button

    def _icon(self, action: QAction, icon: str) -> QToolButton:
        button = icon_button(icon, action.text(), self._context.theme, parent=self)
        button.clicked.connect(action.trigger)
        follow = partial(_follow, button, action)
        action.changed.connect(follow)
        follow()
        return button

    def _connect(self) -> None:
        jobs, acts = self._context.jobs, self.acts
        jobs.info_changed.connect(self._on_info)
        jobs.listed.connect(self._on_listed)
        jobs.moved.connect(self._on_moved)
        self._arranging.timeout.connect(self._on_arrange)
        self._reading.timeout.connect(self._read)
        self.search.textChanged.connect(self._on_filter)
        for box in (self.state_box, self.tag_box, self.group_box):
            box.activated.connect(self._on_filter)
        self.grouped.toggled.connect(self._on_grouped)
        self.columns.clicked.connect(self._on_columns)
        self.model.edited.connect(acts.keep)
        self.view.selection_changed.connect(self._on_selection)
        self.view.opened.connect(self.opened)
        self.view.customContextMenuRequested.connect(self._on_menu)
        acts.open_wanted.connect(self.opened)
        acts.rename_wanted.connect(self.view.edit_name)
        self.view.addActions([acts.rename, acts.delete])

    # What there is

    def _on_info(self, entry: RunEntry) -> None:
        if entry.key[0] == RecordKind.RUN:
            self.model.touch(entry.record.id)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if kinds & {RecordKind.RUN, RecordKind.DATASET}:
            self._is_stale = True
            if self.isVisible() and not self._reading.isActive():
                self._reading.start()

    def _on_moved(self, entry: RunEntry, events: list[Event]) -> None:
        if entry.key[0] != RecordKind.RUN:
            return
        if self.model.touch(entry.record.id) and not self._arranging.isActive():
            self._arranging.start()
        if any(StateChanged is type(event) for event in events):
            self._on_selection()  # what can be done with it may be something else

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
        asked: list[Asked] = [
            (entry.plan, entry.history.changes)
            for entry in entries
            if isinstance(entry.plan, TrainingPlan)
        ]
        if not _same(asked, self._asked):
            self._asked = asked
            work = partial(differing_settings, asked)
            self._context.background.run(self, work, self._on_settings)

    def _on_settings(self, names: list[str]) -> None:
        # These two have columns of their own.
        self.model.set_settings([name for name in names if name not in ("network", "dataset")])

    # What is shown of it

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


def _follow(button: QPushButton | QToolButton, action: QAction) -> None:
    button.setEnabled(action.isEnabled())
    button.setToolTip(action.toolTip())
    button.setAccessibleName(action.text())


def _fill(box: QComboBox, words: list[tuple[str, str]]) -> None:
    """Offer other words behind the first, which means all; what was chosen stays chosen."""
    there = [(box.itemText(n), box.itemData(n)) for n in range(1, box.count())]
    if there == words:
        return
    chosen = box.currentData()
    while box.count() > 1:
        box.removeItem(1)
    for text, value in words:
        box.addItem(text, value)
    box.setCurrentIndex(max(0, box.findData(chosen)) if chosen is not None else 0)


def _same(new: list[Asked], old: list[Asked]) -> bool:
    """Whether these are the very plans and changes of before."""
    return len(new) == len(old) and all(
        one[0] is other[0] and one[1] is other[1] for one, other in zip(new, old, strict=True)
    )
