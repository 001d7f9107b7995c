"""Page of benchmarks: the list at the left, the results of one at the right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from operator import attrgetter
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QTabWidget, QWidget

from studio.engine.benchmarks.advice import advise
from studio.engine.benchmarks.history import BenchmarkJob, CellChanged, LatencyChanged
from studio.engine.benchmarks.operations import OperationsReport
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.prediction import PredictPlan, missing_of
from studio.engine.benchmarks.requests import cells_known, latency_results, resume_benchmark
from studio.engine.benchmarks.results import (
    FAILED,
    Beside,
    Cell,
    CellState,
    busiest_share,
    read_beside,
    speed_ups,
)
from studio.engine.jobs.control import can_resume
from studio.engine.jobs.events import Result
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.documents.record import BenchmarkDocument, Change, RecordDocument
from studio.ui.language import translated
from studio.ui.navigation import OpenPage, PlanBenchmark
from studio.ui.pages.bench import messages
from studio.ui.pages.bench.new_study import NewStudy
from studio.ui.pages.record_page import RecordList, RecordPage, RecordRow
from studio.ui.shared.jobs import show_stop
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CHART_COLORS, SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import HintLabel, state_word
from studio.ui.widgets.layout import text_label, vbox
from studio.ui.widgets.pages import EmptyState, PageHeader
from studio.ui.widgets.table import Table
from studio.ui.widgets.tips import explain


class BenchPanel(QWidget):
    """Results of a benchmark, updated live; a subclass implements `refresh`."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.entry: BenchmarkDocument | None = None
        self.header = PageHeader("", "", self)
        button = partial(push_button, theme=context.theme, parent=self)
        self.stop_button = button(self.tr("Stop"), icon="stop", on_click=self._on_stop)
        self.resume_button = button(self.tr("Resume"), icon="resume", on_click=self._on_resume)
        self.retry_button = button(self.tr("Retry failed"), icon="resume", on_click=self._on_retry)
        missing = self.tr("Continues with the missing measurements.")
        failed = self.tr("Repeats measurements that failed, timed out or ran out of memory.")
        explain(self.stop_button, self.tr("Stops the benchmark. Finished measurements are kept."))
        explain(self.resume_button, missing)
        explain(self.retry_button, failed)
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(self.tr("Views of the benchmark"))
        self.tabs.tabBar().setAccessibleName(self.tabs.accessibleName())
        for each in (self.stop_button, self.resume_button, self.retry_button):
            self.header.add_action(each)
        self.column = vbox(
            self.header, (self.tabs, 1), owner=self, spacing=SPACE.m, margins=SPACE.xl
        )

    def show_entry(self, entry: BenchmarkDocument) -> None:
        """Show a benchmark."""
        if self.entry is not entry:
            for chart in self.findChildren(LineChart):
                chart.clear()
        self.entry = entry
        self.refresh()

    def refresh(self) -> None:
        """Show the current results."""
        raise NotImplementedError

    def show_state(
        self,
        entry: BenchmarkDocument,
        done: str = "",
        states: Sequence[CellState] = (),
        *,
        resumes: bool,
    ) -> None:
        """Fill the header.

        Args:
            entry: The benchmark.
            done: Progress as text.
            states: States of its cells.
            resumes: True if this kind of benchmark can be resumed.
        """
        words = [state_word(entry.state.value), done, translated(entry.history.reason)]
        self.header.set_title(entry.name)
        self.header.set_subtitle(" · ".join(filter(None, words)))
        is_at_rest = entry.state.is_at_rest
        self.stop_button.setVisible(not is_at_rest)
        show_stop(self.stop_button, entry, self.tr("Stop"))
        self.resume_button.setVisible(resumes and can_resume(entry.history))
        self.retry_button.setVisible(is_at_rest and any(state in FAILED for state in states))

    def _on_stop(self) -> None:
        if self.entry is not None:
            self.context.jobs.stop(self.entry)

    def _on_resume(self) -> None:
        if self.entry is not None:
            self.context.jobs.restart(self.entry)

    def _on_retry(self) -> None:
        if self.entry is not None:
            queue, job = self.context.jobs.queue, BenchmarkJob(self.entry.record)
            work = partial(resume_benchmark, queue, job, retry_failed=True)
            self.context.background.run(self, work, self.context.jobs.wake)


