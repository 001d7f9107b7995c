"""Liveness: whoever works on a job holds an operating-system lock on a file in its folder.

The system gives the lock back when the process ends, however it ends, and on every machine start;
a process id could have been given to somebody else by then.

Of a run that another machine trains in a folder that both see, two hold locks: the worker here,
which speaks for it, the ordinary one, and the worker there one more. Whoever wants the job waits
for both: a process here that was killed must not hand the journal to a second writer.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

LOCK_FILE = "worker.lock"
NODE_LOCK_FILE = "node.lock"
LEASE_SECONDS = 120.0
"""So long may a shared disk take to notice that another machine with a lock is gone."""


class JobBusy(Exception):  # noqa: N818 - a fact about the job, not a failure
    """The job's lock cannot be had: somebody else holds it, or the job was deleted."""


@contextlib.contextmanager
def holding(folder: Path, seconds: float = 0.0) -> Iterator[None]:
    """Hold the lock of a job.

    Args:
        folder: The job's folder.
        seconds: How long to wait for it. Others hold it for a moment when they probe it, so
            whoever must have it waits for some seconds.

    Raises:
        JobBusy: Somebody else held it all the time, or the folder is gone.
    """
    with _locked(folder / LOCK_FILE, seconds):
        if (folder / NODE_LOCK_FILE).exists():
            with holding_there(folder, seconds):
                pass  # nobody but us begins another worker there
        yield


def holding_there(
    folder: Path, seconds: float = LEASE_SECONDS
) -> contextlib.AbstractContextManager[None]:
    """Hold the lock of the worker on another machine; its job's own lock somebody here has.

    Args:
        folder: The job's folder.
        seconds: How long to wait for it.

    Raises:
        JobBusy: A worker of an earlier attempt held it all the time.
    """
    return _locked(folder / NODE_LOCK_FILE, seconds)


def is_held(folder: Path) -> bool:
    """Whether somebody works on the job at this moment."""
    try:
        with holding(folder):
            return False
    except JobBusy:
        return folder.is_dir()  # nobody works on a deleted job


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
