"""The machine's resources used by a run."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.jobs.events import Event, GpuSample, UsageSampled
from studio.engine.training.bottleneck import Part, bottleneck, shares
from studio.engine.training.history import EpochDone, RunHistory, TrainingBegan
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.pages.train.dashboard.sections.section import RunSection
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.bars import BarPart, PartsBar
from studio.ui.widgets.cards import Card
from studio.ui.widgets.figures import percent, size
from studio.ui.widgets.pages import ScrollColumn

RECENT_SECONDS = 60.0
_GB = 1e9
_CORES = os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class ChartPlan:
    """A chart: its words, untranslated, and whether its values are shares."""

    key: str
    title: str
    y: str
    x: str = "Minutes of training"
    percent: bool = False


@dataclass(frozen=True, slots=True)
class CurveData:
    """A curve; `word` is untranslated, `which` is the GPU where there are several."""

    key: str
    word: str
    x: list[float]
    y: list[float]
    which: str = ""

    def name(self, tr: Callable[[str], str]) -> str:
        """What the legend says."""
        return f"{tr(self.word)} {self.which}".strip()


CHARTS = (
    ChartPlan(
        "throughput",
        "Throughput",
        "Images per second",
        x="Epoch",
    ),
    ChartPlan(
        "load",
        "Load",
        "Load",
        percent=True,
    ),
    ChartPlan(
        "gpu",
        "GPU",
        "Load",
        percent=True,
    ),
    ChartPlan(
        "memory",
        "Memory (GB)",
        "Memory (GB)",
    ),
    ChartPlan(
        "temperature",
        "GPU temperature (°C)",
        "GPU temperature (°C)",
    ),
    ChartPlan(
        "power",
        "GPU power (W)",
        "GPU power (W)",
    ),
)


def curves_of(plan: ChartPlan, history: RunHistory) -> list[CurveData]:
    """The curves of a chart; none where nothing was measured."""
    if plan.key == "throughput":
        epochs = [float(epoch.epoch) for epoch in history.epochs]
        paces = [epoch.images_per_second for epoch in history.epochs]
        curves = [CurveData("pace", "Images per second", epochs, paces)]
    else:
        # Time that passed while the run was paused, or lost, is not training.
        minutes = [at / 60 for at in accumulate(sample.seconds for sample in history.usage)]
        curves = [
            CurveData(
                each.key, each.word, minutes, [each.of(s) for s in history.usage], each.which
            )
            for each in _figures(plan.key, history.usage)
        ]
    return [curve for curve in curves if any(math.isfinite(value) for value in curve.y)]


def recent(samples: list[UsageSampled]) -> list[UsageSampled]:
    """The samples of the last minute."""
    found: list[UsageSampled] = []
    seconds = 0.0
    for sample in reversed(samples):
        if seconds >= RECENT_SECONDS:
            break
        seconds += sample.seconds
        found.append(sample)
    return found[::-1]


@dataclass(frozen=True, slots=True)
class _Figure:
    key: str
    word: str
    of: Callable[[UsageSampled], float]
    which: str = ""


def _figures(chart: str, samples: list[UsageSampled]) -> list[_Figure]:
    if chart == "load":
        return [
            _Figure(
                "machine",
                "Processor",
                lambda sample: sample.machine_cpu / 100,
            ),
            _Figure(
                "run",
                "Processor, this run",
                lambda sample: sample.cpu / 100 / _CORES,
            ),
            _Figure(
                "memory",
                "Memory",
                lambda sample: sample.machine_memory / 100,
            ),
        ]
    found = []
    if chart == "memory":
        word = "This run"
        found.append(_Figure("run", word, lambda sample: sample.memory / _GB))
    names = samples[-1].gpus if samples else ()
    for number in range(len(names)):
        which = str(number) if len(names) > 1 else ""
        found += [
            _Figure(f"{name}{number}", word, _of_gpu(number, figure), which)
            for name, word, figure in _GPU_FIGURES.get(chart, ())
        ]
    return found


_GpuFigure = tuple[str, str, Callable[[GpuSample], float]]
_GPU_FIGURES: dict[str, tuple[_GpuFigure, ...]] = {
    "gpu": (
        ("load", "GPU", lambda gpu: gpu.utilization / 100),
        (
            "share",
            "GPU memory",
            lambda gpu: gpu.memory_used / gpu.memory_total if gpu.memory_total else math.nan,
        ),
    ),
    "memory": (("gpu", "GPU", lambda gpu: gpu.memory_used / _GB),),
    "temperature": (("gpu", "GPU", lambda gpu: gpu.temperature),),
    "power": (("gpu", "GPU", lambda gpu: gpu.power),),
}


def _of_gpu(number: int, figure: Callable[[GpuSample], float]) -> Callable[[UsageSampled], float]:
    def of(sample: UsageSampled) -> float:
        return figure(sample.gpus[number]) if number < len(sample.gpus) else math.nan

    return of


_NARROW = 620
_COLORS: dict[Part, int] = {"waiting": 1, "computing": 0, "validating": 5, "writing": 4}


class Usage(RunSection):
    """The bar of the parts with the bottleneck in words, and charts of the machine."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._entry: RunDocument | None = None
        self._columns = 2
        self._words = {
            "Throughput": self.tr("Throughput"),
            "Images per second": self.tr("Images per second"),
            "Epoch": self.tr("Epoch"),
            "Minutes of training": self.tr("Minutes of training"),
            "Load": self.tr("Load"),
            "Processor": self.tr("Processor"),
            "Processor, this run": self.tr("Processor, this run"),
            "Memory": self.tr("Memory"),
            "This run": self.tr("This run"),
            "Memory (GB)": self.tr("Memory (GB)"),
            "GPU": self.tr("GPU"),
            "GPU memory": self.tr("GPU memory"),
            "GPU temperature (°C)": self.tr("GPU temperature (°C)"),
            "GPU power (W)": self.tr("GPU power (W)"),
        }
        self.bar = PartsBar(context.theme, self.tr("Where the time goes"), self)
        self.verdict = QLabel(self)
        self.verdict.setProperty("role", "section")
        self.verdict.setWordWrap(True)
        self.advice = QLabel(self)
        self.advice.setProperty("role", "muted")
        self.advice.setWordWrap(True)
        self.room = QLabel(self)
        self.room.setProperty("role", "caption")
        self.charts: dict[str, LineChart] = {plan.key: self._chart(plan) for plan in CHARTS}
        self._grid = QGridLayout()
        self._lay_out()

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("Usage", "Machine")

    def show_run(self, entry: RunDocument) -> None:
        """Show a run from its beginning."""
        self._entry = entry
        for chart in self.charts.values():
            chart.clear()
        self._draw(entry.history)
        self._show_parts(entry)

    def add(self, entry: RunDocument, events: Sequence[Event]) -> None:
        """Go on drawing when there is a new sample."""
        if entry is not self._entry or any(isinstance(event, TrainingBegan) for event in events):
            self.show_run(entry)
        elif any(isinstance(event, UsageSampled | EpochDone) for event in events):
            # A sample every two seconds: to set the curves again costs less than to keep count.
            self._draw(entry.history)
            self._show_parts(entry)

    def _chart(self, plan: ChartPlan) -> LineChart:
        chart = LineChart(
            self.context.theme,
            self._words[plan.title],
            self._words[plan.x],
            self._words[plan.y],
            percent=plan.percent,
            whole_x=plan.x == "Epoch",
            parent=self,
        )
        chart.setMinimumHeight(240)
        chart.failed.connect(self.context.navigator.show_failure)
        return chart

    def _lay_out(self) -> None:
        card = Card(self.tr("Where the time goes"), self)
        for widget in (self.bar, self.verdict, self.advice, self.room):
            card.body.addWidget(widget)
        scroll = ScrollColumn(SPACE.l, self)
        scroll.column.addWidget(card)
        self._grid.setSpacing(SPACE.l)
        self._grid.setColumnStretch(0, 1)
        scroll.column.addLayout(self._grid)
        scroll.column.addStretch(1)
        scroll.room_changed.connect(self._on_room)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.s, 0, 0)
        column.addWidget(scroll)

    def _draw(self, history: RunHistory) -> None:
        for plan in CHARTS:
            chart = self.charts[plan.key]
            curves = curves_of(plan, history)
            for place, curve in enumerate(curves):
                chart.set_curve(
                    curve.key,
                    curve.x,
                    curve.y,
                    name=curve.name(self._words.__getitem__),
                    color_index=place,
                )
        self._place()

    def _place(self) -> None:
        """Put the charts that have something to show side by side."""
        self._grid.setColumnStretch(1, self._columns - 1)
        for chart in self.charts.values():
            self._grid.removeWidget(chart)
        shown = [chart for chart in self.charts.values() if chart.keys()]
        for place, chart in enumerate(shown):
            self._grid.addWidget(chart, place // self._columns, place % self._columns)
        for chart in self.charts.values():
            chart.setVisible(chart in shown)

    def _on_room(self, width: int) -> None:
        columns = 1 if width < _NARROW else 2
        if columns != self._columns:
            self._columns = columns
            self._place()

    def _show_parts(self, entry: RunDocument) -> None:
        history = entry.history
        samples = history.usage if history.state.is_finished else recent(history.usage)
        words: dict[Part, str] = {
            "computing": self.tr("Computing"),
            "waiting": self.tr("Waiting for data"),
            "validating": self.tr("Validating"),
            "writing": self.tr("Writing"),
        }
        found, verdict = shares(samples), bottleneck(samples)
        self.bar.set_parts(
            [BarPart(word, found.get(part, 0.0), _COLORS[part]) for part, word in words.items()]
        )
        self.bar.setVisible(verdict is not None)
        self.advice.setVisible(verdict is not None)
        over = history.state.is_finished
        if verdict is None:
            self.verdict.setText(
                self.tr("This run was not measured.") if over else self.tr("Not measured yet …")
            )
        else:
            told = (
                self.tr("{part}: {share} of the time")
                if over
                else self.tr("{part}: {share} of the last minute")
            )
            share = percent(verdict.share, 0)
            self.verdict.setText(told.format(part=words[verdict.name], share=share))
            self.advice.setText(verdict.advice)
        free = history.usage[-1].disk_free if history.usage else math.nan
        self.room.setVisible(math.isfinite(free))
        if math.isfinite(free):
            self.room.setText(self.tr("{size} left on the disk").format(size=size(int(free))))
