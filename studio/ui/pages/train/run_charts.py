"""Loss and accuracy of a run, drawn while it trains."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine.jobs.event import Event
from studio.engine.training.events import EpochDone, StepsDone, TrainingBegan, ValidationDone
from studio.engine.training.history import RunHistory
from studio.ui.charts.live_chart import FRAME_MS, LiveChart
from studio.ui.context import AppContext
from studio.ui.theme.tokens import SPACE

if TYPE_CHECKING:
    from studio.ui.charts.plot_area import Stretches
    from studio.ui.charts.series import Array

LEAST_HEIGHT = 150
"""Pixels of the charts in a low window, without their legends."""
STEP, TRAIN, VAL = "step", "train", "val"
TRAIN_5, VAL_5 = "train top-5", "val top-5"


class RunCharts(QWidget):
    """Two charts over the epochs: every step faint, training solid, validation dashed."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        epoch = self.tr("Epoch")
        theme = context.theme
        self.loss = LiveChart(theme, self.tr("Loss"), epoch, self.tr("Loss"), parent=self)
        self.accuracy = LiveChart(
            theme, self.tr("Accuracy"), epoch, self.tr("Accuracy"), percent=True, parent=self
        )
        self.accuracy.delay_ms = FRAME_MS // 2
        self.loss.link(self.accuracy)
        for chart in (self.loss, self.accuracy):
            chart.setMinimumHeight(LEAST_HEIGHT)
            chart.failed.connect(context.desk.show_failure)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        row.addWidget(self.loss, 1)
        row.addWidget(self.accuracy, 1)

    def event(self, event: QEvent) -> bool:
        """Both charts are equally high: the longer legend says how high both are."""
        done = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._level()
        return done

    def _level(self) -> None:
        legends = [chart.legend for chart in (self.loss, self.accuracy)]
        highest = max(legend.heightForWidth(legend.width()) for legend in legends)
        for legend in legends:
            if legend.minimumHeight() != highest:
                legend.setMinimumHeight(highest)

    def show_history(self, history: RunHistory) -> None:
        """Draw a run from its beginning."""
        per_epoch = history.training.steps_per_epoch if history.training else 1
        steps = _at_epochs(1, history.step_count, per_epoch)
        epochs = [epoch.epoch for epoch in history.epochs]
        for chart, each, name in (
            (self.loss, history.steps_of("loss"), "loss"),
            (self.accuracy, history.steps_of("accuracy"), "accuracy"),
        ):
            chart.clear()
            chart.set_curve(STEP, steps, each, name=self.tr("Steps"), color_index=0, faint=True)
            train = [epoch.value(name) for epoch in history.epochs]
            ends = [(each.epoch, each.value(f"val_{name}")) for each in history.measured]
            times = [at for at, value in ends if not math.isnan(value)]
            val = [value for _, value in ends if not math.isnan(value)]
            chart.set_curve(TRAIN, epochs, train, name=self.tr("Train"), color_index=0)
            chart.set_curve(VAL, times, val, name=self.tr("Val"), color_index=0, dashed=True)
        self._show_top_5(history)
        self._mark_best(history)

    def add(self, history: RunHistory, events: list[Event]) -> None:
        """Draw what came since; `history` holds the events already."""
        if any(isinstance(event, TrainingBegan) for event in events):
            self.show_history(history)
            return
        for event in events:
            if isinstance(event, StepsDone):
                self._add_steps(history, event)
            elif isinstance(event, EpochDone):
                self.loss.append(TRAIN, event.epoch, event.value("loss"))
                self.accuracy.append(TRAIN, event.epoch, event.value("accuracy"))
                self._show_top_5(history)
            if isinstance(event, EpochDone | ValidationDone):
                if "val_loss" in event.metrics:
                    self.loss.append(VAL, event.epoch, event.value("val_loss"))
                    self.accuracy.append(VAL, event.epoch, event.value("val_accuracy"))
                self._mark_best(history)

    def show_stretches(self, stretches: Stretches) -> None:
        """Shade stretches of epochs."""
        for chart in (self.loss, self.accuracy):
            chart.set_stretches(stretches)

    def _show_top_5(self, history: RunHistory) -> None:
        """The shares of images whose class is among five guesses, where that is measured."""
        measured = [each for each in history.epochs if math.isfinite(each.value("top_5"))]
        if not measured:
            return
        validated = [each for each in history.measured if math.isfinite(each.value("val_top_5"))]
        for key, ends, name, field in (
            (TRAIN_5, measured, self.tr("Train top-5"), "top_5"),
            (VAL_5, validated, self.tr("Val top-5"), "val_top_5"),
        ):
            self.accuracy.set_curve(
                key,
                [each.epoch for each in ends],
                [each.value(field) for each in ends],
                name=name,
                color_index=1,
                dashed=key == VAL_5,
            )

    def _add_steps(self, history: RunHistory, event: StepsDone) -> None:
        per_epoch = history.training.steps_per_epoch if history.training else 1
        for chart, name in ((self.loss, "loss"), (self.accuracy, "accuracy")):
            each = event.per_step(name)
            chart.extend(STEP, _at_epochs(event.first, len(each), per_epoch), each)

    def _mark_best(self, history: RunHistory) -> None:
        best = history.best
        for chart in (self.loss, self.accuracy):
            if best is None:
                chart.set_mark(None)
            else:
                chart.set_mark(best.epoch, self.tr("best"))


def _at_epochs(first: int, count: int, per_epoch: int) -> Array:
    """Where steps lie: each at its share of an epoch, the last of an epoch at its end."""
    import numpy as np  # noqa: PLC0415 - the window starts without it

    return np.arange(first, first + count) / per_epoch
