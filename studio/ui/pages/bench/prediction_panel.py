"""One benchmark of predictions: formats against batch sizes, latency and throughput."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.benchmarks.prediction import PredictPlan, missing_of
from studio.engine.benchmarks.requests import paces_known
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.pages.bench.bench_panel import BenchPanel, draw
from studio.ui.pages.bench.messages import done_text
from studio.ui.pages.bench.pace_messages import fastest_text, missing_text
from studio.ui.pages.bench.pace_state import latency_lines, throughput_lines
from studio.ui.pages.bench.pace_table import PaceTable
from studio.ui.widgets.hint_label import HintLabel


class PredictionPanel(BenchPanel):
    """Shows one benchmark of predictions, live."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.fastest = QLabel(self)
        self.fastest.setProperty("role", "muted")
        self.fastest.setWordWrap(True)
        self.missing = HintLabel("", "help", self)
        self.table = PaceTable(self)
        batch = self.tr("Images of a batch")
        theme = context.theme
        self.latency = LineChart(
            theme, self.tr("Latency"), batch, self.tr("Milliseconds"), parent=self
        )
        self.throughput = LineChart(
            theme, self.tr("Throughput"), batch, self.tr("Images per second"), parent=self
        )
        self.tabs.addTab(self.table, self.tr("Formats"))
        for chart in (self.latency, self.throughput):
            chart.set_log(log=True)
            chart.set_log_x(log=True)
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
