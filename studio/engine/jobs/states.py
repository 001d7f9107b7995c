"""The states of a job."""

from __future__ import annotations

import enum

from studio.engine.messages import as_message


class State(enum.StrEnum):
    """State of a job. It is never stored: replaying the journal gives it."""

    QUEUED = "queued"
    STARTING = "starting"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    COMPLETED = "completed"
    STOPPED = "stopped"
    PRUNED = "pruned"
    FAILED = "failed"
    LOST = "lost"

    @property
    def label(self) -> str:
        """The state as a word within messages."""
        return as_message(self.value)

    @property
    def has_worker(self) -> bool:
        """True if a process works on the job or is about to."""
        return self in (State.STARTING, State.RUNNING, State.STOPPING)

    @property
    def is_finished(self) -> bool:
        """True if the journal grows only on request."""
        return self in (
            State.COMPLETED,
            State.STOPPED,
            State.PRUNED,
            State.FAILED,
            State.LOST,
        )

    @property
    def is_at_rest(self) -> bool:
        """True if the job continues only on request: finished, or paused."""
        return self.is_finished or self == State.PAUSED
