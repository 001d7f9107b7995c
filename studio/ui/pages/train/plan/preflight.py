"""The memory and the time per step that a plan needs, measured before it starts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.training.plan import GRADIENT, TrainingPlan
from studio.engine.training.preflight import (
    LargestBatch,
    Memory,
    PreflightPlan,
    PreflightReport,
    RateCurve,
    still_holds,
)
from studio.engine.training.requests import request_preflight
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.bridge.jobs import Following
from studio.ui.charts.figure import Figure, FigureChart, FigureLine, Scale
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, RecordDocument
from studio.ui.engine_text import engine_text, plan_text
from studio.ui.shared.jobs import show_stop
from studio.ui.theme.tokens import SPACE, Role
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import count, duration, significant, size
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import FlowLayout
from studio.ui.widgets.tips import explain

_CHART_HEIGHT = 176
_MOST_LOSS = 1.4
"""Highest loss that is shown, as a multiple of the first one."""
_TIGHT = 0.9
"""Share of the memory from which on it is shown as a warning."""


class PreflightFigures(QWidget):
    """Time, memory and largest batch."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("plain", "true")
        self.values: dict[str, QLabel] = {}
        self.notes = HintLabel("", "advice", self)
        self.memory_bar = ThinBar(context.theme, self)
        self.memory_bar.setAccessibleName(self.tr("Memory"))
        self.button = push_button(self.tr("Use it"), context.theme, parent=self)
        self.button.setAccessibleName(self.tr("Use the largest batch"))
        explain(self.button, self.tr("Fills in the largest batch that fits into memory."))
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(SPACE.m)
        form.setVerticalSpacing(SPACE.s)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for name, label in (
            ("run", self.tr("Whole run")),
            ("epoch", self.tr("An epoch")),
            ("pace", self.tr("Images per second")),
            ("memory", self.tr("Memory")),
        ):
            form.addRow(self._label(label), self._value(name))
        form.addRow(self.memory_bar)
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addWidget(self._value("largest"), 1)
        row.addWidget(self.button)
        form.addRow(self._label(self.tr("Largest batch")), row)
        form.addRow(self.notes)

    def show_report(
        self, report: PreflightReport | None, plan: TrainingPlan | None, *, holds: bool
    ) -> None:
        """Show the figures, muted where they are of an earlier plan."""
        self.setVisible(report is not None)
        if report is None:
            return
        for value in self.values.values():
            value.setEnabled(holds)
        epochs = plan.epochs if plan is not None and holds else report.epochs
        self._show_pace(report, epochs)
        self._show_memory(report.memory, holds=holds)
        self._show_largest(report.largest, plan, holds=holds)
        problems = [] if report.fits else [self._too_large(report)]
        # What is unwise about the plan stands above, in the forecast, and follows the form.
        told = "\n".join([*problems, *report.notes])
        self.notes.show_text(told, "advice" if report.fits else "problem")

    def _label(self, text: str) -> QLabel:
        label = QLabel(text, self)
        label.setProperty("role", "muted")
        return label

    def _value(self, name: str) -> QLabel:
        label = QLabel(self)
        label.setWordWrap(True)
        self.values[name] = label
        return label

    def _show_pace(self, report: PreflightReport, epochs: int) -> None:
        pace, whole = report.pace, report.run_seconds(epochs)
        none = self.tr("not known")
        self.values["run"].setText(none if whole is None else _time(whole))
        self.values["epoch"].setText(none if pace is None else _time(pace.epoch_seconds))
        self.values["pace"].setText(none if pace is None else count(round(pace.images_per_second)))
        if pace is None:
            return
        details = self.tr(
            "A step takes {step} ms, a validation {validation}. Before the first step: {start}, "
            "and {compiling} to compile."
        ).format(
            step=significant(pace.step_seconds * 1000, 3),
            validation=_time(pace.validation_seconds),
            start=_time(pace.startup_seconds + pace.features_seconds),
            compiling=_time(pace.compile_seconds),
        )
        for name in ("run", "epoch", "pace"):
            self.values[name].setToolTip(details)

    def _show_memory(self, memory: Memory | None, *, holds: bool) -> None:
        self.memory_bar.setVisible(memory is not None and memory.free_bytes is not None)
        if memory is None:
            self.values["memory"].setText(self.tr("The device does not tell."))
            return
        if memory.free_bytes is None:
            self.values["memory"].setText(size(memory.used_bytes))
            return
        pattern = self.tr("{used} of {free}")
        used, free = size(memory.used_bytes), size(memory.free_bytes)
        self.values["memory"].setText(pattern.format(used=used, free=free))
        share = memory.used_bytes / max(1, memory.free_bytes)
        role: Role = "warn" if share > _TIGHT else "accent"
        self.memory_bar.set_fraction(share, role if holds else "muted")

    def _show_largest(
        self, largest: LargestBatch | None, plan: TrainingPlan | None, *, holds: bool
    ) -> None:
        is_used = largest is not None and plan is not None and plan.batch_size == largest.size
        self.button.setVisible(largest is not None)
        self.button.setEnabled(holds and not is_used and plan is not None)
        self.button.setToolTip(self.tr("The plan has it already.") if is_used else "")
        none = self.tr("not known")
        self.values["largest"].setText(none if largest is None else count(largest.size))
        self.values["largest"].setToolTip("" if largest is None else engine_text(largest.told))

    def _too_large(self, report: PreflightReport) -> str:
        told = self.tr("Batches of {size} images do not fit into memory.")
        return told.format(size=count(report.batch_size))


