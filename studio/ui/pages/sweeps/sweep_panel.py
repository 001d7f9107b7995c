"""One sweep: how far it is, its trials as a table, and what can be done with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from studio.engine.jobs.events import Amended, Event
from studio.engine.jobs.states import State
from studio.engine.sweeps.history import SweepJob, TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.trial_order import move_trial
from studio.engine.training.history import RunHistory
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import SweepEntry
from studio.ui.context import AppContext
from studio.ui.pages.sweeps.add_values import AddValues
from studio.ui.pages.sweeps.messages import facts_text
from studio.ui.pages.sweeps.state import SweepFacts, moved_before
from studio.ui.pages.sweeps.sweep_actions import SweepActions
from studio.ui.pages.sweeps.trial_actions import TrialActions
from studio.ui.pages.sweeps.trial_charts import TrialCharts
from studio.ui.pages.sweeps.trials_model import TrialsModel
from studio.ui.pages.sweeps.trials_view import TrialsView
from studio.ui.pages.sweeps.watch import SweepWatch
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.explain import explain
from studio.ui.widgets.hint_label import HintLabel
from studio.ui.widgets.page_header import PageHeader
from studio.ui.widgets.page_stack import PageStack
from studio.ui.widgets.scroll_column import ScrollColumn
from studio.ui.widgets.state_badge import StateBadge

ARRANGE_MS = 1000


class SweepPanel(QWidget):
    """Follows one sweep; what its runs reach shows while they train."""

    def __init__(
        self, context: AppContext, watch: SweepWatch, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._watch = watch
        self._entry: SweepEntry | None = None
        self._plan: SweepPlan | None = None
        self._moved: dict[str, object] | None = None
        self.header = PageHeader("", parent=self)
        self.badge = StateBadge(context.theme, parent=self)
        self.reason = HintLabel("", "problem", self)
        self.actions_of_sweep = SweepActions(context, self)
        self.model = TrialsModel(context.theme, self._history_of, self)
        self.view = TrialsView(self.model, context.theme, context.settings.shortcuts, self)
        self.charts = TrialCharts(context, self._trials_now, self)
        self.actions_of_trial = TrialActions(context, self)
        self.add_values = AddValues(context, self)
        self._stack = PageStack(self)
        # Trials that train change places now and then, not ten times a second.
        self._arranging = QTimer(self)
        self._arranging.setSingleShot(True)
        self._arranging.setInterval(ARRANGE_MS)
        self._lay_out()
        self._connect()
        explain(
            self.view,
            self.tr("One row for each trial, best figures in bold. Choose rows to compare them."),
        )

    @property
    def entry(self) -> SweepEntry | None:
        """The sweep that is shown."""
        return self._entry

    def show_sweep(self, entry: SweepEntry) -> None:
        """Show a sweep; its trials come as soon as they are added up."""
        if entry is self._entry:
            return
        self._entry, self._plan = entry, None
        self.header.set_title(entry.name)
        self.header.set_subtitle("")
        self.view.clearSelection()
        self._show_trials()
        if isinstance(entry.plan, SweepPlan):
            self.model.show_trials(entry.plan, {})
        self._show_state()
        self._on_facts([entry.record.id])

    def _lay_out(self) -> None:
        self.header.add_action(self.badge)
        self.header.add_action(self.actions_of_sweep)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE.xl, SPACE.l, SPACE.l, SPACE.l)
        column.setSpacing(SPACE.m)
        column.addWidget(self.header)
        column.addWidget(self.reason)
        trials = QWidget(self)
        inner = QVBoxLayout(trials)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(SPACE.m)
        inner.addWidget(self._charts_over_table(), 1)
        inner.addWidget(self.actions_of_trial)
        adding = ScrollColumn(SPACE.m, self)
        adding.column.addWidget(self.add_values)
        adding.column.addStretch(1)
        self._stack.addWidget(trials)
        self._stack.addWidget(adding)
        column.addWidget(self._stack, 1)

    def _charts_over_table(self) -> QSplitter:
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.charts)
        splitter.addWidget(self.view)
        splitter.setStretchFactor(0, 3)
        splitter.setStretchFactor(1, 2)
        return splitter

    def _trials_now(self) -> tuple[SweepPlan, Mapping[int, TrialChanged]] | None:
        entry, plan = self._entry, self._plan
        return None if entry is None or plan is None else (plan, entry.history.trials)

    def _connect(self) -> None:
        jobs = self._context.jobs
        jobs.moved.connect(self._on_moved)
        jobs.added.connect(self._on_run)
        jobs.removed.connect(self._on_run)
        jobs.state_changed.connect(self._on_state)
        jobs.info_changed.connect(self._on_info)
        self._watch.changed.connect(self._on_facts)
        self.actions_of_sweep.add_wanted.connect(self._on_add_wanted)
        self.add_values.closed.connect(self._show_trials)
        self._arranging.timeout.connect(self.model.arrange)
        self.charts.trial_chosen.connect(self.view.select)
        self.charts.brushed.connect(self._on_brushed)
        self.view.chosen.connect(self._on_chosen)
        self.view.opened.connect(self._on_opened)
        self.view.move_wanted.connect(self._on_move_wanted)

    def _on_add_wanted(self) -> None:
        if self._entry is not None and self._plan is not None:
            self.add_values.show_sweep(self._entry, self._plan)
            self._stack.setCurrentIndex(1)

    def _show_trials(self) -> None:
        self._stack.setCurrentIndex(0)

    def _history_of(self, run: str) -> RunHistory | None:
        entry = self._context.jobs.get(RecordKind.RUN, run) if run else None
        return None if entry is None else entry.history

    def _on_facts(self, ids: list[str]) -> None:
        entry = self._entry
        facts = None if entry is None else self._watch.facts(entry.record.id)
        if entry is None or facts is None or entry.record.id not in ids:
            return
        if facts.plan != self._plan:
            self._plan = facts.plan
            chosen = self.view.selected()
            self.model.show_trials(facts.plan, entry.history.trials)
            if chosen is not None:
                self.view.select(chosen.number)
            self.charts.draw()
        self.model.set_best(frozenset(facts.best))
        self._show_waiting(facts)
        self.header.set_subtitle(facts_text(facts))
        self.actions_of_sweep.show_sweep(entry)
        self._on_chosen()

    def _show_waiting(self, facts: SweepFacts) -> None:
        """List the trials that have not begun; a selected one stays so, whatever its number is."""
        chosen = self.view.selected()
        self.model.show_waiting(facts.waiting)
        values = self._moved or (None if chosen is None else dict(chosen.event.values))
        if chosen is None and self._moved is None:
            return
        self._moved = None
        numbers = [each.number for each in facts.waiting if dict(each.values) == values]
        if numbers:
            self.view.select(numbers[0])
        elif chosen is not None:
            self.view.select(chosen.number)

    def _on_move_wanted(self, number: int, step: int) -> None:
        """Put a trial that waits a place up or down."""
        row = self.view.selected()
        may, before = moved_before(self.model.waiting, number, step)
        if self._entry is None or row is None or not may:
            return
        self._moved = dict(row.event.values)
        queue = self._context.jobs.queue
        work = partial(move_trial, queue, SweepJob(self._entry.record), number, before)
        self._context.background.run(self, work, self._on_asked)

    def _on_asked(self, _nothing: object) -> None:
        self._context.jobs.wake()

    def _on_moved(self, entry: SweepEntry, events: list[Event]) -> None:
        if entry.key[0] == RecordKind.RUN:
            self._on_run(entry)
        elif entry is self._entry and self._plan is not None:
            trials = [event for event in events if isinstance(event, TrialChanged)]
            if any(isinstance(event, Amended) for event in events):
                self._plan = None  # the watch tells the new one, and all is shown anew
            elif trials:
                self.model.update_trials(self._plan, trials)
                self._arrange_soon()
                self.charts.draw_soon()
                self._on_chosen()

    def _on_run(self, entry: SweepEntry, _events: object = None) -> None:
        if entry.key[0] == RecordKind.RUN and self.model.touch_run(entry.record.id):
            self._arrange_soon()
            chosen = self.view.selected()
            if chosen is not None and chosen.first_run == entry.record.id:
                self._on_chosen()

    def _arrange_soon(self) -> None:
        if not self._arranging.isActive():
            self._arranging.start()

    def _on_state(self, entry: SweepEntry) -> None:
        if entry is self._entry:
            self._show_state()

    def _on_info(self, entry: SweepEntry) -> None:
        if entry is self._entry:
            self.header.set_title(entry.name)

    def _show_state(self) -> None:
        if self._entry is None:
            return
        history = self._entry.history
        self.badge.set_state(self._entry.state.value)
        is_bad = history.state in (State.FAILED, State.LOST)
        self.reason.show_text(
            f"{history.reason} {history.hint}".strip() if is_bad else "", "problem"
        )
        self.actions_of_sweep.show_sweep(self._entry)

    def _on_chosen(self) -> None:
        if self._entry is None:
            return
        facts = self._watch.facts(self._entry.record.id)
        chosen, is_best = self.view.selected(), False
        if facts is not None and facts.best:
            best = self.model.row(self.model.index_of(facts.best[0]))
            is_best = chosen is None or chosen.number in facts.best
            chosen = chosen or best
        self.actions_of_trial.show_trial(self._entry, chosen, is_best=is_best)

    def _on_brushed(self, numbers: frozenset[int] | None) -> None:
        """Show those alone that are picked out in a chart."""
        chosen = self.view.selected()
        self.model.show_only(numbers)
        if chosen is not None:
            self.view.select(chosen.number)

    def _on_opened(self, number: int) -> None:
        self.view.select(number)
        self.actions_of_trial.open_run()
