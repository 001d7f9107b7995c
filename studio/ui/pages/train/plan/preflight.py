"""The preflight check: measured time and memory of a plan, and its learning rate finder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.jobs.states import State
from studio.engine.messages import joined
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.preflight import (
    LargestBatch,
    Memory,
    PreflightPlan,
    PreflightReport,
    RateCurve,
    still_holds,
)
from studio.engine.training.requests import request_preflight
from studio.engine.training.trainers import trainer_of
from studio.engine.workspace import RecordKind
from studio.ui.bridge import describe
from studio.ui.charts.axes import AxisScale
from studio.ui.charts.figure import Figure, FigureChart, FigureLine
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordDocument
from studio.ui.language import translated
from studio.ui.shared.jobs import JobCard, show_stop
from studio.ui.theme.tokens import SPACE, Role
from studio.ui.widgets.bars import ThinBar
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.figures import count, duration, significant, size
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import FlowLayout, fill, form_layout, hbox, text_label, vbox
from studio.ui.widgets.tips import allow

_CHART_HEIGHT = 176
_MOST_LOSS = 1.4
"""Highest loss that is shown, as a multiple of the first one."""
_TIGHT = 0.9
"""Fraction of the memory above which its use is shown as a warning."""


class PreflightFigures(QWidget):
    """Measured time, memory and largest batch."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("plain", "true")
        self.values: dict[str, QLabel] = {}
        self.notes = HintLabel("", "advice", self)
        self.memory_bar = ThinBar(context.theme, self)
        self.memory_bar.setAccessibleName(self.tr("Memory"))
        largest = self.tr("Sets the batch size to the largest one that fits into memory.")
        self.button = push_button(self.tr("Apply"), context.theme, parent=self, tip=largest)
        self.button.setAccessibleName(self.tr("Use the largest batch"))
        form = form_layout(self, SPACE.m, SPACE.s)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for name, label in (
            ("run", self.tr("Whole run")),
            ("epoch", self.tr("Time per epoch")),
            ("speed", self.tr("Images per second")),
            ("memory", self.tr("Memory")),
        ):
            form.addRow(text_label(label, "muted", self), self._value(name))
        form.addRow(self.memory_bar)
        row = hbox((self._value("largest"), 1), self.button, spacing=SPACE.s)
        form.addRow(text_label(self.tr("Largest batch"), "muted", self), row)
        form.addRow(self.notes)

    def show_report(
        self, report: PreflightReport | None, plan: TrainingPlan | None, *, holds: bool
    ) -> None:
        """Show a report; figures of an earlier plan are muted."""
        self.setVisible(report is not None)
        if report is None:
            return
        for value in self.values.values():
            value.setEnabled(holds)
        epochs = plan.epochs if plan is not None and holds else report.epochs
        self._show_throughput(report, epochs)
        self._show_memory(report.memory, holds=holds)
        self._show_largest(report.largest, plan, holds=holds)
        problems = [] if report.fits else [self._too_large(report)]
        text = "\n".join([*problems, *map(translated, report.notes)])
        self.notes.show_text(text, "advice" if report.fits else "problem")

    def _value(self, name: str) -> QLabel:
        self.values[name] = QLabel(self, wordWrap=True)
        return self.values[name]

    def _show_throughput(self, report: PreflightReport, epochs: int) -> None:
        speed, whole = report.throughput, report.run_seconds(epochs)
        none = self.tr("unknown")
        images = none if speed is None else count(round(speed.images_per_second))
        self.values["run"].setText(none if whole is None else _time(whole))
        self.values["epoch"].setText(none if speed is None else _time(speed.epoch_seconds))
        self.values["speed"].setText(images)
        if speed is None:
            return
        details = self.tr(
            "Step: {step} ms. Validation: {validation}. Start: {start}, including {compiling} to "
            "compile."
        ).format(
            step=significant(speed.step_seconds * 1000, 3),
            validation=_time(speed.validation_seconds),
            start=_time(speed.startup_seconds + speed.features_seconds),
            compiling=_time(speed.compile_seconds),
        )
        for name in ("run", "epoch", "speed"):
            self.values[name].setToolTip(details)

    def _show_memory(self, memory: Memory | None, *, holds: bool) -> None:
        self.memory_bar.setVisible(memory is not None and memory.free_bytes is not None)
        if memory is None:
            self.values["memory"].setText(self.tr("Not reported by the device"))
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
        allow(self.button, self.tr("The plan already uses it.") if is_used else "")
        self.button.setEnabled(holds and not is_used and plan is not None)
        none = self.tr("unknown")
        self.values["largest"].setText(none if largest is None else count(largest.size))
        self.values["largest"].setToolTip("" if largest is None else translated(largest.text))

    def _too_large(self, report: PreflightReport) -> str:
        text = self.tr("Batches of {size} images do not fit into memory.")
        return text.format(size=count(report.batch_size))


