"""Studio's processes, forked from one in which TensorFlow is loaded.

They start at once: most of a start is the import, and the tests start hundreds. The forked process
does exactly what a started one does, in a session of its own, with the environment that it would
have had. Where it cannot (another backend than TensorFlow), it is started as usual.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO

from helpers import processes
from helpers.processes import clean_environment
from helpers.waiting import wait_until
from studio.engine.compute import model_trial as model_trial_module
from studio.engine.datasets import surveying as surveying_module
from studio.engine.inference import frames as frames_module
from studio.engine.jobs import host as host_module
from studio.engine.jobs import launch
from studio.engine.jobs import queue as queue_module
from studio.engine.jobs.devices import environment_for
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.job import Job
from studio.engine.jobs.liveness import holding, is_held
from studio.engine.jobs.states import State
from studio.engine.labeling.segmenting import host as segmenting_module

INSTALLED: dict[str, ModuleType] = {
    "launch_worker": queue_module,
    "launch_host": host_module,
    "launch_survey": surveying_module,
    "launch_frames": frames_module,
    "launch_model_trial": model_trial_module,
    "launch_segmenter": segmenting_module,
}
"""The functions that start processes, and where they are called."""
CAN_FORK = sys.platform == "linux"
_TESTS = str(Path(__file__).parent.parent)
_CODE = """
import sys
sys.path.insert(0, sys.argv[2])
from helpers.zygote_server import main
main(sys.argv[1])
"""


class Forked:
    """A forked process, as `subprocess.Popen` shows one."""

    def __init__(self, connection: socket.socket, words: Sequence[str]) -> None:
        self.args = words
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.returncode: int | None = None
        self._connection = connection
        self._guard = threading.Lock()
        self.pid = self._number()

    def __del__(self) -> None:
        self._connection.close()

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        with self._guard:
            if self.returncode is None and self._has_request(0):
                self.returncode = self._number()
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; the exit code."""
        ends = time.monotonic() + (1e6 if timeout is None else timeout)
        while (code := self.poll()) is None:
            left = ends - time.monotonic()
            if left <= 0:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self._has_request(left)
        return code

    def kill(self) -> None:
        """End it at once."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _has_request(self, seconds: float) -> bool:
        return bool(select.select([self._connection], [], [], seconds)[0])

    def _number(self) -> int:
        line = b""
        while not line.endswith(b"\n"):
            byte = self._connection.recv(1)
            if not byte:
                raise OSError("the process that others are forked from is gone")
            line += byte
        return int(line)


class Forker:
    """Asks the process that listens at a socket to fork."""

    def __init__(self, path: str) -> None:
        self._path = path

    def install(self) -> None:
        """Let this process fork its workers, engine hosts and others."""
        for name, module in INSTALLED.items():
            vars(module)[name] = getattr(self, name)

    def launch_worker(self, folder: Path, attempt: int, devices: Sequence[str] = ()) -> Forked:
        """As `launch.launch_worker`."""
        words = launch.command("worker", str(folder), str(attempt))
        with (folder / launch.LOG_FILE).open("ab") as log, Path(os.devnull).open("rb") as nothing:
            files = [nothing.fileno(), log.fileno(), log.fileno()]
            return self._fork(words, folder, environment_for(launch.environment(), devices), files)

    def launch_host(self) -> Forked:
        """As `launch.launch_host`."""
        return self._answering("host")

    def launch_survey(self) -> Forked:
        """As `launch.launch_survey`."""
        return self._answering("survey")

    def launch_frames(self) -> Forked:
        """As `launch.launch_frames`."""
        return self._answering("frames")

    def launch_model_trial(self) -> Forked:
        """As `launch.launch_model_trial`."""
        return self._answering("model-trial")

    def launch_segmenter(self) -> Forked:
        """As `launch.launch_segmenter`."""
        return self._answering("segmenter")

    def run_studio(
        self, words: Sequence[str], cwd: Path | None
    ) -> subprocess.CompletedProcess[str]:
        """Run `studio WORDS…` to its end."""
        words = launch.command(*words)
        with (
            Path(os.devnull).open("rb") as nothing,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            files = [each.fileno() for each in (nothing, out, err)]
            forked = self._fork(words, cwd or Path.cwd(), clean_environment(), files)
            try:
                code = forked.wait(processes.SECONDS)
            finally:
                forked.kill()
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode())
        return subprocess.CompletedProcess(words, code, *texts)

    def _answering(self, name: str) -> Forked:
        asked, ask = os.pipe()
        answer, answered = os.pipe()
        with Path(os.devnull).open("wb") as nothing:
            files = [asked, answered, nothing.fileno()]
            try:
                forked = self._fork(launch.command(name), Path.cwd(), launch.environment(), files)
            finally:
                os.close(asked)
                os.close(answered)
        forked.stdin, forked.stdout = os.fdopen(ask, "wb"), os.fdopen(answer, "rb")
        return forked

    def _fork(
        self, words: Sequence[str], folder: Path, env: Mapping[str, str], files: Sequence[int]
    ) -> Forked:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._path)
        request = json.dumps({"words": words, "cwd": str(folder), "env": dict(env)}).encode()
        sent = socket.send_fds(connection, [request], files)
        connection.sendall(request[sent:])
        connection.shutdown(socket.SHUT_WR)
        return Forked(connection, words)


class Zygote(Forker):
    """The process that others are forked from; started by `warm_up`, or when it is needed."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="zygote")
        super().__init__(str(Path(self._folder.name, "socket")))
        self._process: subprocess.Popen[bytes] | None = None
        self._is_ready = False
        self._starting = threading.Lock()

    def warm_up(self) -> None:
        """Start it now; its first user waits for the rest."""
        with self._starting:
            self._start()

    def close(self) -> None:
        """End it; its forks continue."""
        if self._process is not None:
            with self._process as process:
                process.kill()
        self._folder.cleanup()

    def _fork(
        self, words: Sequence[str], folder: Path, env: Mapping[str, str], files: Sequence[int]
    ) -> Forked:
        with self._starting:
            process = self._start()
            if not self._is_ready and process.stdout is not None:
                if process.stdout.readline() != b"ready\n":
                    raise OSError("the process that others are forked from did not start")
                self._is_ready = True
        return super()._fork(words, folder, env, files)

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-u", "-c", _CODE, self._path, _TESTS],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=clean_environment(),
            )
        return self._process


