"""Panels of finished and running benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QWidget,
)

from studio.engine.benchmarks.advice import advise
from studio.engine.benchmarks.history import BenchmarkJob
from studio.engine.benchmarks.operations import OperationsReport
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.prediction import Pace, PredictPlan, missing_of
from studio.engine.benchmarks.requests import cells_known, paces_known, resume_benchmark
from studio.engine.benchmarks.results import (
    FAILED,
    Beside,
    Cell,
    CellState,
    busiest_share,
    read_beside,
    speed_ups,
)
from studio.engine.errors import StudioError
from studio.engine.jobs.control import can_resume
from studio.engine.jobs.states import State
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.documents.record import BenchmarkDocument, RecordDocument
from studio.ui.engine_text import engine_text
from studio.ui.pages.bench.messages import (
    Line,
    beside_lines,
    done_text,
    fastest_text,
    gain_lines,
    latency_lines,
    load_text,
    loss_lines,
    missing_text,
    name_of,
    operation_headings,
    operation_lines,
    operation_row,
    pace_details,
    pace_lines,
    pace_text,
    table_headings,
    table_row,
    throughput_lines,
)
from studio.ui.shared.jobs import show_stop
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import CHART_COLORS, SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import HintLabel, state_word
from studio.ui.widgets.layout import text_label, vbox
from studio.ui.widgets.notices import Notice
from studio.ui.widgets.pages import PageHeader
from studio.ui.widgets.tables import dress_table, set_widths
from studio.ui.widgets.tips import explain


class BenchPanel(QWidget):
    """One benchmark, live; `refresh` is up to the class that inherits."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.entry: BenchmarkDocument | None = None
        theme = context.theme
        self.header = PageHeader("", "", self)
        self.stop_button = push_button(self.tr("Stop"), theme, icon="stop", parent=self)
        self.resume_button = push_button(self.tr("Resume"), theme, icon="resume", parent=self)
        self.retry_button = push_button(self.tr("Retry failed"), theme, icon="resume", parent=self)
        self.retry_button.setToolTip(
            self.tr("Measure again what failed, timed out or did not fit into memory")
        )
        explain(self.stop_button, self.tr("Ends it here; what was measured is kept."))
        explain(self.resume_button, self.tr("Goes on with what is not measured yet."))
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(self.tr("Views of a benchmark"))
        self.tabs.tabBar().setAccessibleName(self.tabs.accessibleName())
        for button in (self.stop_button, self.resume_button, self.retry_button):
            self.header.add_action(button)
        self.stop_button.clicked.connect(self._on_stop)
        self.resume_button.clicked.connect(self._on_resume)
        self.retry_button.clicked.connect(self._on_retry)
        self.column = vbox(
            self.header, (self.tabs, 1), owner=self, spacing=SPACE.m, margins=SPACE.xl
        )

    def show_entry(self, entry: BenchmarkDocument) -> None:
        """Show a benchmark, or the one that is shown as it is now."""
        if self.entry is not entry:
            for chart in self.findChildren(LineChart):
                chart.clear()
        self.entry = entry
        self.refresh()

    def refresh(self) -> None:
        """Show the benchmark as it is now."""
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
            done: How much of it is done, in words.
            states: Of its cells.
            resumes: Whether such a benchmark goes on where it was interrupted.
        """
        words = [state_word(entry.state.value), done, engine_text(entry.history.reason)]
        self.header.set_title(entry.name)
        self.header.set_subtitle(" · ".join(filter(None, words)))
        is_at_rest = entry.state.is_at_rest
        self.stop_button.setVisible(not is_at_rest)
        show_stop(self.stop_button, entry, self.tr("Stop"))
        self.resume_button.setVisible(resumes and can_resume(entry.history))
        self.retry_button.setVisible(is_at_rest and any(state in FAILED for state in states))

    def refuse(self, error: BaseException) -> None:
        """Say why something could not be done."""
        if isinstance(error, StudioError):
            self.context.navigator.notify(Notice("error", error.message, error.hint))
        else:
            self.context.navigator.show_failure(error)

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
            self.context.background.run(self, work, self._on_resumed, self.refuse)

    def _on_resumed(self, _nothing: object) -> None:
        self.context.jobs.wake()


def log_chart(theme: Theme, title: str, across: str, up: str, parent: QWidget) -> LineChart:
    """Return a chart with two logarithmic axes."""
    chart = LineChart(theme, title, across, up, parent=parent)
    chart.set_log(log=True)
    chart.set_log_x(log=True)
    return chart


def draw(chart: LineChart, lines: Sequence[Line]) -> None:
    """Show lines in a chart; one that is there already gets what is new."""
    for index, line in enumerate(lines):
        # There are fewer colors than formats: whoever comes after the last is dashed.
        dashed = index >= len(CHART_COLORS)
        chart.set_curve(line.key, line.x, line.y, name=line.name, color_index=index, dashed=dashed)


def put_texts(table: QTableWidget, row: int, texts: Sequence[str], tip: str) -> None:
    """Show texts in a row; those without a tip have themselves as one."""
    for column, text in enumerate(texts):
        item = QTableWidgetItem(text)
        item.setToolTip(tip or text)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        table.setItem(row, column, item)


_WIDTHS = (96, 64, 96, 116, 56, 116, 108, 80, 80, 84, 56, 64)


class CellsTable(QTableWidget):
    """A row per cell; why one has no figures is in its tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_WIDTHS), parent)
        dress_table(self)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalHeaderLabels(table_headings())
        self.setAccessibleName(self.tr("Cells"))
        set_widths(self, _WIDTHS)
        self._cells: list[list[str]] = []

    def show_cells(self, cells: Sequence[Cell], devices: Sequence[str]) -> None:
        """Show cells; only rows that changed are touched."""
        gains = speed_ups(cells, devices)
        rows = [
            [*table_row(cell, gains.get(cell.number)), engine_text(cell.outcome.reason)]
            for cell in cells
        ]
        self.setRowCount(len(rows))
        for row, texts in enumerate(rows):
            if row >= len(self._cells) or texts != self._cells[row]:
                put_texts(self, row, texts[:-1], texts[-1])
        self._cells = rows

    def rows(self) -> list[list[str]]:
        """What is shown, without the reasons."""
        return [row[:-1] for row in self._cells]


