"""The runs that were trained on a dataset, each with its state and a button that opens it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.navigation import OpenRecord
from studio.ui.pages.datasets import messages
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.labels import StateBadge
from studio.ui.widgets.layout import replace_widget, text_label, vbox

# Further ones are on the page of the runs.
_MOST = 12


class RunLinks(QWidget):
    """A line for each run."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._shown: list[tuple[str, str, str]] = []
        self._lines = QWidget(self)
        self._column = vbox(self._lines, owner=self)

    def buttons(self) -> list[QPushButton]:
        """Return the buttons of the runs, in order."""
        return self._lines.findChildren(QPushButton)

    def of(self, dataset: str, version: int | None = None) -> list[RecordDocument]:
        """Return the runs that were trained on a dataset or one version of it, newest first."""
        return [
            entry
            for entry in self._context.jobs.entries(RecordKind.RUN)
            if isinstance(entry.plan, TrainingPlan)
            and entry.plan.dataset == dataset
            and version in (None, entry.plan.dataset_version or 0)
        ]

    def show_runs(self, dataset: str, nothing: str, version: int | None = None) -> None:
        """Show the runs of a dataset.

        Args:
            dataset: Id of the dataset.
            nothing: Text if there are none.
            version: Only runs of this version; None for all.
        """
        runs = self.of(dataset, version)
        shown = [(run.record.id, run.name, run.state.value) for run in runs]
        if shown and shown == self._shown:
            return  # a button must not be replaced under the pointer
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
        theme = self._context.theme
        button = push_button(run.name, theme, kind="quiet", icon="train", parent=self._lines)
        button.setToolTip(self.tr("Show this run"))
        button.setAccessibleName(self.tr("Show the run {name}").format(name=run.name))
        target = OpenRecord("train", run.record.id)
        button.clicked.connect(partial(self._context.navigator.open, target))
        version = run.plan.dataset_version if isinstance(run.plan, TrainingPlan) else None
        label = text_label(messages.version(version or 0), "muted", self._lines)
        grid.addWidget(button, row, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(StateBadge(theme, run.state.value, self._lines), row, 1)
        grid.addWidget(label, row, 2)
