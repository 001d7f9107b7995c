"""Following, pausing and resuming jobs.

The window and the command line share these functions, so both have the same checks and messages.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from studio.engine.errors import StudioError
from studio.engine.jobs.events import Event, QueueChanged
from studio.engine.jobs.history import JobHistory
from studio.engine.jobs.job import Job, SendCommand, send_command
from studio.engine.jobs.queue import JobQueue, Waiting
from studio.engine.jobs.states import State
from studio.engine.messages import message

POLL_SECONDS = 0.1


def hold(queue: JobQueue, job: Job) -> None:
    """Hold a waiting job until it is released.

    Args:
        queue: Queue of the workspace.
        job: The waiting job.

    Raises:
        StudioError: The job is not waiting.
    """
    _set_held(queue, job, held=True)


def release(queue: JobQueue, job: Job) -> None:
    """Release a held job, also one that was queued on another computer.

    Args:
        queue: Queue of the workspace.
        job: The held job.

    Raises:
        StudioError: The job is not waiting.
    """
    _set_held(queue, job, held=False)


def move_first(queue: JobQueue, job: Job) -> None:
    """Move a waiting job to the start of the queue.

    Args:
        queue: Queue of the workspace.
        job: The waiting job.

    Raises:
        StudioError: The job is not waiting.
    """
    with queue.locked():
        others = _others(queue, job)
        _put(queue, job, others, 0)


def move_last(queue: JobQueue, job: Job) -> None:
    """Move a waiting job to the end of the queue.

    Args:
        queue: Queue of the workspace.
        job: The waiting job.

    Raises:
        StudioError: The job is not waiting.
    """
    with queue.locked():
        others = _others(queue, job)
        _put(queue, job, others, len(others))


def move_before(queue: JobQueue, job: Job, other: Job) -> None:
    """Move a waiting job directly before another.

    Args:
        queue: Queue of the workspace.
        job: The job to move.
        other: The job that comes after it.

    Raises:
        StudioError: One of them is not waiting, or they are the same.
    """
    if job.record.folder == other.record.folder:
        raise StudioError('"{name}" cannot be moved before itself.', name=job.record.name)
    with queue.locked():
        others = _others(queue, job)
        folders = [each.job.record.folder for each in others]
        if other.record.folder not in folders:
            other.refresh()
            raise _refusal(other, message("nothing can be moved before it"))
        _put(queue, job, others, folders.index(other.record.folder))


def _set_held(queue: JobQueue, job: Job, *, held: bool) -> None:
    if queue.ask_server(job, "hold" if held else "release"):
        return
    with queue.changing(job):
        if job.history.state != State.QUEUED:
            raise _refusal(
                job, message("it cannot be put on hold" if held else "there is nothing to release")
            )
        if not held and job.history.foreign:
            queue.confirm(job)
            job.append(QueueChanged(held=False, foreign=False))
        elif job.history.held != held:
            job.append(QueueChanged(held=held))


def _others(queue: JobQueue, job: Job) -> list[Waiting]:
    """Return all other jobs that wait, in their order; the queue is locked."""
    waiting = queue.waiting()
    others = [each for each in waiting if each.job.record.folder != job.record.folder]
    if len(others) == len(waiting):
        job.refresh()
        raise _refusal(job, message("it cannot be moved"))
    return others


def _put(queue: JobQueue, job: Job, others: Sequence[Waiting], index: int) -> None:
    """Move a job between two others; the queue must be locked."""
    position = _between(others, index)
    if position is None:
        # No number is left between the two: all get new positions in the past, so that whatever is
        # asked for from now on comes behind them.
        now = time.time()
        for number, each in enumerate(others):
            with queue.changing(each.job):
                each.job.append(QueueChanged(position=now - 2 * (len(others) - number)))
        position = now - 2 * (len(others) - index) - 1
    with queue.changing(job):
        job.append(QueueChanged(position=position))


def _between(others: Sequence[Waiting], index: int) -> float | None:
    """Return a position between an entry and the one before; None if there is no room."""
    if not others:
        return time.time()
    if index == 0:
        return others[0].position - 1
    before = others[index - 1].position
    if index == len(others):
        return max(time.time(), before + 1e-3)
    position = (before + others[index].position) / 2
    return position if before < position < others[index].position else None


def _refusal(job: Job, what: str) -> StudioError:
    return StudioError(_in_its_state(job, what), "Only waiting jobs have a position.")


RELEASE_SECONDS = 5.0
"""Longest time until the lock of a killed worker is released."""

_POLL_SECONDS = 0.05


def can_pause(state: State) -> bool:
    """Return True if a run can be paused in that state."""
    return state in (State.STARTING, State.RUNNING)


def can_resume(history: JobHistory) -> bool:
    """Return True if a run was interrupted and can resume, or restart if nothing was saved."""
    return history.state in (State.PAUSED, State.STOPPED, State.FAILED, State.LOST)


def pause(job: Job, send: SendCommand = send_command) -> None:
    """Ask a run to save everything, to end its process and give back its device.

    Args:
        job: The run.
        send: Sends the command to its worker.

    Raises:
        StudioError: It is not training.
    """
    require_worker(job, message("it cannot be paused"))
    send(job, "pause", None)


def pause_all(queue: JobQueue) -> list[Job]:
    """Ask all running runs and sweeps to pause; a running sweep pauses its runs.

    Returns:
        The jobs that were asked. Jobs of other kinds cannot be paused and continue.

    Raises:
        StudioError: The queue is busy.
    """
    at_work = [entry.job for entry in queue.entries() if can_pause(entry.job.history.state)]
    children = frozenset[str]().union(*(job.history.children for job in at_work))
    can_resume_later = [job for job in at_work if job.job_type.can_pause]
    asked = [job for job in can_resume_later if job.record.id not in children]
    for job in asked:
        queue.send(job, "pause")
    return asked


def follow(queue: JobQueue, job: Job) -> Iterator[list[Event]]:
    """Dispatch the queue until a job has ended, and yield new events of its journal.

    Args:
        queue: Queue of the workspace.
        job: The job; its history is updated.

    Raises:
        StudioError: The record was deleted before the job ended.
    """
    while True:
        queue.dispatch()
        yield job.refresh()
        if job.history.state.is_at_rest:
            return
        if not job.record.folder.exists():
            raise StudioError(
                "The {kind} {id} was deleted before it ended.",
                "It may still be in the trash.",
                kind=job.record.kind.label,
                id=job.record.id,
            )
        time.sleep(POLL_SECONDS)


def resume(queue: JobQueue, job: Job) -> None:
    """Put an interrupted job back into the queue; it resumes from its last checkpoint.

    Args:
        queue: Queue of the workspace.
        job: The interrupted job.

    Raises:
        StudioError: The job was not interrupted.
    """
    require_resumable(queue, job)
    queue.restart(job)


def require_resumable(queue: JobQueue, job: Job) -> None:
    """Raise if a job was not interrupted.

    Args:
        queue: Queue of the workspace.
        job: The job.

    Raises:
        StudioError: The job cannot be resumed.
    """
    await_release(queue, job)
    if not can_resume(job.history):
        raise refusal(job, message("it cannot be resumed"), job.job_type.hint_if_completed)


def await_release(queue: JobQueue, job: Job) -> None:
    """Wait while a worker that was killed or is ending still holds the lock of its job.

    The system takes up to some seconds to end a large process. A worker that writes to its journal
    meanwhile is alive; then the function returns at once.

    Args:
        queue: Queue of the workspace.
        job: The job; its history is updated.
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
    """Raise if no worker runs a job.

    Args:
        job: The job; its history is updated.
        what: Action that needs a worker, for the error: `be paused`.

    Raises:
        StudioError: No worker runs it.
    """
    job.refresh()
    if not can_pause(job.history.state):
        raise StudioError(_in_its_state(job, what))


def refusal(job: Job, what: str, hint: str) -> StudioError:
    """Return the error that a job in its state cannot be resumed or extended.

    Args:
        job: The job.
        what: Participle for the error: `resumed` or `extended`.
        hint: Hint of the error.
    """
    return StudioError(_in_its_state(job, what), hint)


def _in_its_state(job: Job, consequence: str) -> str:
    return message(
        'The {kind} "{name}" is {state}, so {consequence}.',
        kind=job.record.kind.label,
        name=job.record.name,
        state=job.history.state.label,
        consequence=consequence,
    )
