"""A worker on a node of a cluster. Started as `studio node FOLDER ATTEMPT`.

Another worker, on the machine of the workspace, holds the lock of the job and relays commands.
This one holds a separate lock (see `liveness.py`) and ends when its standard input is closed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from studio.engine.jobs.job import JobContext
from studio.engine.jobs.liveness import JobBusy, holding_there
from studio.engine.worker.main import NOT_OURS, RecordedEnd, as_it_is, ready_job, work
from studio.engine.workspace import Workspace

_INPUT = 0


def main(folder: Path, attempt: int) -> int:
    """Run a job on a cluster node.

    Args:
        folder: Folder of the job.
        attempt: Number of the attempt.

    Returns:
        Exit code, as of an ordinary worker.
    """
    threading.Thread(target=_end_with_input, name="lifeline", daemon=True).start()
    return work_for_relay(folder, attempt)


def work_for_relay(
    folder: Path,
    attempt: int,
    ending: RecordedEnd = as_it_is,
    *,
    catch_signals: Callable[[JobContext], None] = JobContext.stop_on_signal,
) -> int:
    """Run a job whose own lock another worker holds, which follows this one.

    Args:
        folder: Folder of the job, on a disk that both see.
        attempt: Number of the attempt.
        ending: Decides what the journal records of its end, see `work`.
        catch_signals: Decides what signals do to it, see `work`.

    Returns:
        Exit code, as of an ordinary worker.
    """
    try:
        with holding_there(folder):
            job = ready_job(folder, attempt)
            if job is None:
                return NOT_OURS
            workspace = Workspace(folder.parent.parent)
            work(workspace, job, ending=ending, catch_signals=catch_signals)
    except JobBusy:
        return NOT_OURS
    return 0


def _end_with_input() -> None:
    # Not through `sys.stdin`: a thread that waits in that aborts the interpreter when it ends.
    while os.read(_INPUT, 1):
        pass
    os._exit(1)  # the parent died: end as a killed worker would, with the last checkpoint
