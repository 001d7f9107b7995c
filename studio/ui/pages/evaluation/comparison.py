"""Comparison of models evaluated on the same images: classes, and labels or numbers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QSignalBlocker
from PySide6.QtWidgets import QGridLayout, QLabel, QMenu, QPushButton, QWidget

from studio.engine.evaluation.report import Report
from studio.engine.progress import Cancelled, Progress
from studio.engine.tasks.metric import MetricSpec
from studio.engine.workspace import Workspace
from studio.ui.bridge.request import Request
from studio.ui.context import AppContext
from studio.ui.language import translated
from studio.ui.pages.evaluation import messages
from studio.ui.pages.evaluation.pictures import OpenClasses
from studio.ui.pages.evaluation.state import EvaluationSummary
from studio.ui.pages.evaluation.tabs import ReportTab
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count
from studio.ui.widgets.inputs import ComboBox
from studio.ui.widgets.labels import HintLabel, apart
from studio.ui.widgets.layout import STRETCH, hbox, text_label, vbox
from studio.ui.widgets.table import Table
from studio.ui.widgets.table_model import FigureCell, figure_columns
from studio.ui.widgets.tips import explain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.engine.evaluation.evaluated_classes import EvaluatedClasses
    from studio.engine.evaluation.evaluated_outputs import EvaluatedOutputs, MetricDifference
    from studio.engine.evaluation.gap import OriginPartName
    from studio.engine.evaluation.mcnemar import PairedComparison, PairedImages


_ALL = 100
"""Stretch of a table that may be as high as its rows, before the space below it."""


@dataclass(frozen=True)
class ComparedEvaluation:
    """Another evaluation, compared with the shown one.

    Attributes:
        name: Name of its model.
        report: Its metrics.
        differences: Its metrics minus those of the shown evaluation, by name.
        by_origin: The same for the images of known and of unseen origins.
    """

    name: str
    report: Report
    differences: dict[str, MetricDifference]
    by_origin: dict[OriginPartName, dict[str, MetricDifference]]


def compare_classes(
    workspace: Workspace, shown: EvaluatedClasses, other: Path
) -> tuple[PairedComparison, PairedImages]:
    """Compare with another evaluation and find the images they differ on, in a thread.

    Args:
        workspace: Workspace of both.
        shown: The shown evaluation.
        other: Folder of the other evaluation.

    Raises:
        StudioError: The images differ, or the other evaluation is damaged.
    """
    from studio.engine.evaluation.evaluated_classes import EvaluatedClasses  # noqa: PLC0415 - NumPy
    from studio.engine.evaluation.mcnemar import pairs  # noqa: PLC0415 - NumPy

    rival = EvaluatedClasses.open(workspace, other)
    one, two = ((each.report, each.answers) for each in (shown, rival))
    return shown.compare(rival), pairs(one, two)


def compare_targets_with(
    workspace: Workspace, shown: EvaluatedOutputs, rival: tuple[str, Path], progress: Progress
) -> ComparedEvaluation:
    """Open another evaluation and compare it, in a background thread.

    Args:
        workspace: Workspace of both.
        shown: The shown evaluation.
        rival: Name and folder of the other evaluation.
        progress: Updated after each resample.

    Raises:
        Cancelled: The comparison was canceled.
        StudioError: The images differ, or the other evaluation is damaged.
    """
    from studio.engine.evaluation.evaluated_outputs import (  # noqa: PLC0415 - NumPy
        EvaluatedOutputs,
        compare_origins,
        compare_targets,
    )

    name, folder = rival
    other = EvaluatedOutputs.open(workspace, folder)
    differences = compare_targets(other, shown, progress=progress)
    by_origin = compare_origins(other, shown, progress)
    return ComparedEvaluation(name, other.report, differences, by_origin)


class CompareTargets(QWidget):
    """Compares the metrics of labels or numbers with those of other models.

    Attributes:
        compared: Shown comparisons, by the ids of the other evaluations.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._shown: EvaluatedOutputs | None = None
        self._rivals: list[EvaluationSummary] = []
        self._running: dict[str, Request] = {}
        self.compared: dict[str, ComparedEvaluation] = {}
        chooses = self.tr("Chooses evaluations of other models on the same images.")
        self.button = push_button(
            self.tr("Compare with"), context.theme, icon="sweeps", parent=self, tip=chooses
        )
        self.menu = QMenu(self.button)
        self.menu.aboutToShow.connect(self.fill)
        self.button.setMenu(self.menu)
        self.bar = ThinBar(context.theme, self)
        self.problem = HintLabel(parent=self)
        self.verdict = text_label("", "section", self, wraps=True)
        self.table: Table[Sequence[FigureCell]] = Table(self.tr("Metrics of the models"), (), self)
        self.note = HintLabel(parent=self)
        intervals = self.tr(
            "With 95 % bootstrap intervals from the same resamples for both models. "
            "Differences of fractions are in percentage points."
        )
        self.note.show_text(intervals)
        explain(self.table, self.tr("Metrics of each model, and their differences."))
        top = (hbox(self.button, STRETCH), self.bar, self.problem, self.verdict)
        parts = (*top, (self.table, _ALL), self.note, STRETCH)
        vbox(*parts, owner=self, spacing=SPACE.m, margins=(0, SPACE.m, 0, 0))

    def show_evaluation(self, shown: EvaluatedOutputs) -> None:
        """Show another evaluation, without comparisons."""
        for key in list(self._running):
            self._end(key)
        self._shown, self.compared = shown, {}
        self._show()

    def show_rivals(self, rivals: Sequence[EvaluationSummary]) -> None:
        """Offer other evaluations of the dataset and remove comparisons with deleted ones."""
        dataset = "" if self._shown is None else self._shown.report.subject.dataset
        rivals = [each for each in rivals if each.dataset == dataset]
        if rivals == self._rivals:
            return
        self._rivals = rivals
        ids = {each.id for each in rivals}
        for gone in self._running.keys() - ids:
            self._end(gone)
        self.compared = {key: each for key, each in self.compared.items() if key in ids}
        self._show()

    def fill(self) -> list[str]:
        """Fill the menu and return its texts."""
        self.menu.clear()
        for rival in self._rivals:
            # An & would underline the next letter.
            action = self.menu.addAction(rival.title.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(rival.id in self.compared or rival.id in self._running)
            action.toggled.connect(partial(self.set_compared, rival))
        return [action.text() for action in self.menu.actions()]

    def set_compared(self, rival: EvaluationSummary, compare: bool) -> None:
        """Add or remove the comparison with an evaluation."""
        self._end(rival.id)
        self.compared.pop(rival.id, None)
        self.problem.show_text("")
        if compare and self._shown is not None:
            request = self._running[rival.id] = Request(self._context.background, self)
            request.advanced.connect(self._on_advanced)
            chosen = rival.model, rival.folder
            work = partial(compare_targets_with, self._context.workspace, self._shown, chosen)
            done, failed = (partial(f, rival.id) for f in (self._on_compared, self._on_failed))
            request.track(work, done, failed)
        self._show()

    def _on_compared(self, key: str, found: ComparedEvaluation) -> None:
        self._end(key)
        self.compared[key] = found
        self._show()

    def _on_failed(self, key: str, error: BaseException) -> None:
        if isinstance(error, Cancelled):  # the window closes
            return
        self._end(key)
        self._show()
        self._context.navigator.show_failure(error, self.problem.show_problem)

    def _on_advanced(self, done: int, total: int, _what: str) -> None:
        self.bar.set_fraction(done / total if total else None)

    def _end(self, key: str) -> None:
        """Forget a comparison that runs, if there is one."""
        request = self._running.pop(key, None)
        if request is not None:
            request.drop()
            request.deleteLater()

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
        specs, others = shown.reporter.report_metrics, list(self.compared.values())
        name, change = shown.report.subject.title, self.tr("Difference")
        headings = [self.tr("Metric"), name]
        for each in others:
            headings += [each.name, change]
        rows = []
        for spec in specs:
            reports = shown.report, *(each.report for each in others)
            if all(each.metrics.get(spec.name) is None for each in reports):
                continue  # undefined, for example for large objects in images without any
            label = translated(spec.label)
            row = [FigureCell(label, label.casefold(), translated(spec.summary))]
            row.append(_metric(spec, shown.report))
            for each in others:
                row.append(_metric(spec, each.report))
                row.append(messages.difference_cell(spec, each.differences[spec.name]))
            rows.append(row)
        self.table.show_rows(rows, figure_columns(headings, headings))
        self.table.setMaximumHeight(self.table.height_of(len(rows)))
        verdicts = (_verdicts(specs[0], shown.report, each) for each in others)
        self.verdict.setText("\n".join(itertools.chain.from_iterable(verdicts)))


def _verdicts(spec: MetricSpec, shown: Report, other: ComparedEvaluation) -> list[str]:
    """Return which model is better, also on known and on unseen origins."""
    ours, theirs = (shown.subject.title, shown.metrics), (other.name, other.report.metrics)
    texts = [messages.target_verdict(spec, ours, theirs, other.differences[spec.name])]
    one, two = shown.gap, other.report.gap
    for name, differences in other.by_origin.items():
        if one is not None and two is not None:
            mine, rival = (each.part(name).metrics for each in (one, two))
            named = (ours[0], mine), (theirs[0], rival)
            sentence = messages.target_verdict(spec, *named, differences[spec.name])
            texts.append(messages.on_origins(one, name).format(sentence=sentence))
    return texts


def _metric(spec: MetricSpec, report: Report) -> FigureCell:
    value, interval = report.metrics.get(spec.name), report.intervals.get(spec.name)
    return messages.metric_cell(spec, value, interval)


class CompareTab(ReportTab):
    """Compares the accuracy with that of another model by McNemar's test.

    Attributes:
        comparison: The shown comparison, or None.
    """

    word = str(QT_TRANSLATE_NOOP("evaluation", "Compare"))

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.comparison: PairedComparison | None = None
        self._rivals: list[EvaluationSummary] = []
        self.other = ComboBox(self, self.tr("Other evaluation"))
        self.other.setPlaceholderText(self.tr("Choose another evaluation"))
        self.problem = HintLabel(parent=self)
        self.verdict = text_label("", "section", self, wraps=True)
        self.note = text_label("", "muted", self, wraps=True)
        self._indices: list[NDArray[np.int64]] = []
        self.counts: list[tuple[QLabel, QPushButton]] = []
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE.xl)
        grid.setVerticalSpacing(SPACE.s)
        for row in range(4):
            pair = QLabel(self), push_button("", context.theme, parent=self)
            self.counts.append(pair)
            explain(pair[1], self.tr("Shows these images."))
            for column, widget in enumerate(pair):
                grid.addWidget(widget, row, column)
            pair[1].clicked.connect(partial(self._on_count, row))
        grid.setColumnStretch(2, 1)
        parts = (self.other, self.problem, self.verdict, grid, self.note, STRETCH)
        vbox(*parts, owner=self, spacing=SPACE.m, margins=(0, SPACE.m, 0, 0))
        self.other.activated.connect(self._on_activated)
        explain(self.other, self.tr("Another model evaluated on the same images."))

    def refresh(self, _open_report: OpenClasses) -> None:
        """Remove the comparison."""
        self.comparison, self._indices = None, []
        with QSignalBlocker(self.other):
            self.other.setCurrentIndex(-1)
        self._show()

    def show_rivals(self, rivals: Sequence[EvaluationSummary]) -> None:
        """Offer other evaluations."""
        if list(rivals) == self._rivals:
            return
        self._rivals = list(rivals)
        self.other.set_entries(((each.title, each.id) for each in rivals), first=-1)
        self._show()

    def _on_activated(self, row: int) -> None:
        shown, other = self.open_report.evaluation, self._rivals[row].folder
        work = partial(compare_classes, self.context.workspace, shown, other)
        self.latest.run(work, self._on_compared, self._on_failed)

    def _on_compared(self, found: tuple[PairedComparison, PairedImages]) -> None:
        self.comparison, pairs = found
        one_right = [pairs.only_first, pairs.only_second]
        self._indices = [pairs.both_right, *one_right, pairs.both_wrong]
        self._show()

    def _on_count(self, row: int, _checked: bool = False) -> None:
        indices = self._indices[row]
        order = (-self.open_report.evaluation.answers.scores[indices]).argsort(kind="stable")
        self.images_requested.emit(self.counts[row][0].text(), indices[order])

    def _on_failed(self, error: BaseException) -> None:
        self.comparison, self._indices = None, []
        self._show()
        self.context.navigator.show_failure(error, self.problem.show_problem)

    def _show(self) -> None:
        found = self.comparison
        self.other.setEnabled(bool(self._rivals))
        self.problem.show_text(
            ""
            if self._rivals
            else self.tr("Evaluate another model on the same images to compare it with this one.")
        )
        self.verdict.setText(
            "" if found is None else messages.comparison_texts(found, self.open_report.report.gap)
        )
        self.note.setText("" if found is None else messages.comparison_note(found))
        rows: list[tuple[str, int]] = []
        if found is not None:
            only = self.tr("Only {name} right")
            rows = [
                (self.tr("Both right"), found.both_right),
                (only.format(name=apart(found.first)), found.only_first),
                (only.format(name=apart(found.second)), found.only_second),
                (self.tr("Both wrong"), found.both_wrong),
            ]
        for number, (word, figure) in enumerate(self.counts):
            shown = rows[number] if number < len(rows) else None
            for widget in (word, figure):
                widget.setVisible(shown is not None)
            if shown is not None:
                word.setText(shown[0])
                figure.setText(count(shown[1]))
                figure.setAccessibleName(f"{shown[0]}: {count(shown[1])}")
                figure.setToolTip(self.tr("Show the images"))
