"""The page of benchmarks: all of them at the left, one with its figures at the right."""

from __future__ import annotations

from functools import cached_property
from typing import TypeVar, cast

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtWidgets import QListView, QWidget

from studio.engine.benchmarks.history import CellChanged, PaceChanged
from studio.engine.jobs.events import Result
from studio.engine.workspace import RecordKind
from studio.ui.bridge.job_rows import Index, JobRows
from studio.ui.bridge.jobs import Following
from studio.ui.context import AppContext
from studio.ui.documents.record import BenchmarkDocument, Change, RecordDocument
from studio.ui.navigation import OpenPage, PlanBenchmark
from studio.ui.pages.bench.new_study import NewStudy
from studio.ui.pages.bench.panels import BenchPanel, OperationsPanel, PredictionPanel, StudyPanel
from studio.ui.pages.page import Page
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.layout import hbox, vbox
from studio.ui.widgets.pages import EmptyState, PageStack
from studio.ui.widgets.tips import explain

Panel = TypeVar("Panel", bound=BenchPanel)

LIST_WIDTH = 180
KINDS = (RecordKind.BENCHMARK, RecordKind.PREDICTIONS, RecordKind.OPERATIONS)
_ID_ROLE = int(Qt.ItemDataRole.UserRole) + 1


class _Studies(JobRows):
    """The names of all benchmarks."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The name, or the id of the record."""
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return entry.name
        return entry.record.id if role == _ID_ROLE else None


