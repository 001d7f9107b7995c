"""Follows the audits of the dataset that is shown: asks for one, ends it, reads what it said."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from studio.engine.datasets.audit.plan import AuditPlan
from studio.engine.datasets.requests import request_audit
from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.workspace import RecordKind
from studio.ui.bridge.jobs import JobEntry
from studio.ui.context import AppContext
from studio.ui.pages.datasets.audit_work import AuditFacts, read_audit


class AuditWatch(QObject):
    """What is known of the audit of one dataset.

    Signals:
        changed: `facts`, `problem` or `is_asking` is another; or there is another `job`.
        advanced: `job` went on.
    """

    changed = Signal()
    advanced = Signal()

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._record_id = ""
        self._folder: Path | None = None
        self._facts: AuditFacts | None = None
        self._problem: StudioError | None = None
        self._is_asking = False
        self._asked = 0
        jobs = context.jobs
        jobs.added.connect(self._on_added)
        jobs.moved.connect(self._on_moved)
        jobs.state_changed.connect(self._on_state)

    @property
    def facts(self) -> AuditFacts | None:
        """What the last audit said; None while that is being read."""
        return self._facts

    @property
    def problem(self) -> StudioError | None:
        """Why the last audit, or its report, came to nothing."""
        return self._problem

    @property
    def is_asking(self) -> bool:
        """Whether an audit was asked for just now."""
        return self._is_asking

    @property
    def job(self) -> JobEntry | None:
        """The audit that waits or runs; None where none does."""
        entries = self._context.jobs.entries(RecordKind.AUDIT)
        going = [entry for entry in entries if self._is_ours(entry) and _is_going(entry.state)]
        return going[0] if going else None

    def open(self, record_id: str, folder: Path | None) -> None:
        """Follow another dataset from now on; no folder: none."""
        self._record_id = record_id
        self._folder = folder
        self._facts = None
        self._problem = None
        self._is_asking = False
        self.reload()

    def reload(self) -> None:
        """Read again what the last audit said, and what is left of it."""
        self._asked += 1
        self.changed.emit()
        if self._folder is not None:
            self._context.background.run(
                self,
                partial(read_audit, self._folder),
                partial(self._on_facts, self._asked),
                partial(self._on_unreadable, self._asked),
            )

    def request(self) -> None:
        """Ask for an audit of the newest version."""
        if self._folder is None or self._is_asking or self.job is not None:
            return
        self._is_asking = True
        self._problem = None
        self.changed.emit()
        plan = AuditPlan(dataset=self._record_id)
        self._context.background.run(
            self,
            partial(request_audit, self._context.jobs.queue, plan),
            partial(self._on_asked, self._record_id),
            partial(self._on_refused, self._record_id),
        )

    def cancel(self) -> None:
        """End the audit that waits or runs; what an older one said stays."""
        job = self.job
        if job is not None:
            self._context.jobs.stop(job)

    def _is_ours(self, entry: JobEntry) -> bool:
        return isinstance(entry.plan, AuditPlan) and entry.plan.dataset == self._record_id

    def _on_facts(self, asked: int, facts: AuditFacts) -> None:
        if asked == self._asked:
            self._facts = facts
            self.changed.emit()

    def _on_unreadable(self, asked: int, error: BaseException) -> None:
        if not isinstance(error, StudioError):
            self._context.background.failed.emit(error)
        elif asked == self._asked:
            self._facts = AuditFacts(None, 0)
            self._problem = error
            self.changed.emit()

    def _on_asked(self, record_id: str, _job: object) -> None:
        self._context.jobs.wake()
        # `is_asking` stays until the job is known: in between there would be nothing to see.
        if record_id == self._record_id and self.job is not None:
            self._is_asking = False
            self.changed.emit()

    def _on_refused(self, record_id: str, error: BaseException) -> None:
        if record_id == self._record_id:
            self._is_asking = False
            self.changed.emit()
        self._context.background.failed.emit(error)

    def _on_added(self, entry: JobEntry) -> None:
        if self._is_ours(entry):
            self._is_asking = False
            self.changed.emit()
            if entry.state == State.COMPLETED:  # by another program, or between two looks
                self.reload()

    def _on_moved(self, entry: JobEntry, _events: object) -> None:
        if self._is_ours(entry):
            self.advanced.emit()

    def _on_state(self, entry: JobEntry) -> None:
        if not self._is_ours(entry):
            return
        self.changed.emit()
        if entry.state == State.COMPLETED:
            self._problem = None
            self.reload()
        elif entry.state in (State.FAILED, State.LOST):
            self._problem = StudioError(entry.history.reason, entry.history.hint)
            self.changed.emit()


def _is_going(state: State) -> bool:
    return state == State.QUEUED or state.has_worker
