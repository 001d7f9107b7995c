"""One study: how far it is, its cells, its charts, and what to use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLabel, QTabWidget, QVBoxLayout, QWidget

from studio.engine.benchmarks.advice import advise
from studio.engine.benchmarks.plan import StudyPlan
from studio.engine.benchmarks.tables import Beside, read_beside
from studio.engine.errors import StudioError
from studio.engine.jobs.benchmarking import cells_known
from studio.engine.jobs.control import can_resume
from studio.ui.bridge.jobs import JobEntry
from studio.ui.charts.live_chart import LiveChart
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.pages.bench.cells_table import CellsTable
from studio.ui.pages.bench.messages import done_text
from studio.ui.pages.bench.state import Line, beside_lines, gain_lines, loss_lines, pace_lines
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.page_header import PageHeader
from studio.ui.widgets.state_badge import state_word


class StudyPanel(QWidget):
    """Shows one study, live."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.entry: JobEntry | None = None
        theme = context.theme
        self.header = PageHeader("", "", self)
        self.stop_button = push_button(self.tr("Stop"), theme, icon="stop", parent=self)
        self.resume_button = push_button(self.tr("Resume"), theme, icon="resume", parent=self)
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
        self.pace = LiveChart(
            theme, self.tr("Time per image"), batch, self.tr("Milliseconds"), parent=self
        )
        self.gain = LiveChart(
            theme, self.tr("Speed-up"), batch, self.tr("Times as fast"), parent=self
        )
        self.loss = LiveChart(theme, self.tr("Loss"), self.tr("Epoch"), self.tr("Loss"))
        for chart in (self.pace, self.gain):
            chart.set_log(log=True)
            chart.set_log_x(log=True)
        self.loss.set_log(log=True)
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(self.tr("Views of a study"))
        self.tabs.tabBar().setAccessibleName(self.tabs.accessibleName())
        self._lay_out()

    def show_study(self, entry: JobEntry) -> None:
        """Show a study, or the one that is shown as it is now."""
        if self.entry is not entry:
            for chart in (self.pace, self.gain, self.loss):
                chart.clear()
        self.entry = entry
        self.refresh()

    def refresh(self) -> None:
        """Show the study as it is now."""
        entry = self.entry
        if entry is None or not isinstance(entry.plan, StudyPlan):
            return
        plan, history = entry.plan, entry.history
        cells = cells_known(plan, history)
        words = [state_word(entry.state.value), done_text(cells), engine_text(history.reason)]
        self.header.set_title(entry.name)
        self.header.set_subtitle(" · ".join(filter(None, words)))
        self.stop_button.setVisible(not entry.state.is_at_rest)
        self.resume_button.setVisible(can_resume(history))
        self.table.show_cells(cells, plan.devices)
        _draw(self.pace, [*pace_lines(cells), *beside_lines(self._beside)])
        _draw(self.gain, gain_lines(cells, plan.devices))
        _draw(self.loss, loss_lines(cells))
        self.tabs.setTabVisible(self.tabs.indexOf(self.gain), len(plan.devices) > 1)
        told = [advise(cells, network) for network in plan.networks]
        self.advice.setText("\n".join(engine_text(each.text) for each in told if each is not None))
        self.advice.setVisible(bool(self.advice.text()))

    def _on_beside(self) -> None:
        name, _ = self._ask_table()
        if name:
            work = partial(read_beside, Path(name))
            self._context.background.run(self, work, self._on_read, self._on_refused)

    def _ask_table(self) -> tuple[str, str]:
        title, kinds = self.tr("The table of another machine"), self.tr("Tables (*.csv)")
        return QFileDialog.getOpenFileName(self, title, "", kinds)

    def _on_read(self, cells: list[Beside]) -> None:
        self._beside += cells
        self.refresh()
        self.tabs.setCurrentWidget(self.pace)

    def _on_refused(self, error: BaseException) -> None:
        if isinstance(error, StudioError):
            self._context.desk.notify(Notice("error", error.message, error.hint))
        else:
            self._context.desk.show_failure(error)

    def _on_stop(self) -> None:
        if self.entry is not None:
            self._context.jobs.stop(self.entry)

    def _on_resume(self) -> None:
        if self.entry is not None:
            self._context.jobs.restart(self.entry)

    def _lay_out(self) -> None:
        for button in (self.beside_button, self.stop_button, self.resume_button):
            self.header.add_action(button)
        self.beside_button.clicked.connect(self._on_beside)
        self.stop_button.clicked.connect(self._on_stop)
        self.resume_button.clicked.connect(self._on_resume)
        self.tabs.addTab(self.table, self.tr("Cells"))
        for chart in (self.pace, self.gain, self.loss):
            self.tabs.addTab(chart, chart.title)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.xl, SPACE.xl)
        column.setSpacing(SPACE.m)
        column.addWidget(self.header)
        column.addWidget(self.advice)
        column.addWidget(self.tabs, 1)


def _draw(chart: LiveChart, lines: Sequence[Line]) -> None:
    for index, line in enumerate(lines):
        chart.set_curve(line.key, line.x, line.y, name=line.name, color_index=index)
