"""One run after another in one process, where they can share it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from studio.engine.jobs.job import Job
from studio.engine.jobs.launch import LOG_FILE, WARM_FOLDER, Offer, process_key
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.types import read_plan
from studio.engine.worker.main import NOT_OURS, be_nice, do_job
from studio.engine.workspace import RecordKind, Workspace

MOST_RUNS: Final = 50
"""So many runs share a process: what one leaves behind must not add up."""
SWEEP_SECONDS: Final = 3.0
"""How long a worker waits for a sweep to ask for its next run."""
# After any other end nobody knows in what state this process is.
_CLEAN: Final = (State.COMPLETED, State.STOPPED, State.PAUSED)


def main(folder: Path, attempt: int) -> int:
    """Do the job in `folder`, and after a run those that wait and are like it.

    Returns:
        The exit code, as `worker.main` gives it, of the first job.
    """
    be_nice()
    queue = JobQueue(Workspace(folder.parent.parent))
    for number in range(MOST_RUNS):
        is_last = number == MOST_RUNS - 1
        following, is_ours = _do_and_wait(queue, folder, attempt, is_last=is_last)
        if not is_ours and number == 0:
            return NOT_OURS
        if following is None:
            break
        folder, attempt = following
        _print_to(folder / LOG_FILE)
    return 0


def _do_and_wait(
    queue: JobQueue, folder: Path, attempt: int, *, is_last: bool
) -> tuple[tuple[Path, int] | None, bool]:
    """Do a job, and wait for a run that can follow in this process.

    Returns:
        Folder and attempt of that run, None where there is none; whether the job was ours to do.
    """
    with Offer(queue.workspace.root, queue.locked) as offer:

        def before_end(job: Job, state: State) -> None:
            key = None if is_last or state not in _CLEAN else _key_after(job)
            if key is not None:
                offer.give(key)

        if do_job(queue.workspace, folder, attempt, before_end) is None:
            return None, False
        _leave(queue.workspace.root)
        # The queue goes on although every window may be closed. Who dispatches it just now may
        # have looked before our end.
        with queue.locked():
            queue.dispatch()
        if not offer.is_given:
            return None, True
        # A sweep asks for its next run only when it has seen the end of this one.
        is_sweep = any(place.job.record.kind == RecordKind.SWEEP for place in queue.places())
        return offer.taken(SWEEP_SECONDS if is_sweep else 0.0), True


def _key_after(job: Job) -> str | None:
    """The `process_key` of the runs that can follow a job in its process."""
    if job.record.kind != RecordKind.RUN or not job.record.folder.exists():
        return None
    job.refresh()
    required = job.job_type.requirements(read_plan(job.record), job.history.changes)
    return process_key(required, job.history.devices)


def _leave(root: Path) -> None:
    """Let go of the finished record: on Windows it could not be deleted while we live."""
    (root / WARM_FOLDER).mkdir(exist_ok=True)
    _print_to(root / WARM_FOLDER / LOG_FILE)
    if "keras" in sys.modules:
        from studio.engine.compute.backend import forget_models  # noqa: PLC0415 - not before

        forget_models()


def _print_to(log_file: Path) -> None:
    """Send what this process prints from now on, also from libraries in C, to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    with log_file.open("ab") as log:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
