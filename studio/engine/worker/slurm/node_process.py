"""A worker in a job of SLURM. Started by the job script as `studio slurm FOLDER ATTEMPT`.

Shortly before the time limit of the job a signal comes. The worker then pauses as by request, with
everything saved, and puts its job back into the queue, which submits it again. A job that came no
further in all its time stays paused: the next one would not, either.
"""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path
from types import FrameType

from studio.engine.errors import DiskFullError
from studio.engine.jobs.commands import mark, prepare
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.training.history import RunHistory
from studio.engine.worker.cluster.node_process import work_for_relay
from studio.engine.worker.main import kind_of_folder
from studio.engine.workspace import Record


def main(folder: Path, attempt: int) -> int:
    """Run a job in a job of SLURM.

    Args:
        folder: Folder of the job.
        attempt: Number of the attempt.

    Returns:
        Exit code, as of an ordinary worker.
    """
    limit = _TimeLimit(folder, attempt)
    signal.signal(signal.SIGUSR1, limit.on_signal)
    return work_for_relay(folder, attempt, limit.recorded_end)


class _TimeLimit:
    """Pauses the job before its time limit, and puts it back into the queue."""

    def __init__(self, folder: Path, attempt: int) -> None:
        self._folder = folder
        self._attempt = attempt
        self._is_near = False
        self._before = _saved_step(Job.read(Record(kind_of_folder(folder), folder)))

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        """Ask the worker, which is this process, to pause."""
        self._is_near = True
        with contextlib.suppress(DiskFullError):  # then the limit ends it, with its checkpoint
            mark(self._folder, "pause", self._attempt)

    def recorded_end(self, job: Job, outcome: StateChanged) -> tuple[StateChanged, ...]:
        """Return the states that the journal records of an end, see `RecordedEnd`."""
        if not self._is_near or outcome.state is not State.PAUSED:
            return (outcome,)
        prepare(self._folder)  # the pause was for this process alone
        job.refresh()
        if _saved_step(job) <= self._before:
            text = "The time limit of the SLURM job came before the work made any progress."
            hint = "Add the machine again with a longer --time, then resume."
            return (outcome.model_copy(update={"reason": text, "hint": hint}),)
        text = "Paused before the time limit of the SLURM job; it continues in the next one."
        paused = outcome.model_copy(update={"reason": text})
        return paused, StateChanged(state=State.QUEUED, attempt=outcome.attempt)


def _saved_step(job: Job) -> int:
    saved = job.with_history(RunHistory).history.saved
    return 0 if saved is None else saved.step