class RateSearch(QWidget):
    """The search for a learning rate."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._jobs = context.jobs
        self.setProperty("plain", "true")
        self.chart = FigureChart(context.theme, self)
        self.chart.setMinimumSize(160, _CHART_HEIGHT)
        self.reason = HintLabel("", "help", self)
        self.button = push_button(self.tr("Use it"), context.theme, parent=self)
        self.button.setAccessibleName(self.tr("Use the suggested learning rate"))
        explain(self.button, self.tr("Fills in the learning rate at which the loss fell fastest."))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.s, 0, 0)
        column.setSpacing(SPACE.xs)
        row = QHBoxLayout()
        row.setSpacing(SPACE.s)
        row.addWidget(self.reason, 1)
        row.addWidget(self.button)
        column.addWidget(self.chart)
        column.addLayout(row)

    def show_curve(
        self, curve: RateCurve | None, plan: TrainingPlan | None, *, holds: bool
    ) -> None:
        """Show a search, muted where it is of an earlier plan."""
        self.setVisible(curve is not None)
        if curve is None:
            return
        self.chart.show_figure(self._figure(curve, plan))
        mark = self.tr("suggested") if curve.suggestion is not None else ""
        self.chart.set_mark(curve.suggestion, mark)
        self.chart.setEnabled(holds)
        self.reason.show_text(curve.reason, "help")
        is_used = plan is not None and plan.learning_rate == curve.suggestion
        self.button.setVisible(curve.suggestion is not None)
        self.button.setEnabled(holds and not is_used and plan is not None)
        self.button.setToolTip(self.tr("The plan has it already.") if is_used else "")

    def _figure(self, curve: RateCurve, plan: TrainingPlan | None) -> Figure:
        """Return the loss of each step, faint, and the smoothed loss."""
        task = DEFAULT_TASK if plan is None else self._jobs.task_of_dataset(plan.dataset)
        loss = plan_text(task.loss.label)
        low = min(curve.smoothed)
        first = max(curve.smoothed[: max(1, len(curve.smoothed) // 10)])
        points = zip(curve.rates, curve.losses, strict=True)
        smoothed = zip(curve.rates, curve.smoothed, strict=True)
        return Figure(
            self.tr("{metric} by learning rate").format(metric=loss),
            Scale("", curve.rates[0], curve.rates[-1], log=True),
            Scale(loss, low, max(first * _MOST_LOSS, low)),
            [
                FigureLine("", list(points), 0, faint=True),
                FigureLine("", list(smoothed), 0),
            ],
        )


def _time(seconds: float) -> str:
    """As people read it; below ten seconds with the digits that matter."""
    return duration(seconds) if seconds >= 10 else f"{significant(seconds, 2)}\N{NO-BREAK SPACE}s"


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found of a plan."""

    plan: TrainingPlan
    report: PreflightReport

    def holds_for(self, plan: TrainingPlan | None) -> bool:
        return plan is None or still_holds(self.plan, plan)


