"""The latest runs and sweeps, on the home page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from studio.engine.jobs.events import Event
from studio.engine.sweeps.history import SweepHistory, TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.training.history import RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.navigation import job_intent
from studio.ui.pages.home.run_card import RunCard
from studio.ui.pages.home.state import LATEST, of_sweeps, run_facts, sweep_facts
from studio.ui.theme.tokens import SPACE
from studio.ui.widgets.figures import count

_KINDS = (RecordKind.RUN, RecordKind.SWEEP)


class LatestRuns(QWidget):
    """A card for each of the newest runs and sweeps; takes no room while there is none.

    Runs of a sweep are told of by the card of that.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._cards: dict[str, RunCard] = {}
        title = QLabel(self.tr("Latest runs"), self)
        title.setProperty("role", "section")
        self._column = QVBoxLayout()
        self._column.setSpacing(SPACE.s)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE.s)
        column.addWidget(title)
        column.addLayout(self._column)
        jobs = context.jobs
        jobs.loaded.connect(self._fill)
        jobs.added.connect(self._on_list)
        jobs.removed.connect(self._on_list)
        jobs.moved.connect(self._on_run)
        jobs.state_changed.connect(self._on_list)
        jobs.info_changed.connect(self._on_run)
        self._fill()

    def cards(self) -> dict[str, RunCard]:
        """The cards shown, by the id of their run."""
        return dict(self._cards)

    def _on_list(self, entry: JobEntry) -> None:
        if entry.key[0] in _KINDS:
            self._fill()

    def _on_run(self, entry: JobEntry, events: Sequence[Event] = ()) -> None:
        news = [event for event in events if isinstance(event, TrialChanged)]
        asked = {run.id for event in news for run in event.runs}
        if asked & self._cards.keys():  # its run was seen before its row
            self._fill()
        if entry.record.id in self._cards and entry.key[0] in _KINDS:
            self._show(entry)

    def _fill(self) -> None:
        latest = self._latest()
        present = {entry.record.id for entry in latest}
        for record_id in self._cards.keys() - present:
            card = self._cards.pop(record_id)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for place, entry in enumerate(latest):
            record_id = entry.record.id
            if record_id not in self._cards:
                card = RunCard(self._context.theme, self)
                intent = job_intent(*entry.key)
                card.activated.connect(partial(self._context.navigator.open, intent))
                self._cards[record_id] = card
                self._column.insertWidget(place, card)
            self._show(entry)
        self.setVisible(bool(latest))

    def _latest(self) -> list[JobEntry]:
        jobs = self._context.jobs
        sweeps = jobs.entries(RecordKind.SWEEP)
        theirs = of_sweeps(sweep.history for sweep in sweeps)
        # What waits or runs is listed above already.
        ended = [sweep for sweep in sweeps if sweep.state.is_at_rest]
        runs = (run for run in jobs.entries(RecordKind.RUN) if run.state.is_at_rest)
        alone = (run for run in runs if run.record.id not in theirs)
        both: list[JobEntry] = [*islice(alone, LATEST), *ended[:LATEST]]
        return sorted(both, key=lambda entry: entry.info.created, reverse=True)[:LATEST]

    def _show(self, entry: JobEntry) -> None:
        card = self._cards[entry.record.id]
        if isinstance(entry.plan, TrainingPlan) and isinstance(entry.history, RunHistory):
            card.show_run(entry.name, entry.state, run_facts(entry.plan, entry.history))
        elif isinstance(entry.plan, SweepPlan) and isinstance(entry.history, SweepHistory):
            trials = count(len(entry.history.trials))
            words = self.tr("Sweep · {count} trials").format(count=trials)
            facts = sweep_facts(entry.plan, entry.history, words)
            card.show_sweep(entry.name, entry.state, facts)
