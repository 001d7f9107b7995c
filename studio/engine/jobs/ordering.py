"""What people change about jobs that wait: their order, and whether they are held back.

Both are events in the journals of the jobs, so that they outlive whoever asked for them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from studio.engine.errors import StudioError
from studio.engine.jobs.events import QueueChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue, Waiting
from studio.engine.jobs.states import State


def hold(queue: JobQueue, job: Job) -> None:
    """Hold a waiting job back until it is released.

    Raises:
        StudioError: It does not wait.
    """
    _set_held(queue, job, held=True)


def release(queue: JobQueue, job: Job) -> None:
    """Let a job that was held back have its turn, also one that was queued on another computer.

    Raises:
        StudioError: It does not wait.
    """
    _set_held(queue, job, held=False)


def move_first(queue: JobQueue, job: Job) -> None:
    """Put a waiting job before all others that wait.

    Raises:
        StudioError: It does not wait.
    """
    with queue.locked():
        others = _others(queue, job)
        _put(queue, job, others, 0)


def move_last(queue: JobQueue, job: Job) -> None:
    """Put a waiting job behind all others that wait.

    Raises:
        StudioError: It does not wait.
    """
    with queue.locked():
        others = _others(queue, job)
        _put(queue, job, others, len(others))


def move_before(queue: JobQueue, job: Job, other: Job) -> None:
    """Put a waiting job right before another.

    Raises:
        StudioError: One of them does not wait, or they are the same.
    """
    if job.record.folder == other.record.folder:
        raise StudioError(f'"{job.record.name}" cannot be moved before itself.')
    with queue.locked():
        others = _others(queue, job)
        folders = [each.job.record.folder for each in others]
        if other.record.folder not in folders:
            other.refresh()
            raise _refusal(other, "nothing can be moved before it")
        _put(queue, job, others, folders.index(other.record.folder))


def _set_held(queue: JobQueue, job: Job, *, held: bool) -> None:
    with queue.changing(job):
        if job.history.state != State.QUEUED:
            raise _refusal(
                job, "it cannot be held back" if held else "there is nothing to release"
            )
        if not held and job.history.foreign:
            queue.confirm(job)
            job.append(QueueChanged(held=False, foreign=False))
        elif job.history.held != held:
            job.append(QueueChanged(held=held))


def _others(queue: JobQueue, job: Job) -> list[Waiting]:
    """All other jobs that wait, in their order; the queue is locked."""
    waiting = queue.waiting()
    others = [each for each in waiting if each.job.record.folder != job.record.folder]
    if len(others) == len(waiting):
        job.refresh()
        raise _refusal(job, "it cannot be moved")
    return others


def _put(queue: JobQueue, job: Job, others: Sequence[Waiting], index: int) -> None:
    """Give a job a place between two others; the queue is locked."""
    place = _between(others, index)
    if place is None:
        # No number is left between the two: all are placed anew, in the past, so that whatever is
        # asked for from now on comes behind them.
        now = time.time()
        for number, each in enumerate(others):
            with queue.changing(each.job):
                each.job.append(QueueChanged(place=now - 2 * (len(others) - number)))
        place = now - 2 * (len(others) - index) - 1
    with queue.changing(job):
        job.append(QueueChanged(place=place))


def _between(others: Sequence[Waiting], index: int) -> float | None:
    """A place before the one at `index`, behind the one before it; None where there is no room."""
    if not others:
        return time.time()
    if index == 0:
        return others[0].place - 1
    before = others[index - 1].place
    if index == len(others):
        return max(time.time(), before + 1e-3)
    place = (before + others[index].place) / 2
    return place if before < place < others[index].place else None


def _refusal(job: Job, what: str) -> StudioError:
    kind, name, state = job.record.kind.value, job.record.name, job.history.state.value
    return StudioError(
        f'The {kind} "{name}" is {state}, so {what}.', "Only jobs that wait have a place."
    )
