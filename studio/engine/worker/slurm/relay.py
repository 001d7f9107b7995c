"""The worker of a job of SLURM on the machine that submits it.

It computes nothing and writes to the journal only while the job waits or after it has ended; in
between the worker on the node does. It may be killed at any time, and started again for the same
attempt: the number of the job in SLURM is stored in its folder.
"""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Final

from pydantic import BaseModel, ValidationError

from studio.engine.errors import StudioError
from studio.engine.files import clear_system_error, remove, write_atomically
from studio.engine.jobs.commands import CommandReader
from studio.engine.jobs.events import ErrorCategory, ProgressMade, StateChanged
from studio.engine.jobs.executors.handed_over import HANDED_OVER
from studio.engine.jobs.job import Job
from studio.engine.jobs.launch import LOG_FILE
from studio.engine.jobs.liveness import JobBusy, holding_there, tail
from studio.engine.jobs.states import State
from studio.engine.messages import Message, message
from studio.engine.progress import Cancelled
from studio.engine.worker.failures import failed_by
from studio.engine.worker.placed_jobs import placed_plan
from studio.engine.worker.slurm import programs
from studio.engine.worker.slurm.programs import SlurmError, SlurmStatus
from studio.engine.worker.slurm.script import (
    SCRIPT_FILE,
    job_script,
    read_options,
    sbatch_options,
)
from studio.engine.workspace import Workspace

POLL_SECONDS: Final = 0.5
LOOK_SECONDS: Final = (1.0, 2.0, 5.0, 10.0)
"""Time until squeue is asked again, longer each time: its server serves all users."""
CONFIRMATIONS: Final = 3
"""Number of times that SLURM says that a job is over before its journal is given up.

A shared disk may show the last lines of the worker a little later.
"""


class Submission(BaseModel):
    """A submitted job, as it is stored.

    Attributes:
        slurm: Its number in SLURM.
        attempt: Number of the attempt.
    """

    slurm: str
    attempt: int


def relay(workspace: Workspace, job: Job, place: str) -> None:  # noqa: ARG001 - one SLURM here
    """Run a job through SLURM; see `Executor`.

    Args:
        workspace: The workspace.
        job: A run whose lock this process holds.
        place: Name of the place.
    """
    followed = _FollowedJob(job)
    signal.signal(signal.SIGTERM, followed.on_signal)
    try:
        followed.run()
    except Cancelled:
        return
    except (StudioError, OSError) as error:
        followed.give_up(error)


