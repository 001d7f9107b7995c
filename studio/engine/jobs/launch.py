"""How Studio's other processes are started: by name, with the interpreter that runs this one."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

import studio
from studio.engine.files import remove, write_atomically
from studio.engine.jobs.devices import environment_for
from studio.engine.jobs.types import Requirements

LOG_FILE = "worker.log"

if sys.platform == "win32":
    # What a session of its own is on Windows: no console to share, no Ctrl+C to receive.
    _NO_CONSOLE = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
else:
    _NO_CONSOLE = 0


def command(*words: str) -> list[str]:
    """The command line of another Studio process.

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
    """Start the worker of a job in a session of its own; it outlives whoever starts it.

    Nothing ties it to us: no pipe, no terminal. What it prints goes to `worker.log`.

    Args:
        folder: The job's folder.
        attempt: Which attempt it is, from 1.
        devices: What it has for itself: it sees these GPUs alone, as numbers from 0, and none
            where that is the CPU. Without any it may use what there is.

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


def _answering(name: str) -> subprocess.Popen[bytes]:
    """Start a process that is asked through its standard input."""
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
# To start one costs seconds: the interpreter, Keras and its backend. So a worker at its end says
# what it could do next, in a file beside a lock that it holds, and whoever dispatches the queue
# hands it a waiting run instead of starting a process. Both happen under the lock of the queue, so
# a run is handed to a worker that takes it, or to none.

WARM_FOLDER = ".warm"
LOOK_SECONDS = 0.05


def process_key(required: Requirements, devices: Sequence[str]) -> str | None:
    """Return what jobs must have in common to share a process.

    Args:
        required: Of a job.
        devices: What the job has for itself.

    Returns:
        A text that is equal for such jobs; None for a job that needs a process of its own.
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
        attempt: Which attempt it is.

    Returns:
        Whether there was such a worker.
    """
    if key is None:
        return False
    for place in sorted((root / WARM_FOLDER).glob("*.json")):
        following = place.with_suffix(".next")
        try:
            is_fit = place.read_text(encoding="utf-8") == key and not following.exists()
        except FileNotFoundError:
            continue  # it has just gone
        if not is_fit:
            continue
        if _is_held(place.with_suffix(".lock")):
            write_atomically(following, json.dumps([str(folder), attempt]))
            return True
        _remove(place)  # its worker was killed
    return False


def next_run(
    root: Path,
    key: str,
    seconds: float,
    dispatch: Callable[[], None],
    locked: Callable[[], contextlib.AbstractContextManager[None]],
) -> tuple[Path, int] | None:
    """Wait for another run.

    Args:
        root: The workspace.
        key: `process_key` of the runs that may come.
        seconds: How long to wait; 0 for one look at the queue.
        dispatch: Starts what waits in the queue, and may so hand a run to us.
        locked: Keeps others from handing over.

    Returns:
        Folder and attempt of the run, which is ours to do now; None where none came.

    Raises:
        StudioError: Somebody has kept the queue locked.
    """
    place = root / WARM_FOLDER / f"{os.getpid()}-{uuid.uuid4().hex[:8]}.json"
    place.parent.mkdir(exist_ok=True)
    pause = threading.Event()
    with _cleared(place), FileLock(place.with_suffix(".lock")):
        write_atomically(place, key)
        try:
            for _ in range(1 + round(seconds / LOOK_SECONDS)):
                dispatch()
                if place.with_suffix(".next").exists():
                    break
                pause.wait(LOOK_SECONDS if seconds else 0)
        finally:
            # Somebody may hand over until the file is gone.
            with locked():
                remove(place)
        with contextlib.suppress(FileNotFoundError):
            folder, attempt = json.loads(place.with_suffix(".next").read_text(encoding="utf-8"))
            return Path(folder), attempt
        return None


@contextlib.contextmanager
def _cleared(place: Path) -> Iterator[None]:
    try:
        yield
    finally:
        _remove(place)


def _remove(place: Path) -> None:
    for suffix in (".json", ".next", ".lock"):
        remove(place.with_suffix(suffix))


def _is_held(path: Path) -> bool:
    try:
        with FileLock(path).acquire(timeout=0):
            return False
    except Timeout:
        return True
