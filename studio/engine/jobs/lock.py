"""Liveness: whoever works on a job holds an operating-system lock on a file in its folder.

The system gives the lock back when the process ends, however it ends, and on every machine start;
a process id could have been given to somebody else by then.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

LOCK_FILE = "worker.lock"


class JobBusy(Exception):  # noqa: N818 - a fact about the job, not a failure
    """Somebody else holds the job's lock."""


@contextlib.contextmanager
def holding(folder: Path, seconds: float = 0.0) -> Iterator[None]:
    """Hold the lock of a job.

    Args:
        folder: The job's folder.
        seconds: How long to wait for it. Others hold it for a moment when they probe it, so
            whoever must have it waits for some seconds.

    Raises:
        JobBusy: Somebody else held it all the time.
    """
    lock = FileLock(folder / LOCK_FILE)
    try:
        lock.acquire(timeout=seconds, poll_interval=0.02)
    except Timeout as error:
        raise JobBusy(str(folder)) from error
    try:
        yield
    finally:
        lock.release()


def is_held(folder: Path) -> bool:
    """Whether somebody works on the job at this moment."""
    try:
        with holding(folder):
            return False
    except JobBusy:
        return True
