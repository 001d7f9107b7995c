"""How the learning rate changes during training: a policy, its numbers, its curve."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.training.plan import TrainingPlan
from studio.engine.training.schedules import SCHEDULES, Schedule, curve
from studio.ui.pages.train.choice_card import ChoiceCard
from studio.ui.theme.theme import Theme
from studio.ui.widgets.figures import significant
from studio.ui.widgets.sparkline import Sparkline

CURVE_POINTS = 120
CURVE_HEIGHT = 56


class ScheduleCard(ChoiceCard[Schedule]):
    """Edits `schedule` and `schedule_options` of a training plan, and draws the rates."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(SCHEDULES, "schedule", "", theme, parent)
        title = self.tr("Learning-rate schedule")
        self.set_title(title)
        self.box.setAccessibleName(title)
        self._curve = Sparkline(theme, self)
        self._curve.setMinimumHeight(CURVE_HEIGHT)
        self._curve.setAccessibleName(self.tr("Learning rate over the training"))
        self._ends = QLabel(self)
        self._ends.setProperty("role", "caption")
        self._ends.setWordWrap(True)
        self.body.addWidget(self._curve)
        self.body.addWidget(self._ends)
        self.show_curve(None, 0)

    @property
    def curve(self) -> Sparkline:
        """The rates from the first step to the last."""
        return self._curve

    def set_plan(self, plan: TrainingPlan) -> None:
        """Show the schedule of a plan."""
        self.show_choice(plan.schedule, plan.schedule_options)

    def show_curve(self, plan: TrainingPlan | None, steps: int) -> None:
        """Draw the rates of a plan over its real number of steps; nothing where there is none."""
        for widget in (self._curve, self._ends):
            widget.setVisible(plan is not None and steps > 0)
        if plan is None or not steps:
            return
        _, rates = curve(
            plan.schedule,
            plan.schedule_options,
            plan.learning_rate,
            steps,
            plan.warmup_percent,
            CURVE_POINTS,
        )
        self._show_rates([float(rate) for rate in rates])

    def _show_rates(self, rates: Sequence[float]) -> None:
        self._curve.set_values(rates)
        if min(rates) == max(rates):
            self._ends.setText(self.tr("{rate} all along").format(rate=significant(rates[0], 3)))
            return
        self._ends.setText(
            self.tr("{first} at the start, {highest} at most, {last} at the end").format(
                first=significant(rates[0], 3),
                highest=significant(max(rates), 3),
                last=significant(rates[-1], 3),
            )
        )
