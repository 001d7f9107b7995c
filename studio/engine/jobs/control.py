"""What people want of a run while it trains, and when it is over: pause, resume, more epochs.

The window and the command line both come through here, so they refuse the same things in the same
words.
"""

from __future__ import annotations

import time

from studio.engine.errors import StudioError
from studio.engine.jobs import commands
from studio.engine.jobs.events import Amended
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.replay import JobHistory
from studio.engine.jobs.states import State
from studio.engine.training.parts import RESUME_FILE
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind

RELEASE_SECONDS = 5.0
"""How long the lock of a worker that was killed may take to be released."""

_POLL_SECONDS = 0.05

RATES = (0.0, 10.0)
"""A learning rate lies above the first and is at most the second."""


def can_pause(state: State) -> bool:
    """Whether a run can be paused in that state."""
    return state in (State.STARTING, State.RUNNING)


def can_resume(history: JobHistory) -> bool:
    """Whether a run was interrupted and can go on, or begin again where nothing was saved."""
    return history.state in (State.PAUSED, State.STOPPED, State.FAILED, State.LOST)


def can_extend(history: JobHistory) -> bool:
    """Whether a run can be given more epochs."""
    is_over = history.state in (State.COMPLETED, State.STOPPED, State.PAUSED, State.LOST)
    return is_over and history.saved is not None


def pause(job: Job) -> None:
    """Ask a run to save everything, to end its process and give back its device.

    Raises:
        StudioError: It is not training.
    """
    _require_worker(job, "be paused")
    commands.send(job.record.folder, "pause", job.history.attempt)


def pause_all(queue: JobQueue) -> list[Job]:
    """Ask all runs and sweeps at work to pause; runs of a sweep at work are paused by the sweep.

    Returns:
        The jobs that were asked. Jobs of other kinds cannot be paused and continue.

    Raises:
        StudioError: The queue is busy.
    """
    at_work = [place.job for place in queue.places() if can_pause(place.job.history.state)]
    sweeps = [job for job in at_work if job.record.kind == RecordKind.SWEEP]
    trials = {run.id for job in sweeps for row in job.history.trials.values() for run in row.runs}
    runs = [job for job in at_work if job.record.kind == RecordKind.RUN]
    asked = sweeps + [job for job in runs if job.record.id not in trials]
    for job in asked:
        commands.send(job.record.folder, "pause", job.history.attempt)
    return asked


def save_now(job: Job) -> None:
    """Ask a run to save everything that it needs to go on from here.

    Raises:
        StudioError: It is not training.
    """
    _require_worker(job, "be saved")
    commands.send(job.record.folder, "save", job.history.attempt)


def change_rate(job: Job, rate: float) -> None:
    """Ask a run for another learning rate from its next step on; its schedule goes on from there.

    Raises:
        StudioError: It is not training, or it is no rate.
    """
    _require_rate(rate)
    _require_worker(job, "change its rate")
    commands.send(job.record.folder, "rate", job.history.attempt, rate)


def resume(queue: JobQueue, job: Job, learning_rate: float | None = None) -> None:
    """Put an interrupted run back into the queue; it goes on from what was saved last.

    Args:
        queue: The queue.
        job: The run.
        learning_rate: Another base rate for what is left.

    Raises:
        StudioError: It was not interrupted, or it is no rate.
    """
    _await_release(queue, job)
    if not can_resume(job.history):
        is_run = job.record.kind == RecordKind.RUN
        raise _refusal(job, "resumed", "Extend a run that is completed." if is_run else "")
    if learning_rate is not None:
        _require_rate(learning_rate)
        reason = f"The base learning rate is {learning_rate:g} from here on."
        _amend(queue, job, {"learning_rate": learning_rate}, reason)
    queue.restart(job)


def extend(queue: JobQueue, job: Job, epochs: int) -> None:
    """Give a run more epochs and put it back into the queue; it goes on with all its state.

    Its schedule runs over all epochs, those before and the new ones: in percent of training, the
    run is earlier than it was.

    Raises:
        StudioError: It is not over, nothing of it was saved, or it is no number of epochs.
    """
    if epochs < 1:
        raise StudioError(f"More epochs are at least 1; received {epochs}.", where="epochs")
    _await_release(queue, job)
    if job.history.state.is_at_rest and not (job.record.folder / RESUME_FILE).exists():
        raise StudioError(
            f'Of the run "{job.record.name}" nothing was saved that it could go on from.',
            "Start a new run with its plan.",
        )
    if not can_extend(job.history):
        raise _refusal(job, "extended", "Wait until it is over, or pause it first.")
    before = job.current_plan(TrainingPlan)
    total = before.changed(epochs=before.epochs + epochs).epochs
    _amend(queue, job, {"epochs": total}, f"From {before.epochs} to {total} epochs.")
    queue.restart(job)


def _await_release(queue: JobQueue, job: Job) -> None:
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


def _amend(queue: JobQueue, job: Job, changes: dict[str, float], reason: str) -> None:
    job.current_plan(TrainingPlan).changed(**changes)  # refused here, not in the worker
    with queue.changing(job):
        job.append(Amended(changes=changes, reason=reason))


def _require_worker(job: Job, what: str) -> None:
    job.refresh()
    if not can_pause(job.history.state):
        raise StudioError(
            f'The {job.record.kind.value} "{job.record.name}" is {job.history.state.value}, '
            f"so it cannot {what}."
        )


def _require_rate(rate: float) -> None:
    if not RATES[0] < rate <= RATES[1]:
        raise StudioError(
            f"A learning rate lies between 0 and {RATES[1]:g}; received {rate:g}.",
            where="learning_rate",
        )


def _refusal(job: Job, what: str, hint: str) -> StudioError:
    kind, name, state = job.record.kind.value, job.record.name, job.history.state.value
    return StudioError(f'The {kind} "{name}" is {state}, so it cannot be {what}.', hint)
