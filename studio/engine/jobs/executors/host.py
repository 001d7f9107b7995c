"""Machines that Studio was installed on, by the names with which ssh reaches them."""

from __future__ import annotations

import contextlib
import json
import os
import re
from pathlib import Path
from typing import Final

import platformdirs
from pydantic import BaseModel, Field, ValidationError

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.files import read_failure, write_atomically
from studio.engine.jobs.devices import RAY
from studio.engine.jobs.executors.handed_over import HERE
from studio.engine.jobs.executors.launchers import PROCESS, SLURM, LauncherOptions
from studio.engine.messages import message

FILE: Final = "machines.json"
VARIABLE: Final = "STUDIO_MACHINES"
"""Environment variable with another path of the file."""
_RESERVED: Final = (HERE, RAY, SLURM)
"""Names of other places where jobs run."""
_HOST: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@+-]{0,200}")


class Machine(BaseModel, frozen=True):
    """A machine with a Studio of its own.

    Attributes:
        host: Name for ssh: a host of `~/.ssh/config`, or `user@host`.
        python: Path of Python there.
        folder: Folder of Studio there: program, data of jobs.
        launcher: The way in which workers are started there.
    """

    host: str
    python: str
    folder: str
    launcher: LauncherOptions = PROCESS


class _MachinesFile(BaseModel):
    version: int = 1
    machines: list[Machine] = Field(default_factory=list)


def machines_file() -> Path:
    """Return the file with the machines of this user."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else platformdirs.user_config_path("Studio") / FILE


def known_machines() -> list[Machine]:
    """Return all machines, by name.

    Raises:
        StudioError: The file is damaged.
    """
    path = machines_file()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return _MachinesFile.model_validate(data).machines
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError, ValidationError) as error:
        reason = read_failure(error) if not isinstance(error, ValidationError) else "format"
        raise StudioError(
            "The file {file} is damaged: {reason}.",
            "Remove it, then add the machines again.",
            str(path),
            file=path,
            reason=reason,
        ) from error


def find_machine(host: str) -> Machine:
    """Return a machine that was added.

    Raises:
        StudioError: It was not added.
    """
    known = known_machines()
    for each in known:
        if each.host == host:
            return each
    hint = did_you_mean(host, [each.host for each in known])
    raise StudioError(
        'The machine "{host}" is not known.',
        hint or message("Add it with: studio machines add {host}", host=host),
        "device",
        host=host,
    )


def store_machine(machine: Machine) -> None:
    """Add a machine, or replace what is known of it."""
    others = [each for each in known_machines() if each.host != machine.host]
    _write(sorted([*others, machine], key=lambda each: each.host))


def forget_machine(host: str) -> None:
    """Remove a machine from the list; nothing is deleted there.

    Raises:
        StudioError: It was not added.
    """
    find_machine(host)
    _write([each for each in known_machines() if each.host != host])


def checked_host(text: str) -> str:
    """Return a name that can be given to ssh.

    Raises:
        StudioError: It is not a name of a host.
    """
    if not _HOST.fullmatch(text):
        raise StudioError(
            '"{host}" is not a machine that ssh can reach.',
            "Give a host of ~/.ssh/config, or user@host. A port belongs into ~/.ssh/config.",
            "host",
            host=text,
        )
    if text in _RESERVED:
        raise StudioError(
            'The name "{host}" has another meaning in Studio.',
            "Give the machine another name in ~/.ssh/config.",
            "host",
            host=text,
        )
    return text


def _write(machines: list[Machine]) -> None:
    path = machines_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, _MachinesFile(machines=machines).model_dump_json(indent=2) + "\n")


def ssh_hosts() -> list[str]:
    """Return the hosts that `~/.ssh/config` names, without patterns."""
    found: list[str] = []
    with contextlib.suppress(OSError):
        text = Path("~/.ssh/config").expanduser().read_text(encoding="utf-8", errors="replace")
        for line in text.splitlines():
            words = line.split("#")[0].replace("=", " ").split()
            if words[:1] and words[0].lower() == "host":
                found += [each for each in words[1:] if _HOST.fullmatch(each)]
    return found
