"""What will happen when Train is pressed: steps and warnings."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.errors import Problem
from studio.engine.training.plan import TrainingPlan
from studio.ui.pages.train.state import count_steps
from studio.ui.widgets.card import Card
from studio.ui.widgets.figures import count
from studio.ui.widgets.hint_label import HintLabel


class Forecast(Card):
    """Follows the form; computes nothing that takes time."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("What will happen"))
        self._steps = QLabel(self)
        self._steps.setWordWrap(True)
        self._problems = HintLabel("", "problem", self)
        self._advice = HintLabel("", "advice", self)
        for widget in (self._steps, self._problems, self._advice):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        self.show_plan(None, None)

    def show_plan(self, plan: TrainingPlan | None, dataset: DatasetSummary | None) -> None:
        """Show what a plan means for a dataset; without one of them, what is missing."""
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

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Show what stands against the plan, and what is worth knowing."""
        serious = [_sentence(problem) for problem in problems if problem.serious]
        advice = [_sentence(problem) for problem in problems if not problem.serious]
        self._problems.show_text("\n".join(serious), "problem")
        self._advice.show_text("\n".join(advice), "advice")


def _sentence(problem: Problem) -> str:
    text = problem.message[:1].upper() + problem.message[1:]
    return f"{text} {problem.hint}".strip()