class PreflightCard(Card):
    """Measures the plan of the form when asked, and shows what it found until it is measured anew.

    Signals:
        batch_wanted: The largest batch is to be used: its size.
        rate_wanted: The suggested learning rate is to be used.
        measured: There is a new report.
    """

    measured = Signal()
    batch_wanted = Signal(int)
    rate_wanted = Signal(float)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("What it takes"))
        self._context = context
        self._plan: TrainingPlan | None = None
        self._dataset = ""
        self._asked: RecordDocument | None = None
        self._following = Following(self, self._on_changed)
        self._is_asking = False
        self._pace: _Found | None = None
        self._rate: _Found | None = None
        self.text = HintLabel("", "help", self)
        self.figures = PreflightFigures(context, self)
        self.search = RateSearch(context, self)
        self.stale = HintLabel("", "advice", self)
        self.problem = HintLabel("", "problem", self)
        self.bar = ThinBar(context.theme, self)
        self.doing = QLabel(self)
        self.doing.setProperty("role", "caption")
        make = partial(push_button, theme=context.theme, parent=self)
        self.measure_button = make(self.tr("Measure"), icon="clock")
        self.rate_button = make(self.tr("Find the rate"), icon="chart")
        self.cancel_button = make(self.tr("Cancel"), kind="quiet", icon="stop")
        self._lay_out()
        self._connect()
        self._show()
        self._explain()

    def _explain(self) -> None:
        explain(self.cancel_button, self.tr("Stops measuring."))
        explain(
            self.measure_button,
            self.tr("Trains some steps and says how long all of it takes, and what memory."),
        )
        explain(
            self.rate_button,
            self.tr("Tries many learning rates on some steps and suggests one."),
        )

    @property
    def report(self) -> PreflightReport | None:
        """The latest figures, also those of an earlier plan."""
        return None if self._pace is None else self._pace.report

    @property
    def curve(self) -> RateCurve | None:
        """The latest search for a rate."""
        return None if self._rate is None else self._rate.report.rate

    def show_plan(self, plan: TrainingPlan | None) -> None:
        """Follow the form; None while it holds something wrong."""
        self._plan = plan
        if plan is not None and plan.dataset != self._dataset:
            self._dataset = plan.dataset
            self._asked = self._pace = self._rate = None
            self._following.show()
            for entry in self._context.jobs.entries(RecordKind.PREFLIGHT):
                if self._is_ours(entry):
                    self._take(entry)
                    break
        self._show()

    def _lay_out(self) -> None:
        row = FlowLayout(spacing=SPACE.s)
        for button in (self.measure_button, self.rate_button, self.cancel_button):
            row.addWidget(button)
        parts = (self.text, self.figures, self.search, self.stale, self.problem, self.doing)
        for widget in (*parts, self.bar):
            self.body.addWidget(widget)
        self.body.addLayout(row)

    def _connect(self) -> None:
        self.measure_button.clicked.connect(partial(self._ask, find_rate=False))
        self.rate_button.clicked.connect(partial(self._ask, find_rate=True))
        self.cancel_button.clicked.connect(self._on_cancel)
        self.figures.button.clicked.connect(self._on_use_batch)
        self.search.button.clicked.connect(self._on_use_rate)
        jobs = self._context.jobs
        jobs.changed.connect(self._on_job)

    def _is_ours(self, entry: RecordDocument) -> bool:
        return isinstance(entry.plan, PreflightPlan) and entry.plan.dataset == self._dataset

    def _on_job(self, entry: RecordDocument, change: Change) -> None:
        if change.is_new and self._is_ours(entry):
            newest = self._asked is None or entry.info.created >= self._asked.info.created
            if newest:
                self._take(entry)

    def _on_changed(self, entry: RecordDocument, change: Change) -> None:
        if change.is_removed:
            self._asked = None  # what it found stays until it is measured again
        if change.is_state:
            self._take(entry)
        else:
            self._show()

    def _take(self, entry: RecordDocument) -> None:
        self._asked = entry
        self._following.show(entry)
        self._is_asking = False
        if entry.state == State.COMPLETED:
            work = partial(PreflightReport.read, entry.record.folder)
            self._context.background.run(self, work, partial(self._on_report, entry))
        self._show()

    def _on_report(self, entry: RecordDocument, report: PreflightReport | None) -> None:
        if report is None or not isinstance(entry.plan, PreflightPlan):
            return
        if entry.plan.dataset == self._dataset:
            found = _Found(entry.plan.training, report)
            self._pace = found
            self._rate = found if report.rate is not None else self._rate
            self._show()
            self.measured.emit()

    def _ask(self, *_clicked: bool, find_rate: bool) -> None:
        if self._plan is None:
            return
        plan = PreflightPlan(training=self._plan, find_rate=find_rate)
        self._is_asking = True
        self.problem.show_text("", "problem")
        self._show()
        work = partial(request_preflight, self._context.jobs.queue, plan)
        self._context.background.run(self, work, self._on_requested, self._on_refused)

    def _on_requested(self, _job: Job) -> None:
        self._context.jobs.wake()

    def _on_refused(self, error: BaseException) -> None:
        self._is_asking = False
        self._show()
        if isinstance(error, StudioError):
            self.problem.show_text(f"{error.message} {error.hint}".strip(), "problem")
        else:
            self._context.navigator.show_failure(error)

    def _on_cancel(self) -> None:
        if self._asked is not None:
            self._context.jobs.stop(self._asked)

    def _on_use_batch(self) -> None:
        if self.report is not None and self.report.largest is not None:
            self.batch_wanted.emit(self.report.largest.size)

    def _on_use_rate(self) -> None:
        if self.curve is not None and self.curve.suggestion is not None:
            self.rate_wanted.emit(self.curve.suggestion)

    def _is_going(self) -> bool:
        entry = self._asked
        at_it = entry is not None and (entry.state == State.QUEUED or entry.state.has_worker)
        return self._is_asking or at_it

    def _reason(self) -> str:
        """Why nothing can be measured; empty where it can."""
        if self._plan is None:
            return self.tr("Choose a dataset, and put the marked fields right first.")
        if self._plan.head_solver != GRADIENT:
            return self.tr("The head is solved at once, so there are no steps to measure.")
        return ""

    def _show(self) -> None:
        going, reason = self._is_going(), self._reason()
        for button in (self.measure_button, self.rate_button):
            button.setVisible(not going)
            button.setEnabled(not reason)
            button.setToolTip(reason)
        again = self._pace is not None
        self.measure_button.setText(self.tr("Measure again") if again else self.tr("Measure"))
        for widget in (self.bar, self.cancel_button, self.doing):
            widget.setVisible(going)
        asked = None if self._is_asking else self._asked
        show_stop(self.cancel_button, asked if going else None, self.tr("Cancel"))
        self._show_progress()
        self._show_failure()
        self._show_found()

    def _show_progress(self) -> None:
        progress = self._asked.history.progress if self._asked and not self._is_asking else None
        is_known = progress is not None and bool(progress.total)
        self.bar.set_fraction(progress.done / progress.total if progress and is_known else None)
        asked = None if self._is_asking else self._asked
        words = describe.detail(asked) if asked else self.tr("Waits for its turn")
        is_told = progress is not None and asked is not None and asked.state == State.RUNNING
        self.doing.setText(progress.what if progress is not None and is_told else words)

    def _show_failure(self) -> None:
        entry = self._asked
        if entry is not None and entry.state in (State.FAILED, State.LOST):
            told = f"{entry.history.reason} {entry.history.hint}".strip()
            self.problem.show_text(told, "problem")
        elif self._is_going():
            self.problem.show_text("", "problem")

    def _show_found(self) -> None:
        paces, rates = self._pace, self._rate
        nothing = self.tr(
            "A few steps of this very training, measured: time, memory, the largest batch, and "
            "the learning rate."
        )
        self.text.show_text("" if paces or rates else nothing, "help")
        pace_holds = paces is None or paces.holds_for(self._plan)
        rate_holds = rates is None or rates.holds_for(self._plan)
        self.figures.show_report(paces.report if paces else None, self._plan, holds=pace_holds)
        self.search.show_curve(rates.report.rate if rates else None, self._plan, holds=rate_holds)
        changed = self.tr("The plan has changed since: measure again.")
        self.stale.show_text("" if pace_holds and rate_holds else changed, "advice")
