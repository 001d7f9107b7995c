"""Workers that have done a run, and take another like it with everything loaded.

To start one costs seconds: the interpreter, Keras and its backend. So a worker at its end says
what it could do next, in a file beside a lock that it holds, and whoever dispatches the queue
hands it a waiting run instead of starting a process. Both happen under the lock of the queue, so
a run is handed to a worker that takes it, or to none.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from studio.engine.files import remove, write_atomically
from studio.engine.jobs.types import Requirements

FOLDER = ".warm"
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
    for place in sorted((root / FOLDER).glob("*.json")):
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
    place = root / FOLDER / f"{os.getpid()}-{uuid.uuid4().hex[:8]}.json"
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
