"""The background thread of the window that follows a workspace.

It starts what waits, notices what died, and hands over what journals say. Everything that touches
the disk happens here, not in the window's thread.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from studio.engine.errors import StudioError
from studio.engine.jobs.events import Event, StateChanged
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import JournalReader, journal_reader
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.types import JOB_KINDS, job_type, read_plan
from studio.engine.plans import Plan
from studio.engine.workspace import Record, RecordInfo, RecordKind, Workspace
from studio.engine.workspace.records import RECORD_FILE

Key = tuple[RecordKind, str]
POLL_SECONDS = 0.1
SCAN_SECONDS = 0.5
BATCH = 250
"""Records of the first look that are handed over at once; ten thousand are known after seconds."""


@dataclass(frozen=True, slots=True)
class JobSeen:
    """A record that was not known before. The receiver owns `history`."""

    key: Key
    record: Record
    info: RecordInfo
    plan: Plan
    history: JobHistory


@dataclass(frozen=True, slots=True)
class JobMoved:
    """New events of a known job, to be applied to its history."""

    key: Key
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class InfoChanged:
    """Name, notes or tags of a known record changed."""

    key: Key
    info: RecordInfo


@dataclass(frozen=True, slots=True)
class JobGone:
    """A known record was trashed."""

    key: Key


@dataclass(frozen=True, slots=True)
class RecordDamaged:
    """A record cannot be read; reported once."""

    key: Key
    error: StudioError


@dataclass(frozen=True, slots=True)
class Trouble:
    """The workspace cannot be followed for now (a disk that is full or gone); reported once."""

    error: StudioError


@dataclass(frozen=True, slots=True)
class Inspected:
    """All jobs that existed at the start were read; reported once."""


Update = JobSeen | JobMoved | InfoChanged | JobGone | RecordDamaged | Trouble | Inspected


@dataclass(slots=True)
class _Followed:
    reader: JournalReader
    info_changed: int
    state: State

    def read(self) -> list[Event]:
        events = self.reader.read()
        for event in events:
            if isinstance(event, StateChanged):
                self.state = event.state
        return events


class Supervisor:
    """Follows all jobs of a workspace in one daemon thread.

    Args:
        workspace: The workspace to follow.
        deliver: Called in the thread with a batch of updates. Each job's events come in order and
            without a gap. Jobs of the start come in batches of `BATCH`, followed by `Inspected`.
        queue: Queue of the workspace; None for the usual one.
    """

    def __init__(
        self,
        workspace: Workspace,
        deliver: Callable[[list[Update]], None],
        queue: JobQueue | None = None,
    ) -> None:
        self.queue = JobQueue(workspace) if queue is None else queue
        self._workspace = workspace
        self._deliver = deliver
        self._followed: dict[Key, _Followed] = {}
        self._damaged: set[Key] = set()
        self._next_scan = 0.0
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def wake(self) -> None:
        """Poll immediately, because something was just requested."""
        self._wake.set()

    def close(self) -> None:
        """End the thread; jobs continue."""
        self._ended.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        is_first, in_trouble = True, False
        while not self._ended.is_set():
            updates: list[Update] = []
            try:
                self._poll(updates)
            except (OSError, StudioError) as error:
                # The disk may come back, or be full only for a while: look again next time.
                if not in_trouble:
                    updates.append(Trouble(_trouble(error)))
                in_trouble = True
            else:
                in_trouble = False
            if is_first:
                updates.append(Inspected())
            is_first = False
            if updates:
                self._deliver(updates)
            self._wake.wait(POLL_SECONDS)

    def _poll(self, updates: list[Update]) -> None:
        """Read all journals once. Adds to `updates` on the way, so that an error loses nothing."""
        now = time.monotonic()
        if now >= self._next_scan or self._wake.is_set():
            self._wake.clear()
            self._next_scan = now + SCAN_SECONDS
            self._scan(updates)
        self._follow(updates)
        if not self.queue.is_idle():
            self.queue.dispatch()

    def _scan(self, updates: list[Update]) -> None:
        present: set[Key] = set()
        for kind in JOB_KINDS:
            for record in self._workspace.records(kind):
                key = (kind, record.id)
                present.add(key)
                if key not in self._damaged:
                    updates += self._inspect(key, record)
                if len(updates) >= BATCH:
                    self._deliver(updates.copy())
                    updates.clear()
        for key in self._followed.keys() - present:
            del self._followed[key]
            updates.append(JobGone(key))

    def _inspect(self, key: Key, record: Record) -> list[Update]:
        try:
            changed = (record.folder / RECORD_FILE).stat().st_mtime_ns
            known = self._followed.get(key)
            if known is None:
                return [self._meet(key, record, changed)]
            if changed != known.info_changed:
                known.info_changed = changed
                return [InfoChanged(key, record.info())]
        except FileNotFoundError:
            return []  # trashed between the listing and the look
        except StudioError as error:
            self._damaged.add(key)
            return [RecordDamaged(key, error)]
        return self._moved(key, self._followed[key])

    def _meet(self, key: Key, record: Record, changed: int) -> JobSeen:
        info, plan = record.info(), read_plan(record)
        reader, history = journal_reader(record), job_type(record.kind).history()
        history.apply(reader.read())
        self._followed[key] = _Followed(reader, changed, history.state)
        return JobSeen(key, record, info, plan, history)

    def _follow(self, updates: list[Update]) -> None:
        for key, known in self._followed.items():
            if not known.state.is_finished:
                updates += self._moved(key, known)

    def _moved(self, key: Key, known: _Followed) -> list[Update]:
        events = known.read()
        return [JobMoved(key, events)] if events else []


def _trouble(error: OSError | StudioError) -> StudioError:
    if isinstance(error, StudioError):
        return error
    return StudioError(
        "The workspace cannot be read: {reason}.",
        "Check that its disk is connected; Studio keeps trying.",
        str(error.filename or ""),
        reason=error.strerror or error,
    )
