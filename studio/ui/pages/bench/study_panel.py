"""One study of trainings: how far it is, its cells, its charts, and what to use."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLabel, QWidget

from studio.engine.benchmarks.advice import advise
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.requests import cells_known
from studio.engine.benchmarks.results import Beside, busiest_share, read_beside
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.pages.bench.bench_panel import BenchPanel, draw
from studio.ui.pages.bench.cells_table import CellsTable
from studio.ui.pages.bench.messages import done_text, load_text
from studio.ui.pages.bench.state import beside_lines, gain_lines, loss_lines, pace_lines
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain


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
        self.advice = QLabel(self)
        self.advice.setProperty("role", "muted")
        self.advice.setWordWrap(True)
        self.table = CellsTable(self)
        batch = self.tr("Images of a batch")
        self.pace = LineChart(
            theme, self.tr("Time per image"), batch, self.tr("Milliseconds"), parent=self
        )
        self.gain = LineChart(
            theme, self.tr("Speed-up"), batch, self.tr("Times as fast"), parent=self
        )
        self.loss = LineChart(theme, self.tr("Loss"), self.tr("Epoch"), self.tr("Loss"))
        for chart in (self.pace, self.gain):
            chart.set_log(log=True)
            chart.set_log_x(log=True)
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
