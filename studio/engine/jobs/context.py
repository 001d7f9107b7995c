"""What a running job has in its hands: its plan, its folder, its journal, and its ear."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Generic, Literal

from studio.engine.jobs import commands, events
from studio.engine.jobs.commands import LASTING, Command, CommandReader
from studio.engine.jobs.job import HistoryT_co, Job, JournalWriter
from studio.engine.jobs.states import State
from studio.engine.progress import Cancelled
from studio.engine.workspace import Workspace

EVENT_SECONDS = 0.1
Ending = Literal["stop", "pause"]
Part = Literal["waiting", "computing", "validating", "writing"]
"""What the time of a training goes to."""
Doing = Callable[[Part], contextlib.AbstractContextManager[None]]


def _unmeasured(_part: Part) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


class JobContext(Generic[HistoryT_co]):
    """Passed to the handler of a job. It is also the `Progress` of long work.

    Attributes:
        workspace: Where the records are that the plan names.
        job: The job at work.
        attempt: Which attempt this is, from 1.
        doing: What long work does now: `with context.doing("writing"):`. Who measures where the
            time goes puts itself here; nobody does by default.
    """

    def __init__(self, workspace: Workspace, job: Job[HistoryT_co], writer: JournalWriter) -> None:
        self.workspace = workspace
        self.job = job
        self.attempt = job.history.attempt
        self.doing: Doing = _unmeasured
        self._writer = writer
        self._guard = threading.Lock()
        self._listeners: list[Callable[[events.Event], None]] = []
        since = job.history.heard if job.job_type.is_coordinator else None
        self._commands = CommandReader(job.record.folder, self.attempt, since=since)
        self._next_progress = 0.0
        self._last_stage = ""
        self._ending: Ending | None = None
        self._stop_by_signal = False
        self._wishes: list[Command] = []

    @property
    def folder(self) -> Path:
        """The record's folder, where artifacts go."""
        return self.job.record.folder

    def emit(self, event: events.Event, *, durable: bool = False) -> None:
        """Append an event to the journal; any thread may."""
        with self.doing("writing"):
            with self._guard:
                self._writer.append(event, durable=durable)
            for listener in self._listeners:
                listener(event)

    def add_listener(self, listener: Callable[[events.Event], None]) -> None:
        """Have every event told that is written from now on, in the thread that writes it."""
        self._listeners.append(listener)

    def result(self, values: dict[str, object]) -> None:
        """Report the figures that the job was done for."""
        self.emit(events.Result(values=values))

    def artifact(self, name: str, path: Path) -> None:
        """Report a file of the record that can be used from now on."""
        self.emit(events.Artifact(name=name, path=path.relative_to(self.folder).as_posix()))

    def advance(self, done: int, total: int, what: str) -> None:
        """Report progress; at most ten times a second, and always the last and a new stage."""
        now = time.monotonic()
        if now < self._next_progress and done != total and what == self._last_stage:
            return
        self._next_progress, self._last_stage = now + EVENT_SECONDS, what
        self.emit(events.ProgressMade(done=done, total=total, what=what))

    def warn(self, message: str) -> None:
        """Report something that the user should read."""
        self.emit(events.Note(level="warning", message=message))

    def sync(self) -> None:
        """Wait until everything that was written so far is on the disk."""
        with self._guard:
            self._writer.sync()

    def check(self) -> None:
        """End the work here if somebody asked for it.

        Raises:
            Cancelled: A stop, or a pause, was asked for.
        """
        if self.ending() is not None:
            raise Cancelled

    def stop_requested(self) -> bool:
        """Whether the job is to end now and keep what it has. Cheap enough for every step."""
        return self.ending() == "stop"

    def ending(self) -> Ending | None:
        """How the job is to end now, if it is. Cheap enough for every step."""
        self._listen()
        return self._ending

    def wishes(self) -> list[Command]:
        """What else is wanted, each once."""
        self._listen()
        wishes, self._wishes = self._wishes, []
        return wishes

    def heard(self) -> None:
        """Say that all wishes so far were acted on: nobody who comes after us has to do them."""
        self.emit(events.Heard(offset=self._commands.offset), durable=True)

    def end(self, outcome: events.StateChanged) -> bool:
        """Say how the job ended, unless a coordinator was asked for more in its last moment.

        Returns:
            Whether it ended; otherwise there are wishes left.
        """
        if not self.job.job_type.is_coordinator:
            self.emit(outcome, durable=True)
            return True
        with commands.silence(self.folder):
            self._listen(at_once=True)
            can_go_on = outcome.state in (State.COMPLETED, State.STOPPED, State.PAUSED)
            if can_go_on and any(each.command in LASTING for each in self._wishes):
                return False
            self.emit(outcome, durable=True)
            return True

    def stop_on_signal(self) -> None:
        """Take the system's polite request to end (log-out, shutdown) as a stop."""
        signal.signal(signal.SIGTERM, self._on_signal)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        # Only a flag: the journal may be in the middle of a line.
        self._stop_by_signal = True

    def _listen(self, *, at_once: bool = False) -> None:
        came = self._commands.poll(at_once=at_once)
        if not came and not self._stop_by_signal:
            return
        self._wishes += [each for each in came if each.command not in ("stop", "pause")]
        names = {each.command for each in came}
        wanted: Ending | None = None
        if self._stop_by_signal or "stop" in names:
            wanted = "stop"
        elif "pause" in names:
            wanted = "pause"
        if wanted is None or self._ending == "stop":
            return
        is_first, self._ending = self._ending is None, wanted  # a stop goes before a pause
        if is_first:
            self.emit(events.StateChanged(state=State.STOPPING, attempt=self.attempt))
