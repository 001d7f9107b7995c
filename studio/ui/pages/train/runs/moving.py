"""The menu that lets a run continue on another machine, or on this one again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from studio.engine.errors import StudioError
from studio.engine.jobs.control import can_pause, can_resume, follow, pause
from studio.engine.jobs.executors.host import known_machines
from studio.engine.jobs.queue import JobQueue
from studio.engine.training.control import move, require_place
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Record
from studio.ui.context import AppContext
from studio.ui.documents.record import RunDocument
from studio.ui.widgets.tips import allow_action


class MoveMenu(QMenu):
    """The machines on which the run of the last `set_entries` can continue.

    Args:
        context: The workspace and its jobs.
    """

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("Continue on"))
        self._context = context
        self._entry: RunDocument | None = None
        self.aboutToShow.connect(self.fill)

    def set_entries(self, entries: Sequence[RunDocument]) -> None:
        """Set the selected runs; the reason why none can move is in the tooltip."""
        self._entry = entries[0] if len(entries) == 1 else None
        reason = ""
        if self._entry is None:
            reason = self.tr("Select one run.")
        elif not (can_pause(self._entry.state) or can_resume(self._entry.history)):
            reason = self.tr("Only for a run that is training or was interrupted.")
        allow_action(self.menuAction(), reason)

    def fill(self) -> None:
        """List the machines as they are known now; the run's own one is marked."""
        self.clear()
        if self._entry is None:
            return
        try:
            hosts = [each.host for each in known_machines()]
        except StudioError as error:
            self._context.background.failed.emit(error)
            hosts = []
        own = self._machine_of(self._entry)
        for host, text in (("", self.tr("This computer")), *zip(hosts, hosts, strict=True)):
            action = QAction(text.replace("&", "&&"), self)
            action.setCheckable(True)
            action.setChecked(host == own)
            action.setEnabled(host != own)
            action.triggered.connect(partial(self._on_chosen, host))
            self.addAction(action)
        if not hosts:
            self.addSeparator()
            hint = self.addAction(self.tr("Add machines in Settings, Other machines."))
            hint.setEnabled(False)

    def _machine_of(self, entry: RunDocument) -> str:
        plan = entry.plan
        usual = plan.machine if isinstance(plan, TrainingPlan) else ""
        return str(entry.history.changes.get("machine", usual))

    def _on_chosen(self, host: str) -> None:
        if self._entry is None:
            return
        work = partial(continue_on, self._context.jobs.queue, self._entry.record, host)
        self._context.background.run(self, work, self._context.jobs.wake)


def continue_on(queue: JobQueue, record: Record, machine: str) -> None:
    """Let a run continue on a machine; one that is training is paused first.

    Called in another thread: it connects to the machine, and waits until the run has paused.

    Args:
        queue: Queue of the workspace.
        record: The run.
        machine: Name of the machine; empty for this one.

    Raises:
        StudioError: The machine cannot be reached, or the run ended before it could be paused.
    """
    job = RunJob.read(record).with_history(RunHistory)
    require_place(queue, job, machine)
    if can_pause(job.history.state):
        pause(job)
        for _ in follow(queue, job):
            continue
    move(queue, job, machine)
