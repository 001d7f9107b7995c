"""A new sweep on one page: what varies, how it is searched, what all runs have in common."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.engine.errors import Problem, StudioError
from studio.engine.jobs.job import Job
from studio.engine.networks.library import SavedNetwork, saved
from studio.engine.sweeps.fields import fields_in
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.requests import request_sweep
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.pages.sweeps.base_card import BaseCard
from studio.ui.pages.sweeps.draft import FIRST_FIELD, Outlook, Row, look
from studio.ui.pages.sweeps.messages import problem_text, runs_text, time_text
from studio.ui.pages.sweeps.search_card import SearchCard
from studio.ui.pages.sweeps.space_editor import SpaceEditor
from studio.ui.pages.sweeps.trained import trained_on
from studio.ui.shared.job_buttons import show_start
from studio.ui.shared.record_name import RecordName
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.button import push_button
from studio.ui.widgets.card import Card
from studio.ui.widgets.explain import explain
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.page_header import PageHeader
from studio.ui.widgets.scroll_column import ScrollColumn

SETTLE_MS = 150
FILL_MS = 500
_WIDEST = 960
FIRST_VALUES = "0.01, 0.001"


class NewSweep(QWidget):
    """Plans a sweep and asks for it.

    Signals:
        started: The id of the sweep that was asked for.
    """

    started = Signal(str)

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._plan: SweepPlan | None = None
        self.space = SpaceEditor(context.theme, self)
        self.search = SearchCard(context.theme, self)
        self.base = BaseCard(context, self)
        self.forecast = Card(self.tr("What will happen"), self)
        self.runs = QLabel(self)
        self.time = QLabel(self)
        self.problems = HintLabel("", "problem", self)
        self.name = RecordName(self.tr("Name of the sweep"), self)
        self.start_button = push_button(
            self.tr("Start"), context.theme, kind="primary", icon="play", parent=self
        )
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        # Runs of a sweep come by hundreds; they are listed now and then, and while it is seen.
        self._filling = QTimer(self)
        self._filling.setSingleShot(True)
        self._filling.setInterval(FILL_MS)
        self.space.set_rows([Row(FIRST_FIELD, FIRST_VALUES)])
        self._lay_out()
        self._connect()
        self._suggest_name()
        self._on_base()
        self._on_edited()
        explain(
            self.start_button,
            self.tr("Trains a network for each combination, one after another."),
        )

    def showEvent(self, event: QShowEvent) -> None:
        """What came and went while nobody looked is caught up with."""
        super().showEvent(event)
        self._catch_up()

    def choose_run(self, record_id: str) -> None:
        """Take the plan of a run as the base."""
        self.base.choose_run(record_id)

    def plan(self) -> SweepPlan | None:
        """The sweep as it stands, or None while something is wrong; the rows say what."""
        dimensions, base = self.space.dimensions(), self.base.plan()
        if dimensions is None or base is None:
            return None
        data = {
            **self.search.values(),
            "base": base.model_dump(),
            "dimensions": [each.model_dump() for each in dimensions],
        }
        plan, problems = SweepPlan.check(data)
        if plan is None:
            self._show_problems(problems)
        return plan

    def _lay_out(self) -> None:
        space = Card(self.tr("What varies"), self)
        space.body.addWidget(self.space)
        left = ScrollColumn(SPACE.m, self)
        for card in (space, self.search, self.base):
            left.column.addWidget(card)
        left.column.addStretch(1)
        left.setMinimumWidth(416)
        # Fields as wide as a large screen would tear their words from each other.
        left.setMaximumWidth(_WIDEST)
        for label in (self.runs, self.time):
            label.setWordWrap(True)
            self.forecast.body.addWidget(label)
        self.time.setProperty("role", "muted")
        self.forecast.body.addWidget(self.problems)
        right = ScrollColumn(SPACE.s, self)
        right.setMinimumWidth(216)
        right.setMaximumWidth(_WIDEST // 3 * 2)
        for widget in (self.forecast, self.name, self.start_button):
            right.column.addWidget(widget)
        right.column.addStretch(1)
        columns = QHBoxLayout()
        columns.setSpacing(SPACE.l)
        columns.addWidget(left, 3000)
        columns.addWidget(right, 2000)
        columns.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(SPACE.xl, SPACE.l, SPACE.l, SPACE.l)
        whole.setSpacing(SPACE.l)
        whole.addWidget(PageHeader(self.tr("New sweep"), parent=self))
        whole.addLayout(columns, 1)

    def _connect(self) -> None:
        jobs = self._context.jobs
        jobs.loaded.connect(self.base.fill)
        jobs.listed.connect(self._on_listed)
        for part in (self.space, self.search, self.base):
            part.changed.connect(self._on_edited)
        self.base.changed.connect(self._on_base)
        self._settle.timeout.connect(self._check)
        self._filling.timeout.connect(self._catch_up)
        self.start_button.clicked.connect(self._on_start)

    def _on_listed(self, kinds: frozenset[RecordKind]) -> None:
        is_ours = bool(kinds & {RecordKind.DATASET, RecordKind.RUN})
        if is_ours and self.isVisible() and not self._filling.isActive():
            self._filling.start()
        if RecordKind.SWEEP in kinds:
            self._suggest_name()

    def _catch_up(self) -> None:
        self.base.fill()
        self._settle.start()  # what was trained meanwhile says how long it takes
        self._context.background.run(
            self, partial(saved, self._context.workspace), self._on_networks
        )

    def _on_networks(self, networks: list[SavedNetwork]) -> None:
        self.space.offer_networks([each.name for each in reversed(networks)])

    def _on_base(self) -> None:
        self.search.fit(self.base.task)
        self.space.offer_fields(list(fields_in(self.base.design)))

    def _on_edited(self) -> None:
        self._plan = None
        self._allow(self.tr("It is being checked."))
        self._settle.start()

    def _check(self) -> None:
        self._plan = plan = self.plan()
        if plan is None:
            missing = self.base.form.values()["dataset"]
            text = (
                self.tr("Put the marked fields right.")
                if missing
                else self.tr("Choose a dataset.")
            )
            self._tell(text, "")
            self._allow(text)
            return
        runs = trained_on(self._context.jobs, plan.base.dataset)
        work = partial(look, self._context.workspace, plan, runs)
        self._context.background.run(self, work, self._on_outlook)

    def _on_outlook(self, outlook: Outlook) -> None:
        if outlook.plan is not self._plan:
            return  # something else was typed meanwhile
        self._tell(runs_text(outlook), time_text(outlook))
        self._show_problems(outlook.problems)
        wrong = any(problem.serious for problem in outlook.problems)
        self._allow(self.tr("Put the marked fields right first.") if wrong else "")

    def _show_problems(self, problems: tuple[Problem, ...] | list[Problem]) -> None:
        """Each beside what it is about; what has no place there stands at the right."""
        rest = self.space.show_problems(problems)
        rest = self.base.show_problems(self.search.show_problems(rest))
        text = "\n".join(map(problem_text, rest))
        self.problems.show_text(
            text, "problem" if any(each.serious for each in rest) else "advice"
        )

    def _tell(self, runs: str, time: str) -> None:
        self.runs.setText(runs)
        self.time.setText(time)
        self.time.setVisible(bool(time))
        self.problems.show_text("")

    def _allow(self, why_not: str) -> None:
        self.start_button.setEnabled(not why_not)
        show_start(self.start_button, self.tr("Start"), is_asked=False)
        self.start_button.setToolTip(why_not)

    def _suggest_name(self) -> None:
        sweeps = self._context.jobs.entries(RecordKind.SWEEP)
        self.name.suggest("sweep", [entry.name for entry in sweeps])

    def _on_start(self) -> None:
        plan = self._plan
        if plan is None:
            return
        self._allow(self.tr("It was asked for."))
        show_start(self.start_button, "", is_asked=True)
        self.name.refuse("")
        work = partial(request_sweep, self._context.jobs.queue, plan, self.name.text())
        self._context.background.run(self, work, self._on_requested, self._on_refused)

    def _on_requested(self, job: Job) -> None:
        self._allow("")
        self.name.accept()
        self._context.jobs.wake()
        self.started.emit(job.record.id)

    def _on_refused(self, error: BaseException) -> None:
        self._allow("")
        if isinstance(error, StudioError) and error.where == "name":
            self.name.refuse(str(error))
        elif isinstance(error, StudioError):
            self._show_problems([Problem(error.where, error.message, error.hint)])
        else:
            self._context.navigator.show_failure(error)
