"""Workers that do what a test needs: real processes with real locks and journals, small work."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from helpers.processes import clean_environment
from studio.engine.jobs import queue as queue_module

# The real worker, whose job runs until it is stopped.
ENDLESS = """
import sys, threading
from pathlib import Path
from studio.engine.jobs.states import State
from studio.engine.worker import main

def work(context):
    pause, number = threading.Event(), 0
    while True:
        context.check()
        number += 1
        context.advance(number, 0, "Working")
        pause.wait(0.01)

main.handler_of = lambda job: work
sys.exit(main.main(Path(sys.argv[1]), int(sys.argv[2])))
"""
# A process that never becomes a worker, until its standard input is closed.
NEVER_STARTS = "import sys; sys.stdin.readline()"
EXITS_AT_ONCE = "import sys; print('a word in the log', file=sys.stderr); sys.exit(7)"


class Launcher:
    """Stands in for `launch_worker`: starts a script, remembers its processes and ends them."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.started: list[tuple[Path, int]] = []
        self.devices: list[tuple[str, ...]] = []
        self.processes: list[subprocess.Popen[bytes]] = []
        self._guard = threading.Lock()
        self._is_closed = False

    def __call__(
        self, folder: Path, attempt: int, devices: Sequence[str] = ()
    ) -> subprocess.Popen[bytes]:
        with self._guard, (folder / "worker.log").open("ab") as log:
            if self._is_closed:  # a sweep whose worker ended restarts automatically
                raise OSError("the test is over")
            self.started.append((folder, attempt))
            self.devices.append(tuple(devices))
            process = subprocess.Popen(
                [sys.executable, "-c", self.code, str(folder), str(attempt)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=clean_environment(),
                start_new_session=True,
            )
            self.processes.append(process)
        return process

    def close(self) -> None:
        """End whatever still runs, and start nothing else."""
        with self._guard:
            self._is_closed = True
        for process in self.processes:
            with process:
                process.kill()


LaunchScripts = Callable[[str], Launcher]


def install(monkeypatch: pytest.MonkeyPatch, code: str) -> Launcher:
    """Let the queue start that script instead of the worker."""
    launcher = Launcher(code)
    monkeypatch.setattr(queue_module, "launch_worker", launcher)
    return launcher
