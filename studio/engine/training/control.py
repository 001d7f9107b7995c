"""Requests to a run while it trains, and afterwards: save, another rate, more epochs.

The window and the command line both use these functions, so they refuse the same things with the
same messages.
"""

from __future__ import annotations

from collections.abc import Mapping

from studio.engine.errors import StudioError
from studio.engine.jobs.control import await_release, refusal, require_resumable, require_worker
from studio.engine.jobs.devices import AUTO, require_devices
from studio.engine.jobs.events import Amended
from studio.engine.jobs.executors.capacity import require_device
from studio.engine.jobs.executors.host import find_machine
from studio.engine.jobs.job import SendCommand, send_command
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.messages import message
from studio.engine.training.history import RunHistory, RunJob
from studio.engine.training.parts import RESUME_FILE
from studio.engine.training.plan import TrainingPlan

RATES = (0.0, 10.0)
"""A learning rate lies above the first and is at most the second."""


def can_extend(history: RunHistory) -> bool:
    """Return True if a run can be extended by more epochs."""
    is_over = history.state in (State.COMPLETED, State.STOPPED, State.PAUSED, State.LOST)
    return is_over and history.saved is not None


def save_now(job: RunJob, send: SendCommand = send_command) -> None:
    """Ask a run to save everything that it needs to continue from here.

    Args:
        job: The run.
        send: Sends the command to its worker.

    Raises:
        StudioError: It is not training.
    """
    require_worker(job, message("it cannot be saved"))
    send(job, "save", None)


def change_rate(job: RunJob, rate: float, send: SendCommand = send_command) -> None:
    """Change the learning rate of a run from its next step on; the schedule continues from it.

    Args:
        job: The run.
        rate: New learning rate.
        send: Sends the command to its worker.

    Raises:
        StudioError: The run is not training, or the rate is invalid.
    """
    _require_rate(rate)
    require_worker(job, message("its learning rate cannot be changed"))
    send(job, "rate", rate)


def extend(queue: JobQueue, job: RunJob, epochs: int) -> None:
    """Add epochs to a run and put it back into the queue; it resumes exactly.

    The schedule is stretched over old and new epochs: in percent of training, the run moves back.

    Args:
        queue: Queue of the workspace.
        job: The run.
        epochs: Number of additional epochs.

    Raises:
        StudioError: The run has not ended, has no checkpoint, or the number is invalid.
    """
    if epochs < 1:
        raise StudioError(
            "Add at least 1 epoch; received {epochs}.", where="epochs", epochs=epochs
        )
    if queue.ask_server(job, "extend", epochs):
        return
    await_release(queue, job)
    if job.history.state.is_at_rest and not (job.record.folder / RESUME_FILE).exists():
        raise StudioError(
            'The run "{run}" has no checkpoint to resume from.',
            "Start a new run with its plan.",
            run=job.record.name,
        )
    if not can_extend(job.history):
        raise refusal(
            job, message("it cannot be extended"), "Wait until it ends, or pause it first."
        )
    before = job.current_plan(TrainingPlan)
    total = before.changed(epochs=before.epochs + epochs).epochs
    _amend(
        queue,
        job,
        {"epochs": total},
        message("From {before} to {after} epochs.", before=before.epochs, after=total),
    )
    queue.restart(job)


def move(queue: JobQueue, job: RunJob, machine: str, device: str = "") -> None:
    """Let an interrupted run continue on another machine, from its last checkpoint.

    Call `require_place` first.

    Args:
        queue: The queue.
        job: The run.
        machine: Name of the machine; empty for this one.
        device: The device there; empty for any.

    Raises:
        StudioError: The run was not interrupted, or there is no such machine.
    """
    if machine:
        find_machine(machine)
    require_resumable(queue, job)
    reason = message("It continues on this computer.")
    if machine:
        reason = message("It continues on {machine}.", machine=machine)
    _amend(queue, job, {"machine": machine, "device": device or AUTO}, reason)
    queue.restart(job)


def require_place(queue: JobQueue, job: RunJob, machine: str, device: str = "") -> None:
    """Raise if a run cannot move to a place; ask before it is paused for that.

    Another machine is asked over a connection of its own, which takes some seconds.

    Args:
        queue: The queue.
        job: The run, its journal read.
        machine: Name of the machine; empty for this one.
        device: The device there; empty for any.

    Raises:
        StudioError: There is no such machine or device, or the machine cannot be reached.
    """
    device = device or AUTO
    job.current_plan(TrainingPlan).changed(machine=machine, device=device)
    if machine:
        require_device(find_machine(machine), device)
    else:
        require_devices(device, queue.devices)


def _amend(queue: JobQueue, job: RunJob, changes: Mapping[str, object], reason: str) -> None:
    job.current_plan(TrainingPlan).changed(**changes)  # refused here, not in the worker
    with queue.changing(job):
        job.append(Amended(changes=dict(changes), reason=reason))


def _require_rate(rate: float) -> None:
    if not RATES[0] < rate <= RATES[1]:
        raise StudioError(
            "A learning rate must be between 0 and {highest:g}; received {learning_rate:g}.",
            where="learning_rate",
            highest=RATES[1],
            learning_rate=rate,
        )


def resume(queue: JobQueue, job: RunJob, learning_rate: float | None = None) -> None:
    """Put an interrupted run back into the queue; it continues from what was saved last.

    Args:
        queue: The queue.
        job: The run.
        learning_rate: Another base rate for what is left.

    Raises:
        StudioError: It was not interrupted, or it is no rate.
    """
    require_resumable(queue, job)
    if learning_rate is not None:
        _require_rate(learning_rate)
        reason = message(
            "The base learning rate is {learning_rate:g} from now on.",
            learning_rate=learning_rate,
        )
        _amend(queue, job, {"learning_rate": learning_rate}, reason)
    queue.restart(job)
