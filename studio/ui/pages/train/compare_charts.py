"""Loss and another metric of several runs over each other, each run in a color of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from studio.engine.jobs.events import Event
from studio.engine.tasks.metric import VALIDATION
from studio.engine.training.history import EpochDone, StepsDone, TrainingBegan, ValidationDone
from studio.ui.bridge.jobs import RunEntry
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.pages.train.metric_charts import MetricCharts

MOST = 24
"""More runs than these cannot be told apart in a chart."""
_LEGEND_SHARE = 0.36


class CompareCharts(MetricCharts):
    """Two charts over the epochs: training solid, validation dashed, every step faint.

    Attributes:
        parts: What is drawn of each run: `train`, `val`, `step`.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._jobs = context.jobs
        self._entries: list[RunEntry] = []
        self.parts: set[str] = {"val"}
        # New entries of a legend have a size a moment later.
        self._fitting = QTimer(self)
        self._fitting.setSingleShot(True)
        self._fitting.setInterval(0)
        self._fitting.timeout.connect(self._fit_legends)

    def show_runs(self, entries: Sequence[RunEntry]) -> None:
        """Draw these, the first `MOST` of them."""
        self._entries = list(entries[:MOST])
        self.set_tasks(self._jobs.task_of(entry) for entry in self._entries)
        self.draw()

    def draw(self) -> None:
        """Draw everything from the beginning."""
        for chart, metric in self.charts():
            chart.clear()
            for color, entry in enumerate(self._entries):
                for part in ("step", "train", "val"):
                    if part in self.parts:
                        self._set_curve(chart, metric, entry, color, part)

        self._fitting.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Legends give way where they would leave no room for the curves."""
        super().resizeEvent(event)
        self._fitting.start()

    def add(self, entry: RunEntry, events: Sequence[Event]) -> None:
        """Draw what came since; the history holds the events already."""
        if entry not in self._entries:
            return
        if any(isinstance(event, TrainingBegan) for event in events):
            self.draw()
            return
        for event in events:
            if isinstance(event, StepsDone):
                self._add_steps(entry, event)
            if isinstance(event, EpochDone):
                self._append(entry, "train", event)
            if isinstance(event, EpochDone | ValidationDone) and "val_loss" in event.metrics:
                self._append(entry, "val", event)

    def _fit_legends(self) -> None:
        """The headings of the table below have the names and colors, too."""
        for chart, _ in self.charts():
            layout = chart.legend.layout()
            needed = layout.heightForWidth(chart.width()) if layout is not None else 0
            chart.legend.setVisible(needed <= self.height() * _LEGEND_SHARE)

    def _append(self, entry: RunEntry, part: str, event: EpochDone | ValidationDone) -> None:
        prefix = VALIDATION if part == "val" else ""
        for chart, name in self.charts():
            if part in self.parts:
                chart.append(_key(entry, part), event.epoch, event.value(f"{prefix}{name}"))

    def _add_steps(self, entry: RunEntry, event: StepsDone) -> None:
        if "step" not in self.parts:
            return
        per_epoch = _steps_per_epoch(entry)
        for chart, name in self.charts():
            each = event.per_step(name)
            steps = range(event.first, event.first + len(each))
            chart.extend(_key(entry, "step"), [step / per_epoch for step in steps], each)

    def _set_curve(
        self, chart: LineChart, metric: str, entry: RunEntry, color: int, part: str
    ) -> None:
        patterns = {"step": "{run}", "train": "{run}", "val": "{run}"}
        if len(self.parts) > 1:
            patterns = {
                "step": self.tr("{run}, steps"),
                "train": self.tr("{run}, train"),
                "val": self.tr("{run}, val"),
            }
        x, y = _points(entry, metric, part)
        chart.set_curve(
            _key(entry, part),
            x,
            y,
            name=patterns[part].format(run=entry.name),
            color_index=color,
            dashed=part == "val",
            faint=part == "step",
        )


def _key(entry: RunEntry, part: str) -> str:
    return f"{entry.record.id}:{part}"


def _steps_per_epoch(entry: RunEntry) -> int:
    training = entry.history.training
    return training.steps_per_epoch if training else 1


def _points(entry: RunEntry, metric: str, part: str) -> tuple[Sequence[float], Sequence[float]]:
    """The x and y of a curve; x is how many epochs are done."""
    history = entry.history
    if part == "train":
        values = [epoch.value(metric) for epoch in history.epochs]
        return [epoch.epoch for epoch in history.epochs], values
    if part == "val":
        ends = [(end.epoch, end.value(f"val_{metric}")) for end in history.measured]
        there = [(at, value) for at, value in ends if not math.isnan(value)]
        return [at for at, _ in there], [value for _, value in there]
    per_epoch = _steps_per_epoch(entry)
    steps = history.steps_of(metric)
    return [(at + 1) / per_epoch for at in range(len(steps))], steps
