"""A job: a record with a journal that is queued, runs or has ended; and its context."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Generic, Literal, Self, TypeVar, cast

from typing_extensions import TypeVar as TypeVarWithDefault

from studio.engine.errors import DiskFullError, StudioError
from studio.engine.files import appended_lines, disk_full_is_clear
from studio.engine.jobs import commands, events
from studio.engine.jobs.commands import LASTING, CommandName, CommandReader, JobCommand
from studio.engine.jobs.events import DamagedLine, Decode, Event, decoder, encode
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.states import State
from studio.engine.jobs.types import JobType, job_type, read_plan
from studio.engine.messages import as_message
from studio.engine.plans import Plan
from studio.engine.progress import Cancelled
from studio.engine.workspace import Record, Workspace

# The journal of a job: an append-only file that survives a torn line.
#
# **Who may write.** Only the holder of the job's lock appends (`liveness.py`), so there is one
# writer at any moment. **Who may read.** Any process, at any time: a reader remembers how far it
# has read and takes whole lines only; the rest of a line that is being written is read next time.

JOURNAL_FILE = "journal.jsonl"


class JournalWriter:
    """Appends whole lines. Opening cuts off a line that a killed writer left torn."""

    def __init__(self, path: Path) -> None:
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        self._handle = os.open(path, flags, 0o644)
        self._end = self._cut_torn_line()

    def append(self, *events: Event, durable: bool = False) -> None:
        """Write events as lines, all or none.

        Args:
            *events: The events.
            durable: Wait until the lines are on the disk; for what must survive a power cut.

        Raises:
            DiskFullError: No space was left; the journal ends with the last whole line.
        """
        self.append_lines(b"".join(map(encode, events)), durable=durable)

    def append_lines(self, lines: bytes, *, durable: bool = False) -> None:
        """Append lines that were encoded elsewhere.

        Args:
            lines: Whole lines, newlines included.
            durable: True to flush them to the disk before returning.

        Raises:
            DiskFullError: No space was left; the journal ends with its last complete line.
        """
        with disk_full_is_clear(self.path):
            try:
                os.lseek(self._handle, self._end, os.SEEK_SET)
                written = os.write(self._handle, lines)
                while written < len(lines):
                    written += os.write(self._handle, lines[written:])
            except OSError:
                os.ftruncate(self._handle, self._end)
                raise
            self._end += len(lines)
            if durable:
                os.fsync(self._handle)

    def sync(self) -> None:
        """Wait until all written events are on the disk."""
        os.fsync(self._handle)

    def close(self) -> None:
        """Put everything on the disk and close the file."""
        os.fsync(self._handle)
        os.close(self._handle)

    def _cut_torn_line(self) -> int:
        size = os.lseek(self._handle, 0, os.SEEK_END)
        end, block = size, 4096
        while end > 0:
            start = max(0, end - block)
            os.lseek(self._handle, start, os.SEEK_SET)
            newline = os.read(self._handle, end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end != size:
            os.ftruncate(self._handle, end)
        return end


class JournalReader:
    """Follows a journal from its beginning.

    Args:
        path: The journal.
        decode: Decodes its lines, see `events.decoder`.

    Attributes:
        damaged: Number of complete lines that are not events.
        offset: Bytes that were read.
    """

    def __init__(self, path: Path, decode: Decode) -> None:
        self.path = path
        self._decode = decode
        self.damaged = 0
        self.offset = 0

    def read(self) -> list[Event]:
        """Return the events of all lines that were finished since the last call."""
        lines, self.offset = appended_lines(self.path, self.offset)
        events = []
        for line in lines:
            try:
                event = self._decode(line)
            except DamagedLine:
                self.damaged += 1
                continue
            if event is not None:
                events.append(event)
        return events


PlanT = TypeVar("PlanT", bound=Plan)
OtherT = TypeVar("OtherT", bound=JobHistory)
HistoryT_co = TypeVarWithDefault(
    "HistoryT_co", bound=JobHistory, default=JobHistory, covariant=True
)


def journal_reader(record: Record) -> JournalReader:
    """Return a reader of the journal of a job."""
    events = job_type(record.kind).events
    return JournalReader(record.folder / JOURNAL_FILE, decoder(events))


class Job(Generic[HistoryT_co]):
    """Follows one job. `history` holds what `refresh` has read so far.

    Domains whose history has more name their own type, such as `RunJob = Job[RunHistory]`.

    Attributes:
        record: The record that the job fills.
        history: The journal, added up.
    """

    def __init__(self, record: Record) -> None:
        self.record = record
        self.history: HistoryT_co = cast("HistoryT_co", job_type(record.kind).history())
        self._reader = journal_reader(record)

    @classmethod
    def read(cls, record: Record) -> Self:
        """Follow the job of a record, and read its journal so far."""
        job = cls(record)
        job.refresh()
        return job

    @property
    def job_type(self) -> JobType:
        """Type of the job."""
        return job_type(self.record.kind)

    def with_history(self, history: type[OtherT]) -> Job[OtherT]:
        """Return this job, typed by the class of its history.

        Raises:
            TypeError: It is a job of another kind.
        """
        if not isinstance(self.history, history):
            raise TypeError(f"{self.record.id} is a {self.record.kind.value}")
        return cast("Job[OtherT]", self)

    @property
    def damaged_lines(self) -> int:
        """Lines of the journal that could not be read and were passed over."""
        return self._reader.damaged

    def identity(self) -> dict[str, object]:
        """Return name, id and state as plain data; the journal must be read."""
        record = self.record
        return {"name": record.name, "id": record.id, "state": self.history.state.value}

    @property
    def offset(self) -> int:
        """Bytes of the journal that were read."""
        return self._reader.offset

    def refresh(self) -> list[Event]:
        """Read what is new in the journal, add it to `history` and return it."""
        events = self._reader.read()
        self.history.apply(events)
        return events

    def plan(self, plan_class: type[PlanT]) -> PlanT:
        """Return the plan, which must be of that class.

        Raises:
            StudioError: The file is damaged.
        """
        plan = read_plan(self.record)
        if not isinstance(plan, plan_class):
            raise TypeError(f"the plan of {self.record.id} is a {type(plan).__name__}")
        return plan

    def current_plan(self, plan_class: type[PlanT]) -> PlanT:
        """Return the plan with what became of it since; `history` must be read.

        Raises:
            StudioError: The file is damaged.
        """
        return self.plan(plan_class).changed(**self.history.changes)

    def append(self, *events: Event) -> None:
        """Write events, all or none; only for the holder of the job's lock."""
        writer = JournalWriter(self.record.folder / JOURNAL_FILE)
        try:
            writer.append(*events, durable=True)
        finally:
            writer.close()
        self.refresh()

    def require_completed(self, what_for: str) -> None:
        """Refuse to continue unless the job is completed.

        Raises:
            StudioError: It is not; the message says what it is instead.
        """
        self.refresh()
        state = self.history.state
        if state is State.COMPLETED:
            return
        has_failed = state in (State.FAILED, State.LOST)
        hint = "Use another one, or start it again."
        if not state.is_finished:
            hint = "Resume it first." if state is State.PAUSED else "Wait until it is done."
        raise StudioError(
            'The {kind} "{name}" has failed, but {purpose} needs a completed one.'
            if has_failed
            else 'The {kind} "{name}" is {state}, but {purpose} needs a completed one.',
            hint,
            kind=self.record.kind.label,
            name=self.record.name,
            state=state.label,
            purpose=as_message(what_for),
        )

    def raise_if_failed(self) -> None:
        """Raise the error with which the job ended; `history` must be read.

        Raises:
            StudioError: It failed, or was paused, because of something that its user can change.
            JobFailedError: It failed because of a bug, or its process was lost.
        """
        self.history.raise_if_failed()


