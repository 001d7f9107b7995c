"""Records of the workspace in the window, with signals of their changes."""

from __future__ import annotations

import itertools
from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, cast, overload

import shiboken6
from PySide6.QtCore import QObject, Signal

from studio.engine.errors import StudioError
from studio.engine.jobs import control
from studio.engine.jobs.devices import Device
from studio.engine.jobs.events import Amended, Artifact, Event
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.scheduling import Wait, running_job, schedule, waiting_job
from studio.engine.jobs.states import State
from studio.engine.jobs.supervisor import (
    InfoChanged,
    Inspected,
    JobGone,
    JobMoved,
    JobSeen,
    Key,
    RecordDamaged,
    Supervisor,
    Trouble,
    Update,
)
from studio.engine.plans import Plan
from studio.engine.tasks import DEFAULT_TASK, known_task
from studio.engine.tasks.task import Task
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.bridge.background import Background
from studio.ui.documents.record import (
    JobCommand,
    RecordChange,
    RecordDocument,
    RunDocument,
    SweepDocument,
)

if TYPE_CHECKING:  # the window starts without the domains
    from studio.engine.datasets.recipe import DatasetRecipe
    from studio.engine.training.plan import TrainingPlan

EntryT = TypeVar("EntryT", bound="RecordDocument")


class Following(Generic[EntryT]):
    """Notifies a widget of changes of the records that it shows.

    Args:
        owner: The widget; after its deletion nothing is called.
        changed: Called with the record and what changed.
    """

    def __init__(self, owner: QObject, changed: Callable[[EntryT, RecordChange], None]) -> None:
        self._owner = owner
        self._changed = changed
        self._ends: list[Callable[[], None]] = []

    def show(self, *entries: EntryT | None) -> None:
        """Follow only these records."""
        for end in self._ends:
            end()
        shown = [entry for entry in entries if entry is not None]
        self._ends = [entry.observe(partial(self._on_changed, entry)) for entry in shown]

    def _on_changed(self, entry: EntryT, change: RecordChange) -> None:
        if shiboken6.isValid(self._owner):
            self._changed(entry, change)


