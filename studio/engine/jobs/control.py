"""Pausing and resuming jobs.

The window and the command line both come through here, so they refuse the same things in the same
words.
"""

from __future__ import annotations

import time

from studio.engine.errors import StudioError
from studio.engine.jobs import commands
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State

RELEASE_SECONDS = 5.0
"""How long the lock of a worker that was killed may take to be released."""

_POLL_SECONDS = 0.05


def can_pause(state: State) -> bool:
    """Whether a run can be paused in that state."""
    return state in (State.STARTING, State.RUNNING)


def can_resume(history: JobHistory) -> bool:
    """Whether a run was interrupted and can go on, or begin again where nothing was saved."""
    return history.state in (State.PAUSED, State.STOPPED, State.FAILED, State.LOST)


def pause(job: Job) -> None:
    """Ask a run to save everything, to end its process and give back its device.

    Raises:
        StudioError: It is not training.
    """
    require_worker(job, "be paused")
    commands.send(job.record.folder, "pause", job.history.attempt)


def pause_all(queue: JobQueue) -> list[Job]:
    """Ask all runs and sweeps at work to pause; runs of a sweep at work are paused by the sweep.

    Returns:
        The jobs that were asked. Jobs of other kinds cannot be paused and continue.

    Raises:
        StudioError: The queue is busy.
    """
    at_work = [place.job for place in queue.places() if can_pause(place.job.history.state)]
    children = frozenset[str]().union(*(job.history.children for job in at_work))
    can_resume_later = [job for job in at_work if job.job_type.can_pause]
    asked = [job for job in can_resume_later if job.record.id not in children]
    for job in asked:
        commands.send(job.record.folder, "pause", job.history.attempt)
    return asked


def resume(queue: JobQueue, job: Job) -> None:
    """Put an interrupted job back into the queue; it continues from what was saved last.

    Raises:
        StudioError: It was not interrupted.
    """
    require_resumable(queue, job)
    queue.restart(job)


def require_resumable(queue: JobQueue, job: Job) -> None:
    """Refuse to go on unless a job was interrupted.

    Raises:
        StudioError: It was not.
    """
    await_release(queue, job)
    if not can_resume(job.history):
        raise refusal(job, "resumed", job.job_type.hint_if_completed)


def await_release(queue: JobQueue, job: Job) -> None:
    """Wait while a worker that was killed or is ending still holds the lock of its job.

    The system takes up to some seconds to end a large process. A worker that writes to its journal
    meanwhile is alive, and nobody waits for it.
    """
    job.refresh()
    before = job.history.updated_at
    until = time.monotonic() + RELEASE_SECONDS
    while job.history.state.has_worker and time.monotonic() < until:
        queue.dispatch()  # notices workers that died
        job.refresh()
        if job.history.updated_at != before:
            return
        time.sleep(_POLL_SECONDS)


def require_worker(job: Job, what: str) -> None:
    """Refuse to go on unless a worker is at the job; `what` cannot be done otherwise.

    Raises:
        StudioError: No worker is at it.
    """
    job.refresh()
    if not can_pause(job.history.state):
        raise StudioError(
            f'The {job.record.kind.value} "{job.record.name}" is {job.history.state.value}, '
            f"so it cannot {what}."
        )


def refusal(job: Job, what: str, hint: str) -> StudioError:
    """Return the error that a job cannot be resumed or extended in its state."""
    kind, name, state = job.record.kind.value, job.record.name, job.history.state.value
    return StudioError(f'The {kind} "{name}" is {state}, so it cannot be {what}.', hint)
