"""Tabs with the learning rate of a run and with its use of the machine."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QT_TRANSLATE_NOOP
from PySide6.QtWidgets import QGridLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.events import Amended, Event, GpuSample, UsageSampled
from studio.engine.training.bottleneck import Part, bottleneck, fractions
from studio.engine.training.history import (
    EpochDone,
    RunHistory,
    StepsDone,
    TrainingBegan,
    ValidationDone,
)
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.schedules import curve
from studio.engine.training.trainers import trainer_of
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.language import translated
from studio.ui.pages.train.dashboard.section import RunSection
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import BarPart, PartsBar
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import percent, size
from studio.ui.widgets.layout import STRETCH, fill, text_label
from studio.ui.widgets.pages import ScrollColumn

RECENT_SECONDS = 60.0
_GB = 1e9
_CORES = os.cpu_count() or 1
_NARROW = 620
"""Pixels of the tab below which the charts are one below the other."""
_COLORS: dict[Part, int] = {"waiting": 1, "computing": 0, "validating": 5, "writing": 4}
_CHARTS = ("throughput", "load", "gpu", "memory", "temperature", "power")


@dataclass(frozen=True, slots=True)
class UsageCurve:
    """A curve of a chart of the machine.

    Attributes:
        key: Its stable name.
        name: Its text in the legend.
        value: Reads a value from a sample; NaN without a measurement.
    """

    key: str
    name: str
    value: Callable[[UsageSampled], float]


class Usage(RunSection):
    """The time of each part of the training with the bottleneck, and charts of the machine."""

    word = str(QT_TRANSLATE_NOOP("Usage", "Machine"))

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._columns = 2
        self.bar = PartsBar(context.theme, self.tr("Time breakdown"), self)
        self.verdict = text_label("", "section", self, wraps=True)
        self.advice = text_label("", "muted", self, wraps=True)
        self.room = text_label("", "caption", self)
        self.charts = {key: self._chart(key) for key in _CHARTS}
        self._grid = QGridLayout()
        self._grid.setSpacing(SPACE.l)
        self._grid.setColumnStretch(0, 1)
        card = Card(self.tr("Time breakdown"), self)
        fill(card.body, self.bar, self.verdict, self.advice, self.room)
        scroll = ScrollColumn(SPACE.l, self)
        fill(scroll.column, card, self._grid, STRETCH)
        scroll.room_changed.connect(self._on_room)
        self.column.addWidget(scroll)

    def show_run(self, entry: RunDocument) -> None:
        """Show a run from its beginning."""
        self.entry = entry
        for chart in self.charts.values():
            chart.clear()
        self._draw(entry.history)
        self._show_parts(entry.history)

    def add(self, entry: RunDocument, events: Sequence[Event]) -> None:
        """Draw new samples and epochs."""
        if entry is not self.entry or any(isinstance(event, TrainingBegan) for event in events):
            self.show_run(entry)
        elif any(isinstance(event, UsageSampled | EpochDone) for event in events):
            # There is a sample every two seconds: setting the curves again is cheap enough.
            self._draw(entry.history)
            self._show_parts(entry.history)

    def _chart(self, key: str) -> LineChart:
        title = {
            "throughput": self.tr("Throughput"),
            "load": self.tr("Load"),
            "gpu": self.tr("GPU"),
            "memory": self.tr("Memory (GB)"),
            "temperature": self.tr("GPU temperature (°C)"),
            "power": self.tr("GPU power (W)"),
        }[key]
        values = {"throughput": self.tr("Images per second"), "gpu": self.tr("Load")}
        by_epoch = key == "throughput"
        chart = LineChart(
            self.context.theme,
            title,
            self.tr("Epoch") if by_epoch else self.tr("Minutes of training"),
            values.get(key, title),
            percent=key in ("load", "gpu"),
            whole_x=by_epoch,
            parent=self,
        )
        chart.setMinimumHeight(240)
        chart.failed.connect(self.context.navigator.show_failure)
        return chart

    def _curves(self, chart: str, gpus: int) -> list[UsageCurve]:
        """Return the curves of a chart of samples, on a machine with some GPUs."""
        if chart == "load":
            this_run = self.tr("Processor, this run")
            return [
                UsageCurve("machine", self.tr("Processor"), lambda each: each.machine_cpu / 100),
                UsageCurve("run", this_run, lambda each: each.cpu / 100 / _CORES),
                UsageCurve("memory", self.tr("Memory"), lambda each: each.machine_memory / 100),
            ]
        curves = []
        if chart == "memory":
            curves.append(UsageCurve("run", self.tr("This run"), lambda each: each.memory / _GB))
        gpu = self.tr("GPU")
        of_gpu: dict[str, list[tuple[str, str, Callable[[GpuSample], float]]]] = {
            "gpu": [
                ("load", gpu, lambda each: each.utilization / 100),
                ("share", self.tr("GPU memory"), _used_memory),
            ],
            "memory": [("gpu", gpu, lambda each: each.memory_used / _GB)],
            "temperature": [("gpu", gpu, lambda each: each.temperature)],
            "power": [("gpu", gpu, lambda each: each.power)],
        }
        for number in range(gpus):
            ending = f" {number}" if gpus > 1 else ""
            curves += [
                UsageCurve(f"{key}{number}", f"{name}{ending}", _of_gpu(number, value))
                for key, name, value in of_gpu[chart]
            ]
        return curves

    def _draw(self, history: RunHistory) -> None:
        throughput = [epoch.images_per_second for epoch in history.epochs]
        epochs = [float(epoch.epoch) for epoch in history.epochs]
        self._set_curve("throughput", "pace", self.tr("Images per second"), epochs, throughput)
        samples = history.usage
        # Time that passed while the run was paused, or lost, is not training.
        minutes = [at / 60 for at in accumulate(sample.seconds for sample in samples)]
        gpus = len(samples[-1].gpus) if samples else 0
        for chart in _CHARTS[1:]:
            for color, each in enumerate(self._curves(chart, gpus)):
                values = [each.value(sample) for sample in samples]
                self._set_curve(chart, each.key, each.name, minutes, values, color)
        self._reposition()

    def _set_curve(
        self, chart: str, key: str, name: str, x: list[float], y: list[float], color: int = 0
    ) -> None:
        """Draw a curve if anything of it was measured."""
        if any(map(math.isfinite, y)):
            self.charts[chart].set_curve(key, x, y, name=name, color_index=color)

    def _reposition(self) -> None:
        """Arrange the charts that have something to show."""
        self._grid.setColumnStretch(1, self._columns - 1)
        for chart in self.charts.values():
            self._grid.removeWidget(chart)
        shown = [chart for chart in self.charts.values() if chart.keys()]
        for position, chart in enumerate(shown):
            self._grid.addWidget(chart, *divmod(position, self._columns))
        for chart in self.charts.values():
            chart.setVisible(chart in shown)

    def _on_room(self, width: int) -> None:
        columns = 1 if width < _NARROW else 2
        if columns != self._columns:
            self._columns = columns
            self._reposition()

    def _show_parts(self, history: RunHistory) -> None:
        is_over = history.state.is_finished
        samples = history.usage if is_over else recent(history.usage)
        words: dict[Part, str] = {
            "computing": self.tr("Computing"),
            "waiting": self.tr("Waiting for data"),
            "validating": self.tr("Validating"),
            "writing": self.tr("Writing"),
        }
        found, verdict = fractions(samples), bottleneck(samples)
        self.bar.set_parts(
            [BarPart(word, found.get(part, 0.0), _COLORS[part]) for part, word in words.items()]
        )
        self.bar.setVisible(verdict is not None)
        self.advice.setVisible(verdict is not None)
        if verdict is None:
            none, not_yet = self.tr("This run has no measurements."), self.tr("Not measured yet…")
            self.verdict.setText(none if is_over else not_yet)
        else:
            ever = self.tr("{part}: {share} of the time")
            now = self.tr("{part}: {share} of the last minute")
            share = percent(verdict.share, 0)
            pattern = ever if is_over else now
            self.verdict.setText(pattern.format(part=words[verdict.name], share=share))
            self.advice.setText(translated(verdict.advice))
        free = history.usage[-1].disk_free if history.usage else math.nan
        self.room.setVisible(math.isfinite(free))
        if math.isfinite(free):
            self.room.setText(self.tr("{size} left on the disk").format(size=size(int(free))))


def recent(samples: Sequence[UsageSampled]) -> list[UsageSampled]:
    """Return the samples of the last minute."""
    found: list[UsageSampled] = []
    seconds = 0.0
    for sample in reversed(samples):
        if seconds >= RECENT_SECONDS:
            break
        seconds += sample.seconds
        found.append(sample)
    return found[::-1]


def _used_memory(gpu: GpuSample) -> float:
    return gpu.memory_used / gpu.memory_total if gpu.memory_total else math.nan


def _of_gpu(number: int, value: Callable[[GpuSample], float]) -> Callable[[UsageSampled], float]:
    def read(sample: UsageSampled) -> float:
        return value(sample.gpus[number]) if number < len(sample.gpus) else math.nan

    return read


PLANNED, USED = "planned", "used"
_POINTS = 1000
_NEW_CURVE = (Amended, EpochDone, TrainingBegan, ValidationDone)


class Rate(RunSection):
    """The learning rate by epoch: planned, and used after cuts on plateaus and changes by hand."""

    word = str(QT_TRANSLATE_NOOP("Rate", "Rate"))
    needs_steps = True

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        rate = self.tr("Learning rate")
        self.chart = LineChart(context.theme, rate, self.tr("Epoch"), rate, parent=self)
        self.chart.failed.connect(context.navigator.show_failure)
        scroll = ScrollColumn(SPACE.s, self)  # a low window must not have to be as tall as it
        scroll.column.addWidget(self.chart)
        self.column.addWidget(scroll)

    def show_run(self, entry: RunDocument) -> None:
        """Show a run from its beginning."""
        self.entry = entry
        self.chart.clear()
        self._show_planned(entry)
        ends = entry.history.measured
        epochs, rates = [each.epoch for each in ends], [each.learning_rate for each in ends]
        self.chart.set_curve(USED, epochs, rates, name=self.tr("Used"), color_index=0)

    def add(self, entry: RunDocument, events: Sequence[Event]) -> None:
        """Draw the rate of new steps."""
        if entry is not self.entry or any(isinstance(event, _NEW_CURVE) for event in events):
            self.show_run(entry)
            return
        training = entry.history.training
        for event in events:
            if isinstance(event, StepsDone) and training is not None:
                at = event.last / max(1, training.steps_per_epoch)
                self.chart.append(USED, at, event.learning_rate)

    def _show_planned(self, entry: RunDocument) -> None:
        training, plan = entry.history.training, entry.plan
        if training is None or not isinstance(plan, TrainingPlan):
            return
        if not trainer_of(plan).steps(plan, training.train_images):
            return
        try:
            plan = plan.changed(**entry.history.changes)
        except StudioError:
            return  # a newer version wrote changes that are not known here
        per_epoch = max(1, training.steps_per_epoch)
        schedule = (plan.schedule, plan.schedule_options, plan.learning_rate)
        total = max(1, training.epochs * per_epoch)
        steps, rates = curve(*schedule, total, plan.warmup_percent, _POINTS)
        epochs, name = (steps + 1) / per_epoch, self.tr("Planned")
        self.chart.set_curve(PLANNED, epochs, rates, name=name, color_index=0, dashed=True)