def send_command(job: Job, command: CommandName, value: float | None = None) -> None:
    """Send a command to the worker of a job.

    Args:
        job: The job; its journal was read.
        command: The command.
        value: Argument of commands with a number.

    Raises:
        StudioError: The job was deleted.
        DiskFullError: No space was left for a command other than stop and pause.
    """
    commands.send(job.record.folder, command, job.history.attempt, value)


SendCommand = Callable[[Job, CommandName, float | None], None]
"""Sends a command to the worker of a job, see `send_command`."""

# What the handler of a job that runs is given.

EVENT_SECONDS = 0.1
Ending = Literal["stop", "pause"]
Part = Literal["waiting", "computing", "validating", "writing"]
"""Parts of the time of a training."""
Doing = Callable[[Part], contextlib.AbstractContextManager[None]]


def _unmeasured(_part: Part) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


class JobContext(Generic[HistoryT_co]):
    """Passed to the handler of a job. It is also the `Progress` of long work.

    Attributes:
        workspace: Workspace of the records that the plan names.
        job: The running job.
        attempt: Number of the attempt, from 1.
        doing: Names the current phase: `with context.doing("writing"):`. A profiler registers
            itself here.
    """

    def __init__(self, workspace: Workspace, job: Job[HistoryT_co], writer: JournalWriter) -> None:
        self.workspace = workspace
        self.job = job
        self.attempt = job.history.attempt
        self.doing: Doing = _unmeasured
        self._writer = writer
        self._guard = threading.Lock()
        self._listeners: list[Callable[[events.Event], None]] = []
        since = job.history.handled if job.job_type.is_coordinator else None
        self._commands = CommandReader(job.record.folder, self.attempt, since=since)
        self._next_progress = 0.0
        self._last_step = ""
        self._ending: Ending | None = None
        self._asked_by_signal: Ending | None = None
        self._requests: list[JobCommand] = []

    @property
    def folder(self) -> Path:
        """The record's folder, where artifacts go."""
        return self.job.record.folder

    def emit(self, *emitted: events.Event, durable: bool = False) -> None:
        """Append events to the journal, all or none; safe in any thread.

        Args:
            *emitted: The events.
            durable: True to flush them to the disk before returning.
        """
        with self.doing("writing"):
            with self._guard:
                self._writer.append(*emitted, durable=durable)
            for listener in self._listeners:
                for event in emitted:
                    listener(event)

    def add_listener(self, listener: Callable[[events.Event], None]) -> None:
        """Call a listener with every event that is written, in the writing thread."""
        self._listeners.append(listener)

    def result(self, values: dict[str, object]) -> None:
        """Report the results of the job."""
        self.emit(events.Result(values=values))

    def artifact(self, name: str, path: Path) -> None:
        """Report a file of the record as ready to be used.

        Args:
            name: Name of the artifact.
            path: The file, inside the record's folder.
        """
        self.emit(events.Artifact(name=name, path=path.relative_to(self.folder).as_posix()))

    def advance(self, done: int, total: int, what: str) -> None:
        """Report progress, at most ten times a second; the last unit and new steps always count.

        Args:
            done: Finished units.
            total: All units.
            what: Name of the step and its unit.
        """
        now = time.monotonic()
        if now < self._next_progress and done != total and what == self._last_step:
            return
        self._next_progress, self._last_step = now + EVENT_SECONDS, what
        self.emit(events.ProgressMade(done=done, total=total, what=what))

    def warn(self, message: str) -> None:
        """Report something that the user should read."""
        self.emit(events.Note(level="warning", message=message))

    def sync(self) -> None:
        """Wait until all written events are on the disk."""
        with self._guard:
            self._writer.sync()

    def check(self) -> None:
        """Raise Cancelled if an end was requested.

        Raises:
            Cancelled: A stop or a pause was requested.
        """
        if self.ending() is not None:
            raise Cancelled

    def stop_requested(self) -> bool:
        """Return True if the job must end now and keep its results. Fast enough for every step."""
        return self.ending() == "stop"

    def ending(self) -> Ending | None:
        """Return the way in which the job must end now, if any. Cheap enough for every step."""
        self._poll()
        return self._ending

    def requests(self) -> list[JobCommand]:
        """Return the other requests, each once."""
        self._poll()
        requests, self._requests = self._requests, []
        return requests

    def mark_requests_handled(self) -> None:
        """Record that all requests so far were handled, so that a later worker skips them."""
        self.emit(events.RequestsHandled(offset=self._commands.offset), durable=True)

    def end(self, *outcome: events.StateChanged) -> bool:
        """Record how the job ended, unless a coordinator received requests in its last moment.

        Args:
            *outcome: Its last state, and states that follow at once; others see all or none.

        Returns:
            True if it ended; otherwise requests are left.
        """
        if not self.job.job_type.is_coordinator:
            self.emit(*outcome, durable=True)
            return True
        with commands.silence(self.folder):
            self._poll(at_once=True)
            can_go_on = outcome[0].state in (State.COMPLETED, State.STOPPED, State.PAUSED)
            if can_go_on and any(each.command in LASTING for each in self._requests):
                return False
            self.emit(*outcome, durable=True)
            return True

    def stop_on_signal(self) -> None:
        """Treat SIGTERM (log-out, shutdown) as a request to stop."""
        signal.signal(signal.SIGTERM, self._on_signal)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.end_by_signal("stop")

    def end_by_signal(self, ending: Ending) -> None:
        """Request the end of the job from a handler of a signal."""
        # Only a flag: the journal may be in the middle of a line.
        self._asked_by_signal = ending

    def _poll(self, *, at_once: bool = False) -> None:
        came = self._commands.poll(at_once=at_once)
        if not came and self._asked_by_signal is None:
            return
        self._requests += [each for each in came if each.command not in ("stop", "pause")]
        names: set[str | None] = {self._asked_by_signal, *(each.command for each in came)}
        requested: Ending | None = None
        if "stop" in names:
            requested = "stop"
        elif "pause" in names:
            requested = "pause"
        if requested is None or self._ending == "stop":
            return
        is_first, self._ending = self._ending is None, requested  # a stop goes before a pause
        if is_first:
            # On a full disk only the last event, for which there is a reserve, can be written.
            with contextlib.suppress(DiskFullError):
                self.emit(events.StateChanged(state=State.STOPPING, attempt=self.attempt))
