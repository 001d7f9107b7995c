"""What somebody wants from a running worker: lines in `commands.jsonl`.

Anybody may append; the worker reads at most ten times a second. A command names the attempt it is
meant for, so that an old stop does not end a run that was started again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.engine.files import disk_full_is_clear

COMMANDS_FILE = "commands.jsonl"
CommandName = Literal["stop", "pause", "save", "rate", "rerun", "amend"]


class Command(BaseModel):
    """One wish.

    `stop` means to end at the next step and keep what is there; `pause` to end there, too, and be
    able to go on exactly; `save` to write what that needs now; `rate` to take `value` as the
    learning rate from the next step on. Of a sweep, `rerun` to do trial number `value` again, and
    `amend` to take `changes` of its plan, by dotted name.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

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
    """Append a command for the worker of that attempt."""
    path = folder / COMMANDS_FILE
    command = Command(command=name, attempt=attempt, value=value, changes=dict(changes or {}))
    # The newline before it ends a line that somebody may have left torn.
    line = b"\n" + command.model_dump_json().encode() + b"\n"
    with FileLock(folder / "commands.lock", timeout=10), disk_full_is_clear(path):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)


class CommandReader:
    """The worker's ear: gives the commands for its attempt, each once.

    Args:
        folder: The job's folder.
        attempt: Commands for other attempts are passed over.
        interval: The file is looked at once per this many seconds at most.
    """

    def __init__(self, folder: Path, attempt: int, interval: float = 0.1) -> None:
        self._path = folder / COMMANDS_FILE
        self._attempt = attempt
        self._interval = interval
        self._offset = 0
        self._next_look = 0.0

    def poll(self) -> list[Command]:
        """Commands that came since the last call; cheap enough for every training step."""
        now = time.monotonic()
        if now < self._next_look:
            return []
        self._next_look = now + self._interval
        try:
            if self._path.stat().st_size <= self._offset:
                return []
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return []
        end = data.rfind(b"\n") + 1
        self._offset += end
        return [
            command
            for line in data[:end].splitlines()
            if (command := _parse(line)) is not None and command.attempt == self._attempt
        ]


def _parse(line: bytes) -> Command | None:
    try:
        return Command.model_validate_json(line)
    except ValidationError:
        return None  # a command of a newer version, or a torn line: there is nobody to tell
