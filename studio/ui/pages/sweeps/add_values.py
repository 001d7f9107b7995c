"""More for a sweep, also while it goes: further values, wider ranges, more trials or hours."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from studio.engine.jobs.states import State
from studio.engine.sweeps.history import SweepJob
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import extend
from studio.ui.context import AppContext
from studio.ui.documents.record import SweepDocument
from studio.ui.forms.plan_form import PlanForm
from studio.ui.pages.sweeps.draft import (
    Additions,
    Further,
    additions,
    look_further,
    row_of,
    rows_to_add_to,
)
from studio.ui.pages.sweeps.messages import further_text, there_text
from studio.ui.pages.sweeps.space import SpaceEditor
from studio.ui.pages.sweeps.state import trained_on
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.buttons import push_button
from studio.ui.widgets.cards import Card
from studio.ui.widgets.labels import HintLabel
from studio.ui.widgets.layout import STRETCH, Debounce, hbox, text_label
from studio.ui.widgets.tips import explain

BUDGET = ("trials", "hours")
SETTLE_MS = 150


class AddValues(Card):
    """The fields that vary already, and the budget; what is typed is added.

    Signals:
        closed: It was added, or given up.
    """

    closed = Signal()

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.set_title(self.tr("Add to this sweep"))
        self._context = context
        self._entry: SweepDocument | None = None
        self._plan: SweepPlan | None = None
        theme = context.theme
        self.space = SpaceEditor(theme, self)
        self.budget = PlanForm(SweepPlan, BUDGET, theme=theme, compact=True, parent=self)
        self.forecast = QLabel(self)
        self.forecast.setWordWrap(True)
        self._turn = 0
        # Typing goes on meanwhile: it is worked out when nothing was typed for a moment.
        self._settle = Debounce(SETTLE_MS, self._look, self)
        self.problem = HintLabel("", "problem", self)
        self.add_button = push_button(self.tr("Add"), theme, kind="primary", parent=self)
        self.cancel_button = push_button(self.tr("Cancel"), theme, parent=self)
        about = text_label(
            self.tr("Trials of what is there already stay; a sweep that is over goes on."),
            "muted",
            self,
            wraps=True,
        )
        row = hbox(self.add_button, self.cancel_button, STRETCH, spacing=SPACE.s)
        for widget in (about, self.space, self.budget, self.forecast, self.problem):
            self.body.addWidget(widget)
        self.body.addLayout(row)
        self.body.addStretch(1)
        self.space.changed.connect(self._on_edited)
        self.budget.changed.connect(self._on_edited)
        self.add_button.clicked.connect(self._on_add)
        self.cancel_button.clicked.connect(self.closed)
        explain(
            self.add_button,
            self.tr("Tries the new values too, and keeps all trials of before."),
        )
        explain(self.cancel_button, self.tr("Leaves the sweep as it is."))

    def show_sweep(self, entry: SweepDocument, plan: SweepPlan) -> None:
        """Ask what is to be added to a sweep, whose plan is that now."""
        self._entry, self._plan = entry, plan
        self.space.set_rows(rows_to_add_to(plan))
        self.space.keep_fields([there_text(row_of(each)) for each in plan.dimensions])
        self.budget.set_values({"trials": plan.trials, "hours": plan.hours})
        self.problem.show_text("")
        self._on_edited()

    def _asked(self) -> Additions | None:
        if self._plan is None:
            return None
        rows = [each.row() for each in self.space.rows]
        budget = self.budget.values()
        trials, hours = budget["trials"], budget["hours"]
        return additions(self._plan, rows, trials, hours)

    def _on_edited(self) -> None:
        asked = self._asked()
        if asked is None:
            return
        self.problem.show_text("")
        for row, wrong in zip(self.space.rows, asked.problems, strict=True):
            row.show_problems(wrong)
        self.budget.show_problems(asked.refused)
        why_not = ""
        wrong_budget = any(each.where in BUDGET for each in self.budget.problems())
        if any(asked.problems) or asked.refused or wrong_budget:
            why_not = self.tr("Put the marked fields right first.")
        elif not asked.is_something:
            why_not = self.tr("Type what is new.")
        self.add_button.setEnabled(not why_not)
        self.add_button.setToolTip(why_not)
        self._settle.start()

    def _look(self) -> None:
        """Say what the sweep will be with what is typed now."""
        asked, plan, entry = self._asked(), self._plan, self._entry
        self._turn += 1
        if asked is None or plan is None or entry is None or not self.add_button.isEnabled():
            self.forecast.setText("")
            return
        trials = entry.history.trials.values()
        over = sum(each.state != State.RUNNING for each in trials)
        runs = trained_on(self._context.jobs, plan.base.dataset)
        work = partial(look_further, plan, asked, over, runs)
        self._context.background.run(self, work, partial(self._on_outlook, self._turn))

    def _on_outlook(self, turn: int, further: Further | None) -> None:
        if turn == self._turn:
            self.forecast.setText("" if further is None else further_text(further))

    def _on_add(self) -> None:
        asked = self._asked()
        if asked is None or self._entry is None:
            return
        work = partial(
            extend,
            self._context.jobs.queue,
            SweepJob(self._entry.record),
            asked.dimensions,
            asked.trials,
            asked.hours,
        )
        self.add_button.setEnabled(False)
        self.add_button.setToolTip(self.tr("It was asked for."))
        self._context.background.run(self, work, self._on_added, self._on_refused)

    def _on_added(self, _nothing: object) -> None:
        self._context.jobs.wake()
        self.closed.emit()

    def _on_refused(self, error: BaseException) -> None:
        self._on_edited()
        self.problem.show_text(str(error), "problem")