@contextlib.contextmanager
def forking() -> Iterator[None]:
    """Fork Studio's processes inside of the block, where the system can."""
    before = {name: getattr(module, name) for name, module in INSTALLED.items()}
    zygote = Zygote()
    if CAN_FORK:
        zygote.install()
        if "PYTEST_XDIST_WORKER" in os.environ:  # many tests come, and some will need it
            zygote.warm_up()
    try:
        yield
    finally:
        for name, module in INSTALLED.items():
            vars(module)[name] = before[name]
        zygote.close()


def studio(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `studio WORDS…` to its end; it is forked where workers are."""
    forker = getattr(vars(queue_module)["launch_worker"], "__self__", None)
    if not isinstance(forker, Forker):
        return processes.studio(*words, cwd=cwd)
    return forker.run_studio([*map(str, words)], cwd)


def start(job: Job) -> int:
    """Start the next attempt of a job, whose last worker is dead; the process id."""
    wait_until(lambda: not is_held(job.record.folder), "the last worker is dead")
    with holding(job.record.folder, seconds=10):
        job.refresh()
        attempt = job.history.attempt + 1
        job.append(StateChanged(state=State.STARTING, attempt=attempt))
    launch_worker = vars(queue_module)["launch_worker"]
    return int(launch_worker(job.record.folder, attempt).pid)


def finish(job: Job) -> None:
    """Do a job from where it is to its end."""
    start(job)
    wait_until(lambda: _refreshed(job).is_at_rest, f"{job.record.id} is over")


def _refreshed(job: Job) -> State:
    job.refresh()
    return job.history.state


def kill(pid: int, folder: Path) -> None:
    """Kill a worker with SIGKILL, and wait until the system has taken its lock away."""
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_held(folder), "the killed worker is gone")
