"""Start of Studio's other processes: by name, with the current interpreter."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout

import studio
from studio.engine.files import remove, write_atomically
from studio.engine.jobs.devices import environment_for
from studio.engine.jobs.types import Requirements

LOG_FILE = "worker.log"

if sys.platform == "win32":
    # A separate session on Windows: no shared console, no Ctrl+C.
    _NO_CONSOLE = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
else:
    _NO_CONSOLE = 0


def command(*words: str) -> list[str]:
    """Return the command line of another Studio process.

    `-P` keeps the current folder off the import path: a workspace may hold foreign files.
    """
    return [sys.executable, "-P", "-X", "faulthandler", "-m", "studio", *words]


def environment() -> dict[str, str]:
    """Our environment, with this copy of Studio importable also where it is not installed."""
    source = str(Path(studio.__file__).resolve().parent.parent)
    parts = [source, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    path = os.pathsep.join(dict.fromkeys(parts))
    return {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}


def launch_worker(
    folder: Path, attempt: int, devices: Sequence[str] = ()
) -> subprocess.Popen[bytes]:
    """Start the worker of a job in a separate session; it outlives its parent.

    Nothing ties it to us: no pipe, no terminal. What it prints goes to `worker.log`.

    Args:
        folder: The job's folder.
        attempt: Number of the attempt, from 1.
        devices: Devices reserved for it: it sees only these GPUs, numbered from 0, and none for
            the CPU. If empty, it may use all.

    Raises:
        OSError: The process could not be started.
    """
    with (folder / LOG_FILE).open("ab") as log:
        return subprocess.Popen(
            command("worker", str(folder), str(attempt)),
            cwd=folder.parent.parent,  # Windows does not delete the working folder of a process
            env=environment_for(environment(), devices),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            creationflags=_NO_CONSOLE,
        )


def launch_window(workspace: Path, variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start another window, which outlives us.

    Args:
        workspace: The workspace that it opens.
        variables: Its environment.

    Raises:
        OSError: The process could not be started.
    """
    return subprocess.Popen(
        command("gui", "--workspace", str(workspace)),
        env={**variables, "PYTHONPATH": environment()["PYTHONPATH"]},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        creationflags=_NO_CONSOLE,
    )


def launch_host() -> subprocess.Popen[bytes]:
    """Start an engine host; it ends when its standard input is closed.

    Raises:
        OSError: The process could not be started.
    """
    return _answering("host")


def launch_survey() -> subprocess.Popen[bytes]:
    """Start a process that looks through sources; it ends when its standard input is closed.

    Raises:
        OSError: The process could not be started.
    """
    return _answering("survey")


def launch_frames() -> subprocess.Popen[bytes]:
    """Start a process that decodes videos; it ends when its standard input is closed.

    Raises:
        OSError: The process could not be started.
    """
    return _answering("frames")


def launch_model_trial() -> subprocess.Popen[bytes]:
    """Start a process that runs a model file once; it ends when its standard input is closed.

    Raises:
        OSError: The process could not be started.
    """
    return _answering("model-trial")


def launch_segmenter() -> subprocess.Popen[bytes]:
    """Start a process that outlines objects; it ends when its standard input is closed.

    Raises:
        OSError: The process could not be started.
    """
    return _answering("segmenter")


def _answering(name: str) -> subprocess.Popen[bytes]:
    """Start a process that receives requests through its standard input."""
    return subprocess.Popen(
        command(name),
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        creationflags=_NO_CONSOLE,
    )


# Workers that have done a run, and take another like it with everything loaded.
#
# To start one costs seconds: the interpreter, Keras and its backend. So a worker says, just before
# the end of its run, what it could do next, in a file next to a lock that it holds, and whichever
# process dispatches the queue hands it a waiting run instead of starting a process. That and
# taking the offer back happen under the lock of the queue, so a run is handed to a worker that
# takes it, or to none.

WARM_FOLDER = ".warm"
POLL_SECONDS = 0.01
"""Interval at which a waiting worker checks for a file, which takes some microseconds."""


def process_key(required: Requirements, devices: Sequence[str]) -> str | None:
    """Return the key that jobs must have in common to share a process.

    Args:
        required: Requirements of a job.
        devices: Devices reserved for the job.

    Returns:
        A text that is equal for such jobs; None for a job that needs a separate process.
    """
    if required.process_key is None:
        return None
    return json.dumps([required.process_key, *devices])


def hand_over(root: Path, key: str | None, folder: Path, attempt: int) -> bool:
    """Give a run that has started to a worker that waits; only for who has the queue locked.

    Args:
        root: The workspace.
        key: `process_key` of the run.
        folder: The folder of the run.
        attempt: Number of the attempt.

    Returns:
        Whether there was such a worker.
    """
    if key is None:
        return False
    for index in sorted((root / WARM_FOLDER).glob("*.json")):
        following = index.with_suffix(".next")
        try:
            is_fit = index.read_text(encoding="utf-8") == key and not following.exists()
        except FileNotFoundError:
            continue  # it has just gone
        if not is_fit:
            continue
        if _is_held(index.with_suffix(".lock")):
            write_atomically(following, json.dumps([str(folder), attempt]))
            return True
        _remove(index)  # its worker was killed
    return False


class Offer:
    """The word of a worker that it takes another run; inside `with`, and until it is taken back.

    It is given before the worker reports the end of its run: a process that sees the end and wants
    the next run started finds a worker for it.

    Args:
        root: The workspace.
        locked: Keeps others from handing over.
    """

    def __init__(
        self, root: Path, locked: Callable[[], contextlib.AbstractContextManager[None]]
    ) -> None:
        self._marker = root / WARM_FOLDER / f"{os.getpid()}-{uuid.uuid4().hex[:8]}.json"
        self._lock = FileLock(self._marker.with_suffix(".lock"))
        self._locked = locked

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        _remove(self._marker)

    @property
    def is_given(self) -> bool:
        """True if a run may arrive."""
        return self._lock.is_locked

    def give(self, key: str) -> None:
        """Start accepting runs.

        Args:
            key: `process_key` of the runs that may come.
        """
        self._marker.parent.mkdir(exist_ok=True)
        self._lock.acquire()
        write_atomically(self._marker, key)

    def taken(self, seconds: float) -> tuple[Path, int] | None:
        """Wait for a run, and take none after that.

        Args:
            seconds: Timeout; 0 to check once.

        Returns:
            Folder and attempt of the run, which is ours to do now; None if no run came.

        Raises:
            StudioError: Another process keeps the queue locked.
        """
        following = self._marker.with_suffix(".next")
        until = time.monotonic() + seconds
        while not following.exists() and time.monotonic() < until:
            time.sleep(POLL_SECONDS)
        # Another process may hand over until the file is gone.
        with self._locked():
            remove(self._marker)
        try:
            folder, attempt = json.loads(following.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return Path(folder), attempt


def _remove(location: Path) -> None:
    for suffix in (".json", ".next", ".lock"):
        remove(location.with_suffix(suffix))


def _is_held(path: Path) -> bool:
    try:
        with FileLock(path).acquire(timeout=0):
            return False
    except Timeout:
        return True