def log_chart(theme: Theme, title: str, across: str, up: str, parent: QWidget) -> LineChart:
    """Return a chart with two logarithmic axes."""
    chart = LineChart(theme, title, across, up, parent=parent)
    chart.set_log(log=True)
    chart.set_log_x(log=True)
    return chart


def draw(chart: LineChart, lines: Sequence[messages.Line]) -> None:
    """Show lines in a chart; existing ones are updated."""
    for index, line in enumerate(lines):
        # There are fewer colors than formats: lines after the last color are dashed.
        dashed = index >= len(CHART_COLORS)
        chart.set_curve(line.key, line.x, line.y, name=line.name, color_index=index, dashed=dashed)


_LATENCY_HEIGHT = 48


class StudyPanel(BenchPanel):
    """Benchmark of training."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        theme = context.theme
        self.compare_button = push_button(
            self.tr("Compare…"), theme, icon="upload", parent=self, on_click=self._on_compare
        )
        other = self.tr("Adds results from another machine (CSV) to the chart of time per image.")
        explain(self.compare_button, other)
        self._other_machines: list[Beside] = []
        self.advice = text_label("", "muted", self, wraps=True)
        self.table: Table[Cell] = Table(self.tr("Cells"), (), self, key=attrgetter("number"))
        batch = self.tr("Batch size")
        per_image, milliseconds = self.tr("Time per image"), self.tr("Milliseconds")
        self.time_chart = log_chart(theme, per_image, batch, milliseconds, self)
        self.gain = log_chart(theme, self.tr("Speed-up"), batch, self.tr("Speed-up"), self)
        self.loss = LineChart(theme, self.tr("Loss"), self.tr("Epoch"), self.tr("Loss"))
        self.loss.set_log(log=True)
        self.header.add_action(self.compare_button)
        self.tabs.addTab(self.table, self.tr("Cells"))
        for chart in (self.time_chart, self.gain, self.loss):
            self.tabs.addTab(chart, chart.title)
        self.column.insertWidget(1, self.advice)
        explain(
            self.table,
            self.tr("One row for each combination of network, device, precision and batch size."),
        )

    def refresh(self) -> None:
        """Show the current results."""
        entry = self.entry
        if entry is None or not isinstance(entry.plan, StudyPlan):
            return
        plan = entry.plan
        cells = cells_known(plan, entry.history)
        states = [cell.outcome.state for cell in cells]
        self.show_state(entry, messages.done_text(states), states, resumes=True)
        self.table.show_rows(cells, messages.cell_columns(speed_ups(cells, plan.devices)))
        draw(
            self.time_chart,
            [*messages.training_speed_lines(cells), *messages.beside_lines(self._other_machines)],
        )
        draw(self.gain, messages.gain_lines(cells, plan.devices))
        draw(self.loss, messages.loss_lines(cells))
        self.tabs.setTabVisible(self.tabs.indexOf(self.gain), len(plan.devices) > 1)
        advice = [advise(cells, network) for network in plan.networks]
        lines = [translated(each.text) for each in advice if each is not None]
        lines.append(messages.load_text(busiest_share(cells)))
        self.advice.setText("\n".join(filter(None, lines)))
        self.advice.setVisible(bool(self.advice.text()))

    def _on_compare(self) -> None:
        name, _ = self._ask_table()
        if name:
            work, failed = partial(read_beside, Path(name)), self.context.navigator.show_failure
            self.context.background.run(self, work, self._on_read, failed)

    def _ask_table(self) -> tuple[str, str]:
        title, kinds = self.tr("Results from another machine"), self.tr("Tables (*.csv)")
        return QFileDialog.getOpenFileName(self, title, "", kinds)

    def _on_read(self, cells: list[Beside]) -> None:
        self._other_machines += cells
        self.refresh()
        self.tabs.setCurrentWidget(self.time_chart)


class OperationsPanel(BenchPanel):
    """Benchmark of single operations, shown when it is completed."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        columns, key = messages.operation_columns(), messages.operation_key
        self.table = Table(self.tr("Operations"), columns, self, key=key)
        sides, milliseconds = self.tr("Height and width"), self.tr("Milliseconds")
        self.chart = log_chart(context.theme, self.tr("Time"), sides, milliseconds, self)
        self.load = HintLabel("", "advice", self)
        self.column.insertWidget(1, self.load)
        self.tabs.addTab(self.table, self.tr("Operations"))
        self.tabs.addTab(self.chart, self.chart.title)

    def refresh(self) -> None:
        """Show the current results."""
        entry = self.entry
        if entry is None:
            return
        self.show_state(entry, resumes=False)
        if entry.state == State.COMPLETED:
            work = partial(OperationsReport.read, entry.record.folder)
            self.context.background.run(self, work, partial(self._on_report, entry))
        else:
            self.table.show_rows(())
            self.load.show_text("")

    def _on_report(self, entry: RecordDocument, report: OperationsReport | None) -> None:
        if entry is not self.entry or report is None:
            return  # another benchmark is shown now
        self.load.show_text(messages.load_text(report.others_share or 0), "advice")
        self.table.show_rows(
            (each, timing) for each in report.operations for timing in each.timings
        )
        draw(self.chart, messages.operation_lines(report))


