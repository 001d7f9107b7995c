"""Comparison of evaluations of the same images: classes, and labels or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu, QWidget

from studio.engine.errors import StudioError
from studio.engine.evaluation.report import TargetReport
from studio.engine.progress import Cancelled, Progress
from studio.engine.tasks.metric import MetricSpec
from studio.engine.workspace import Workspace
from studio.ui.bridge.background import WindowProgress
from studio.ui.context import AppContext
from studio.ui.engine_text import plan_text
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.state import Evaluation
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.tables import FigureCell, FigureTable
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    from studio.engine.evaluation.target_files import Difference, TargetEvaluation


_WIDEST = 190
"""Pixels of a column; the names of models give up their middles."""


@dataclass(frozen=True)
class Compared:
    """Another evaluation, held against the one that is shown.

    Attributes:
        name: Of its model.
        report: Its metrics.
        differences: By how much its metrics exceed those of the one that is shown.
    """

    name: str
    report: TargetReport
    differences: dict[str, Difference]


def compare_with(
    workspace: Workspace, shown: TargetEvaluation, rival: tuple[str, Path], progress: Progress
) -> Compared:
    """Open another evaluation and compare it; for background threads.

    Args:
        workspace: Where both are.
        shown: The evaluation that is shown.
        rival: Name and folder of the other one.
        progress: Told of every draw.

    Raises:
        Cancelled: Somebody asked for the work to end.
        StudioError: They are of different images, or the other one is damaged.
    """
    from studio.engine.evaluation.target_files import (  # noqa: PLC0415 - NumPy
        compare_targets,
        open_target_evaluation,
    )

    name, folder = rival
    other = open_target_evaluation(workspace, folder)
    return Compared(name, other.report, compare_targets(other, shown, progress=progress))


class CompareTargets(QWidget):
    """Choose other evaluations of the same images.

    Attributes:
        compared: What is shown beside the evaluation, by the ids of the evaluations.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._shown: TargetEvaluation | None = None
        self._rivals: list[Evaluation] = []
        self._running: dict[str, WindowProgress] = {}
        self.compared: dict[str, Compared] = {}
        self.button = push_button(
            self.tr("Compare with"), context.theme, icon="sweeps", parent=self
        )
        self.menu = QMenu(self.button)
        self.menu.aboutToShow.connect(self.fill)
        self.button.setMenu(self.menu)
        self.bar = ThinBar(context.theme, self)
        self.problem = HintLabel(parent=self)
        self.verdict = text_label("", "section", self, wraps=True)
        self.table = FigureTable(self)
        self.table.horizontalHeader().setMaximumSectionSize(_WIDEST)
        self.note = HintLabel(parent=self)
        self.note.show_text(
            self.tr(
                "With 95 % intervals of resamples that draw the same images for both models. "
                "Differences of fractions are in percentage points."
            )
        )
        self._lay_out()
        explain(self.button, self.tr("Chooses evaluations of other models on the same images."))
        explain(self.table, self.tr("The metrics of each model, and by how much they differ."))

    def show_evaluation(self, shown: TargetEvaluation) -> None:
        """Begin anew: nothing is compared with this one yet."""
        self._end()
        self._shown, self.compared = shown, {}
        self._show()

    def show_rivals(self, rivals: Sequence[Evaluation]) -> None:
        """Offer other evaluations; those that were deleted are no longer compared."""
        if list(rivals) == self._rivals:
            return
        self._rivals = list(rivals)
        ids = {each.id for each in rivals}
        for gone in self._running.keys() - ids:
            self._running.pop(gone).cancel()
        self.compared = {key: each for key, each in self.compared.items() if key in ids}
        self._show()

    def fill(self) -> list[str]:
        """Fill the menu; returns its texts."""
        self.menu.clear()
        for rival in self._rivals:
            text = " · ".join(filter(None, (rival.model, rival.figure)))
            # An & would underline the letter behind it.
            action = self.menu.addAction(text.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(rival.id in self.compared or rival.id in self._running)
            action.toggled.connect(partial(self.set_compared, rival))
        return [action.text() for action in self.menu.actions()]

    def set_compared(self, rival: Evaluation, wanted: bool) -> None:
        """Compare with an evaluation, or not any more."""
        running = self._running.pop(rival.id, None)
        if running is not None:
            running.cancel()
        self.compared.pop(rival.id, None)
        self.problem.show_text("")
        if wanted and self._shown is not None:
            progress = WindowProgress(self)
            progress.advanced.connect(self._on_advanced)
            self._running[rival.id] = progress
            self._context.background.closing.connect(progress.cancel)
            chosen = rival.model, rival.folder
            work = partial(compare_with, self._context.workspace, self._shown, chosen, progress)
            done = partial(self._on_compared, rival.id, progress)
            failed = partial(self._on_refused, rival.id, progress)
            self._context.background.run(self, work, done, failed)
        self._show()

    def _on_compared(self, key: str, progress: WindowProgress, found: Compared) -> None:
        if self._running.get(key) is progress:
            del self._running[key]
            self.compared[key] = found
            self._show()

    def _on_refused(self, key: str, progress: WindowProgress, error: BaseException) -> None:
        if self._running.get(key) is not progress or isinstance(error, Cancelled):
            return
        del self._running[key]
        self._show()
        if isinstance(error, StudioError):
            self.problem.show_text(str(error), "problem")
        else:
            self._context.navigator.show_failure(error)

    def _on_advanced(self, done: int, total: int, _what: str) -> None:
        self.bar.set_fraction(done / total if total else None)

    def _end(self) -> None:
        for progress in self._running.values():
            progress.cancel()
        self._running = {}

    def _show(self) -> None:
        shown = self._shown
        self.button.setEnabled(bool(self._rivals))
        self.bar.setVisible(bool(self._running))
        for widget in (self.verdict, self.table, self.note):
            widget.setVisible(shown is not None and bool(self.compared))
        if not self._rivals:
            self.problem.show_text(
                self.tr("Evaluate another model on the same images to compare it with this one.")
            )
        if shown is None or not self.compared:
            return
        specs, others = shown.reporter.whole, list(self.compared.values())
        name, change = shown.report.subject.title, self.tr("Difference")
        headings = [self.tr("Metric"), name]
        for each in others:
            headings += [each.name, change]
        rows = []
        for spec in specs:
            label = plan_text(spec.label)
            row = [FigureCell(label, label.casefold(), plan_text(spec.summary))]
            row.append(_metric(spec, shown.report))
            for each in others:
                row.append(_metric(spec, each.report))
                row.append(messages.difference_cell(spec, each.differences[spec.name]))
            rows.append(row)
        self.table.show_rows(headings, rows, headings)
        self.table.fit_height()
        main, ours = specs[0], (name, shown.report)
        verdicts = [
            messages.target_verdict(
                main, ours, (each.name, each.report), each.differences[main.name]
            )
            for each in others
        ]
        self.verdict.setText("\n".join(verdicts))

    def _lay_out(self) -> None:
        self.table.setAccessibleName(self.tr("Metrics of the models"))
        top = hbox(self.button, STRETCH)
        vbox(
            top,
            self.bar,
            self.problem,
            self.verdict,
            self.table,
            self.note,
            STRETCH,
            owner=self,
            spacing=SPACE.m,
            margins=(0, SPACE.m, 0, 0),
        )


def _metric(spec: MetricSpec, report: TargetReport) -> FigureCell:
    value, interval = report.metrics.get(spec.name), report.intervals.get(spec.name)
    return messages.metric_cell(spec, value, interval)