class _FollowedJob:
    def __init__(self, job: Job) -> None:
        self._job = job
        self._folder = job.record.folder
        self._attempt = job.history.attempt
        self._number = _submitted(self._folder, self._attempt)
        self._commands = CommandReader(self._folder, self._attempt)
        self._pause = threading.Event()
        self._is_leaving = False
        self._ending: State | None = None
        self._is_canceled = False
        self._looks = self._confirmations = 0
        self._next_look = 0.0

    def on_signal(self, _number: int, _frame: FrameType | None) -> None:
        """Leave: the job continues, and another process follows it later."""
        self._is_leaving = True
        self._pause.set()

    def run(self) -> None:
        """Submit the job and follow it to its end.

        Raises:
            Cancelled: This process has to end, or the job ended before it was submitted.
            StudioError: SLURM refused it.
        """
        if not self._number:
            self._submit()
        while not self._is_over():
            self._see_to_requests()
            if self._look():
                return
            self._pause.wait(POLL_SECONDS)
            if self._is_leaving:
                raise Cancelled
        remove(self._folder / HANDED_OVER)

    def give_up(self, error: StudioError | OSError) -> None:
        """Record an error of this process as the end of the job.

        Args:
            error: What `run` raised.
        """
        clear = clear_system_error(error)
        if not isinstance(clear, StudioError):
            clear = StudioError("{reason}", reason=str(error))
        if self._number:
            with contextlib.suppress(SlurmError):
                programs.cancel(self._number)
        self._record_end(failed_by(self._job, clear))

    def _submit(self) -> None:
        self._see_to_requests()
        if self._ending is not None:
            self._record_end(self._before_start(self._ending))
            raise Cancelled
        plan = placed_plan(self._job)
        options = read_options(self._folder)
        script = self._folder / SCRIPT_FILE
        write_atomically(script, job_script(options, self._folder, self._attempt, plan.device))
        words = sbatch_options(options, self._folder, self._job.record.name, plan.device)
        self._number = programs.submit(script, words)
        stored = Submission(slurm=self._number, attempt=self._attempt)
        write_atomically(self._folder / HANDED_OVER, stored.model_dump_json())

    def _is_over(self) -> bool:
        """Return True if the worker on the node has recorded the end of this attempt."""
        self._job.refresh()
        return not self._job.history.state.has_worker

    def _see_to_requests(self) -> None:
        """Cancel the job if it still waits and was asked to end; later its worker sees to it."""
        if self._job.history.state is not State.STARTING:
            return
        names = {each.command for each in self._commands.poll(at_once=True)}
        if names & {"stop", "pause"}:
            self._ending = State.STOPPED if "stop" in names else State.PAUSED
        if self._ending is None or self._is_canceled or not self._number:
            return
        with contextlib.suppress(SlurmError):  # tried again
            programs.cancel(self._number)
            self._is_canceled, self._next_look = True, 0.0

    def _look(self) -> bool:
        """Ask SLURM now and then; return True if the job was found to have ended.

        Then its end is recorded.
        """
        if time.monotonic() < self._next_look:
            return False
        seconds = LOOK_SECONDS[min(self._looks, len(LOOK_SECONDS) - 1)]
        self._looks += 1
        try:
            status = programs.status_of(self._number)
        except SlurmError as error:
            self._report(message("SLURM does not answer: {reason}", reason=error.message))
            self._next_look = time.monotonic() + seconds
            return False
        if status.is_over:
            self._confirmations += 1
            self._next_look = time.monotonic() + POLL_SECONDS
            return self._confirmations >= CONFIRMATIONS and self._record_end(*self._end(status))
        self._confirmations = 0
        self._next_look = time.monotonic() + seconds
        if status.state == programs.PENDING:
            self._report(message("Waits in SLURM: {reason}", reason=status.reason or "PENDING"))
        return False

    def _report(self, text: Message) -> None:
        """Write why the job waits, if the journal says something else and no worker has begun."""
        progress = self._job.history.progress
        if progress is not None and progress.what == text:
            return
        try:
            with holding_there(self._folder, 0):  # the worker begins only when it has this lock
                self._job.refresh()
                if self._job.history.state is State.STARTING:
                    self._job.append(ProgressMade(done=0, total=0, what=text))
        except JobBusy:
            return

    def _record_end(self, *end: StateChanged) -> bool:
        """Record an end that no worker recorded; return False while a worker lives."""
        try:
            with holding_there(self._folder, 5):
                self._job.refresh()
                if self._job.history.state.has_worker:
                    self._job.append(*end)
        except JobBusy:
            return False
        remove(self._folder / HANDED_OVER)
        return True

    def _before_start(self, state: State) -> StateChanged:
        text = message("It was {state} before SLURM started it.", state=state.label)
        return StateChanged(state=state, attempt=self._attempt, reason=text)

    def _end(self, status: SlurmStatus) -> tuple[StateChanged, ...]:
        """Return what becomes of a job that SLURM ended, and whose worker recorded no end."""
        self._job.refresh()
        if self._ending is not None and self._job.history.state is State.STARTING:
            return (self._before_start(self._ending),)
        names = {each.command for each in self._commands.poll(at_once=True)}
        is_saved = self._job.history.state is State.STOPPING  # it had time for that
        state = State.PAUSED if is_saved else _STATES.get(status.state, State.LOST)
        if names & {"stop", "pause"}:
            state = State.STOPPED if "stop" in names else State.PAUSED
        elif status.state == programs.PREEMPTED:
            reason = message(
                "The SLURM job {job} was ended for a job of higher priority; it continues in the "
                "next one.",
                job=self._number,
            )
            paused = StateChanged(state=State.PAUSED, attempt=self._attempt, reason=reason)
            return paused, StateChanged(state=State.QUEUED, attempt=self._attempt)
        ended = StateChanged(
            state=state,
            attempt=self._attempt,
            reason=_reason(self._number, status),
            hint=_HINTS.get(status.state, "The results so far are kept."),
            category=_CATEGORIES.get(status.state),
            detail=tail(self._folder / LOG_FILE),
        )
        return (ended,)


_STATES: Final = {"OUT_OF_MEMORY": State.FAILED, "CANCELLED": State.STOPPED}
_CATEGORIES: Final[dict[str, ErrorCategory]] = {"OUT_OF_MEMORY": "out_of_memory"}
_HINTS: Final = {
    "TIMEOUT": "Resume continues from its last checkpoint. A longer --time of the machine helps.",
    "OUT_OF_MEMORY": "Add the machine again with more --memory, or use a smaller batch size.",
}


def _reason(number: str, status: SlurmStatus) -> Message:
    known = {
        "TIMEOUT": message("The SLURM job {job} reached its time limit.", job=number),
        "DEADLINE": message("The SLURM job {job} was ended at its deadline.", job=number),
        "OUT_OF_MEMORY": message(
            "The SLURM job {job} used more memory than it had requested.", job=number
        ),
        "CANCELLED": message("The SLURM job {job} was canceled.", job=number),
        "NODE_FAIL": message("The node of the SLURM job {job} failed.", job=number),
        "BOOT_FAIL": message("The node of the SLURM job {job} did not start.", job=number),
        programs.PREEMPTED: message(
            "The SLURM job {job} was ended for a job of higher priority.", job=number
        ),
        programs.GONE: message(
            "The SLURM job {job} is no longer in the queue, and the cluster keeps no accounts "
            "that say how it ended.",
            job=number,
        ),
    }
    other = message(
        "The SLURM job {job} ended before its work was done ({state}, exit code {code}).",
        job=number,
        state=status.state,
        code=status.exit_code or message("unknown"),
    )
    return known.get(status.state, other)


def _submitted(folder: Path, attempt: int) -> str:
    """Return the number of the job in SLURM; empty if this attempt was not submitted."""
    try:
        stored = Submission.model_validate_json((folder / HANDED_OVER).read_bytes())
    except (OSError, ValidationError):
        return ""
    return stored.slurm if stored.attempt == attempt else ""
