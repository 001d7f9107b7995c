"""Page of benchmarks: the list at the left, the results of one at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from operator import attrgetter
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QTabWidget, QWidget

from studio.engine.benchmarks.advice import advise
from studio.engine.benchmarks.history import BenchmarkJob, CellChanged, LatencyChanged
from studio.engine.benchmarks.operations import OperationsPlan, OperationsReport
from studio.engine.benchmarks.plan import StudyPlan, cell_keys
from studio.engine.benchmarks.prediction import PredictPlan, missing_of
from studio.engine.benchmarks.requests import (
    cells_known,
    latency_results,
    request_benchmark,
    request_operations,
    request_predictions,
    resume_benchmark,
)
from studio.engine.benchmarks.results import (
    FAILED,
    Beside,
    Cell,
    CellState,
    busiest_share,
    read_beside,
    speed_ups,
)
from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.control import can_resume
from studio.engine.jobs.events import Result
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.plans import Plan
from studio.engine.training.plan import RUN_PREFIX
from studio.engine.workspace import RecordKind
from studio.ui.bridge.request import Request
from studio.ui.bridge.run_choices import RunChoice
from studio.ui.bridge.run_chooser import RunChooser
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.documents.record import BenchmarkDocument, RecordChange, RecordDocument
from studio.ui.forms.plan_form import PlanForm
from studio.ui.language import translated
from studio.ui.navigation import OpenPage, PlanBenchmark
from studio.ui.pages.bench import messages
from studio.ui.pages.record_page import RecordList, RecordPage, RecordRow
from studio.ui.shared.file_dialogs import ask_file
from studio.ui.shared.jobs import JobRequest, JobWidget, show_start, show_stop
from studio.ui.shared.records import RecordName
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CHART_COLORS, SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import counted
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel, state_word
from studio.ui.widgets.layout import STRETCH, fill, hbox, text_label, vbox
from studio.ui.widgets.pages import EmptyState, PageHeader, ScrollColumn
from studio.ui.widgets.table import Table
from studio.ui.widgets.tips import explain

FOLDER_KEY: Final = "bench"


class BenchPanel(JobWidget):
    """Results of a benchmark, updated live; a subclass implements `refresh`."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
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
        if self._shown is not entry:
            for chart in self.findChildren(LineChart):
                chart.clear()
        self._shown = entry
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
        words = [state_word(entry.shown_state), done, translated(entry.history.reason)]
        self.header.set_title(entry.name)
        self.header.set_subtitle(" · ".join(filter(None, words)))
        is_at_rest = entry.state.is_at_rest
        self.stop_button.setVisible(not is_at_rest)
        show_stop(self.stop_button, entry, self.tr("Stop"))
        self.resume_button.setVisible(resumes and can_resume(entry.history))
        self.retry_button.setVisible(is_at_rest and any(state in FAILED for state in states))

    def _on_stop(self) -> None:
        self._context.jobs.stop(self._entry)

    def _on_resume(self) -> None:
        self._context.jobs.restart(self._entry)

    def _on_retry(self) -> None:
        queue, job = self._context.jobs.queue, BenchmarkJob(self._entry.record)
        work = partial(resume_benchmark, queue, job, retry_failed=True)
        self._context.background.run(self, work, self._context.jobs.wake)


def log_chart(theme: Theme, title: str, across: str, up: str, parent: QWidget) -> LineChart:
    """Return a chart with two logarithmic axes."""
    chart = LineChart(theme, title, across, up, parent=parent)
    chart.set_log(log=True)
    chart.set_log_x(log=True)
    return chart


def draw(chart: LineChart, lines: Sequence[messages.BenchmarkCurve]) -> None:
    """Show lines in a chart; existing ones are updated."""
    for index, line in enumerate(lines):
        # There are fewer colors than formats: lines after the last color are dashed.
        dashed = index >= len(CHART_COLORS)
        chart.set_curve(
            line.name, line.x, line.y, name=line.name, color_index=index, dashed=dashed
        )


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
        entry, plan = self._entry, self._entry.plan
        if not isinstance(plan, StudyPlan):
            return
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
        title, kinds = self.tr("Results from another machine"), self.tr("Tables (*.csv)")
        path = ask_file(self, title, self._context.settings, FOLDER_KEY, kinds)
        if path is not None:
            failed = self._context.navigator.show_failure
            self._context.background.run(self, partial(read_beside, path), self._on_read, failed)

    def _on_read(self, cells: list[Beside]) -> None:
        self._other_machines += cells
        self.refresh()
        self.tabs.setCurrentWidget(self.time_chart)