class RateSearch(QWidget):
    """The learning rate finder."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._jobs = context.jobs
        self.setProperty("plain", "true")
        self.chart = FigureChart(context.theme, self)
        self.chart.setMinimumSize(160, _CHART_HEIGHT)
        self.reason = HintLabel("", "help", self)
        sets = self.tr("Sets the suggested learning rate.")
        self.button = push_button(self.tr("Apply"), context.theme, parent=self, tip=sets)
        self.button.setAccessibleName(self.tr("Use the suggested learning rate"))
        row = hbox((self.reason, 1), self.button, spacing=SPACE.s)
        vbox(self.chart, row, owner=self, spacing=SPACE.xs, margins=(0, SPACE.s, 0, 0))

    def show_curve(
        self, curve: RateCurve | None, plan: TrainingPlan | None, *, holds: bool
    ) -> None:
        """Show a search; the one of an earlier plan is muted."""
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
        allow(self.button, self.tr("The plan already uses it.") if is_used else "")
        self.button.setEnabled(holds and not is_used and plan is not None)

    def _figure(self, curve: RateCurve, plan: TrainingPlan | None) -> Figure:
        """Return the loss of each step, faint, and the smoothed loss."""
        task = DEFAULT_TASK if plan is None else self._jobs.task_of_dataset(plan.dataset)
        loss = translated(task.loss.label)
        low = min(curve.smoothed)
        first = max(curve.smoothed[: max(1, len(curve.smoothed) // 10)])
        points = zip(curve.rates, curve.losses, strict=True)
        smoothed = zip(curve.rates, curve.smoothed, strict=True)
        return Figure(
            self.tr("{metric} by learning rate").format(metric=loss),
            AxisScale("", curve.rates[0], curve.rates[-1], log=True),
            AxisScale(loss, low, max(first * _MOST_LOSS, low)),
            [FigureLine("", list(points), 0, faint=True), FigureLine("", list(smoothed), 0)],
        )


def _time(seconds: float) -> str:
    """Format a time; below ten seconds with two significant digits."""
    return duration(seconds) if seconds >= 10 else f"{significant(seconds, 2)}\N{NO-BREAK SPACE}s"


@dataclass(frozen=True, slots=True)
class _Found:
    """The report of a plan."""

    plan: TrainingPlan
    report: PreflightReport

    def holds_for(self, plan: TrainingPlan | None) -> bool:
        return plan is None or still_holds(self.plan, plan)


class PreflightCard(JobCard):
    """Measures the plan of the form on request and shows the last report.

    Signals:
        batch_requested: The batch size to use.
        rate_requested: The learning rate to use.
        measured: There is a new report.
    """

    measured = Signal()
    batch_requested = Signal(int)
    rate_requested = Signal(float)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, RecordKind.PREFLIGHT, parent)
        self.set_title(self.tr("Preflight check"))
        self._plan: TrainingPlan | None = None
        self._is_asking = False
        self._throughput: _Found | None = None
        self._rate: _Found | None = None
        self.text = HintLabel("", "help", self)
        self.figures = PreflightFigures(context, self)
        self.search = RateSearch(context, self)
        self.stale = HintLabel("", "advice", self)
        self.problem = HintLabel("", "problem", self)
        self.bar = ThinBar(context.theme, self)
        self.doing = text_label("", "caption", self)
        button = partial(push_button, theme=context.theme, parent=self)
        tip = self.tr("Trains a few steps to estimate the time per epoch and the peak memory.")
        self.measure_button = button(self.tr("Measure"), icon="clock", tip=tip)
        self.measure_button.clicked.connect(partial(self._start, False))
        tip = self.tr("Trains a few steps with increasing learning rates and suggests one.")
        self.rate_button = button(self.tr("Find rate"), icon="chart", tip=tip)
        self.rate_button.clicked.connect(partial(self._start, True))
        text, tip = self.tr("Cancel"), self.tr("Stops measuring.")
        self.cancel_button = button(
            text, kind="quiet", icon="stop", tip=tip, on_click=self._on_cancel
        )
        row = FlowLayout(spacing=SPACE.s)
        for each in (self.measure_button, self.rate_button, self.cancel_button):
            row.addWidget(each)
        parts = (self.text, self.figures, self.search, self.stale, self.problem, self.doing)
        fill(self.body, *parts, self.bar, row)
        self.figures.button.clicked.connect(self._on_use_batch)
        self.search.button.clicked.connect(self._on_use_rate)
        self.refresh()

    @property
    def report(self) -> PreflightReport | None:
        """The last report, also of an earlier plan."""
        return None if self._throughput is None else self._throughput.report

    @property
    def curve(self) -> RateCurve | None:
        """The last search for a learning rate."""
        return None if self._rate is None else self._rate.report.rate

    def show_plan(self, plan: TrainingPlan | None) -> None:
        """Follow the plan of the form; None while it has errors."""
        self._plan = plan
        if plan is not None and plan.dataset != self._dataset:
            self._throughput = self._rate = None
            self._follow_dataset(plan.dataset)
        self.refresh()

    def take(self, entry: RecordDocument) -> None:
        """Follow a job and read its report."""
        self._is_asking = False
        if entry.state == State.COMPLETED:
            work = partial(PreflightReport.read, entry.record.folder)
            self._context.background.run(self, work, partial(self._on_report, entry))
        super().take(entry)

    def _on_report(self, entry: RecordDocument, report: PreflightReport | None) -> None:
        if report is None or not isinstance(entry.plan, PreflightPlan):
            return
        if entry.plan.dataset == self._dataset:
            found = _Found(entry.plan.training, report)
            self._throughput = found
            self._rate = found if report.rate is not None else self._rate
            self.refresh()
            self.measured.emit()

    def _start(self, find_rate: bool, _checked: bool = False) -> None:
        if self._plan is None:
            return
        plan = PreflightPlan(training=self._plan, find_rate=find_rate)
        self._is_asking = True
        self.problem.show_text("", "problem")
        self.refresh()
        work = partial(request_preflight, self._context.jobs.queue, plan)
        self._context.background.run(self, work, self._context.jobs.wake, self._on_refused)

    def _on_refused(self, error: BaseException) -> None:
        self._is_asking = False
        self.refresh()
        self._context.navigator.show_failure(error, self.problem.show_problem)

    def _on_use_batch(self) -> None:
        if self.report is not None and self.report.largest is not None:
            self.batch_requested.emit(self.report.largest.size)

    def _on_use_rate(self) -> None:
        if self.curve is not None and self.curve.suggestion is not None:
            self.rate_requested.emit(self.curve.suggestion)

    def _reason(self) -> str:
        """Return the reason why nothing can be measured; empty if it can."""
        refusal = self._context.workspace.refusal(RecordKind.PREFLIGHT)
        if refusal:
            return translated(refusal)
        if self._plan is None:
            return self.tr("Choose a dataset and fix the marked fields first.")
        if trainer_of(self._plan).note(self._plan) is not None:
            return self.tr("There are no steps to measure: everything is fitted in one pass.")
        return ""

    def refresh(self) -> None:
        """Show the current state of the job and what was measured."""
        going, reason = (self._is_asking or self._is_active), self._reason()
        for button in (self.measure_button, self.rate_button):
            button.setVisible(not going)
            allow(button, reason)
        measured = self._throughput is not None
        self.measure_button.setText(self.tr("Measure again") if measured else self.tr("Measure"))
        for widget in (self.bar, self.cancel_button, self.doing):
            widget.setVisible(going)
        asked = None if self._is_asking else self._entry
        show_stop(self.cancel_button, asked if going else None, self.tr("Cancel"))
        self._show_progress()
        self._show_failure()
        self._show_found()

    def _show_progress(self) -> None:
        asked = None if self._is_asking else self._entry
        progress = None if asked is None else asked.history.progress
        self.bar.set_fraction(None if asked is None else asked.history.fraction)
        words = describe.detail(asked) if asked else self.tr("Queued")
        is_running = asked is not None and asked.state == State.RUNNING
        self.doing.setText(translated(progress.what) if progress and is_running else words)

    def _show_failure(self) -> None:
        entry = self._entry
        if entry is not None and entry.state in (State.FAILED, State.LOST):
            reason = joined((entry.history.reason, entry.history.hint))
            self.problem.show_text(reason, "problem")
        elif self._is_asking or self._is_active:
            self.problem.show_text("", "problem")

    def _show_found(self) -> None:
        throughputs, rates = self._throughput, self._rate
        nothing = self.tr("Estimates time per epoch and peak memory before you start.")
        self.text.show_text("" if throughputs or rates else nothing, "help")
        throughput_holds = throughputs is None or throughputs.holds_for(self._plan)
        rate_holds = rates is None or rates.holds_for(self._plan)
        self.figures.show_report(
            throughputs.report if throughputs else None, self._plan, holds=throughput_holds
        )
        self.search.show_curve(rates.report.rate if rates else None, self._plan, holds=rate_holds)
        changed = self.tr("The plan has changed. Measure again.")
        self.stale.show_text("" if throughput_holds and rate_holds else changed, "advice")
