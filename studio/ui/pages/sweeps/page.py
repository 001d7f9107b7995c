"""The page of sweeps: the list at the left, one sweep with its trials at the right."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QListView,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.bridge.job_rows import Index, JobRows
from studio.ui.bridge.jobs import Following, Jobs
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RecordDocument, SweepDocument
from studio.ui.navigation import OpenPage, PlanSweep
from studio.ui.pages.page import Page
from studio.ui.pages.sweeps.messages import best_text, done_text
from studio.ui.pages.sweeps.new_sweep import NewSweep
from studio.ui.pages.sweeps.sweep_panel import SweepPanel
from studio.ui.pages.sweeps.watch import SweepWatch
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE, STATE_ROLES, TYPE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import elided, state_word
from studio.ui.widgets.layout import vbox
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.tips import explain

ENTRY_ROLE = int(Qt.ItemDataRole.UserRole) + 1
BEST_ROLE = ENTRY_ROLE + 1
LINE_ROLE = ENTRY_ROLE + 2


class SweepsModel(JobRows):
    """All sweeps, newest first; follows the workspace."""

    def __init__(self, jobs: Jobs, watch: SweepWatch, parent: QWidget | None = None) -> None:
        super().__init__(jobs, (RecordKind.SWEEP,), parent)
        self._watch = watch
        watch.changed.connect(self._on_facts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The name, the best, state and progress, what a screen reader says, or the entry."""
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        facts = self._watch.facts(entry.record.id)
        best = best_text(facts) if facts else ""
        words = [state_word(entry.state.value), done_text(facts) if facts else ""]
        said = [word for word in words if word]
        shown: dict[int, object] = {
            Qt.ItemDataRole.DisplayRole: entry.name,
            Qt.ItemDataRole.ToolTipRole: "\n".join([entry.name, *said]),
            Qt.ItemDataRole.AccessibleTextRole: ", ".join([entry.name, *said, best]).rstrip(", "),
            BEST_ROLE: best,
            LINE_ROLE: " · ".join(said),
            ENTRY_ROLE: entry,
        }
        return shown.get(role)

    def _on_facts(self, ids: list[str]) -> None:
        for record_id in ids:
            self._tell(record_id)


