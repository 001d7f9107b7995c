"""A SLURM of one node on this machine: its four programs, as their manuals describe them.

The programs are links to this file. What happens to jobs is said by files in the folder
`$FAKE_SLURM`: `hold` (jobs wait, for the reason in it), `refuse` (sbatch fails with that text),
`down` (squeue fails with that text), `no_accounting`, `purged` (squeue has forgotten ended jobs).
`JOB.end` ends a job in the state in it, and `JOB.warn` sends its `--signal`. A job that is
canceled, preempted or over its time gets SIGTERM, and SIGKILL only later (KillWait), unless the
word `now` follows.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

PROGRAMS = ("sbatch", "squeue", "sacct", "scancel")
FOLDER = "FAKE_SLURM"
POLL_SECONDS = 0.02
SOFT = ("CANCELLED", "PREEMPTED", "TIMEOUT")
_PAUSE = threading.Event()
LIVING = ("PENDING", "RUNNING", "COMPLETING")


class FakeSlurm:
    """The side of the tests: installs the programs, and decides what happens to jobs."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        programs = folder / "bin"
        programs.mkdir(parents=True)
        for name in PROGRAMS:
            path = programs / name
            path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{__file__}" {name} "$@"\n')
            path.chmod(0o755)
        profile = (
            f'export {FOLDER}="{folder}" PATH="{programs}:$PATH"\necho "Welcome to node 1|x"\n'
        )
        (home / ".bash_profile").write_text(profile)

    def set(self, name: str, text: str = "") -> None:
        """Make one of the files."""
        (self.folder / name).write_text(text)

    def clear(self, name: str) -> None:
        """Remove one of the files."""
        (self.folder / name).unlink()

    def jobs(self) -> list[str]:
        """The numbers of all jobs, in order."""
        return sorted(path.parent.name for path in self.folder.glob("*/state"))

    def state(self, job: str) -> str:
        """The state of a job."""
        return (self.folder / job / "state").read_text()

    def words(self, job: str) -> list[str]:
        """The options with which a job was submitted."""
        return (self.folder / job / "words").read_text().split("\n")

    def script(self, job: str) -> str:
        """The script of a job."""
        return (self.folder / job / "script").read_text()

    def close(self) -> None:
        """End all jobs."""
        self.clear_all()
        for job in self.jobs():
            self.set(f"{job}.end", "CANCELLED")

    def clear_all(self) -> None:
        """Remove what holds jobs."""
        for name in ("hold", "refuse", "down"):
            (self.folder / name).unlink(missing_ok=True)


def _fail(program: str, text: str) -> int:
    print(f"{program}: error: {text}", file=sys.stderr)
    return 1


def _option(words: list[str], name: str, usual: str = "") -> str:
    return next((each.partition("=")[2] for each in words if each.startswith(f"--{name}=")), usual)


def _sbatch(folder: Path, words: list[str]) -> int:
    if words == ["--version"]:
        print("slurm 24.11.5")
        return 0
    if (folder / "refuse").exists():
        print("sbatch: error: " + (folder / "refuse").read_text(), file=sys.stderr)
        return _fail("sbatch", "Batch job submission failed: Invalid account")
    number = 1001
    while True:
        job = folder / str(number)
        with contextlib.suppress(FileExistsError):
            job.mkdir()
            break
        number += 1
    (job / "words").write_text("\n".join(words))
    (job / "script").write_text(Path(words[-1]).read_text())
    (job / "state").write_text("PENDING")
    subprocess.Popen(
        [sys.executable, __file__, "node", str(number)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    print(number)
    return 0


def _node(folder: Path, words: list[str]) -> int:
    """Run one job, as slurmctld and slurmd do together."""
    number = words[0]
    job = folder / number
    end, warn = folder / f"{number}.end", folder / f"{number}.warn"
    while (folder / "hold").exists() and not end.exists():
        _PAUSE.wait(POLL_SECONDS)
    if end.exists():
        (job / "state").write_text(end.read_text().split()[0])
        return 0
    options = (job / "words").read_text().split("\n")
    output = Path(_option(options, "output").replace("%%", "%"))
    (job / "state").write_text("RUNNING")
    with output.open("ab") as log:
        shell = subprocess.Popen(
            ["/bin/bash", str(job / "script")],
            cwd=_option(options, "chdir"),
            env={**os.environ, "SLURM_JOB_ID": number},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    is_warned = False
    while shell.poll() is None:
        if warn.exists() and not is_warned:
            is_warned = True
            _, _, text = _option(options, "signal").partition("B:")
            os.kill(shell.pid, signal.Signals[f"SIG{text.partition('@')[0]}"])
        if end.exists():
            with contextlib.suppress(ProcessLookupError):
                soft = end.read_text() in SOFT
                os.killpg(shell.pid, signal.SIGTERM if soft else signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                shell.wait(20)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()
            break
        _PAUSE.wait(POLL_SECONDS)
    (job / "code").write_text(f"{max(0, shell.returncode)}:{max(0, -shell.returncode)}")
    usual = "FAILED" if shell.returncode else "COMPLETED"
    (job / "state").write_text(end.read_text().split()[0] if end.exists() else usual)
    return 0


def _squeue(folder: Path, words: list[str]) -> int:
    if (folder / "down").exists():
        return _fail("squeue", (folder / "down").read_text())
    number = _option(words, "jobs")
    has_all = _option(words, "states") == "all"
    layout = _option(words, "format", "%i %T %r")
    for path in sorted(folder.glob("*/state")):
        state, name = path.read_text(), path.parent.name
        is_forgotten = (folder / "purged").exists() and state not in LIVING
        if number and name == number and is_forgotten:
            print("slurm_load_jobs error: Invalid job id specified", file=sys.stderr)
            return 1
        if (number and name != number) or is_forgotten or not (has_all or state in LIVING):
            continue
        hold = folder / "hold"
        reason = hold.read_text() if state == "PENDING" and hold.exists() else "None"
        print(layout.replace("%i", name).replace("%T", state).replace("%r", reason))
    return 0


def _sacct(folder: Path, words: list[str]) -> int:
    if (folder / "no_accounting").exists():
        print("Slurm accounting storage is disabled", file=sys.stderr)
        return 1
    job = folder / _option(words, "jobs")
    state = (job / "state").read_text()
    code = (job / "code").read_text() if (job / "code").exists() else "0:0"
    print(f"{job.name}|{state + ' by 1000' if state == 'CANCELLED' else state}|{code}")
    return 0


def _scancel(folder: Path, words: list[str]) -> int:
    job = folder / words[0]
    if not job.is_dir():
        return _fail("scancel", f"Kill job error on job id {words[0]}: Invalid job id specified")
    (folder / f"{words[0]}.end").write_text("CANCELLED")
    return 0


if __name__ == "__main__":
    program = {
        "sbatch": _sbatch,
        "squeue": _squeue,
        "sacct": _sacct,
        "scancel": _scancel,
        "node": _node,
    }[sys.argv[1]]
    sys.exit(program(Path(os.environ[FOLDER]), sys.argv[2:]))
