"""Requests to a running worker: lines in `commands.jsonl`.

Any process may append; the worker reads at most ten times a second. A command names the attempt it
is meant for, so that an old stop does not end a run that was started again.

**On a full disk** a line cannot be appended, and a run that fills the disk must be stopped or
paused most of all. A stop or pause is then a marker: an empty file whose name is the command and
the attempt, such as `.stop-3`. The worker prepares an empty file for each of the two at its start,
and the marker is that file renamed, which needs no space on any file system. Where it is missing,
the marker is made, which needs no space for data. Other commands fail with a clear error.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock
from pydantic import BaseModel, Field, ValidationError

from studio.engine.errors import DiskFullError, StudioError
from studio.engine.files import appended_lines, disk_full_is_clear, remove

COMMANDS_FILE = "commands.jsonl"
LOCK_FILE = "commands.lock"
CommandName = Literal["stop", "pause", "save", "rate", "rerun", "amend", "move"]
ENDING: tuple[CommandName, ...] = ("stop", "pause")
"""Commands that also work on a full disk."""
LASTING: tuple[CommandName, ...] = ("rerun", "amend", "move")
"""Commands for a sweep in any attempt: a later one executes what an earlier one missed."""


class JobCommand(BaseModel, frozen=True):
    """A request to a job.

    `stop` means to end at the next step and keep what is there; `pause` to end there, too, and be
    able to continue exactly; `save` to write what that needs now; `rate` to take `value` as the
    learning rate from the next step on. Of a sweep, `rerun` to do trial number `value` again,
    `amend` to take `changes` of its plan, by dotted name, and `move` to put the trial with
    `changes["values"]` before the one with `changes["before"]`.
    """

    command: CommandName
    attempt: int
    value: float | None = None
    changes: dict[str, Any] = Field(default_factory=dict)
    t: float = Field(default_factory=time.time)


def send(
    folder: Path,
    name: CommandName,
    attempt: int,
    value: float | None = None,
    changes: Mapping[str, object] | None = None,
) -> None:
    """Append a command for the worker of an attempt.

    Args:
        folder: Folder of the job.
        name: The command.
        attempt: Number of the attempt; other workers ignore the command.
        value: Argument of commands with a number.
        changes: Changed fields of the plan, by dotted name.

    Raises:
        StudioError: The job was deleted.
        DiskFullError: No space was left for a command other than stop and pause.
    """
    command = JobCommand(command=name, attempt=attempt, value=value, changes=dict(changes or {}))
    try:
        with silence(folder):
            append(folder, command)
    except DiskFullError:
        if name not in ENDING:
            raise
        mark(folder, name, attempt)


def prepare(folder: Path) -> None:
    """Prepare the folder of a job for commands on a full disk; called by its worker.

    Args:
        folder: Folder of the job, whose lock is held.
    """
    for name in ENDING:
        for old in folder.glob(f".{name}-*"):
            remove(old)
    with contextlib.suppress(OSError):  # a disk that is full already
        for name in ENDING:
            _spare(folder, name).touch()
        (folder / LOCK_FILE).touch()


def mark(folder: Path, name: CommandName, attempt: int) -> None:
    """Make the marker of a stop or pause; safe in a handler of a signal.

    Args:
        folder: Folder of the job.
        name: The command, one of `ENDING`.
        attempt: Number of the attempt.

    Raises:
        DiskFullError: No space was left, and no file was prepared.
    """
    marker = _marker(folder, name, attempt)
    with disk_full_is_clear(marker):
        try:
            _spare(folder, name).replace(marker)
        except FileNotFoundError:
            marker.touch()


def _spare(folder: Path, name: CommandName) -> Path:
    """Return the empty file that becomes the marker of a command."""
    return folder / f".{name}"


def _marker(folder: Path, name: CommandName, attempt: int) -> Path:
    return folder / f".{name}-{attempt}"


@contextlib.contextmanager
def silence(folder: Path) -> Iterator[None]:
    """Block new commands, to check that a worker is there to receive one."""
    if not folder.is_dir():  # the lock would make the folder of a deleted job again
        raise StudioError("The job was deleted.", "It may still be in the trash.", str(folder))
    lock = FileLock(folder / LOCK_FILE, timeout=10)
    with disk_full_is_clear(folder / LOCK_FILE):
        held = lock.acquire()
    with held:
        yield


def append(folder: Path, command: JobCommand) -> None:
    """Append a command; call it inside `silence` only.

    Args:
        folder: Folder of the job.
        command: The command.
    """
    path = folder / COMMANDS_FILE
    # The newline before it ends a line that may be torn.
    line = b"\n" + command.model_dump_json().encode() + b"\n"
    with disk_full_is_clear(path):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)


class CommandReader:
    """Reads the commands for a worker's attempt, each once.

    Args:
        folder: The job's folder.
        attempt: Number of the attempt; commands for others are skipped.
        interval: Minimum time between two reads of the file in seconds.
        since: Persistent commands after this byte also count, whatever their attempt; None
            ignores them.

    Attributes:
        offset: Number of bytes read.
    """

    def __init__(
        self, folder: Path, attempt: int, interval: float = 0.1, since: int | None = None
    ) -> None:
        self.offset = since or 0
        self._path = folder / COMMANDS_FILE
        self._attempt = attempt
        self._interval = interval
        self._takes_lasting = since is not None
        self._next_check = 0.0
        self._markers = {name: _marker(folder, name, attempt) for name in ENDING}

    def poll(self, *, at_once: bool = False) -> list[JobCommand]:
        """Commands that came since the last call; cheap enough for every training step.

        Args:
            at_once: Look although the last look was just now.
        """
        now = time.monotonic()
        if now < self._next_check and not at_once:
            return []
        self._next_check = now + self._interval
        lines, self.offset = appended_lines(self._path, self.offset)
        parsed = (_parse(line) for line in lines)
        commands = [each for each in parsed if each is not None and self._is_for_us(each)]
        return commands + self._marked()

    def _marked(self) -> list[JobCommand]:
        """Return the commands that came as markers, each once."""
        names = [name for name, marker in self._markers.items() if marker.exists()]
        for name in names:
            del self._markers[name]
        return [JobCommand(command=name, attempt=self._attempt) for name in names]

    def _is_for_us(self, command: JobCommand) -> bool:
        lasts = self._takes_lasting and command.command in LASTING
        return lasts or command.attempt == self._attempt


def _parse(line: bytes) -> JobCommand | None:
    try:
        return JobCommand.model_validate_json(line)
    except ValidationError:
        return None  # a command of a newer version, or a torn line: ignored
