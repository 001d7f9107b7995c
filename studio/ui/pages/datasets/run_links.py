"""The runs that learned from a dataset, each with its state and the way to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import Jobs
from studio.ui.documents.record import RecordDocument
from studio.ui.pages.datasets import messages
from studio.ui.theme.theme import Theme
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import StateBadge
from studio.ui.widgets.layout import replace_widget, text_label, vbox

# Further ones are on the page of the runs.
_MOST = 12


def runs_of(jobs: Jobs, dataset: str, version: int | None = None) -> list[RecordDocument]:
    """The runs that learned from a dataset, or from one version of it, the newest first."""
    return [
        entry
        for entry in jobs.entries(RecordKind.RUN)
        if isinstance(entry.plan, TrainingPlan)
        and entry.plan.dataset == dataset
        and version in (None, entry.plan.dataset_version or 0)
    ]


class RunLinks(QWidget):
    """A line for each run.

    Signals:
        wanted: Id of the run whose line was pressed.
    """

    wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: list[tuple[str, str, str]] = []
        self._lines = QWidget(self)
        self._column = vbox(self._lines, owner=self)

    def buttons(self) -> list[QPushButton]:
        """The buttons of the runs, in order."""
        return self._lines.findChildren(QPushButton)

    def show_runs(self, runs: Sequence[RecordDocument], nothing: str) -> None:
        """Show other runs; `nothing` is said where there are none."""
        shown = [(run.record.id, run.name, run.state.value) for run in runs]
        if shown and shown == self._shown:
            return  # a button shall not go away under the pointer
        self._shown = shown
        old, self._lines = self._lines, QWidget(self)
        replace_widget(self._column, old, self._lines)
        grid = QGridLayout(self._lines)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE.m)
        grid.setVerticalSpacing(SPACE.xs)
        grid.setColumnStretch(2, 1)
        for row, run in enumerate(runs[:_MOST]):
            self._add(grid, row, run)
        rest = len(runs) - _MOST
        text = "" if runs else nothing
        if rest > 0:
            text = self.tr("and {n} more on the page of the runs").format(n=count(rest))
        if text:
            label = text_label(text, "muted", self._lines, wraps=True)
            grid.addWidget(label, _MOST, 0, 1, 3)

    def _add(self, grid: QGridLayout, row: int, run: RecordDocument) -> None:
        button = push_button(run.name, self._theme, kind="quiet", icon="train", parent=self._lines)
        button.setToolTip(self.tr("Show this run"))
        button.setAccessibleName(self.tr("Show the run {name}").format(name=run.name))
        button.clicked.connect(partial(self._on_run, run.record.id))
        version = run.plan.dataset_version if isinstance(run.plan, TrainingPlan) else None
        label = text_label(messages.version(version or 0), "muted", self._lines)
        grid.addWidget(button, row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(StateBadge(self._theme, run.state.value, self._lines), row, 1)
        grid.addWidget(label, row, 2)

    def _on_run(self, run: str, _checked: object = None) -> None:
        self.wanted.emit(run)
