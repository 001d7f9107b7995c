"""Live curves of the metrics of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine.jobs.events import Event
from studio.engine.tasks import DEFAULT_TASK
from studio.engine.tasks.metric import VALIDATION, MetricSpec, in_sentence
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
from studio.ui.documents.record import Change, RunDocument
from studio.ui.engine_text import plan_text
from studio.ui.pages.train.state import chart_metrics
from studio.ui.theme.tokens import SPACE

if TYPE_CHECKING:
    from studio.ui.charts.curves import Intervals
    from studio.ui.charts.series import Array


CHOSEN = "train/metric/"
"""Before the names of tasks in the settings: which metric their runs show."""


class MetricCharts(QWidget):
    """Two charts side by side; whoever derives from it draws the curves.

    Attributes:
        loss: Shown of every run.
        metric_chart: Shows a metric of the task; hidden if it has none but the loss.
        spec: That metric.
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
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        for chart in (self.loss, self.metric_chart):
            chart.failed.connect(context.navigator.show_failure)
            row.addWidget(chart, 1)

    def draw(self) -> None:
        """Draw everything from the beginning."""
        raise NotImplementedError

    def charts(self) -> list[tuple[LineChart, str]]:
        """The charts that are shown, each with the name of its metric on training images."""
        shown = [(self.loss, self._loss.name)]
        return shown if self.spec is None else [*shown, (self.metric_chart, self.spec.name)]

    def choose(self, name: str) -> None:
        """Show another metric of the tasks."""
        spec = self._metrics.get(name)
        if spec is None or spec == self.spec:
            return
        self.spec = spec
        _show_metric(self.metric_chart, spec)

    def set_tasks(self, tasks: Iterable[Task]) -> None:
        """Offer the metrics of these tasks; what was chosen for them before is shown again."""
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
            name: (plan_text(each.label), plan_text(each.summary))
            for name, each in self._metrics.items()
        }
        self.metric_chart.bar.set_choices(choices, chosen)

    def _on_chosen(self, name: str) -> None:
        self._settings.set_text(self._key, name)
        self.choose(name)
        self.draw()


LEAST_HEIGHT = 150
"""Pixels of the charts in a low window, without their legends."""
STEP, TRAIN, VAL = "step", "train", "val"


class RunCharts(MetricCharts):
    """Two charts over the epochs: every step faint, training solid, validation dashed."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._history = RunHistory()
        self._following = Following(self, self._on_changed)
        for chart in (self.loss, self.metric_chart):
            chart.setMinimumHeight(LEAST_HEIGHT)
        self.set_tasks([self._history.task])

    def event(self, event: QEvent) -> bool:
        """Both charts are equally high: the longer legend says how high both are."""
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
        """Draw a run from its beginning and follow it; `task` is that of its dataset."""
        self._following.show(entry)
        self.show_history(entry.history, task)

    def _on_changed(self, entry: RunDocument, change: Change) -> None:
        self.add(entry.history, change.events)

    def show_history(self, history: RunHistory, task: Task | None = None) -> None:
        """Draw a run from its beginning.

        Args:
            history: What is known of it.
            task: Of its dataset; until the run has begun its history does not know it.
        """
        self._history = history
        self.set_tasks([history.task if history.training or task is None else task])
        self.draw()

    def draw(self) -> None:
        """Draw everything from the beginning."""
        history = self._history
        steps = _at_epochs(1, history.step_count, _per_epoch(history))
        for chart, name in self.charts():
            chart.clear()
            if name in history.task.step_metrics:
                each = history.steps_of(name)
                chart.set_curve(
                    STEP, steps, each, name=self.tr("Steps"), color_index=0, faint=True
                )
            self._set_epochs(chart, name, (TRAIN, VAL), (self.tr("Train"), self.tr("Val")))
        self._show_beside()
        self._mark_best(history)

    def add(self, history: RunHistory, events: Sequence[Event]) -> None:
        """Draw what came since; `history` holds the events already."""
        if any(isinstance(event, TrainingBegan) for event in events):
            self.show_history(history)
            return
        for event in events:
            if isinstance(event, StepsDone):
                self._add_steps(history, event)
            elif isinstance(event, EpochDone):
                for chart, name in self.charts():
                    chart.append(TRAIN, event.epoch, event.value(name))
                self._show_beside()
            if isinstance(event, EpochDone | ValidationDone):
                for chart, name in self.charts():
                    if f"{VALIDATION}{name}" in event.metrics:
                        chart.append(VAL, event.epoch, event.value(f"{VALIDATION}{name}"))
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
        """Set the curves of training and of validation of a metric."""
        for key, word, field in zip(keys, words, (name, f"{VALIDATION}{name}"), strict=True):
            measured = self._history.epochs if field == name else self._history.measured
            points = [(each.epoch, each.value(field)) for each in measured]
            # Not every end of an epoch has a validation.
            there = [each for each in points if field == name or math.isfinite(each[1])]
            chart.set_curve(
                key,
                [at for at, _ in there],
                [value for _, value in there],
                name=word,
                color_index=color,
                dashed=field != name,
            )

    def _show_beside(self) -> None:
        """Draw metrics that share the chart of another one, where they are measured."""
        beside = [
            each
            for each in self._history.task.metrics
            if self.spec is not None and each.beside == self.spec.name
        ]
        for color, spec in enumerate(beside, 1):
            if any(math.isfinite(each.value(spec.name)) for each in self._history.epochs):
                label = in_sentence(plan_text(spec.label))
                words = (
                    self.tr("Train {metric}").format(metric=label),
                    self.tr("Val {metric}").format(metric=label),
                )
                keys = (f"{TRAIN} {spec.name}", f"{VAL} {spec.name}")
                self._set_epochs(self.metric_chart, spec.name, keys, words, color)

    def _add_steps(self, history: RunHistory, event: StepsDone) -> None:
        for chart, name in self.charts():
            if name in history.task.step_metrics:
                each = event.per_step(name)
                chart.extend(STEP, _at_epochs(event.first, len(each), _per_epoch(history)), each)

    def _mark_best(self, history: RunHistory) -> None:
        best = history.best
        for chart, _ in self.charts():
            if best is None:
                chart.set_mark(None)
            else:
                chart.set_mark(best.epoch, self.tr("best"))


def _show_metric(chart: LineChart, spec: MetricSpec) -> None:
    """Let a chart show values of a metric."""
    chart.set_values(plan_text(spec.label), percent=spec.is_fraction, rises=spec.higher_is_better)


def _per_epoch(history: RunHistory) -> int:
    return history.training.steps_per_epoch if history.training else 1


def _at_epochs(first: int, count: int, per_epoch: int) -> Array:
    """Where steps lie: each at its share of an epoch, the last of an epoch at its end."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    return np.arange(first, first + count) / per_epoch
