"""Takes one job, does it, and says in its journal how it ended."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import traceback
from pathlib import Path

import psutil

from studio import __version__
from studio.engine.errors import (
    BadDataError,
    DiskFullError,
    NotFiniteError,
    OutOfMemoryError,
    StudioError,
)
from studio.engine.jobs.context import JobContext
from studio.engine.jobs.events import ErrorCategory, Started, StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.journal import JOURNAL_FILE, JournalWriter
from studio.engine.jobs.lock import JobBusy, holding
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.progress import Cancelled
from studio.engine.worker.handlers import HANDLERS
from studio.engine.workspace import Record, RecordKind, Workspace

NOT_OURS = 3
NICE = 19
"""The lowest: with 10, p99 of a timer in the window was twice as late while training."""
AUTOGROUP = Path("/proc/self/autogroup")

_CATEGORIES: tuple[tuple[type[StudioError], ErrorCategory], ...] = (
    (BadDataError, "bad_data"),
    (DiskFullError, "disk_full"),
    (NotFiniteError, "not_finite"),
    (OutOfMemoryError, "out_of_memory"),
    (StudioError, "user"),
)


def main(folder: Path, attempt: int) -> int:
    """Do the job in `folder`.

    Returns:
        The exit code: 0 the job ended and its journal says how; 3 it was not ours to do (somebody
        else is at it, or it was stopped or given up before we came).
    """
    _be_nice()
    workspace = Workspace(folder.parent.parent)
    record = Record(_kind_of(folder), folder)
    try:
        # Others hold the lock for moments, to see whether we live.
        with holding(folder, seconds=10):
            job = Job(record)
            job.refresh()
            if job.history.state != State.STARTING or job.history.attempt != attempt:
                return NOT_OURS
            _work(workspace, job)
    except JobBusy:
        return NOT_OURS
    # The queue goes on although every window may be closed.
    JobQueue(workspace).dispatch()
    return 0


def _work(workspace: Workspace, job: Job) -> None:
    writer = JournalWriter(job.record.folder / JOURNAL_FILE)
    context = JobContext(workspace, job, writer)
    context.stop_on_signal()
    writer.append(
        Started(
            studio=__version__,
            pid=os.getpid(),
            host=f"{platform.node()} ({platform.platform()}, Python {platform.python_version()})",
        )
    )
    writer.append(StateChanged(state=State.RUNNING, attempt=context.attempt), durable=True)
    writer.append(_outcome(context), durable=True)
    writer.close()


def _outcome(context: JobContext) -> StateChanged:
    attempt = context.attempt
    try:
        state = HANDLERS[context.job.record.kind](context)
    except Cancelled:
        return StateChanged(state=State.STOPPED, attempt=attempt, reason="It was stopped.")
    except StudioError as error:
        category = next(name for kind, name in _CATEGORIES if isinstance(error, kind))
        return StateChanged(
            state=State.FAILED,
            attempt=attempt,
            category=category,
            reason=error.message,
            hint=error.hint,
        )
    except MemoryError:
        return StateChanged(
            state=State.FAILED,
            attempt=attempt,
            category="out_of_memory",
            reason="The machine ran out of memory.",
            hint="Use a smaller batch size or smaller images, or close other programs.",
        )
    except Exception as error:  # noqa: BLE001 - the last line of defense: it must reach the journal
        traceback.print_exc()
        return StateChanged(
            state=State.FAILED,
            attempt=attempt,
            category="internal",
            reason=f"Studio has a bug: {type(error).__name__}: {error}",
            hint="Please report it with the details below.",
            detail=traceback.format_exc(),
        )
    reason = "It was stopped; what it had learned is kept." if state == State.STOPPED else ""
    return StateChanged(state=state, attempt=attempt, reason=reason)


def _kind_of(folder: Path) -> RecordKind:
    return next(kind for kind in RecordKind if kind.folder == folder.parent.name)


def _be_nice() -> None:
    """Let the window come first on a busy machine; on an idle one it costs nothing."""
    if sys.platform == "win32":
        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
        return
    os.nice(NICE)
    # Linux may share the processor among sessions first, and a worker has one of its own: its
    # niceness would then count among its own threads alone (sched(7), the autogroup feature).
    with contextlib.suppress(OSError):
        AUTOGROUP.write_text(str(NICE), encoding="ascii")
