"""The learning rate finder."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.events import Amended, Event
from studio.engine.training.history import EpochDone, StepsDone, TrainingBegan, ValidationDone
from studio.engine.training.plan import GRADIENT, TrainingPlan
from studio.engine.training.schedules import curve
from studio.ui.charts.line_chart import LineChart
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.pages.train.dashboard.sections.section import RunSection
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.pages import ScrollColumn

PLANNED, USED = "planned", "used"
_POINTS = 1000
_NEWS = (Amended, EpochDone, TrainingBegan, ValidationDone)


class Rate(RunSection):
    """One chart over the epochs: cuts on plateaus and changes by hand leave the plan's curve."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._entry: RunDocument | None = None
        self.chart = LineChart(
            context.theme,
            self.tr("Learning rate"),
            self.tr("Epoch"),
            self.tr("Learning rate"),
            parent=self,
        )
        self.chart.failed.connect(context.navigator.show_failure)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACE.s, 0, 0)
        scroll = ScrollColumn(SPACE.s, self)  # a low window must not have to be as tall as it
        scroll.column.addWidget(self.chart)
        column.addWidget(scroll)

    @classmethod
    def title(cls) -> str:
        """The word on the tab."""
        return QCoreApplication.translate("Rate", "Rate")

    def show_run(self, entry: RunDocument) -> None:
        """Show a run from its beginning."""
        self._entry = entry
        self.chart.clear()
        self._show_planned(entry)
        ends = [(each.epoch, each.learning_rate) for each in entry.history.measured]
        self.chart.set_curve(
            USED,
            [at for at, _ in ends],
            [rate for _, rate in ends],
            name=self.tr("Used"),
            color_index=0,
        )

    def add(self, entry: RunDocument, events: Sequence[Event]) -> None:
        """Go on drawing."""
        if entry is not self._entry or any(isinstance(event, _NEWS) for event in events):
            self.show_run(entry)
            return
        training = entry.history.training
        for event in events:
            if isinstance(event, StepsDone) and training is not None:
                at = event.last / max(1, training.steps_per_epoch)
                self.chart.append(USED, at, event.learning_rate)

    def _show_planned(self, entry: RunDocument) -> None:
        training, plan = entry.history.training, entry.plan
        if training is None or not isinstance(plan, TrainingPlan) or plan.head_solver != GRADIENT:
            return
        try:
            plan = plan.changed(**entry.history.changes)
        except StudioError:
            return  # of a newer version: its changes mean nothing here
        per_epoch = max(1, training.steps_per_epoch)
        steps, rates = curve(
            plan.schedule,
            plan.schedule_options,
            plan.learning_rate,
            max(1, training.epochs * per_epoch),
            plan.warmup_percent,
            _POINTS,
        )
        self.chart.set_curve(
            PLANNED,
            (steps + 1) / per_epoch,
            rates,
            name=self.tr("Planned"),
            color_index=0,
            dashed=True,
        )
