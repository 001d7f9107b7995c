"""What is known of every sweep, added up outside the window's thread, and kept while it goes."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.jobs.events import Amended
from studio.engine.sweeps.history import TrialChanged, TrialMoved
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.workspace import RecordKind
from studio.ui.context import AppContext
from studio.ui.documents.record import Change, SweepDocument
from studio.ui.pages.sweeps.state import Asked, SweepFacts, facts_of_all
from studio.ui.widgets.layout import Debounce

SETTLE_MS = 200


class SweepWatch(QObject):
    """Follows all sweeps; trials that end together are added up once.

    Signals:
        changed: Ids of sweeps whose facts are others now, as a list.
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
        """What is known of a sweep; None while it is added up for the first time."""
        return self._facts.get(record_id)

    def _on_loaded(self) -> None:
        entries = self._context.jobs.entries(RecordKind.SWEEP)
        self._stale |= {entry.record.id for entry in entries}
        self._add_up()

    def _on_changed(self, entry: SweepDocument, change: Change) -> None:
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
        # Copies: the histories go on in the window's thread meanwhile.
        asked: list[Asked] = [
            (
                entry.record.id,
                entry.plan,
                dict(entry.history.changes),
                dict(entry.history.trials),
                tuple(entry.history.moves),
            )
            for entry in found
            if entry is not None and isinstance(entry.plan, SweepPlan)
        ]
        self._stale.clear()
        self._is_busy = True
        self._context.background.run(self, partial(facts_of_all, asked), self._on_facts)

    def _on_facts(self, found: dict[str, SweepFacts | StudioError]) -> None:
        self._is_busy = False
        for record_id, facts in found.items():
            if isinstance(facts, StudioError):
                self._context.navigator.show_failure(facts)
            else:
                self._facts[record_id] = facts
        self.changed.emit([each for each in found if each in self._facts])
        if self._stale:
            self._settle.start()
