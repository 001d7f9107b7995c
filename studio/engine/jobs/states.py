"""The states of a job."""

from __future__ import annotations

import enum


class State(enum.StrEnum):
    """Where a job is. It is never stored: it is what replaying the journal gives."""

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
    def has_worker(self) -> bool:
        """Whether a process is, or is about to be, at work on it."""
        return self in (State.STARTING, State.RUNNING, State.STOPPING)

    @property
    def is_finished(self) -> bool:
        """Whether the journal will not grow any more unless somebody asks for it."""
        return self in (
            State.COMPLETED,
            State.STOPPED,
            State.PRUNED,
            State.FAILED,
            State.LOST,
        )

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing goes on until somebody asks for it: finished, or paused."""
        return self.is_finished or self == State.PAUSED
