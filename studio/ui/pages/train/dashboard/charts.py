"""Live curves of the metrics of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget

from studio.engine.jobs.events import Event
from studio.engine.messages import in_sentence
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.metric import VALIDATION, MetricSpec
from studio.engine.tasks.task import Task
from studio.engine.training.history import (
    EpochDone,
    RunHistory,
    StepsDone,
    TrainingBegan,
    ValidationDone,
)
from studio.ui.bridge.jobs import Following
from studio.ui.charts.line_chart import FRAME_MS, LineChart
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, RunDocument
from studio.ui.language import translated
from studio.ui.pages.train.state import chart_metrics
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.layout import hbox

if TYPE_CHECKING:
    from studio.ui.charts.curves import Intervals
    from studio.ui.charts.series import Array

    Values = Sequence[float] | Array


CHOSEN = "train/metric/"
"""Prefix of the settings with the chosen metric of each task."""
STEP, TRAIN, VAL = "step", "train", "val"
"""Parts of a run: its steps, and its epochs on training and on validation images."""


class MetricCharts(QWidget):
    """Base of two charts side by side, of the loss and of another metric.

    Attributes:
        loss: Chart of the loss.
        metric_chart: Chart of another metric; hidden if the task has only the loss.
        spec: The other metric.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = context.settings
        self._key = ""
        self._metrics: dict[str, MetricSpec] = {}
        self._loss = DEFAULT_TASK.loss
        self.spec: MetricSpec | None = None
        epoch, theme = self.tr("Epoch"), context.theme
        self.loss = LineChart(theme, "", epoch, "", parent=self)
        self.metric_chart = LineChart(theme, "", epoch, "", parent=self)
        self.metric_chart.delay_ms = FRAME_MS // 2
        self.loss.link(self.metric_chart)
        self.metric_chart.bar.chosen.connect(self._on_chosen)
        hbox((self.loss, 1), (self.metric_chart, 1), owner=self, spacing=SPACE.l)
        for chart in (self.loss, self.metric_chart):
            chart.failed.connect(context.navigator.show_failure)

    def draw(self) -> None:
        """Draw all curves from the beginning."""
        raise NotImplementedError

    def append(self, history: RunHistory, events: Sequence[Event], prefix: str = "") -> None:
        """Append the values of new events to the curves that are drawn of a run.

        Args:
            history: History of the run, which contains the events already.
            events: The events.
            prefix: Beginning of the keys of its curves.
        """
        step, train, val = (f"{prefix}{part}" for part in (STEP, TRAIN, VAL))
        for event in events:
            for chart, name in self.charts():
                drawn, val_name = chart.keys(), f"{VALIDATION}{name}"
                if isinstance(event, StepsDone) and step in drawn:
                    each, per_epoch = event.per_step(name), steps_per_epoch(history)
                    chart.extend(step, step_positions(event.first, len(each), per_epoch), each)
                if isinstance(event, EpochDone) and train in drawn and name in event.metrics:
                    chart.append(train, event.epoch, event.value(name))
                if (
                    isinstance(event, EpochDone | ValidationDone)
                    and val in drawn
                    and val_name in event.metrics
                ):
                    chart.append(val, event.epoch, event.value(val_name))

    def charts(self) -> list[tuple[LineChart, str]]:
        """Return the visible charts, each with the name of its training metric."""
        shown = [(self.loss, self._loss.name)]
        return shown if self.spec is None else [*shown, (self.metric_chart, self.spec.name)]

    def choose(self, name: str) -> None:
        """Show another metric in the second chart."""
        spec = self._metrics.get(name)
        if spec is None or spec == self.spec:
            return
        self.spec = spec
        _show_metric(self.metric_chart, spec)

    def set_tasks(self, tasks: Iterable[Task]) -> None:
        """Offer the metrics of some tasks and show the one that was chosen for them last."""
        named = {task.name: task for task in tasks}
        key = CHOSEN + "+".join(named)
        if key == self._key or not named:
            return
        self._key = key
        self._loss = next(iter(named.values())).loss
        _show_metric(self.loss, self._loss)
        self._metrics = {each.name: each for each in chart_metrics(named.values())}
        self.spec = None
        self.metric_chart.setVisible(bool(self._metrics))
        chosen = self._settings.text(key) or ""
        if chosen not in self._metrics:
            chosen = next(iter(self._metrics), "")
        self.choose(chosen)
        choices = {
            name: (translated(each.label), translated(each.summary))
            for name, each in self._metrics.items()
        }
        self.metric_chart.bar.set_choices(choices, chosen)

    def _on_chosen(self, name: str) -> None:
        self._settings.set_text(self._key, name)
        self.choose(name)
        self.draw()


MIN_HEIGHT = 190
"""Least height of the charts in pixels; their legends are visible at this height."""


