"""The training page: the runs at the left; a new run, or the dashboard of one, at the right."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from studio.engine.jobs.states import State
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import Following
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RunDocument
from studio.ui.navigation import ListRuns, OpenPage, PlanRun
from studio.ui.pages.page import Page
from studio.ui.pages.train.dashboard.dashboard import Dashboard
from studio.ui.pages.train.plan.new_run import NewRun
from studio.ui.pages.train.runs.actions import RunsActions, clone_plan
from studio.ui.pages.train.runs.compare import CompareView
from studio.ui.pages.train.runs.list import RunList
from studio.ui.pages.train.runs.table import RunsTable
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import icon_button, push_button
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.tips import explain

LIST_WIDTH = 240


class View(Page):
    """Plans runs, watches them live, looks back at them."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._wanted = ""
        self._shown: RunDocument | None = None
        self._following = Following(self, self._on_shown)
        self.new_button = push_button(self.tr("New run"), context.theme, icon="plus", parent=self)
        self.runs = RunList(context.jobs, context.theme, self)
        self.empty = EmptyState(
            context.theme,
            "train",
            self.tr("Nothing to train on yet"),
            self.tr("Import a folder of images first, or try the handwritten digits."),
            self,
        )
        self.all_button = icon_button("table", self.tr("All runs"), context.theme, parent=self)
        self.acts = RunsActions(context, self)
        # Until the workspace was looked through, nobody knows what to show.
        self._unknown = QWidget(self)
        self._stack = PageStack(self)
        self._lay_out()
        self._connect()
        if context.jobs.is_loaded:
            self._show_start()
        explain(self.new_button, self.tr("Plans a run: images, network, and how it learns."))
        explain(self.runs, self.tr("All runs, newest first. Choose one to see its curves."))

    @property
    def current_record(self) -> str:
        """Id of the run that is shown, or empty."""
        is_seen = isinstance(self._stack.currentWidget(), Dashboard)
        return self._shown.record.id if self._shown is not None and is_seen else ""

    def open(self, intent: OpenPage) -> None:
        """Fill in the form of a new run, or show all runs in a table."""
        if isinstance(intent, ListRuns):
            self.show_table()
        elif isinstance(intent, PlanRun):
            self._fill_in(intent)
            self._show_new()
        else:
            super().open(intent)

    def show_record(self, record_id: str) -> None:
        """Show a run."""
        entry = self.context.jobs.get(RecordKind.RUN, record_id)
        # A run that was just asked for is known a moment later.
        self._wanted = "" if entry else record_id
        if entry is not None:
            self._show_run(entry)

    # Each view is made when it is first wanted: all at once would hold the window up.

    @cached_property
    def new_run(self) -> NewRun:
        """The form of a new run."""
        made = NewRun(self.context, self)
        made.started.connect(self.show_record)
        self._stack.addWidget(made)
        return made

    @cached_property
    def dashboard(self) -> Dashboard:
        """One run, live."""
        made = Dashboard(self.context, self)
        made.clone_wanted.connect(self._on_clone)
        self._stack.addWidget(made)
        return made

    @cached_property
    def table(self) -> RunsTable:
        """The table of all runs."""
        made = RunsTable(self.context, self)
        made.opened.connect(self.show_record)
        self._connect_actions(made.acts)
        self._stack.addWidget(made)
        return made

    @cached_property
    def compare_view(self) -> CompareView:
        """Several runs over each other."""
        made = CompareView(self.context, self)
        made.opened.connect(self.show_record)
        made.back_wanted.connect(self.show_table)
        self._stack.addWidget(made)
        return made

    def show_table(self) -> None:
        """Show all runs in a table."""
        self.runs.select("")
        self._stack.setCurrentWidget(self.table)

    def compare(self, ids: list[str]) -> None:
        """Show several runs over each other."""
        self.compare_view.show_runs(ids)
        self._stack.setCurrentWidget(self.compare_view)

    def _fill_in(self, intent: PlanRun) -> None:
        original = self.context.jobs.get(RecordKind.RUN, intent.copy_of)
        if original is not None and isinstance(original.plan, TrainingPlan):
            more = {} if intent.epochs is None else {"epochs": intent.epochs}
            self.new_run.clone(clone_plan(original).changed(**more))
        if intent.dataset:
            self.new_run.choose_dataset(intent.dataset)
        if intent.network:
            self.new_run.choose_network(intent.network, intent.weights)

    def _connect_actions(self, acts: RunsActions) -> None:
        acts.compare_wanted.connect(self.compare)
        acts.clone_wanted.connect(self._on_clone)

    def _on_renamed(self, entry: RunDocument, name: str) -> None:
        self.acts.keep(entry, "name", name)

    def _on_menu(self, entries: list[RunDocument], place: QPoint) -> None:
        self.acts.set_entries(entries)
        menu = self.acts.menu(self.runs)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)

    def _lay_out(self) -> None:
        go = self.empty.add_action(self.tr("Go to the data"), kind="primary", icon="datasets")
        go.clicked.connect(self._on_go_to_data)
        tour = self.empty.add_action(self.tr("Try the handwritten digits"))
        tour.clicked.connect(self.context.navigator.start_tour)
        left = QWidget(self)
        left.setMinimumWidth(180)
        column = QVBoxLayout(left)
        column.setContentsMargins(SPACE.m, SPACE.l, 0, SPACE.m)
        column.setSpacing(SPACE.m)
        top = QHBoxLayout()
        top.setSpacing(SPACE.s)
        top.addWidget(self.new_button, 1)
        top.addWidget(self.all_button)
        column.addLayout(top)
        column.addWidget(self.runs, 1)
        self._stack.addWidget(self._unknown)
        self._stack.addWidget(self.empty)
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(self._stack)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([LIST_WIDTH, 1000])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(splitter)

    def _connect(self) -> None:
        self.context.jobs.listed.connect(self._on_listed)
        self.new_button.clicked.connect(self._show_new)
        self.all_button.clicked.connect(self.show_table)
        self.runs.chosen.connect(self.show_record)
        self.runs.several_chosen.connect(self.compare)
        self.runs.renamed.connect(self._on_renamed)
        self.runs.menu_wanted.connect(self._on_menu)
        self.acts.open_wanted.connect(self.show_record)
        self.acts.rename_wanted.connect(self.runs.edit_name)
        self._connect_actions(self.acts)

    def _show_start(self) -> None:
        """What runs, else the latest run, else a new one, else how to get data."""
        runs = self.context.jobs.entries(RecordKind.RUN)
        going = [entry for entry in runs if entry.state.has_worker]
        if runs:
            self._show_run((going or runs)[0])
        elif self._has_data():
            self._show_new()
        else:
            self._stack.setCurrentWidget(self.empty)
        self._refresh_new_button()

    def _has_data(self) -> bool:
        datasets = self.context.jobs.entries(RecordKind.DATASET)
        return any(entry.state == State.COMPLETED for entry in datasets)

    def _refresh_new_button(self) -> None:
        ready = self._has_data()
        self.new_button.setEnabled(ready)
        self.new_button.setToolTip("" if ready else self.tr("Import images first."))

    def _show_new(self) -> None:
        if not self._has_data():
            self._show_start()
            return
        self.new_run.networks.read()
        self.runs.select("")
        self._stack.setCurrentWidget(self.new_run)

    def _show_run(self, entry: RunDocument) -> None:
        self._shown = entry
        self._following.show(entry)
        self.runs.select(entry.record.id)
        self.dashboard.show_run(entry)
        self._stack.setCurrentWidget(self.dashboard)

    def _on_listed(self, _kinds: object) -> None:
        """Show the run that was asked for, or what there is now where nothing is shown."""
        wanted = self.context.jobs.get(RecordKind.RUN, self._wanted) if self._wanted else None
        if wanted is not None:
            self._wanted = ""
            self._show_run(wanted)
        elif self._stack.currentWidget() in (self._unknown, self.empty):
            self._show_start()
        self._refresh_new_button()

    def _on_shown(self, _entry: RunDocument, change: Change) -> None:
        if change.is_removed:
            self._show_start()

    def _on_clone(self, plan: TrainingPlan) -> None:
        self.new_run.clone(plan)
        self._show_new()

    def _on_go_to_data(self) -> None:
        self.context.navigator.open(OpenPage("datasets"))