class Jobs(QObject):
    """Follows the workspace; everything here happens in the window's thread.

    Until it is loaded, nothing is known; then everything that is there, at once.

    Args:
        workspace: The workspace.
        background: Runs requests.
        parent: Owner.
        queue: Queue of the workspace; None for the usual one.

    Signals (each carries the `RecordDocument` unless stated otherwise):
        changed: Any record changed; second, the `RecordChange`. At most ten times a second. What
            shows certain records follows these alone (`Following`).
        damaged: A `StudioError` about a record, or a workspace, that cannot be read.
        listed: Once for a whole batch of news, after the signals above: the kinds of which records
            came, went, were renamed, are in another state or have written another file, a
            `frozenset`. What shows records as a list needs no other signal.
        reading: How many records were read so far; while the workspace is looked through.
        loaded: The workspace was looked through for the first time (carries nothing); `listed`
            follows, with all kinds.
        devices_known: The driver has answered (carries nothing).
        queue_switched: The queue was paused or resumed here (carries nothing).

    Attributes:
        is_loaded: True once the workspace has been read.
        devices: Devices of this machine; empty until the driver has answered.
    """

    changed = Signal(object, object)
    damaged = Signal(object)
    listed = Signal(object)
    reading = Signal(int)
    loaded = Signal()
    devices_known = Signal()
    queue_switched = Signal()
    _arrived = Signal(list)

    def __init__(
        self,
        workspace: Workspace,
        background: Background,
        parent: QObject | None = None,
        queue: JobQueue | None = None,
    ) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self._background = background
        self._seen: dict[Key, RecordDocument] = {}
        self._entries: dict[Key, RecordDocument] = {}
        self._by_kind: dict[RecordKind, list[RecordDocument]] = {kind: [] for kind in RecordKind}
        self._unfinished: dict[Key, RecordDocument] = {}
        self._is_started = False
        self.is_loaded = False
        self._pausing: bool | None = None
        self.devices: Sequence[Device] = ()
        self._arrived.connect(self._on_arrived)
        self._supervisor = Supervisor(workspace, self._arrived.emit, queue)

    def start(self) -> None:
        """Start following the workspace, once."""
        if self._is_started:
            return
        self._is_started = True
        self._supervisor.start()
        self._background.run(self, partial(getattr, self.queue, "devices"), self._on_devices)

    def close(self) -> None:
        """Stop following; jobs keep running."""
        self._is_started = True  # a window that closes before it was painted follows nothing
        self._supervisor.close()

    @property
    def queue(self) -> JobQueue:
        """The queue; its methods touch the disk, so call them through `Background.run`."""
        return self._supervisor.queue

    def wake(self, _result: object = None) -> None:
        """Read the workspace at once, because something was just requested or done."""
        self._supervisor.wake()

    @overload
    def entries(self, kind: Literal[RecordKind.RUN]) -> list[RunDocument]: ...
    @overload
    def entries(self, kind: Literal[RecordKind.SWEEP]) -> list[SweepDocument]: ...
    @overload
    def entries(self, kind: RecordKind) -> list[RecordDocument]: ...
    def entries(self, kind: RecordKind) -> Sequence[RecordDocument]:
        """Return the records of a kind, newest first."""
        return self._by_kind[kind].copy()

    def newest(self, kinds: Iterable[RecordKind]) -> list[RecordDocument]:
        """Return the records of several kinds, newest first."""
        lists = [self._by_kind[kind] for kind in kinds]
        if len(lists) == 1:  # each kind is sorted already
            return lists[0].copy()
        return sorted(itertools.chain.from_iterable(lists), key=_age)

    def completed(self, kind: RecordKind) -> list[RecordDocument]:
        """Return the completed records of a kind, newest first."""
        return [entry for entry in self._by_kind[kind] if entry.state == State.COMPLETED]

    def all_entries(self) -> list[RecordDocument]:
        """Return all records of all kinds, in no order."""
        return list(self._entries.values())

    @overload
    def get(self, kind: Literal[RecordKind.RUN], record_id: str) -> RunDocument | None: ...
    @overload
    def get(self, kind: Literal[RecordKind.SWEEP], record_id: str) -> SweepDocument | None: ...
    @overload
    def get(self, kind: RecordKind, record_id: str) -> RecordDocument | None: ...
    def get(self, kind: RecordKind, record_id: str) -> RecordDocument | None:
        """Return the record with an id, if it is known.

        Args:
            kind: Kind of the record.
            record_id: The id.
        """
        return self._entries.get((kind, record_id))

    def task_of(self, entry: RunDocument) -> Task:
        """Return the task of a run: by its journal, or by its dataset before it began."""
        if entry.history.training is not None:
            return entry.history.task
        return self.task_of_dataset(cast("TrainingPlan", entry.plan).dataset)

    def task_of_dataset(self, record_id: str) -> Task:
        """Return the task of a dataset; the default task if it is unknown."""
        dataset = self.get(RecordKind.DATASET, record_id)
        if dataset is None:
            return DEFAULT_TASK
        return known_task(cast("DatasetRecipe", dataset.plan).task)

    def is_of_a_sweep(self, entry: RecordDocument) -> bool:
        """Return True for a run that a sweep started; the sweep reports on it itself."""
        kind, record_id = entry.key
        return kind == RecordKind.RUN and any(
            record_id in sweep.history.children for sweep in self.entries(RecordKind.SWEEP)
        )

    def active(self) -> list[RecordDocument]:
        """Return running jobs, oldest first, then waiting ones in the order of the queue."""
        at_work = [entry for entry in self._unfinished.values() if entry.state.has_worker]
        return sorted(at_work, key=lambda entry: entry.info.created) + self.waiting()

    def waiting(self) -> list[RecordDocument]:
        """Return waiting jobs in the order of the queue."""
        waiting = [entry for entry in self._unfinished.values() if entry.state == State.QUEUED]
        return sorted(waiting, key=_sort_key)

    def waits(self) -> dict[Key, Wait | None]:
        """Return why each job waits; None for one that is about to start, or if unknown."""
        waiting = self.waiting()
        if not self.devices:
            return dict.fromkeys(entry.key for entry in waiting)
        verdicts = schedule(
            [waiting_job(*entry.key, entry.plan, entry.history) for entry in waiting],
            [
                running_job(*entry.key, entry.plan, entry.history)
                for entry in self._unfinished.values()
                if entry.state.has_worker
            ],
            self.devices,
            self.queue.limits.jobs_at_once,
            paused=self.is_queue_paused,
        )
        pairs = zip(waiting, verdicts, strict=True)
        return {entry.key: verdict.wait for entry, verdict in pairs}

    @property
    def is_queue_paused(self) -> bool:
        """True if nothing starts; as the user asked, before the disk has it."""
        return self.queue.is_paused if self._pausing is None else self._pausing

    def set_queue_paused(self, paused: bool) -> None:
        """Pause the whole queue or resume it; running jobs continue."""
        self._pausing = paused
        self.queue_switched.emit()
        work = partial(self.queue.set_paused, paused)
        self._background.run(self, work, self._on_queue_switched, self._on_switch_refused)

    def stop(self, entry: RecordDocument) -> None:
        """Ask a job to stop and keep its results."""
        self._request(entry, "stop", partial(self.queue.stop, Job(entry.record)))

    def pause(self, entry: RecordDocument) -> None:
        """Ask a run to save a checkpoint and end its process."""
        self._request(entry, "pause", partial(control.pause, Job(entry.record), self.queue.send))

    def resume(self, entry: RecordDocument) -> None:
        """Resume an interrupted run from its last checkpoint."""
        self._change(partial(control.resume, self.queue, Job(entry.record)))

    def restart(self, entry: RecordDocument) -> None:
        """Put a job that ended back into the queue."""
        self._change(partial(self.queue.restart, Job(entry.record)))

    def hold(self, entry: RecordDocument) -> None:
        """Hold a waiting job."""
        self._change(partial(control.hold, self.queue, Job(entry.record)))

    def release(self, entry: RecordDocument) -> None:
        """Release a held job."""
        self._change(partial(control.release, self.queue, Job(entry.record)))

    def move(self, entry: RecordDocument, before: RecordDocument | None) -> None:
        """Move a waiting job before another, or to the end.

        Args:
            entry: The waiting job.
            before: The job before which it is inserted; None for the end.
        """
        job = Job(entry.record)
        if before is None:
            self._change(partial(control.move_last, self.queue, job))
        else:
            self._change(partial(control.move_before, self.queue, job, Job(before.record)))

    def _request(self, entry: RecordDocument, request: JobCommand, work: partial[None]) -> None:
        """Show a request at once: a starting worker may answer much later."""
        entry.request = request
        self._announce(entry)
        self._background.run(self, work, self.wake, partial(self._on_refused, entry))

    def _on_queue_switched(self, _nothing: object) -> None:
        self._pausing = None
        self.wake()

    def _on_switch_refused(self, error: BaseException) -> None:
        self._pausing = None
        self.queue_switched.emit()
        self._background.failed.emit(error)

    def _on_refused(self, entry: RecordDocument, error: BaseException) -> None:
        entry.request = None
        self._announce(entry)
        self._background.failed.emit(error)

    def _announce(self, entry: RecordDocument) -> None:
        self._notify(entry, RecordChange(is_state=True))
        self.listed.emit(frozenset({entry.key[0]}))

    def _change(self, work: partial[None]) -> None:
        self._background.run(self, work, self.wake)

    def _on_devices(self, devices: Sequence[Device]) -> None:
        self.devices = devices
        self.devices_known.emit()

    def _on_arrived(self, updates: list[Update]) -> None:
        listed: set[RecordKind] = set()
        for update in updates:
            if isinstance(update, RecordDamaged | Trouble):
                self.damaged.emit(update.error)
            elif isinstance(update, Inspected):
                self._load()
                listed.update(RecordKind)
            elif not self.is_loaded:
                self._read(update)
            elif self._take(update):
                listed.add(update.key[0])
        if not self.is_loaded:
            self.reading.emit(len(self._seen))
        elif listed:
            self.listed.emit(frozenset(listed))

    def _read(self, update: JobSeen | JobMoved | InfoChanged | JobGone) -> None:
        """Read records while the workspace is being loaded."""
        if isinstance(update, JobSeen):
            self._seen[update.key] = _entry(update)
        elif isinstance(update, JobMoved):
            self._seen[update.key].history.apply(update.events)
        elif isinstance(update, InfoChanged):
            self._seen[update.key].info = update.info
        else:
            del self._seen[update.key]

    def _load(self) -> None:
        self._entries, self._seen = self._seen, {}
        for entry in sorted(self._entries.values(), key=_age):
            self._by_kind[entry.key[0]].append(entry)
            self._follow(entry)
        self.is_loaded = True
        self.loaded.emit()

    def _take(self, update: JobSeen | JobMoved | InfoChanged | JobGone) -> bool:
        """Apply an update; return True if lists of records show it."""
        if isinstance(update, JobMoved):
            return self._move(self._entries[update.key], list(update.events))
        if isinstance(update, JobSeen):
            self._add(_entry(update))
        elif isinstance(update, InfoChanged):
            entry = self._entries[update.key]
            entry.info = update.info
            self._notify(entry, RecordChange(is_info=True))
        else:
            self._remove(self._entries.pop(update.key))
        return True

    def _add(self, entry: RecordDocument) -> None:
        self._entries[entry.key] = entry
        insort(self._by_kind[entry.key[0]], entry, key=_age)
        self._follow(entry)
        self._notify(entry, RecordChange(is_new=True))

    def _remove(self, entry: RecordDocument) -> None:
        same_kind = self._by_kind[entry.key[0]]
        same_kind[:] = [other for other in same_kind if other is not entry]
        self._unfinished.pop(entry.key, None)
        self._notify(entry, RecordChange(is_removed=True))

    def _move(self, entry: RecordDocument, events: list[Event]) -> bool:
        before, had_worker = entry.state, entry.history.state.has_worker
        entry.history.apply(events)
        if any(isinstance(event, Amended) for event in events):
            entry.plan = _current(entry.plan, entry.history)
        requeued = had_worker and entry.history.state == State.QUEUED
        if entry.history.state.is_at_rest or requeued:
            entry.request = None
        self._follow(entry)
        is_other = entry.state != before
        self._notify(entry, RecordChange(events, is_state=is_other))
        return is_other or any(isinstance(event, Artifact) for event in events)

    def _notify(self, entry: RecordDocument, change: RecordChange) -> None:
        entry.notify(change)
        self.changed.emit(entry, change)

    def _follow(self, entry: RecordDocument) -> None:
        if entry.state.is_finished:
            self._unfinished.pop(entry.key, None)
        else:
            self._unfinished[entry.key] = entry


def _entry(seen: JobSeen) -> RecordDocument:
    plan = _current(seen.plan, seen.history)
    return RecordDocument(seen.key, seen.record, seen.info, plan, seen.history)


def _current(plan: Plan, history: JobHistory) -> Plan:
    """Return a plan with the changes of its journal; those of a damaged journal are left out."""
    try:
        return plan.changed(**history.changes) if history.changes else plan
    except StudioError:
        return plan


def _age(entry: RecordDocument) -> float:
    return -entry.info.created.timestamp()


def _sort_key(entry: RecordDocument) -> tuple[float, str]:
    position = entry.history.position
    return (entry.info.created.timestamp() if position is None else position, entry.record.id)
