"""Page of benchmarks: all of them at the left, one with its results at the right."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtWidgets import QWidget

from studio.engine.benchmarks.history import CellChanged, LatencyChanged
from studio.engine.jobs.events import Result
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import BenchmarkDocument, Change, RecordDocument
from studio.ui.navigation import OpenPage, PlanBenchmark
from studio.ui.pages.bench.new_study import NewStudy
from studio.ui.pages.bench.panels import BenchPanel, OperationsPanel, PredictionPanel, StudyPanel
from studio.ui.pages.record_page import RecordList, RecordPage, RecordRow
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.pages import EmptyState
from studio.ui.widgets.tips import explain

KINDS = (RecordKind.BENCHMARK, RecordKind.PREDICTIONS, RecordKind.OPERATIONS)


class View(RecordPage):
    """Plans benchmarks, follows them live and shows finished ones."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, KINDS, parent)
        self.list = RecordList(context, KINDS, self.tr("Benchmarks"), self._describe, self)
        measures = self.tr("Measures how fast networks train and predict on this machine.")
        self.new_button = push_button(
            self.tr("New benchmark"),
            context.theme,
            icon="plus",
            parent=self,
            tip=measures,
            on_click=self._show_new,
        )
        self.empty = EmptyState(
            context.theme,
            "benchmarks",
            self.tr("No benchmarks yet"),
            self.tr(
                "A benchmark measures training with each batch size on each device, or prediction "
                "in each export format, and recommends what to use on this machine."
            ),
            self,
        )
        self.empty_button = self.empty.add_action(
            self.tr("New benchmark"), kind="primary", icon="plus"
        )
        self.empty_button.clicked.connect(self._show_new)
        explain(self.empty_button, measures)
        self.list.chosen.connect(self.show_record)
        explain(self.list, self.tr("All benchmarks, newest first. Choose one to see its results."))
        self.lay_out("benchmarks", self.list, self.empty, self.new_button, (self.list, 1))

    def open(self, intent: OpenPage) -> None:
        """Fill in the form of a new benchmark."""
        if not isinstance(intent, PlanBenchmark):
            super().open(intent)
            return
        self._show_new()
        if intent.network:
            self.new_study.measure_training(intent.network, intent.dataset)

    # Forms and panels are made when they are first used.

    @cached_property
    def new_study(self) -> NewStudy:
        """The form of a new benchmark."""
        form = self.add_view(NewStudy(self.context, self))
        form.started.connect(self.show_record)
        return form

    @cached_property
    def panel(self) -> StudyPanel:
        """The panel of a benchmark of training."""
        return self.add_view(StudyPanel(self.context, self))

    @cached_property
    def prediction_panel(self) -> PredictionPanel:
        """The panel of a benchmark of predictions."""
        return self.add_view(PredictionPanel(self.context, self))

    @cached_property
    def operations_panel(self) -> OperationsPanel:
        """The panel of a benchmark of operations."""
        return self.add_view(OperationsPanel(self.context, self))

    def show_detail(self, entry: BenchmarkDocument) -> BenchPanel:
        """Show a benchmark in the panel of its kind."""
        panel = self._panel_of(entry)
        panel.show_entry(entry)
        return panel

    def follow(self, entry: BenchmarkDocument, change: Change) -> None:
        """Show new results, another state or another name."""
        kinds = CellChanged | LatencyChanged | Result
        is_new = any(isinstance(event, kinds) for event in change.events)
        if is_new or change.is_state or change.is_info:
            self._panel_of(entry).refresh()

    def _describe(self, entry: RecordDocument) -> RecordRow:
        kinds = {
            RecordKind.BENCHMARK: self.tr("Training"),
            RecordKind.PREDICTIONS: self.tr("Prediction"),
            RecordKind.OPERATIONS: self.tr("Operations"),
        }
        return RecordRow(detail=kinds[entry.key[0]])

    def _panel_of(self, entry: RecordDocument) -> BenchPanel:
        kind = entry.key[0]
        if kind == RecordKind.PREDICTIONS:
            return self.prediction_panel
        return self.operations_panel if kind == RecordKind.OPERATIONS else self.panel

    def _show_new(self) -> None:
        self.new_study.suggest_names()
        self.show_view(self.new_study)
