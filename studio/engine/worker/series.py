"""One run after another in one process, where they can share it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from studio.engine.jobs.job import Job
from studio.engine.jobs.launch import LOG_FILE, WARM_FOLDER, next_run, process_key
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.jobs.types import read_plan
from studio.engine.worker.main import NOT_OURS, be_nice, do_job, kind_of_folder
from studio.engine.workspace import Record, RecordKind, Workspace

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
    outcome = do_job(queue.workspace, folder, attempt)
    if outcome is None:
        return NOT_OURS
    _leave(queue.workspace.root)
    for _ in range(MOST_RUNS - 1):
        following = _following(queue, folder) if outcome in _CLEAN else None
        if following is None:
            break
        folder, attempt = following
        _print_to(folder / LOG_FILE)
        outcome = do_job(queue.workspace, folder, attempt)
        _leave(queue.workspace.root)
    # The queue goes on although every window may be closed.
    queue.dispatch()
    return 0


def _following(queue: JobQueue, folder: Path) -> tuple[Path, int] | None:
    """The next run for this process, when the job in `folder` was a run."""
    if kind_of_folder(folder) != RecordKind.RUN or not folder.exists():
        return None
    job = Job(Record(RecordKind.RUN, folder))
    job.refresh()
    required = job.job_type.requirements(read_plan(job.record), job.history.changes)
    key = process_key(required, job.history.devices)
    if key is None:
        return None
    # A sweep asks for its next run only when it has seen the end of this one.
    is_sweep = any(place.job.record.kind == RecordKind.SWEEP for place in queue.places())
    seconds = SWEEP_SECONDS if is_sweep else 0.0
    return next_run(queue.workspace.root, key, seconds, queue.dispatch, queue.locked)


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