class View(Page):
    """Plans benchmarks, watches them live, looks back at them."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._wanted = ""
        self._model = _Studies(context.jobs, KINDS, self)
        self.studies = QListView(self)
        self.studies.setAccessibleName(self.tr("Benchmarks"))
        self.studies.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        # Rows are as high as the style says, which is not known when the first are there.
        self.studies.setResizeMode(QListView.ResizeMode.Adjust)
        self.studies.setModel(self._model)
        self.new_button = push_button(
            self.tr("New benchmark"), context.theme, icon="plus", parent=self
        )
        self.empty = EmptyState(
            context.theme,
            "benchmarks",
            self.tr("No benchmarks yet"),
            self.tr(
                "A benchmark trains networks for a while with every batch size on every device, "
                "or lets one predict in every format, and says what to use on this machine."
            ),
            self,
        )
        self.empty_button = self.empty.add_action(
            self.tr("New benchmark"), kind="primary", icon="plus"
        )
        # Until the workspace was looked through, nobody knows what to show.
        self._unknown = QWidget(self)
        self._stack = PageStack(self)
        self._following = Following(self, self._on_changed)
        self._lay_out()
        self._connect()
        if context.jobs.is_loaded:
            self._show_start()
        self._explain()

    def _explain(self) -> None:
        measures = self.tr(
            "Measures how fast networks train on this machine, so that you can choose well."
        )
        for button in (self.empty_button, self.new_button):
            explain(button, measures)
        explain(
            self.studies,
            self.tr("All benchmarks, newest first. Choose one to see its figures."),
        )

    @property
    def current_record(self) -> str:
        """Id of the benchmark that is shown, or empty."""
        panel = self._shown()
        entry = None if panel is None else panel.entry
        return "" if entry is None else entry.record.id

    def open(self, intent: OpenPage) -> None:
        """Fill in the form of a new benchmark."""
        if not isinstance(intent, PlanBenchmark):
            super().open(intent)
            return
        self._show_new()
        if intent.network:
            self.new_study.measure_training(intent.network, intent.dataset)

    def show_record(self, record_id: str) -> None:
        """Show a benchmark."""
        entry = next((each for each in self._entries() if each.record.id == record_id), None)
        # A study that was just asked for is known a moment later.
        self._wanted = "" if entry else record_id
        if entry is not None:
            self._show_study(entry)

    @cached_property
    def new_study(self) -> NewStudy:
        """The form of a new study, made when it is first wanted."""
        made = NewStudy(self.context, self)
        made.started.connect(self.show_record)
        self._stack.addWidget(made)
        return made

    @cached_property
    def panel(self) -> StudyPanel:
        """A study of trainings, made when the first is shown; so are the panels below."""
        return self._added(StudyPanel(self.context, self))

    @cached_property
    def prediction_panel(self) -> PredictionPanel:
        """A benchmark of predictions."""
        return self._added(PredictionPanel(self.context, self))

    @cached_property
    def operations_panel(self) -> OperationsPanel:
        """A benchmark of operations."""
        return self._added(OperationsPanel(self.context, self))

    def _added(self, panel: Panel) -> Panel:
        self._stack.addWidget(panel)
        return panel

    def _panel_of(self, kind: RecordKind) -> BenchPanel:
        if kind == RecordKind.PREDICTIONS:
            return self.prediction_panel
        return self.operations_panel if kind == RecordKind.OPERATIONS else self.panel

    def _shown(self) -> BenchPanel | None:
        widget = self._stack.currentWidget()
        return widget if isinstance(widget, BenchPanel) else None

    def _entries(self) -> list[RecordDocument]:
        """All benchmarks, newest first."""
        found = [entry for kind in KINDS for entry in self.context.jobs.entries(kind)]
        return sorted(found, key=lambda entry: entry.info.created, reverse=True)

    def _show_start(self) -> None:
        """The study that is wanted, else what goes, else the latest."""
        studies = self._entries()
        wanted = [entry for entry in studies if entry.record.id == self._wanted]
        going = [entry for entry in studies if entry.state.has_worker]
        if studies:
            self._show_study((wanted or going or studies)[0])
        else:
            self._stack.setCurrentWidget(self.empty)

    def _show_new(self) -> None:
        self.studies.clearSelection()
        self.new_study.suggest_names()
        self._stack.setCurrentWidget(self.new_study)

    def _show_study(self, entry: RecordDocument) -> None:
        self._wanted = ""
        row = self._model.row_of(entry.record.id)
        if row >= 0:
            how = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.studies.selectionModel().setCurrentIndex(self._model.index(row), how)
        panel = self._panel_of(entry.key[0])
        panel.show_entry(cast("BenchmarkDocument", entry))
        self._following.show(entry)
        self._stack.setCurrentWidget(panel)

    def _on_clicked(self, index: QModelIndex) -> None:
        self.show_record(str(index.data(_ID_ROLE)))

    def _on_listed(self, _kinds: object) -> None:
        """Show the benchmark that was asked for, or what there is where nothing is shown."""
        is_known = any(each.record.id == self._wanted for each in self._entries())
        if is_known or self._stack.currentWidget() in (self._unknown, self.empty):
            self._show_start()

    def _on_changed(self, _entry: RecordDocument, change: Change) -> None:
        kinds = CellChanged | PaceChanged | Result
        is_new = any(isinstance(event, kinds) for event in change.events)
        panel = self._shown()
        if panel is not None and change.is_removed:
            self._show_start()
        elif panel is not None and (is_new or change.is_state or change.is_info):
            panel.refresh()

    def _connect(self) -> None:
        for signal in (self.studies.clicked, self.studies.activated):
            signal.connect(self._on_clicked)
        for button in (self.new_button, self.empty_button):
            button.clicked.connect(self._show_new)
        self.context.jobs.listed.connect(self._on_listed)

    def _lay_out(self) -> None:
        left = QWidget(self)
        left.setFixedWidth(LIST_WIDTH)
        vbox(
            self.new_button,
            (self.studies, 1),
            owner=left,
            spacing=SPACE.m,
            margins=(SPACE.m, SPACE.l, 0, SPACE.m),
        )
        for page in (self._unknown, self.empty):
            self._stack.addWidget(page)
        hbox(left, (self._stack, 1), owner=self, spacing=0)
