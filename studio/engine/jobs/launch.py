"""How Studio's other processes are started: by name, with the interpreter that runs this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import studio
from studio.engine.jobs.devices import environment_for

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