class _SweepDelegate(QStyledItemDelegate):
    """Paints one sweep in two lines: name and best, state and how far."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Two lines of text and some air."""
        return QSize(160, 2 * option.fontMetrics.height() + 2 * SPACE.s + SPACE.xs)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Background by the style, the rest by hand."""
        super().initStyleOption(option, index)
        option.text = ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        entry: RecordDocument = index.data(ENTRY_ROLE)
        best, line = str(index.data(BEST_ROLE)), str(index.data(LINE_ROLE))
        box = option.rect.adjusted(SPACE.m, SPACE.s, -SPACE.m, -SPACE.s)
        height = option.fontMetrics.height()
        top = QRect(box.left(), box.top(), box.width(), height)
        bottom = QRect(box.left(), box.bottom() - height + 1, box.width(), height)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.save()
        painter.setPen(self._theme.color("text"))
        painter.drawText(top, Qt.AlignmentFlag.AlignRight | middle, best)
        room = top.width() - option.fontMetrics.horizontalAdvance(best) - SPACE.s
        name = elided(option.fontMetrics, entry.name, room)
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft | middle, name)
        small = option.font
        small.setPixelSize(TYPE.caption)
        painter.setFont(small)
        painter.setPen(self._theme.color(STATE_ROLES[entry.state.value]))
        fitting = elided(QFontMetrics(small), line, bottom.width())
        painter.drawText(bottom, Qt.AlignmentFlag.AlignLeft | middle, fitting)
        painter.restore()


class SweepList(QListView):
    """The list of sweeps.

    Signals:
        chosen: The id of the sweep that the user wants to see.
    """

    chosen = Signal(str)

    def __init__(
        self, jobs: Jobs, watch: SweepWatch, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Sweeps"))
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._model = SweepsModel(jobs, watch, self)
        self.setModel(self._model)
        self.setItemDelegate(_SweepDelegate(theme, self))
        self._known = ""
        self.selectionModel().selectionChanged.connect(self._on_selection)
        theme.changed.connect(self.viewport().update)

    def select(self, record_id: str) -> None:
        """Mark a sweep; an id that is not there marks none."""
        row = self._model.row_of(record_id)
        self._known = record_id if row >= 0 else ""
        if row >= 0:
            how = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.selectionModel().setCurrentIndex(self._model.index(row), how)
            self.scrollTo(self._model.index(row))
        else:
            self.selectionModel().clear()

    def _on_selection(self, _chosen: QItemSelection, _gone: QItemSelection) -> None:
        indexes = self.selectionModel().selectedRows()
        found = indexes[0].data(ENTRY_ROLE).record.id if indexes else ""
        if found == self._known:
            return  # a sweep that comes or goes moves the rows, which is no wish of the user's
        self._known = found
        if found:
            self.chosen.emit(found)


LIST_WIDTH = 220
SPLITTER = "sweeps/splitter"


class View(Page):
    """Plans sweeps, watches them live, looks back at them."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._wanted = ""
        self._following = Following(self, self._on_shown)
        self.watch = SweepWatch(context, self)
        self.sweeps = SweepList(context.jobs, self.watch, context.theme, self)
        self.panel = SweepPanel(context, self.watch, self)
        self.new_button = push_button(
            self.tr("New sweep"), context.theme, icon="plus", parent=self
        )
        self.empty = EmptyState(context.theme, "sweeps", "", "", self)
        # Until the workspace was looked through, nobody knows what to show.
        self._unknown = QWidget(self)
        self._stack = PageStack(self)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._lay_out()
        self._connect()
        if context.jobs.is_loaded:
            self._show_start()
        self._explain()

    def _explain(self) -> None:
        explain(self.data_button, self.tr("A sweep needs images; they are imported there."))
        trains = self.tr("Trains many networks with other settings each and shows which are best.")
        for button in (self.empty_button, self.new_button):
            explain(button, trains)
        explain(self.sweeps, self.tr("All sweeps, newest first. Choose one to see its trials."))

    @property
    def current_record(self) -> str:
        """Id of the sweep that is shown, or empty."""
        entry = self.panel.entry
        is_seen = self._stack.currentWidget() is self.panel
        return entry.record.id if entry is not None and is_seen else ""

    def open(self, intent: OpenPage) -> None:
        """Fill in the form of a new sweep."""
        if not isinstance(intent, PlanSweep):
            super().open(intent)
            return
        self._show_new()
        if self._has_data():
            self.new_sweep.choose_run(intent.base)

    def show_record(self, record_id: str) -> None:
        """Show a sweep."""
        entry = self.context.jobs.get(RecordKind.SWEEP, record_id)
        # A sweep that was just asked for is known a moment later.
        self._wanted = "" if entry else record_id
        if entry is not None:
            self._show_sweep(entry)

    @cached_property
    def new_sweep(self) -> NewSweep:
        """The form of a new sweep, made when it is first wanted."""
        made = NewSweep(self.context, self)
        made.started.connect(self.show_record)
        self._stack.addWidget(made)
        return made

    def _lay_out(self) -> None:
        self.empty_button = self.empty.add_action(
            self.tr("New sweep"), kind="primary", icon="plus"
        )
        self.data_button = self.empty.add_action(self.tr("Go to the data"), icon="datasets")
        left = QWidget(self)
        left.setMinimumWidth(160)
        vbox(
            self.new_button,
            (self.sweeps, 1),
            owner=left,
            spacing=SPACE.m,
            margins=(SPACE.m, SPACE.l, 0, SPACE.m),
        )
        for page in (self._unknown, self.empty, self.panel):
            self._stack.addWidget(page)
        splitter = self._splitter
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(self._stack)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([LIST_WIDTH, 1000])
        state = self.context.settings.bytes(SPLITTER)
        if state is not None:
            splitter.restoreState(state)
        vbox(splitter, owner=self)

    def _connect(self) -> None:
        self.sweeps.chosen.connect(self.show_record)
        self._splitter.splitterMoved.connect(self._on_splitter)
        for button in (self.new_button, self.empty_button):
            button.clicked.connect(self._show_new)
        self.data_button.clicked.connect(self._on_go_to_data)
        self.context.jobs.listed.connect(self._on_listed)

    def _show_start(self) -> None:
        """The sweep that is wanted, else what goes, else the latest."""
        sweeps = self.context.jobs.entries(RecordKind.SWEEP)
        wanted = [entry for entry in sweeps if entry.record.id == self._wanted]
        going = [entry for entry in sweeps if entry.state.has_worker]
        if sweeps:
            self._show_sweep((wanted or going or sweeps)[0])
        else:
            self._stack.setCurrentWidget(self.empty)
        self._refresh_new_button()

    def _has_data(self) -> bool:
        datasets = self.context.jobs.entries(RecordKind.DATASET)
        return any(entry.state == State.COMPLETED for entry in datasets)

    def _refresh_new_button(self) -> None:
        ready = self._has_data()
        for button in (self.new_button, self.empty_button):
            button.setEnabled(ready)
            button.setToolTip("" if ready else self.tr("Import images first."))
        self.data_button.setVisible(not ready)
        what = self.tr(
            "A sweep trains the same network many times, each time with other settings, and "
            "finds those that are best."
        )
        first = "" if ready else self.tr("It needs images: import a folder of them first.")
        self.empty.set_texts(self.tr("No sweeps yet"), f"{what} {first}".strip())

    def _show_new(self) -> None:
        if self._has_data():
            self.sweeps.select("")
            self._stack.setCurrentWidget(self.new_sweep)

    def _show_sweep(self, entry: SweepDocument) -> None:
        self._wanted = ""
        self._following.show(entry)
        self.sweeps.select(entry.record.id)
        self.panel.show_sweep(entry)
        self._stack.setCurrentWidget(self.panel)

    def _on_listed(self, _kinds: object) -> None:
        """Show the sweep that was asked for, or what there is now where nothing is shown."""
        wanted = self.context.jobs.get(RecordKind.SWEEP, self._wanted) if self._wanted else None
        if wanted is not None:
            self._show_sweep(wanted)
        elif self._stack.currentWidget() in (self._unknown, self.empty):
            self._show_start()
        self._refresh_new_button()

    def _on_shown(self, _entry: SweepDocument, change: Change) -> None:
        if change.is_removed and self._stack.currentWidget() is self.panel:
            self._show_start()

    def _on_splitter(self, _position: int, _index: int) -> None:
        self.context.settings.set_bytes(SPLITTER, self._splitter.saveState())

    def _on_go_to_data(self) -> None:
        self.context.navigator.open(OpenPage("datasets"))