class OperationsPanel(BenchPanel):
    """Benchmark of single operations, shown when it is completed."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._reading = Request(context.background, self)
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
        entry = self._entry
        self.show_state(entry, resumes=False)
        self._reading.drop()
        if entry.state == State.COMPLETED:
            self._reading.run(partial(OperationsReport.read, entry.record.folder), self._on_report)
        else:
            self.table.show_rows(())
            self.load.show_text("")

    def _on_report(self, report: OperationsReport | None) -> None:
        if report is None:
            return
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
        entry = self._entry
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


_WIDEST = 640
_KINDS: Final[dict[RecordKind, tuple[type[Plan], Callable[..., Job], str]]] = {
    RecordKind.BENCHMARK: (StudyPlan, request_benchmark, "benchmark"),
    RecordKind.PREDICTIONS: (PredictPlan, request_predictions, "predictions"),
    RecordKind.OPERATIONS: (OperationsPlan, request_operations, "operations"),
}
"""Plan, request to the queue and suggested name of each kind of benchmark."""


class BenchmarkForm(QWidget):
    """Name and plan of a new benchmark, and a list where the form cannot offer a choice.

    Args:
        context: Context of the window.
        kind: Kind of the benchmark.
        hint: Explanation above the form.
        parent: Owner.

    Signals:
        started: Id of the requested benchmark.
    """

    started = Signal(str)

    def __init__(
        self, context: AppContext, kind: RecordKind, hint: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.context = context
        self._kind = kind
        plan_class, request, self._default_name = _KINDS[kind]
        self.name = RecordName(self.tr("Name of the benchmark"), self)
        self.name.setMaximumWidth(_WIDEST)
        self.form = PlanForm(plan_class, theme=context.theme, parent=self)
        self.start_button = push_button(
            self.tr("Measure"), context.theme, kind="primary", icon="benchmarks", parent=self
        )
        self.hint = HintLabel(hint, "help", self)
        top = hbox((self.hint, 1), self.start_button, spacing=SPACE.l)
        scroll = ScrollColumn(SPACE.l, self)
        self.column = scroll.column
        fill(self.column, self.name, self.form, STRETCH)
        vbox(top, (scroll, 1), owner=self, spacing=SPACE.m, margins=(0, SPACE.m, 0, 0))
        self._requesting = JobRequest(context, self, request, self, self.name)
        self._requesting.accepted.connect(self.started)
        self.start_button.clicked.connect(self._on_start)
        self.form.changed.connect(self.show_ready)
        self.show_ready()

    def suggest_name(self) -> None:
        """Suggest a name that no benchmark of the kind has."""
        taken = [entry.name for entry in self.context.jobs.entries(self._kind)]
        self.name.suggest(self._default_name, taken)

    def add_choice(self, word: str, box: ComboBox) -> None:
        """Add a list with a label between the name and the form."""
        box.setAccessibleName(word)
        box.setMaximumWidth(_WIDEST)
        label = QLabel(word, self)
        label.setBuddy(box)
        self.column.insertWidget(1, label)
        self.column.insertWidget(2, box)

    def why_not(self) -> str:
        """Return why the benchmark cannot be requested; empty if it can."""
        return "" if self.form.plan() is not None else self.tr("Fix the marked fields first.")

    def extent(self, plan: Plan) -> str:  # noqa: ARG002 - for subclasses
        """Return the extent of a benchmark as text, or an empty text."""
        return ""

    def show_ready(self) -> None:
        """Enable the button, or show why it is disabled."""
        refusal = translated(self.context.workspace.refusal(RecordKind.BENCHMARK))
        why_not, plan = refusal or self.why_not(), self.form.plan()
        self.start_button.setEnabled(not why_not)
        show_start(self.start_button, self.tr("Measure"), is_asked=False)
        self.start_button.setToolTip(why_not or ("" if plan is None else self.extent(plan)))

    def set_asking(self, *, is_asking: bool) -> None:
        """Disable the button while the benchmark is being requested."""
        if is_asking:
            show_start(self.start_button, "", is_asked=True)
            self.start_button.setToolTip(self.tr("Requested"))
        else:
            self.show_ready()

    def show_refused(self, error: StudioError) -> None:
        """Show why the benchmark was refused, at the field that it is about."""
        self.form.show_problems([Problem(error.where, error.message, error.hint)])

    def _on_start(self) -> None:
        plan = self.form.plan()
        if plan is not None:
            self._requesting.ask(plan)


MODEL_KEY: Final = "bench/run"


class TrainingForm(BenchmarkForm):
    """Benchmark of training: each network on each device with each batch size."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        hint = self.tr("Trains each combination for a short time in a separate process.")
        super().__init__(context, RecordKind.BENCHMARK, hint, parent)
        self.dataset = ComboBox(self)
        self.add_choice(self.tr("Images"), self.dataset)
        self.dataset.activated.connect(self._on_dataset)
        context.jobs.listed.connect(self._on_listed)
        context.jobs.devices_known.connect(self._show_devices)
        self._fill()
        self._show_devices()

    def extent(self, plan: Plan) -> str:
        """Return the number of cells."""
        cells = len(cell_keys(plan)) if isinstance(plan, StudyPlan) else 0
        return counted(cells, self.tr("1 cell"), self.tr("{n} cells"))

    def choose(self, network: str, dataset: str) -> None:
        """Fill in a network and a dataset; noise if there is no such dataset."""
        self.dataset.setCurrentIndex(max(0, self.dataset.findData(dataset)))
        data = {"networks": [network], "dataset": self.dataset.currentData() or ""}
        self.form.set_values(data)
        self.show_ready()

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        if RecordKind.DATASET in kinds:
            self._fill()

    def _fill(self) -> None:
        noise = self.tr("Noise, in the input size of each network")
        datasets = self.context.jobs.completed(RecordKind.DATASET)
        named = ((each.name, each.record.id) for each in datasets)
        self.dataset.set_entries([(noise, ""), *named])

    def _show_devices(self) -> None:
        names = [device.name for device in self.context.jobs.devices]
        if names:
            self.form.set_values({"devices": names})

    def _on_dataset(self, _index: int) -> None:
        self.form.set_values({"dataset": self.dataset.currentData() or ""})
        self.show_ready()


