"""The history of a job: the state after replaying its journal.

`JobHistory.apply` is the only place where events turn into state; live view, history, crash
recovery and command line all use it. It calls the method `_on_NAME` for an event named NAME; a
domain with more events derives its own class with their methods.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from studio.engine.errors import JobFailedError, StudioError
from studio.engine.jobs.events import (
    Amended,
    Artifact,
    ArtifactRemoved,
    ErrorCategory,
    Event,
    Note,
    ProgressMade,
    QueueChanged,
    RequestsHandled,
    Result,
    Started,
    StateChanged,
    UsageSampled,
)
from studio.engine.jobs.states import State
from studio.engine.jobs.time_left import WorkRate


@dataclass(frozen=True, slots=True)
class Work:
    """Progress of an attempt, in units such as steps or images.

    Attributes:
        done: Number of units done now.
        total: Total number of units; at least 1.
    """

    done: int
    total: int


@dataclass(slots=True)
class JobHistory:
    """The part of a history that every job has.

    Attributes:
        attempt: Number of starts of the job.
        reason: Why it is in its state; set for stopped, failed and lost.
        position: Sort key in the queue; None for the time at which it was queued.
        held: True if it waits although it could start.
        foreign: True if it was queued on another computer and is not confirmed here.
        devices: Devices that its worker has, or had last.
        changes: Fields of its plan that were changed after it was queued, by dotted name.
        usage: Load of the machine, a sample every few seconds.
        handled: Bytes of its commands that a coordinator has handled.
        losses: Number of consecutive deaths of its worker.
        log: Starts and ends of all attempts, in order.
        spent: Seconds that earlier attempts took; the time between attempts does not count.
        running_since: Start of the current attempt; None outside of attempts.
        throughput: Speed of the current step of the progress.
        asked_at: Time of the last extension, in seconds since 1970; 0 for never.
    """

    state: State = State.QUEUED
    attempt: int = 0
    reason: str = ""
    hint: str = ""
    detail: str = ""
    category: ErrorCategory | None = None
    started: Started | None = None
    started_at: float | None = None
    ended_at: float | None = None
    updated_at: float | None = None
    progress: ProgressMade | None = None
    notes: list[Note] = field(default_factory=list)
    artifacts: dict[str, str] = field(default_factory=dict)
    result: dict[str, Any] = field(default_factory=dict)
    position: float | None = None
    held: bool = False
    foreign: bool = False
    devices: tuple[str, ...] = ()
    changes: dict[str, Any] = field(default_factory=dict)
    usage: list[UsageSampled] = field(default_factory=list)
    handled: int = 0
    losses: int = 0
    log: list[Event] = field(default_factory=list)
    spent: float = 0.0
    running_since: float | None = None
    throughput: WorkRate = field(default_factory=WorkRate)
    asked_at: float = 0.0

    def apply(self, events: Iterable[Event]) -> None:
        """Add events in their order."""
        for event in events:
            getattr(self, f"_on_{event.event}")(event)
            self.updated_at = event.t

    def raise_if_failed(self) -> None:
        """Raise the error with which the job ended.

        Raises:
            StudioError: It failed, or was paused, because of something that its user can change.
            JobFailedError: It failed because of a bug, or its process was lost.
        """
        is_user_error = self.category not in (None, "internal")
        if self.state in (State.FAILED, State.PAUSED) and is_user_error:
            raise StudioError(self.reason, self.hint)
        if self.state in (State.FAILED, State.LOST):
            raise JobFailedError("\n".join(filter(None, (self.reason, self.hint, self.detail))))

    @property
    def children(self) -> frozenset[str]:
        """Ids of the records of jobs that this job started and decides about."""
        return frozenset()

    @property
    def work(self) -> Work | None:
        """Progress of the current attempt; None if it is unknown."""
        return self.progress_work

    @property
    def progress_work(self) -> Work | None:
        """Progress of the current attempt by its last `ProgressMade`; None without one."""
        if self.progress is None or not self.progress.total:
            return None
        return Work(self.progress.done, self.progress.total)

    @property
    def fraction(self) -> float | None:
        """Fraction of the work that is done, 0 to 1; None if that is not known."""
        if self.state == State.COMPLETED:
            return 1.0
        work = self.work
        return None if work is None else min(1.0, work.done / work.total)

    def begin_attempt(self, devices: tuple[str, ...]) -> None:
        """Reset the figures of the previous attempt."""
        self.ended_at = self.progress = None
        self.throughput.reset()
        self.result = {}
        self.devices = devices

    def seconds_left(self, now: float) -> float | None:
        """Estimate the seconds to the end at the speed of this attempt.

        The only source for "time left", in the window and on the command line.

        Args:
            now: Current time in seconds since 1970.

        Returns:
            None while the speed is unknown, or if the clock was put back.
        """
        if not self.state.has_worker or self.progress is None or not self.progress.total:
            return None
        return self.throughput.seconds_left(self.progress.total, now)

    def is_measuring(self, now: float) -> bool:
        """Return True if the work has begun and its speed is not known yet.

        Args:
            now: Current time in seconds since 1970.
        """
        work = self.work
        is_at_work = self.state == State.RUNNING and work is not None and work.done < work.total
        return is_at_work and self.seconds_left(now) is None

    def seconds_spent(self, now: float) -> float | None:
        """Return the seconds of work in all attempts; None before it began or if clocks differ."""
        if self.started_at is None:
            return None
        current = 0.0 if self.running_since is None else now - self.running_since
        return self.spent + current if self.spent >= 0 and current >= 0 else None

    def _on_state(self, event: StateChanged) -> None:
        self.state = event.state
        self.attempt = max(self.attempt, event.attempt)
        self.reason, self.hint, self.detail = event.reason, event.hint, event.detail
        self.category = event.category
        if event.state == State.STARTING:
            self.begin_attempt(event.devices)
        elif event.state == State.RUNNING:
            self.started_at = event.t
            self.running_since = event.t
            self.progress = None  # until now it said what the job waits for
        elif event.state.is_at_rest:
            self.ended_at = event.t
            self.log.append(event)
            if self.running_since is not None:
                # A lost worker is noticed later than it died; its last event is when it worked.
                end = event.t
                if event.state == State.LOST and self.updated_at is not None:
                    end = min(end, self.updated_at)
                self.spent += end - self.running_since
                self.running_since = None
            self.losses = self.losses + 1 if event.state == State.LOST else 0

    def _on_started(self, event: Started) -> None:
        self.started = event
        self.log.append(event)

    def _on_progress(self, event: ProgressMade) -> None:
        before = self.progress
        if before is None or before.what != event.what:
            self.throughput.reset()
        self.throughput.add(event.t, event.done)
        self.progress = event

    def _on_queue(self, event: QueueChanged) -> None:
        if event.position is not None:
            self.position = event.position
        if event.held is not None:
            self.held = event.held
        if event.foreign is not None:
            self.foreign = event.foreign
        # A person has seen to it; what starts again by itself keeps its place.
        self.losses, self.asked_at = 0, event.t

    def _on_amended(self, event: Amended) -> None:
        self.changes = {**self.changes, **event.changes}

    def _on_usage(self, event: UsageSampled) -> None:
        self.usage.append(event)

    def _on_note(self, event: Note) -> None:
        self.notes.append(event)

    def _on_artifact(self, event: Artifact) -> None:
        self.artifacts[event.name] = event.path

    def _on_artifact_removed(self, event: ArtifactRemoved) -> None:
        self.artifacts.pop(event.name, None)

    def _on_heard(self, event: RequestsHandled) -> None:
        self.handled = event.offset

    def _on_result(self, event: Result) -> None:
        self.result = event.values
