"""One benchmark of operations: what each costs in every way."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem, QWidget

from studio.engine.benchmarks.operations import OperationsReport, read_report
from studio.engine.jobs.states import State
from studio.ui.bridge.jobs import JobEntry
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.pages.bench.bench_panel import BenchPanel, draw
from studio.ui.pages.bench.messages import load_text
from studio.ui.pages.bench.pace_messages import operation_headings, operation_row
from studio.ui.pages.bench.pace_state import operation_lines
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.tables import dress_table, set_widths

_WIDTHS = (120, 52, 84, 84, 80, 76, 84, 96, 72)


class OperationsPanel(BenchPanel):
    """Shows one benchmark of operations; its figures are there when it is over."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.table = QTableWidget(0, len(_WIDTHS), self)
        dress_table(self.table)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setHorizontalHeaderLabels(operation_headings())
        self.table.setAccessibleName(self.tr("Operations"))
        set_widths(self.table, _WIDTHS)
        self.chart = LineChart(
            context.theme,
            self.tr("Time"),
            self.tr("Height and width"),
            self.tr("Milliseconds"),
            parent=self,
        )
        self.chart.set_log(log=True)
        self.chart.set_log_x(log=True)
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
            work = partial(read_report, entry.record.folder)
            self.context.background.run(self, work, partial(self._on_report, entry), self.refuse)
        else:
            self.table.setRowCount(0)
            self.load.show_text("")

    def _on_report(self, entry: JobEntry, report: OperationsReport | None) -> None:
        if entry is not self.entry or report is None:
            return  # another one is shown meanwhile
        self.load.show_text(load_text(report.others_share or 0), "advice")
        rows = [(each, timing) for each in report.operations for timing in each.timings]
        self.table.setRowCount(len(rows))
        for row, (each, timing) in enumerate(rows):
            for column, text in enumerate(operation_row(each, timing)):
                item = QTableWidgetItem(text)
                item.setToolTip(timing.reason or text)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                self.table.setItem(row, column, item)
        draw(self.chart, operation_lines(report))