class PredictionForm(BenchmarkForm):
    """Benchmark of the predictions of a trained network in each format."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        hint = self.tr(
            "Exports the network in each format and precision, and measures each with its own "
            "runtime in a separate process."
        )
        super().__init__(context, RecordKind.PREDICTIONS, hint, parent)
        self.run_box = RunChooser(context.jobs, context.settings, MODEL_KEY, self)
        self.add_choice(self.tr("Run"), self.run_box)
        self.run_box.changed.connect(self._on_run)
        self._on_run(self.run_box.choice())

    def why_not(self) -> str:
        """Return why the benchmark cannot be requested; empty if it can."""
        if not self.form.values().get("model"):
            return self.tr("Train a network first.")
        return super().why_not()

    def _on_run(self, choice: RunChoice | None) -> None:
        self.form.set_values({"model": "" if choice is None else f"{RUN_PREFIX}{choice.id}"})
        self.show_ready()


class NewStudy(QWidget):
    """New benchmark, a tab for each kind.

    Signals:
        started: Id of the requested benchmark.
    """

    started = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.trainings = TrainingForm(context, self)
        self.predictions = PredictionForm(context, self)
        hint = self.tr(
            "Convolution, matrix product, addition and max pooling: as plain loops, in NumPy, and "
            "in the framework on each device."
        )
        self.operations = BenchmarkForm(context, RecordKind.OPERATIONS, hint, self)
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(self.tr("Types of benchmarks"))
        self._forms = self.trainings, self.predictions, self.operations
        titles = self.tr("Training"), self.tr("Prediction"), self.tr("Operations")
        for form, title in zip(self._forms, titles, strict=True):
            self.tabs.addTab(form, title)
            form.started.connect(self.started)
        header = PageHeader(self.tr("New benchmark"), "", self)
        vbox(header, (self.tabs, 1), owner=self, spacing=SPACE.l, margins=SPACE.xl)

    def measure_training(self, network: str, dataset: str) -> None:
        """Fill in the training of a network on a dataset, given by its id."""
        self.tabs.setCurrentWidget(self.trainings)
        self.trainings.choose(network, dataset)

    def suggest_names(self) -> None:
        """Suggest names that no benchmark has."""
        for form in self._forms:
            form.suggest_name()


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
        form = self.add_view(NewStudy(self.context, self.stack))
        form.started.connect(self.show_record)
        return form

    @cached_property
    def panel(self) -> StudyPanel:
        """The panel of a benchmark of training."""
        return self.add_view(StudyPanel(self.context, self.stack))

    @cached_property
    def prediction_panel(self) -> PredictionPanel:
        """The panel of a benchmark of predictions."""
        return self.add_view(PredictionPanel(self.context, self.stack))

    @cached_property
    def operations_panel(self) -> OperationsPanel:
        """The panel of a benchmark of operations."""
        return self.add_view(OperationsPanel(self.context, self.stack))

    def show_detail(self, entry: BenchmarkDocument) -> BenchPanel:
        """Show a benchmark in the panel of its kind."""
        panel = self._panel_of(entry)
        panel.show_entry(entry)
        return panel

    def follow(self, entry: BenchmarkDocument, change: RecordChange) -> None:
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
