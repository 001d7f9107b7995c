"""The instant baseline: an estimate of the achievable accuracy in a minute, before training."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.baselines.report import BaselinePlan, BaselineReport
from studio.engine.baselines.requests import request_baseline
from studio.engine.datasets.edits import current_version
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.messages import joined
from studio.engine.training.recommendation import is_usable, request_run_of_baseline
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.language import translated
from studio.ui.shared.jobs import JobCard, show_start, show_stop
from studio.ui.shared.training import ask_weights_file
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, metric_text
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import FlowLayout, fill, text_label
from studio.ui.widgets.small_charts import Sparkline
from studio.ui.widgets.tips import allow

CURVE_HEIGHT = 48


class BaselineCard(JobCard):
    """Asks for a baseline of the chosen dataset and shows the newest one.

    Attributes:
        report: The report that is shown.

    Signals:
        measured: There is a new one.
        started: Id of the requested run that trains its classifier.
    """

    measured = Signal()
    started = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, RecordKind.BASELINE, parent)
        self.set_title(self.tr("Expected result"))
        self._version = 0
        self.report: BaselineReport | None = None
        self.text = QLabel(self, wordWrap=True)
        self.curve = Sparkline(context.theme, self)
        self.curve.setFixedHeight(CURVE_HEIGHT)
        self._ends = text_label("", "caption", self)
        self.problem = HintLabel("", "problem", self)
        self.bar = ThinBar(context.theme, self)
        make = partial(push_button, theme=context.theme, parent=self)
        self.button = make(
            self.tr("Instant baseline"),
            icon="chart",
            tip=self.tr(
                "A linear model on features of a pretrained network, trained in seconds: the "
                "result to beat."
            ),
            on_click=self._on_asked,
        )
        self.file_button = make(
            self.tr("Use weights from a file…"),
            kind="quiet",
            icon="file",
            tip=self.tr("For machines without internet: the weights as a file."),
            on_click=self._on_file,
        )
        self.cancel_button = make(
            self.tr("Cancel"),
            kind="quiet",
            icon="stop",
            tip=self.tr("Cancels the baseline and discards it."),
            on_click=self._on_cancel,
        )
        self.use_button = make(
            self.tr("Use this"),
            icon="play",
            tip=self.tr("Trains a model with this network, these weights and a linear head."),
            on_click=self._on_use,
        )
        # Long words take a second line: a wider card would be cut at the edge of its column.
        row = FlowLayout(spacing=SPACE.s)
        for each in (self.use_button, self.button, self.file_button, self.cancel_button):
            row.addWidget(each)
        fill(self.body, self.text, self.curve, self._ends, self.problem, self.bar, row)
        self.refresh()

    def show_dataset(self, record_id: str) -> None:
        """Show the baseline of a dataset, and a note if the dataset was edited since."""
        entry = self._context.jobs.get(RecordKind.DATASET, record_id)
        if entry is not None:
            work = partial(current_version, entry.record.folder)
            self._context.background.run(self, work, partial(self._on_version, record_id))
        if record_id == self._dataset:
            return
        self.report, self._version = None, 0
        self._follow_dataset(record_id)
        self.refresh()

    def _on_version(self, record_id: str, version: int) -> None:
        if record_id == self._dataset and version != self._version:
            self._version = version
            self.refresh()

    def take(self, entry: RecordDocument) -> None:
        """Follow a job and read its report."""
        super().take(entry)
        if entry.state == State.COMPLETED:
            work = partial(BaselineReport.read, entry.record.folder)
            self._context.background.run(self, work, partial(self._on_report, entry))

    def _on_report(self, entry: RecordDocument, report: BaselineReport | None) -> None:
        if entry is self._entry:
            self.report = report
            self.refresh()
            self.measured.emit()

    def _on_asked(self) -> None:
        self._ask_for(BaselinePlan(dataset=self._dataset))

    def _on_file(self) -> None:
        path = ask_weights_file(self)
        if path is not None:
            self._ask_for(BaselinePlan(dataset=self._dataset, weights=str(path)))

    def _ask_for(self, plan: BaselinePlan) -> None:
        work = partial(request_baseline, self._context.jobs.queue, plan)
        show_start(self.button, "", is_asked=True)
        self._context.background.run(self, work, self._context.jobs.wake, self._on_refused)

    def _on_refused(self, error: BaseException) -> None:
        self.refresh()
        self._context.navigator.show_failure(error)

    def _on_use(self) -> None:
        """Start the run whose head is the classifier that was measured."""
        dataset = self._context.jobs.get(RecordKind.DATASET, self._dataset)
        if self.report is None or dataset is None:
            return
        self.use_button.setEnabled(False)
        queue = self._context.jobs.queue
        work = partial(request_run_of_baseline, queue, self.report, dataset.record)
        self._context.background.run(self, work, self._on_started, self._on_refused)

    def _on_started(self, job: Job) -> None:
        self.refresh()
        self._context.jobs.wake()
        self.started.emit(job.record.id)

    def refresh(self) -> None:
        """Show the current state of the job and its report."""
        entry, report = self._entry, self.report
        is_going = self._is_active
        for button in (self.button, self.file_button):
            button.setVisible(not is_going)
            allow(button, "" if self._dataset else self.tr("Choose a dataset first."))
        self.use_button.setVisible(not is_going and report is not None and is_usable(report))
        self.use_button.setEnabled(True)
        if report is not None:
            words = self.tr("Use this ({score})")
            self.use_button.setText(words.format(score=metric_text(report.metric, report.score)))
        has_report = report is not None
        self.button.setText(
            self.tr("Measure again") if has_report else self.tr("Instant baseline")
        )
        self.bar.setVisible(is_going)
        self.cancel_button.setVisible(is_going)
        show_stop(self.cancel_button, entry, self.tr("Cancel"))
        self.bar.set_fraction(None if entry is None else entry.history.fraction)
        failed = entry is not None and entry.state in (State.FAILED, State.LOST)
        self.problem.show_text(entry.history.reason if entry and failed else "", "problem")
        self._show_report(report)

    def _show_report(self, report: BaselineReport | None) -> None:
        for widget in (self.curve, self._ends):
            widget.setVisible(report is not None and len(report.curve) > 1)
        if report is None:
            self.text.setText(
                self.tr(
                    "Estimates in about a minute, before any training, how accurate a linear "
                    "model on pretrained features is on your images, and how much more images "
                    "would help."
                )
            )
            return
        older = report.dataset_version < self._version
        edited = (self.tr("Measured before the latest edits of the dataset."),) if older else ()
        self.text.setText(translated(joined((report.sentence, *edited, *report.notes))))
        metric = report.metric
        name = self.tr("{metric} by number of training images")
        self.curve.setAccessibleName(name.format(metric=translated(metric.label)))
        self.curve.set_values([point.score for point in report.curve])
        if report.curve:
            first, last = report.curve[0], report.curve[-1]
            self._ends.setText(
                self.tr("{few} images: {low} · {many} images: {high}").format(
                    few=count(first.images),
                    low=metric_text(metric, first.score),
                    many=count(last.images),
                    high=metric_text(metric, last.score),
                )
            )
