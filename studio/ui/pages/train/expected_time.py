"""How long a training is expected to take, beside the button that starts it."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.datasets.summary import DatasetSummary
from studio.engine.training.expected_time import ExpectedTime, expected_time
from studio.engine.training.plan import TrainingPlan
from studio.ui.context import AppContext
from studio.ui.widgets.figures import duration


class ExpectedTimeLabel(QLabel):
    """Follows the form; empty while nothing is known."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._plan: TrainingPlan | None = None
        self.setProperty("role", "caption")
        self.setWordWrap(True)
        self.expected: ExpectedTime | None = None
        self._show(None)

    def show_plan(self, plan: TrainingPlan | None, dataset: DatasetSummary | None) -> None:
        """Estimate the time of a plan in the background.

        Args:
            plan: The plan; None while it holds something wrong.
            dataset: What its dataset holds; None while that is not known.
        """
        self._plan = plan
        if plan is None or dataset is None:
            self._show(None)
            return
        work = partial(expected_time, self._context.workspace, plan, dataset)
        self._context.background.run(self, work, partial(self._on_expected, plan))

    def _on_expected(self, plan: TrainingPlan, expected: ExpectedTime | None) -> None:
        if plan == self._plan:
            self._show(expected)

    def _show(self, expected: ExpectedTime | None) -> None:
        self.expected = expected
        if expected is None:
            self.setText("")
            self.setToolTip("")
            return
        time = duration(round(expected.seconds))
        if expected.source == "preflight":
            text = self.tr("Takes about {time}, by the preflight check.")
            tip = self.tr("Measured with the steps of this plan.")
        elif expected.source == "benchmark":
            text = self.tr("Takes roughly {time}; the preflight check measures it.")
            tip = self.tr("Estimated from the speed of the processor and the cost of the network.")
        else:
            text = self.tr("Takes about {time}, by earlier runs on this machine.")
            tip = self.tr("The preflight check measures it with the steps of this plan.")
        self.setText(text.format(time=time))
        self.setAccessibleName(self.text())
        self.setToolTip(tip)
