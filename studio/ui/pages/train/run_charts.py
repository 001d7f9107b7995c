"""Loss and accuracy of a run, drawn while it trains."""

from __future__ import annotations

import math

from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine.jobs.events import AnyEvent, EpochDone, StepsDone, TrainingBegan, ValidationDone
from studio.engine.jobs.replay import JobHistory
from studio.ui.charts.live_chart import FRAME_MS, LiveChart
from studio.ui.context import AppContext
from studio.ui.pages.train.state import step_points
from studio.ui.theme.tokens import SPACE

STEP, TRAIN, VAL = "step", "train", "val"


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
        for chart in (self.loss, self.accuracy):
            chart.failed.connect(context.desk.show_failure)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE.l)
        row.addWidget(self.loss, 1)
        row.addWidget(self.accuracy, 1)

    def show_history(self, history: JobHistory) -> None:
        """Draw a run from its beginning."""
        per_epoch = history.training.steps_per_epoch if history.training else 1
        steps = [(at + 1) / per_epoch for at in range(len(history.step_loss))]
        epochs = [epoch.epoch for epoch in history.epochs]
        for chart, each, name in (
            (self.loss, history.step_loss, "loss"),
            (self.accuracy, history.step_accuracy, "accuracy"),
        ):
            chart.clear()
            chart.set_curve(STEP, steps, each, name=self.tr("Steps"), color_index=0, faint=True)
            train = [getattr(epoch, name) for epoch in history.epochs]
            ends = [(each.epoch, getattr(each, f"val_{name}")) for each in history.measured]
            times = [at for at, value in ends if not math.isnan(value)]
            val = [value for _, value in ends if not math.isnan(value)]
            chart.set_curve(TRAIN, epochs, train, name=self.tr("Train"), color_index=0)
            chart.set_curve(VAL, times, val, name=self.tr("Val"), color_index=0, dashed=True)
        self._mark_best(history)

    def add(self, history: JobHistory, events: list[AnyEvent]) -> None:
        """Draw what came since; `history` holds the events already."""
        if any(isinstance(event, TrainingBegan) for event in events):
            self.show_history(history)
            return
        for event in events:
            if isinstance(event, StepsDone):
                for x, loss, accuracy in step_points(history, event):
                    self.loss.append(STEP, x, loss)
                    self.accuracy.append(STEP, x, accuracy)
            elif isinstance(event, EpochDone):
                self.loss.append(TRAIN, event.epoch, event.loss)
                self.accuracy.append(TRAIN, event.epoch, event.accuracy)
            if isinstance(event, EpochDone | ValidationDone):
                if not math.isnan(event.val_loss):
                    self.loss.append(VAL, event.epoch, event.val_loss)
                    self.accuracy.append(VAL, event.epoch, event.val_accuracy)
                self._mark_best(history)

    def _mark_best(self, history: JobHistory) -> None:
        best = history.best
        for chart in (self.loss, self.accuracy):
            if best is None:
                chart.set_mark(None)
            else:
                chart.set_mark(best.epoch, self.tr("best"))
