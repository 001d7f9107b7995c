"""A worker in a job of SLURM. Started by the job script as `studio slurm FOLDER ATTEMPT`.

Shortly before the time limit of the job SIGUSR1 comes. The worker then pauses as by request, with
everything saved, and puts its job back into the queue, which submits it again. A job that came no
further in all its time stays paused: the next one would not, either.

SIGTERM comes when SLURM ends the job: it is canceled, its time is over, or a job of higher
priority needs its node. SIGKILL follows after KillWait, 30 seconds by default. The worker saves
everything and records no end, because only the programs of SLURM know the reason: `relay.py` does
that.
"""

from __future__ import annotations

import signal
from pathlib import Path
from types import FrameType

from studio.engine.jobs.commands import ENDING, CommandReader
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import Job, JobContext
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
    end = _EndBySlurm(folder)
    signal.signal(signal.SIGUSR1, end.on_signal)
    signal.signal(signal.SIGTERM, end.on_signal)
    return work_for_relay(folder, attempt, end.recorded_end, catch_signals=end.begin)


class _EndBySlurm:
    """Pauses the job before SLURM ends it, and puts it back before its time limit."""

    def __init__(self, folder: Path) -> None:
        self._context: JobContext | None = None
        self._signals: set[int] = set()
        self._before = _saved_step(Job.read(Record(kind_of_folder(folder), folder)))

    def begin(self, context: JobContext) -> None:
        """Ask a job to pause when a signal comes, or has come."""
        self._context = context
        if self._signals:
            context.end_by_signal("pause")

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """Ask the job to pause."""
        self._signals.add(number)
        if self._context is not None:
            self._context.end_by_signal("pause")

    def recorded_end(self, job: Job, outcome: StateChanged) -> tuple[StateChanged, ...]:
        """Return the states that the journal records of an end, see `RecordedEnd`."""
        reader = CommandReader(job.record.folder, outcome.attempt)
        # A person's pause lasts.
        is_asked = any(each.command in ENDING for each in reader.poll(at_once=True))
        if is_asked or not self._signals or outcome.state is not State.PAUSED:
            return (outcome,)
        if signal.SIGUSR1 not in self._signals:
            return ()
        job.refresh()
        if _saved_step(job) <= self._before:
            text = "The time limit of the SLURM job came before the work made any progress."
            hint = "Add the machine again with a longer --time, then resume."
            return (outcome.model_copy(update={"reason": text, "hint": hint}),)
        text = "Paused before the time limit of the SLURM job; it continues in the next one."
        paused = outcome.model_copy(update={"reason": text})
        return paused, StateChanged(state=State.QUEUED, attempt=outcome.attempt)


def _saved_step(job: Job) -> int:
    """Return the step of the last checkpoint; 0 for none, and for jobs that have none."""
    saved = job.history.saved if isinstance(job.history, RunHistory) else None
    return 0 if saved is None else saved.step