NAME_WIDTH, BATCH_WIDTH, ROW_HEIGHT = 152, 92, 48


class PaceTable(QTableWidget):
    """A row per format, precision and provider; all figures of a cell are in its tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        dress_table(self)
        self.setWordWrap(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAccessibleName(self.tr("Formats and batch sizes"))
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)

    def show_paces(self, paces: Sequence[Pace]) -> None:
        """Show measurements."""
        names = list(dict.fromkeys(name_of(pace) for pace in paces))
        batches = sorted({pace.batch for pace in paces})
        self.setRowCount(len(names))
        self.setColumnCount(1 + len(batches))
        heads = [self.tr("Batch {count}").format(count=count(each)) for each in batches]
        self.setHorizontalHeaderLabels([self.tr("Format"), *heads])
        self.setColumnWidth(0, NAME_WIDTH)
        for column in range(1, self.columnCount()):
            self.setColumnWidth(column, BATCH_WIDTH)
        for row, name in enumerate(names):
            self._put(row, 0, name, name)
        for pace in paces:
            place = names.index(name_of(pace)), 1 + batches.index(pace.batch)
            self._put(*place, pace_text(pace), pace_details(pace))

    def text(self, row: int, column: int) -> str:
        """What a cell says."""
        item = self.item(row, column)
        return "" if item is None else item.text()

    def _put(self, row: int, column: int, text: str, tip: str) -> None:
        item = self.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            self.setItem(row, column, item)
        item.setText(text)
        item.setToolTip(tip)


class StudyPanel(BenchPanel):
    """Shows one study, live."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        theme = context.theme
        self.beside_button = push_button(self.tr("Beside…"), theme, icon="upload", parent=self)
        self.beside_button.setToolTip(
            self.tr("Draw the CSV table of another machine beside the times per image")
        )
        self._beside: list[Beside] = []
        self.advice = text_label("", "muted", self, wraps=True)
        self.table = CellsTable(self)
        batch = self.tr("Images of a batch")
        per_image, milliseconds = self.tr("Time per image"), self.tr("Milliseconds")
        self.pace = log_chart(theme, per_image, batch, milliseconds, self)
        self.gain = log_chart(theme, self.tr("Speed-up"), batch, self.tr("Times as fast"), self)
        self.loss = LineChart(theme, self.tr("Loss"), self.tr("Epoch"), self.tr("Loss"))
        self.loss.set_log(log=True)
        self.header.add_action(self.beside_button)
        self.beside_button.clicked.connect(self._on_beside)
        self.tabs.addTab(self.table, self.tr("Cells"))
        for chart in (self.pace, self.gain, self.loss):
            self.tabs.addTab(chart, chart.title)
        self.column.insertWidget(1, self.advice)
        explain(
            self.table,
            self.tr(
                "One row for each network, device, precision and batch size that is measured."
            ),
        )

    def refresh(self) -> None:
        """Show the study as it is now."""
        entry = self.entry
        if entry is None or not isinstance(entry.plan, StudyPlan):
            return
        plan = entry.plan
        cells = cells_known(plan, entry.history)
        states = [cell.outcome.state for cell in cells]
        self.show_state(entry, done_text(states), states, resumes=True)
        self.table.show_cells(cells, plan.devices)
        draw(self.pace, [*pace_lines(cells), *beside_lines(self._beside)])
        draw(self.gain, gain_lines(cells, plan.devices))
        draw(self.loss, loss_lines(cells))
        self.tabs.setTabVisible(self.tabs.indexOf(self.gain), len(plan.devices) > 1)
        told = [advise(cells, network) for network in plan.networks]
        lines = [engine_text(each.text) for each in told if each is not None]
        lines.append(load_text(busiest_share(cells)))
        self.advice.setText("\n".join(filter(None, lines)))
        self.advice.setVisible(bool(self.advice.text()))

    def _on_beside(self) -> None:
        name, _ = self._ask_table()
        if name:
            work = partial(read_beside, Path(name))
            self.context.background.run(self, work, self._on_read, self.refuse)

    def _ask_table(self) -> tuple[str, str]:
        title, kinds = self.tr("The table of another machine"), self.tr("Tables (*.csv)")
        return QFileDialog.getOpenFileName(self, title, "", kinds)

    def _on_read(self, cells: list[Beside]) -> None:
        self._beside += cells
        self.refresh()
        self.tabs.setCurrentWidget(self.pace)


