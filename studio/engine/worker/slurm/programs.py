"""The programs of SLURM: `sbatch`, `squeue`, `sacct` and `scancel`.

They run in a login shell, because clusters add them to the path of users in its profile. What a
profile prints is passed over: only lines that begin with the number of a job count. No text is
given to a shell as a part of its script.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.engine.errors import StudioError
from studio.engine.jobs.machine_folder import user_name
from studio.engine.messages import message

TIMEOUT_SECONDS: Final = 60
PENDING: Final = "PENDING"
PREEMPTED: Final = "PREEMPTED"
GONE: Final = "GONE"
"""State of a job that is no longer in the queue, and that accounting does not know."""
OVER: Final = frozenset(
    (
        *("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL"),
        *("OUT_OF_MEMORY", PREEMPTED, "REVOKED", "TIMEOUT", GONE),
    )
)
"""States in which a job has no processes and gets none; in all others it waits, runs or ends."""
_LOGIN_SHELL: Final = ("/bin/bash", "-lc", 'exec "$@"', "bash")
_NOT_FOUND: Final = 127
_UNKNOWN_JOB: Final = re.compile("Invalid job id")
_JOB: Final = re.compile(r"([0-9]+)(?:;[^;]*)?")


class SlurmError(StudioError):
    """A program of SLURM failed."""


@dataclass(frozen=True, slots=True)
class SlurmStatus:
    """State of a job in SLURM.

    Attributes:
        state: One of `JOB STATE CODES` of squeue(1), or `GONE`.
        reason: Why it waits, as squeue says: `Priority`, `Resources`; empty if unknown.
        exit_code: Exit code of its script, as sacct says: `1:0`; empty if unknown.
    """

    state: str
    reason: str = ""
    exit_code: str = ""

    @property
    def is_over(self) -> bool:
        """True if the job has ended."""
        return self.state in OVER


def submit(script: Path, options: Sequence[str]) -> str:
    """Submit a job; return its number.

    Args:
        script: The job script.
        options: Options of sbatch. They win over those of the script and of the environment.

    Raises:
        SlurmError: SLURM refused it; the message is its own.
    """
    output = _run("sbatch", "--parsable", *options, str(script))
    for line in reversed(output.splitlines()):
        if found := _JOB.fullmatch(line.strip()):
            return found[1]
    raise SlurmError(
        "sbatch did not say the number of the job: {output}", output=repr(output[-200:])
    )


def status_of(job: str) -> SlurmStatus:
    """Return the state of a job.

    squeue knows jobs until some minutes after their end, sacct for longer, where
    the cluster keeps accounts.

    Args:
        job: Its number.

    Raises:
        SlurmError: squeue does not answer.
    """
    try:
        output = _run("squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%i|%T|%r")
    except SlurmError as error:
        if not _UNKNOWN_JOB.search(error.message):
            raise
        output = ""
    for state, reason in _fields(output, job, 2):
        return SlurmStatus(state, "" if reason == "None" else reason)
    return _ended(job)


def _ended(job: str) -> SlurmStatus:
    words = ("--noheader", "--parsable2", "--allocations", f"--jobs={job}")
    try:
        output = _run("sacct", *words, "--format=JobIDRaw,State,ExitCode")
    except SlurmError:  # "Slurm accounting storage is disabled"
        return SlurmStatus(GONE)
    for state, code in _fields(output, job, 2):
        return SlurmStatus(state.split()[0], exit_code=code)  # "CANCELLED by 1000"
    return SlurmStatus(GONE)


def _fields(output: str, job: str, count: int) -> list[list[str]]:
    lines = [line.strip().split("|", count) for line in output.splitlines()]
    return [line[1:] for line in lines if line[0] == job and len(line) == count + 1 and line[1]]


def cancel(job: str) -> None:
    """End a job, whether it waits or runs.

    Args:
        job: Its number.

    Raises:
        SlurmError: scancel failed.
    """
    try:
        _run("scancel", job)
    except SlurmError as error:
        if not _UNKNOWN_JOB.search(error.message):  # it ended just now
            raise


def own_states() -> list[str]:
    """Return the states of all jobs of this user in the queue.

    Raises:
        SlurmError: squeue is not installed or does not answer.
    """
    output = _run("squeue", "--noheader", f"--user={user_name()}", "--format=%i|%T")
    return re.findall(r"^\s*[0-9_]+\|([A-Z_]+)\s*$", output, re.MULTILINE)


def version() -> str:
    """Return name and version of SLURM, such as `slurm 24.11.5`.

    Raises:
        SlurmError: It is not installed.
    """
    lines = _run("sbatch", "--version").strip().splitlines()
    return lines[-1][:80] if lines else "slurm"


def _run(program: str, *words: str) -> str:
    try:
        ended = subprocess.run(
            [*_LOGIN_SHELL, program, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise SlurmError(
            "{program} does not answer: {reason}", program=program, reason=str(error)
        ) from error
    if ended.returncode == _NOT_FOUND:
        raise SlurmError(
            "There is no SLURM: {program} was not found in a login shell.",
            "Name the machine on which jobs are submitted, or use --launcher process.",
            program=program,
        )
    if ended.returncode:
        errors = ended.stderr.decode("utf-8", "replace")
        said = [line.partition("error: ")[2] or line for line in errors.splitlines()]
        raise SlurmError(
            "{program}: {reason}",
            program=program,
            reason=" ".join(filter(None, map(str.strip, said)))[-400:]
            or message("exit code {code}", code=ended.returncode),
        )
    return ended.stdout.decode("utf-8", "replace")
