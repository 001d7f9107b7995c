"""Summaries of all sweeps, computed outside the window's thread and kept up to date."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.jobs.events import Amended
from studio.engine.jobs.states import State
from studio.engine.sweeps.history import SweepHistory, TrialChanged, TrialMoved
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.sweeps.rows import best_of_trials
from studio.engine.sweeps.space import trial_count
from studio.engine.sweeps.trial_order import WaitingTrial, waiting_trials
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import RecordChange, SweepDocument
from studio.ui.widgets.layout import Debounce

MAX_WAITING = 500
"""Maximum number of waiting trials that are listed."""

Asked = tuple[
    str, SweepPlan, Mapping[str, object], Mapping[int, TrialChanged], Sequence[TrialMoved]
]
"""Of a sweep: its id, plan, changes of the plan, trials and moves of trials."""


@dataclass(frozen=True, slots=True)
class SweepFacts:
    """Summary of a sweep.

    Attributes:
        plan: The current plan, with all additions.
        done: Number of finished trials with any result.
        total: Maximum number of trials; None if only the hours limit it.
        failed: Number of failed trials.
        best: Numbers of the best trials: one, or the Pareto front of several objectives.
        best_values: Results of the first of these; empty while no trial is completed.
        waiting: The first of the trials that have not started, in their order.
    """

    plan: SweepPlan
    done: int
    total: int | None
    failed: int
    best: tuple[int, ...]
    best_values: tuple[float, ...]
    waiting: tuple[WaitingTrial, ...] = ()


def facts_of(
    plan: SweepPlan,
    changes: Mapping[str, object],
    trials: Mapping[int, TrialChanged],
    moves: Sequence[TrialMoved] = (),
) -> SweepFacts:
    """Summarize a sweep; for ten thousand trials this takes tens of milliseconds.

    Raises:
        StudioError: The additions do not fit the plan.
    """
    now = plan.changed(**changes) if changes else plan
    best = tuple(best_of_trials(now, trials))
    total = trial_count(now)
    waiting: Iterable[WaitingTrial] = ()
    if total is None or len(trials) < total:
        history = SweepHistory(trials=dict(trials), moves=list(moves))
        waiting = islice(waiting_trials(now, history), MAX_WAITING)
    return SweepFacts(
        now,
        sum(row.state != State.RUNNING for row in trials.values()),
        total,
        sum(row.state == State.FAILED for row in trials.values()),
        best,
        trials[best[0]].measured if best else (),
        tuple(waiting),
    )


def facts_of_all(asked: Sequence[Asked]) -> dict[str, SweepFacts | StudioError]:
    """Summarize several sweeps by id; an error in place of the summary if that fails."""
    found: dict[str, SweepFacts | StudioError] = {}
    for record_id, plan, changes, trials, moves in asked:
        try:
            found[record_id] = facts_of(plan, changes, trials, moves)
        except StudioError as error:
            found[record_id] = error
    return found


SETTLE_MS = 200


class SweepMonitor(QObject):
    """Follows all sweeps and summarizes those that changed, in batches.

    Signals:
        changed: Ids of the sweeps whose summaries changed, as a list.
    """

    changed = Signal(list)

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._facts: dict[str, SweepFacts] = {}
        self._stale: set[str] = set()
        self._is_busy = False
        self._settle = Debounce(SETTLE_MS, self._add_up, self)
        jobs = context.jobs
        jobs.loaded.connect(self._on_loaded)
        jobs.changed.connect(self._on_changed)
        if jobs.is_loaded:
            self._on_loaded()

    def facts(self, record_id: str) -> SweepFacts | None:
        """Return the summary of a sweep; None before the first one is computed."""
        return self._facts.get(record_id)

    def _on_loaded(self) -> None:
        entries = self._context.jobs.entries(RecordKind.SWEEP)
        self._stale |= {entry.record.id for entry in entries}
        self._add_up()

    def _on_changed(self, entry: SweepDocument, change: RecordChange) -> None:
        if entry.key[0] != RecordKind.SWEEP:
            return
        kinds = TrialChanged | TrialMoved | Amended
        if change.is_new:
            self._stale.add(entry.record.id)
            self._add_up()
        elif any(isinstance(event, kinds) for event in change.events):
            self._stale.add(entry.record.id)
            if not self._settle.isActive():
                self._settle.start()

    def _add_up(self) -> None:
        if self._is_busy or not self._stale:
            return
        found = (self._context.jobs.get(RecordKind.SWEEP, each) for each in self._stale)
        # Copies: the histories change in the window's thread meanwhile.
        asked: list[Asked] = []
        for entry in found:
            if entry is not None and isinstance(entry.plan, SweepPlan):
                now = entry.history
                state = (dict(now.changes), dict(now.trials), tuple(now.moves))
                asked.append((entry.record.id, entry.plan, *state))
        self._stale.clear()
        self._is_busy = True
        work = partial(facts_of_all, asked)
        self._context.background.run(self, work, self._on_facts, ended=self._on_ended)

    def _on_ended(self) -> None:
        self._is_busy = False
        if self._stale:
            self._settle.start()

    def _on_facts(self, found: dict[str, SweepFacts | StudioError]) -> None:
        for record_id, facts in found.items():
            if isinstance(facts, StudioError):
                self._context.navigator.show_failure(facts)
            else:
                self._facts[record_id] = facts
        self.changed.emit([each for each in found if each in self._facts])