_OPERATION_WIDTHS = (120, 52, 84, 84, 80, 76, 84, 96, 72)


class OperationsPanel(BenchPanel):
    """Shows one benchmark of operations; its figures are there when it is over."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.table = QTableWidget(0, len(_OPERATION_WIDTHS), self)
        dress_table(self.table)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setHorizontalHeaderLabels(operation_headings())
        self.table.setAccessibleName(self.tr("Operations"))
        set_widths(self.table, _OPERATION_WIDTHS)
        sides, milliseconds = self.tr("Height and width"), self.tr("Milliseconds")
        self.chart = log_chart(context.theme, self.tr("Time"), sides, milliseconds, self)
        self.load = HintLabel("", "advice", self)
        self.column.insertWidget(1, self.load)
        self.tabs.addTab(self.table, self.tr("Operations"))
        self.tabs.addTab(self.chart, self.chart.title)

    def refresh(self) -> None:
        """Show the benchmark as it is now."""
        entry = self.entry
        if entry is None:
            return
        self.show_state(entry, resumes=False)
        if entry.state == State.COMPLETED:
            work = partial(OperationsReport.read, entry.record.folder)
            self.context.background.run(self, work, partial(self._on_report, entry), self.refuse)
        else:
            self.table.setRowCount(0)
            self.load.show_text("")

    def _on_report(self, entry: RecordDocument, report: OperationsReport | None) -> None:
        if entry is not self.entry or report is None:
            return  # another one is shown meanwhile
        self.load.show_text(load_text(report.others_share or 0), "advice")
        rows = [(each, timing) for each in report.operations for timing in each.timings]
        self.table.setRowCount(len(rows))
        for row, (each, timing) in enumerate(rows):
            put_texts(self.table, row, operation_row(each, timing), timing.reason)
        draw(self.chart, operation_lines(report))


class PredictionPanel(BenchPanel):
    """Shows one benchmark of predictions, live."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.fastest = text_label("", "muted", self, wraps=True)
        self.missing = HintLabel("", "help", self)
        self.table = PaceTable(self)
        batch = self.tr("Images of a batch")
        theme = context.theme
        milliseconds, pace = self.tr("Milliseconds"), self.tr("Images per second")
        self.latency = log_chart(theme, self.tr("Latency"), batch, milliseconds, self)
        self.throughput = log_chart(theme, self.tr("Throughput"), batch, pace, self)
        self.tabs.addTab(self.table, self.tr("Formats"))
        for chart in (self.latency, self.throughput):
            self.tabs.addTab(chart, chart.title)
        self.column.insertWidget(1, self.fastest)
        self.column.addWidget(self.missing)

    def refresh(self) -> None:
        """Show the benchmark as it is now."""
        entry = self.entry
        if entry is None or not isinstance(entry.plan, PredictPlan):
            return
        paces = paces_known(entry.history)
        states = [pace.outcome.state for pace in paces]
        self.show_state(entry, done_text(states) if states else "", states, resumes=True)
        self.table.show_paces(paces)
        draw(self.latency, latency_lines(paces))
        draw(self.throughput, throughput_lines(paces))
        self.fastest.setText(fastest_text(paces))
        self.fastest.setVisible(bool(self.fastest.text()))
        self.missing.show_text(missing_text(missing_of(entry.history.result)))
