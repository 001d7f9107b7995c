"""Workers that are forked from a process in which TensorFlow is loaded: they start at once.

Many kills take many starts, and most of a start is the import. The forked process does exactly
what a worker does, in a session of its own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from helpers.processes import clean_environment
from helpers.waiting import wait_until
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.lock import holding, is_held
from studio.engine.jobs.states import State

# Nothing of TensorFlow runs before the fork: its threads would not come along.
_CODE = """
import os, signal, sys
from pathlib import Path
import keras, tensorflow
from studio.engine.compute import fit, train
from studio.engine.worker import main

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    folder, attempt = line.rstrip("\\n").rsplit(" ", 1)
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        log = os.open(Path(folder) / "worker.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1), os.dup2(log, 2)
        os._exit(main.main(Path(folder), int(attempt)))
    print(pid, flush=True)
"""


class Zygote:
    """A context in which workers are started by forking."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=clean_environment(),
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._process as process:
            process.kill()

    def start(self, job: Job) -> int:
        """Start the next attempt of a job, whose last worker is dead; the process id."""
        wait_until(lambda: not is_held(job.record.folder), "the last worker is dead")
        with holding(job.record.folder, seconds=10):
            job.refresh()
            attempt = job.history.attempt + 1
            job.append(StateChanged(state=State.STARTING, attempt=attempt))
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the zygote has no pipes")
        self._process.stdin.write(f"{job.record.folder} {attempt}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def finish(self, job: Job) -> None:
        """Do a job from where it is to its end."""
        self.start(job)
        wait_until(lambda: _refreshed(job).is_at_rest, f"{job.record.id} is over")


def _refreshed(job: Job) -> State:
    job.refresh()
    return job.history.state


def kill(pid: int, folder: Path) -> None:
    """Kill a worker with SIGKILL, and wait until the system has taken its lock away."""
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_held(folder), "the killed worker is gone")
