"""Liveness of workers: the lock of a job, and what becomes of a job whose worker died.

The worker of a job holds an operating-system lock on a file in its folder. The system releases
it when the process ends, however it ends, and at every start of the machine; a process id could
have been given to another process by then. Of a run that another machine trains in a folder that
both see, two processes hold locks: the worker here, which speaks for it, the ordinary one, and the
worker there one more. A process that wants the job waits for both.

A dead worker is noticed by its lock and recorded in the journal. The worker of a sweep starts
again by itself: it computes nothing, and everything that it knows is in journals.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from studio.engine.jobs.commands import CommandReader
from studio.engine.jobs.events import Note, StateChanged
from studio.engine.jobs.executors.handed_over import is_handed_over
from studio.engine.jobs.job import Job
from studio.engine.jobs.launch import LOG_FILE
from studio.engine.jobs.states import State
from studio.engine.messages import as_message, message

LOCK_FILE = "worker.lock"
NODE_LOCK_FILE = "node.lock"
LEASE_SECONDS = 120.0
"""So long may a shared disk take to notice that another machine with a lock is gone."""


class JobBusy(Exception):  # noqa: N818 - a fact about the job, not a failure
    """The job's lock is not available: another process holds it, or the job was deleted."""


@contextlib.contextmanager
def holding(folder: Path, seconds: float = 0.0) -> Iterator[None]:
    """Hold the lock of a job.

    Args:
        folder: The job's folder.
        seconds: Timeout. Others hold the lock briefly when they probe it, so a process that needs
            it waits some seconds.

    Raises:
        JobBusy: Another process held it all the time, or the folder does not exist.
    """
    with _locked(folder / LOCK_FILE, seconds):
        if (folder / NODE_LOCK_FILE).exists():
            with holding_there(folder, seconds):
                pass  # only this process starts another worker there
        yield


def holding_there(
    folder: Path, seconds: float = LEASE_SECONDS
) -> contextlib.AbstractContextManager[None]:
    """Hold the lock of a worker on another machine; the job's own lock is held here.

    Args:
        folder: The job's folder.
        seconds: Timeout.

    Raises:
        JobBusy: A worker of an earlier attempt held it all the time.
    """
    return _locked(folder / NODE_LOCK_FILE, seconds)


def is_held(folder: Path) -> bool:
    """Return True if a process holds the lock of the job now."""
    try:
        with holding(folder):
            return False
    except JobBusy:
        return folder.is_dir()  # a deleted job has no worker


@contextlib.contextmanager
def _locked(path: Path, seconds: float) -> Iterator[None]:
    if not path.parent.is_dir():  # the lock would make the folder of a deleted job again
        raise JobBusy(str(path.parent))
    lock = FileLock(path)
    try:
        held = lock.acquire(timeout=seconds, poll_interval=0.02)
    except Timeout as error:
        raise JobBusy(str(path.parent)) from error
    with held:
        yield


# From "starting" to the worker's lock: importing Python on a slow, busy machine.
STARTING_SECONDS = 60.0
# NTSTATUS codes with which Windows ends processes (Microsoft, [MS-ERREF] 2.3.1).
_WINDOWS_REASONS = {
    0x40010004: message("was ended when the computer shut down or its user signed out"),
    0xC0000005: message("crashed: invalid memory access, possibly by a driver"),
    0xC0000017: message("ran out of memory"),
    0xC000001D: message("crashed: this CPU does not support an instruction that a library uses"),
    0xC00000FD: message("crashed: its stack overflowed"),
    0xC0000135: message("could not start: a DLL is missing"),
    0xC0000139: message("could not start: a DLL is of the wrong version"),
    0xC0000142: message("could not start: a DLL failed to initialize"),
    0xC000013A: message("was ended by Ctrl+C, or its console was closed"),
    0xC0000374: message("crashed: its memory was damaged"),
    0xC0000409: message("crashed: Windows stopped it after a damaged stack or a failed check"),
    0xC000012D: message("ran out of memory: raise the size of the page file"),
}
MAX_LOSSES = 2
"""Automatic restarts of a sweep in a row; a trial that ends in between resets the count."""


def settle(job: Job, exit_code: int | None) -> None:
    """Record a worker's death in its journal, if it is dead; a sweep waits for the next worker.

    Args:
        job: A job with a worker, its journal read.
        exit_code: Exit code of the process; None if it runs or was not our child.
    """
    folder = job.record.folder
    if is_held(folder) or (exit_code is None and _may_be_starting(job)):
        return
    if is_handed_over(folder):
        return  # it continues on another machine, and the queue follows it again
    try:
        with holding(folder, seconds=0.5):
            job.refresh()
            if not job.history.state.has_worker:
                return
            lost = StateChanged(
                state=State.LOST,
                attempt=job.history.attempt,
                reason=why_lost(exit_code, job),
                hint="The results so far are kept.",
                detail=tail(folder / LOG_FILE),
            )
            # In one write: this process may be killed, too.
            job.append(lost, *(_revival(job, lost.reason) if _may_go_on(job) else ()))
    except JobBusy:
        return


def _may_go_on(job: Job) -> bool:
    """Return True if a job whose worker died restarts automatically."""
    history = job.history
    if not job.job_type.is_coordinator or history.losses >= MAX_LOSSES:
        return False
    # The worker may have died before it received the request.
    unhandled = CommandReader(job.record.folder, history.attempt).poll()
    is_to_end = any(each.command in ("stop", "pause") for each in unhandled)
    return history.state != State.STOPPING and not is_to_end


def _revival(job: Job, reason: str) -> tuple[Note, StateChanged]:
    count = job.history.losses + 1
    text = message(
        "{reason} The {kind} restarts automatically ({count} of {limit} times).",
        reason=as_message(reason),
        kind=job.record.kind.label,
        count=count,
        limit=MAX_LOSSES,
    )
    return (
        Note(level="warning", message=text),
        StateChanged(state=State.QUEUED, attempt=job.history.attempt),
    )


def _may_be_starting(job: Job) -> bool:
    if job.history.state != State.STARTING:
        return False
    since = job.history.updated_at or 0.0
    # A clock that was set back is no evidence, and waiting for it would take too long.
    return 0 <= time.time() - since < STARTING_SECONDS


def why_lost(exit_code: int | None, job: Job) -> str:
    """Describe how a worker ended.

    Args:
        exit_code: Exit code of the process; None if unknown.
        job: The job of the worker.
    """
    if exit_code is None:
        return message(
            "The worker process ended without a message: it was killed, it crashed, "
            "or the machine went down. It last responded at {time:date}.",
            time=job.history.updated_at or 0.0,
        )
    if exit_code == -9:
        return (
            "The worker process was killed (signal 9). If that was not you, the system "
            "probably ran out of memory."
        )
    reason = _WINDOWS_REASONS.get(exit_code & 0xFFFFFFFF)
    if reason is not None:
        return message(
            "The worker process {reason} (Windows code {code}).",
            reason=as_message(reason),
            code=f"0x{exit_code & 0xFFFFFFFF:08X}",
        )
    if exit_code < 0:
        return message("The worker process was ended by signal {signal}.", signal=-exit_code)
    return message(
        "The worker process ended with exit code {code} before its work was done.", code=exit_code
    )


def tail(path: Path, size: int = 4000) -> str:
    """Return the end of a log; empty without one.

    Args:
        path: The log.
        size: Bytes.
    """
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - size))
            return file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
