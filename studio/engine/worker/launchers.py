"""Ways in which this machine starts the workers of jobs that another one has sent.

To add a way: its options in `jobs/executors/launchers.py`, a `Launcher` and its line in
`LAUNCHERS`; if it does not start workers itself, an executor for its place in `executors.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from studio.engine.files import write_atomically
from studio.engine.jobs.device_claims import all_claims
from studio.engine.jobs.devices import gpu_memory, machine_devices, require_devices
from studio.engine.jobs.executors.launchers import (
    SLURM,
    ProcessOptions,
    SlurmOptions,
    read_launcher,
)
from studio.engine.worker.slurm import programs
from studio.engine.worker.slurm.script import OPTIONS_FILE

DeviceFacts = dict[str, object]
"""A device as plain data: the fields of `DeviceCapacity`."""


class Launcher(Protocol):
    """Starts workers, together with the queue of this machine.

    Examples:
        >>> launcher_of({"kind": "process"}).place
        ''
    """

    @property
    def place(self) -> str:
        """Place of the jobs, see `executors.py`; empty for workers that this machine starts."""
        ...

    def devices(self) -> list[DeviceFacts]:
        """Return the devices that jobs can have, and how busy they are.

        Raises:
            StudioError: This machine cannot start workers in this way.
        """
        ...

    def require(self, device: str) -> None:
        """Raise if a job could not get its device here, now or later.

        Args:
            device: Device of its plan.

        Raises:
            StudioError: This machine does not have it.
        """
        ...

    def prepare(self, folder: Path) -> None:
        """Make the folder of a job ready to be started in this way.

        Args:
            folder: The folder; its lock is held.
        """
        ...


class ProcessLauncher:
    """Workers are processes of this machine.

    Args:
        _options: Nothing.
    """

    place = ""

    def __init__(self, _options: ProcessOptions) -> None: ...

    def devices(self) -> list[DeviceFacts]:
        """Return the devices of this machine, with the claims of all users."""
        claims = [each.claim for each in all_claims()]
        found: list[DeviceFacts] = []
        for device in machine_devices():
            memory = gpu_memory(device.name)
            mine = [each for each in claims if device.name in each.devices]
            found.append(
                {
                    "name": device.name,
                    "label": str(device.label),
                    "memory": device.memory,
                    "free_memory": None if memory is None else memory.free,
                    "jobs": sum(each.has for each in mine),
                    "waiting": sum(not each.has for each in mine),
                }
            )
        return found

    def require(self, device: str) -> None:
        """Raise if this machine does not have a device; see `Launcher`."""
        require_devices(device, machine_devices())

    def prepare(self, folder: Path) -> None:
        """Do nothing: the queue starts the worker."""


class SlurmLauncher:
    """Workers are jobs of SLURM.

    Args:
        options: Options of the jobs.
    """

    place = SLURM

    def __init__(self, options: SlurmOptions) -> None:
        self._options = options

    def devices(self) -> list[DeviceFacts]:
        """Return SLURM as one device, with the jobs of this user.

        Raises:
            StudioError: SLURM is not installed, or does not answer.
        """
        states = programs.own_states()
        waiting = sum(each == programs.PENDING for each in states)
        facts: DeviceFacts = {"name": SLURM, "label": programs.version(), "memory": 0}
        return [{**facts, "free_memory": None, "jobs": len(states) - waiting, "waiting": waiting}]

    def require(self, device: str) -> None:
        """Do nothing: only SLURM knows the devices of its nodes, and refuses jobs itself."""

    def prepare(self, folder: Path) -> None:
        """Store the options in the folder of the job."""
        write_atomically(folder / OPTIONS_FILE, self._options.model_dump_json())


LAUNCHERS: Final[Mapping[type, Any]] = {
    ProcessOptions: ProcessLauncher,
    SlurmOptions: SlurmLauncher,
}


def launcher_of(values: Mapping[str, object]) -> Launcher:
    """Return the launcher with some options.

    Args:
        values: Its kind and options as plain data.

    Raises:
        StudioError: They are not valid.
    """
    options = read_launcher(values)
    launcher: Launcher = LAUNCHERS[type(options)](options)
    return launcher
