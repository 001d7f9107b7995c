"""The process that others are forked from: TensorFlow and Studio are loaded, nothing is computed.

Run as `main(socket)`. Each connection is one request: an object `{"words", "cwd", "env"}` with
three open files (input, output, errors), after which nothing more is written. The answer is a line
with the id of the forked process, and, when that has ended, one with its exit code. The server
ends when its standard input is closed; its forks continue, as real processes do.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from pathlib import Path
from types import FrameType
from typing import Any, Final, NoReturn

# Read while the libraries are loaded: where a request changes one, it gets a process of its own.
_AT_START: Final = ("KERAS_BACKEND", "PYTHONPATH", "TF_", "XLA_", "JAX_", "OMP_")

_COMPUTE: Final = (
    "backends.prepare evaluate explain export fit host layer_views nearest predict preflight"
)
_JOBS: Final = (
    "baselines.report datasets.audit.findings datasets.recipe evaluation.report exporting.plan "
    "sweeps.history training.job_types"
)
_PRELOADED: Final = (
    "keras",
    "wakepy",
    *(f"studio.engine.compute.{name}" for name in _COMPUTE.split()),
    *(f"studio.engine.{name}" for name in _JOBS.split()),
    "studio.engine.compute.train",
    "studio.engine.compute.dataset_jobs",
    "studio.engine.datasets.survey_process",
    "studio.engine.inference.frame_process",
    "studio.engine.compute.model_trial",
    "studio.engine.labeling.segmenting.process",
    "studio.engine.worker.main",
    "studio.cli.main",
    "studio.cli.verbs",
)


class Server:
    """Forks a process for each request, and tells how it ended."""

    def __init__(self, path: str) -> None:
        self._children: dict[int, socket.socket] = {}
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(path)
        self._listening.listen(64)
        self._woken, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        self._selector = selectors.DefaultSelector()

    def serve(self) -> None:
        """Answer until the standard input is closed."""
        signal.signal(signal.SIGCHLD, _wake_up)
        signal.set_wakeup_fd(self._wake.fileno())
        for each in (self._listening, self._woken, sys.stdin):
            self._selector.register(each, selectors.EVENT_READ)
        print("ready", flush=True)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    return
                if key.fileobj is self._woken:
                    self._woken.recv(4096)
                    self._bury()
                else:
                    self._answer(self._listening.accept()[0])

    def _answer(self, connection: socket.socket) -> None:
        data, files, _, _ = socket.recv_fds(connection, 1 << 16, 3)
        while more := connection.recv(1 << 16):
            data += more
        pid = os.fork()
        if pid == 0:
            self._let_go()
            connection.close()
            _become(json.loads(data), files)
        for file in files:
            os.close(file)
        self._children[pid] = connection
        _tell(connection, pid)

    def _bury(self) -> None:
        while self._children:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            with self._children.pop(pid) as connection:
                _tell(connection, os.waitstatus_to_exitcode(status))

    def _let_go(self) -> None:
        """Close what is the server's; only in a child."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for each in (self._listening, self._woken, self._wake, *self._children.values()):
            each.close()


def _tell(connection: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # who asked may be gone
        connection.sendall(f"{number}\n".encode())


def _become(request: dict[str, Any], files: list[int]) -> NoReturn:
    """Be the process that was asked for, from its beginning to its end."""
    code = 1
    try:
        os.setsid()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.chdir(request["cwd"])
        words, env = request["words"], request["env"]
        if _needs_its_own(words, env):
            os.execve(sys.executable, words, env)
        os.environ.clear()
        os.environ.update(env)
        faulthandler.enable()
        sys.argv = words[words.index("studio") :]
        from studio.__main__ import main as studio_main

        code = studio_main()
        sys.stdout.flush()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except Exception:  # noqa: BLE001 - it must reach the log, as the interpreter would print it
        traceback.print_exc()
    finally:
        os._exit(code)


def _needs_its_own(words: list[str], env: dict[str, str]) -> bool:
    names = {name for name in (*env, *os.environ) if name.startswith(_AT_START)}
    usual = {"KERAS_BACKEND": "tensorflow"}
    if any({**usual, **env}.get(name) != {**usual, **os.environ}.get(name) for name in names):
        return True
    plan = Path(words[-2], "plan.json") if words[-3:-2] == ["worker"] else None
    if plan is None or not plan.is_file():
        return False
    text = plan.read_text(encoding="utf-8").replace(" ", "")
    return any(f'"backend":"{name}"' in text for name in ("jax", "torch"))


def _wake_up(_number: int, _frame: FrameType | None) -> None:
    """Exists so that the end of a child wakes `select`."""


def main(path: str) -> None:
    """Load everything, and serve.

    Args:
        path: The socket to listen at.
    """
    from helpers.plain_graphs import leave_graphs_plain
    from helpers.zygote import Forker

    leave_graphs_plain()
    for name in _PRELOADED:
        importlib.import_module(name)

    Forker(path).install()
    gc.freeze()
    Server(path).serve()
