"""What will happen when Train is pressed: steps, the learning-rate curve, warnings."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem
from studio.engine.training.plan import TrainingPlan
from studio.ui.pages.train.state import count_steps
from studio.ui.theme.theme import Theme
from studio.ui.widgets.card import Card
from studio.ui.widgets.figures import count, significant
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.sparkline import Sparkline

CURVE_POINTS = 120


class Forecast(Card):
    """Follows the form; computes nothing that takes time."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("What will happen"))
        self._steps = QLabel(self)
        self._steps.setWordWrap(True)
        self._rate_title = QLabel(self)
        self._rate_title.setProperty("role", "caption")
        self._rate_title.setWordWrap(True)
        self._rate = Sparkline(theme, self)
        self._rate.setMinimumHeight(56)
        self._rate.setAccessibleName(self.tr("Learning rate over the training"))
        self._problems = HintLabel("", "problem", self)
        self._advice = HintLabel("", "advice", self)
        for widget in (self._steps, self._rate_title, self._rate, self._problems, self._advice):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.show_plan(None, None)

    def show_plan(self, plan: TrainingPlan | None, dataset: DatasetSummary | None) -> None:
        """Show what a plan means for a dataset; without one of them, what is missing."""
        for widget in (self._rate, self._rate_title):
            widget.setVisible(plan is not None and dataset is not None)
        if plan is None or dataset is None:
            missing_data, wrong = (
                self.tr("Choose a dataset."),
                self.tr("Put the marked fields right."),
            )
            self._steps.setText(missing_data if dataset is None else wrong)
            return
        steps = count_steps(plan, dataset.count["train"])
        self._steps.setText(
            self.tr(
                "{images} training images in batches of {batch}: {steps} steps per epoch, "
                "{total} in all. Measured after every epoch on {val} validation images."
            ).format(
                images=count(dataset.count["train"]),
                batch=count(plan.batch_size),
                steps=count(steps.per_epoch),
                total=count(steps.total),
                val=count(dataset.count["val"]),
            )
        )
        self._show_rate(plan, steps.total)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show what stands against the plan, and what is worth knowing."""
        serious = [_sentence(problem) for problem in problems if problem.serious]
        advice = [_sentence(problem) for problem in problems if not problem.serious]
        self._problems.show_text("\n".join(serious), "problem")
        self._advice.show_text("\n".join(advice), "advice")

    def _show_rate(self, plan: TrainingPlan, total: int) -> None:
        from studio.engine.training.schedules.curve import (  # noqa: PLC0415 - NumPy, when needed
            curve,
        )

        _, rates = curve(
            plan.schedule,
            plan.schedule_options,
            plan.learning_rate,
            total,
            plan.warmup_percent,
            CURVE_POINTS,
        )
        values = [float(rate) for rate in rates]
        self._rate.set_values(values)
        self._rate_title.setText(
            self.tr("Learning rate: {first} at the start, {last} at the end").format(
                first=significant(values[0], 3), last=significant(values[-1], 3)
            )
        )


def _sentence(problem: Problem) -> str:
    text = problem.message[:1].upper() + problem.message[1:]
    return f"{text} {problem.hint}".strip()
