"""Real processes: our command line, and small Python scripts, each in a process of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import pytest

from helpers.waiting import wait_until
from studio.engine.jobs.launch import environment

SECONDS = 240


def clean_environment(**changes: str) -> dict[str, str]:
    """Our environment without what a developer may have set for Studio or Keras."""
    dropped = ("STUDIO_WORKSPACE", "KERAS_BACKEND", "COLUMNS")
    stored = {key: value for key, value in environment().items() if key not in dropped}
    return {**stored, **changes}


def session_folder(factory: pytest.TempPathFactory) -> Path:
    """Return the folder for temporary files that all processes of these tests share."""
    root = factory.getbasetemp()
    return root.parent if "PYTEST_XDIST_WORKER" in os.environ else root


def studio(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `studio WORDS…` to its end."""
    return subprocess.run(
        [sys.executable, "-m", "studio", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=clean_environment(),
        cwd=cwd,
    )


def run_python(code: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a script to its end."""
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=clean_environment(),
        # A worker sets the priority of its whole session, which must not be ours.
        start_new_session=True,
    )


REFUSING = """
import runpy, sys

class Refuse:
    names = set(sys.argv[1].split(","))
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"{name} is not installed here")

sys.meta_path.insert(0, Refuse())
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run_without(modules: Collection[str], script: Path, *words: str | Path, cwd: Path) -> str:
    """Run a script to its end in a process that cannot import some modules.

    Args:
        modules: Names of the modules.
        script: The script.
        words: Its arguments.
        cwd: The working directory, which is on the path of imports.

    Returns:
        What it prints.
    """
    done = subprocess.run(
        [sys.executable, "-c", REFUSING, ",".join(sorted(modules)), script, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        cwd=cwd,
        env={key: value for key, value in clean_environment().items() if key != "PYTHONPATH"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextlib.contextmanager
def python(code: str, *arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """Start a script and make sure that it ends with the block."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=clean_environment(),
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def run_together(code: str, each: Sequence[Sequence[str | Path]]) -> list[str]:
    """Run a script several times at once; all begin when all have printed `ready`.

    The script prints `ready`, waits for a line on its standard input, and prints one more line,
    which is its answer.
    """
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(python(code, *words)) for words in each]
        for process in processes:
            assert _line(process) == "ready"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        return [_line(process) for process in processes]


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill_and_wait(pid: int) -> None:
    """End a process that may not be our child, as `kill -9` does, and wait until it is gone."""
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(pid), f"process {pid} is gone")


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that ended and waits to be collected does not."""
    import psutil

    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
