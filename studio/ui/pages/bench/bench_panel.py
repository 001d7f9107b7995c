"""What the panels of all benchmarks have in common: a header that steers, and views below."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from studio.engine.benchmarks.history import BenchmarkJob
from studio.engine.benchmarks.requests import resume_benchmark
from studio.engine.benchmarks.results import FAILED, CellState
from studio.engine.errors import StudioError
from studio.engine.jobs.control import can_resume
from studio.ui.bridge.jobs import BenchmarkEntry
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.engine_text import engine_text
from studio.ui.pages.bench.state import Line
from studio.ui.shared.job_buttons import show_stop
from studio.ui.theme.tokens import CHART_COLORS, SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.explain import explain
from studio.ui.widgets.notice import Notice
from studio.ui.widgets.page_header import PageHeader
from studio.ui.widgets.state_badge import state_word


class BenchPanel(QWidget):
    """One benchmark, live; `refresh` is up to the class that inherits."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.entry: BenchmarkEntry | None = None
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
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(SPACE.xl, SPACE.xl, SPACE.xl, SPACE.xl)
        self.column.setSpacing(SPACE.m)
        self.column.addWidget(self.header)
        self.column.addWidget(self.tabs, 1)

    def show_entry(self, entry: BenchmarkEntry) -> None:
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
        entry: BenchmarkEntry,
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


def draw(chart: LineChart, lines: Sequence[Line]) -> None:
    """Show lines in a chart; one that is there already gets what is new."""
    for index, line in enumerate(lines):
        # There are fewer colors than formats: whoever comes after the last is dashed.
        dashed = index >= len(CHART_COLORS)
        chart.set_curve(line.key, line.x, line.y, name=line.name, color_index=index, dashed=dashed)