class RunCharts(MetricCharts):
    """Curves over the epochs: steps faint, training solid, validation dashed."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._history = RunHistory()
        self._following = Following(self, self._on_changed)
        for chart in (self.loss, self.metric_chart):
            chart.setMinimumHeight(MIN_HEIGHT)
        self.set_tasks([self._history.task])

    def event(self, event: QEvent) -> bool:
        """Keep both legends, and so both charts, equally high."""
        done = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._level()
        return done

    def _level(self) -> None:
        legends = [chart.legend for chart, _ in self.charts()]
        highest = max(legend.heightForWidth(legend.width()) for legend in legends)
        for legend in legends:
            if legend.minimumHeight() != highest:
                legend.setMinimumHeight(highest)

    def show_run(self, entry: RunDocument, task: Task) -> None:
        """Draw a run of a task from its beginning and follow it."""
        self._following.show(entry)
        self.show_history(entry.history, task)

    def _on_changed(self, entry: RunDocument, change: RecordChange) -> None:
        self.add(entry.history, change.events)

    def show_history(self, history: RunHistory, task: Task | None = None) -> None:
        """Draw a run from its beginning.

        Args:
            history: Its history.
            task: Task of its dataset; the history contains it only after the run has started.
        """
        self._history = history
        self.set_tasks([history.task if history.training or task is None else task])
        self.draw()

    def draw(self) -> None:
        """Draw all curves from the beginning."""
        history = self._history
        for chart, name in self.charts():
            chart.clear()
            if name in history.task.step_metrics:
                points, word = curve_points(history, name, STEP), self.tr("Steps")
                chart.set_curve(STEP, *points, name=word, color_index=0, faint=True)
            self._set_epochs(chart, name, (TRAIN, VAL), (self.tr("Train"), self.tr("Val")))
        self._show_beside()
        self._mark_best(history)

    def add(self, history: RunHistory, events: Sequence[Event]) -> None:
        """Draw new events, which the history contains already."""
        if any(isinstance(event, TrainingBegan) for event in events):
            self.show_history(history)
            return
        self.append(history, events)
        if any(isinstance(event, EpochDone | ValidationDone) for event in events):
            self._show_beside()
            self._mark_best(history)

    def show_intervals(self, intervals: Intervals) -> None:
        """Shade intervals of epochs."""
        for chart, _ in self.charts():
            chart.set_intervals(intervals)

    def _set_epochs(
        self,
        chart: LineChart,
        name: str,
        keys: tuple[str, str],
        words: tuple[str, str],
        color: int = 0,
    ) -> None:
        """Draw the curves of a metric for training and validation."""
        for key, word, part in zip(keys, words, (TRAIN, VAL), strict=True):
            points = curve_points(self._history, name, part)
            chart.set_curve(key, *points, name=word, color_index=color, dashed=part == VAL)

    def _show_beside(self) -> None:
        """Draw the metrics that share the chart of another one, if they were measured."""
        for chart, name in self.charts():
            beside = [each for each in self._history.task.metrics if each.beside == name]
            for color, spec in enumerate(beside, 1):
                if any(math.isfinite(each.value(spec.name)) for each in self._history.epochs):
                    label = in_sentence(translated(spec.label))
                    patterns = (self.tr("Train {metric}"), self.tr("Val {metric}"))
                    train, val = (each.format(metric=label) for each in patterns)
                    words, keys = (train, val), (f"{TRAIN} {spec.name}", f"{VAL} {spec.name}")
                    self._set_epochs(chart, spec.name, keys, words, color)

    def _mark_best(self, history: RunHistory) -> None:
        best = history.best
        for chart, _ in self.charts():
            chart.set_mark(None if best is None else best.epoch, self.tr("best"))


def _show_metric(chart: LineChart, spec: MetricSpec) -> None:
    """Let a chart show values of a metric."""
    chart.set_values(translated(spec.label), percent=spec.is_fraction, rises=spec.higher_is_better)


def curve_points(history: RunHistory, metric: str, part: str) -> tuple[Values, Values]:
    """Return the epochs and the values of a curve.

    Args:
        history: History of the run.
        metric: Name of the metric on training images.
        part: `STEP`, `TRAIN` or `VAL`.
    """
    if part == STEP:
        steps = history.steps_of(metric)
        return step_positions(1, len(steps), steps_per_epoch(history)), steps
    if part == TRAIN:
        values = [epoch.value(metric) for epoch in history.epochs]
        return [epoch.epoch for epoch in history.epochs], values
    # Not every epoch ends with a validation.
    ends = [(end.epoch, end.value(f"{VALIDATION}{metric}")) for end in history.measured]
    there = [(at, value) for at, value in ends if math.isfinite(value)]
    return [at for at, _ in there], [value for _, value in there]


def steps_per_epoch(history: RunHistory) -> int:
    """Return the training steps of an epoch; 1 before the run has started."""
    return history.training.steps_per_epoch if history.training else 1


def step_positions(first: int, count: int, per_epoch: int) -> Array:
    """Return the positions of steps in epochs; the last step of an epoch is at its end."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    return np.arange(first, first + count) / per_epoch