class PredictionPanel(BenchPanel):
    """Benchmark of predictions."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.fastest = text_label("", "muted", self, wraps=True)
        self.missing = HintLabel("", "help", self)
        self.table: Table[messages.FormatRow] = Table(
            self.tr("Formats and batch sizes"), (), self, key=messages.format_name
        )
        self.table.set_row_height(_LATENCY_HEIGHT)
        batch = self.tr("Batch size")
        theme = context.theme
        milliseconds, per_second = self.tr("Milliseconds"), self.tr("Images per second")
        self.latency = log_chart(theme, self.tr("Latency"), batch, milliseconds, self)
        self.throughput = log_chart(theme, self.tr("Throughput"), batch, per_second, self)
        self.tabs.addTab(self.table, self.tr("Formats"))
        for chart in (self.latency, self.throughput):
            self.tabs.addTab(chart, chart.title)
        self.column.insertWidget(1, self.fastest)
        self.column.addWidget(self.missing)

    def refresh(self) -> None:
        """Show the current results."""
        entry = self.entry
        if entry is None or not isinstance(entry.plan, PredictPlan):
            return
        results = latency_results(entry.history)
        states = [result.outcome.state for result in results]
        self.show_state(entry, messages.done_text(states) if states else "", states, resumes=True)
        rows = messages.format_rows(results)
        self.table.show_rows(rows, messages.format_columns(rows))
        draw(self.latency, messages.latency_lines(results))
        draw(self.throughput, messages.throughput_lines(results))
        self.fastest.setText(messages.fastest_text(results))
        self.fastest.setVisible(bool(self.fastest.text()))
        self.missing.show_text(messages.missing_text(missing_of(entry.history.result)))


KINDS = (RecordKind.BENCHMARK, RecordKind.PREDICTIONS, RecordKind.OPERATIONS)


class View(RecordPage):
    """Plans benchmarks, follows them live and shows finished ones."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, KINDS, parent)
        self.list = RecordList(context, KINDS, self.tr("Benchmarks"), self._describe, self)
        measures = self.tr("Measures how fast networks train and predict on this machine.")
        self.new_button = push_button(
            self.tr("New benchmark"), context.theme, icon="plus", parent=self, tip=measures
        )
        self.new_button.clicked.connect(self._show_new)
        how = self.tr(
            "A benchmark measures training with each batch size on each device, or prediction "
            "in each export format, and recommends what to use on this machine."
        )
        self.empty = EmptyState(
            context.theme, "benchmarks", self.tr("No benchmarks yet"), how, self
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
        if isinstance(entry.plan, PredictPlan):
            return self.prediction_panel
        return self.panel if isinstance(entry.plan, StudyPlan) else self.operations_panel

    def _show_new(self) -> None:
        self.new_study.suggest_names()
        self.show_view(self.new_study)
