"""Devices of a machine and their load, as its agent reports them."""

from __future__ import annotations

from pydantic import BaseModel, ValidationError

from studio.engine.errors import StudioError
from studio.engine.jobs.executors.host import Machine, store_machine
from studio.engine.jobs.executors.launchers import PROCESS, LauncherOptions
from studio.engine.jobs.executors.setup import MachineFacts, bring_program, install
from studio.engine.jobs.executors.ssh import AgentConnection
from studio.engine.progress import Progress, SilentProgress


class DeviceCapacity(BaseModel, frozen=True):
    """A device of a machine.

    Attributes:
        name: Its name there: `cpu`, `gpu:0`, `slurm`.
        label: Name given by the manufacturer.
        memory: Bytes; 0 if unknown.
        free_memory: Free bytes of a GPU; None if unknown.
        jobs: Number of jobs that have it, of all users.
        waiting: Number of jobs that wait for it.
    """

    name: str
    label: str
    memory: int
    free_memory: int | None
    jobs: int
    waiting: int


class Capacity(BaseModel, frozen=True):
    """A machine.

    Attributes:
        studio: Version of Studio there.
        python: Version of Python there.
        name: Its own name.
        devices: Its devices.
        free_disk: Free bytes; None if unknown.
        load: Processes that ran or waited in the last minute; None if unknown.
        cores: Number of processors.
    """

    studio: str
    python: str
    name: str
    devices: tuple[DeviceCapacity, ...]
    free_disk: int | None
    load: float | None
    cores: int


def capacity_of(machine: Machine) -> Capacity:
    """Connect to a machine and return what it has; brings the program there if it changed.

    Raises:
        StudioError: It cannot be reached, or what it says makes no sense.
    """
    with AgentConnection(machine, bring_program(machine)) as agent:
        facts, _ = agent.ask("greet", {"launcher": machine.launcher.model_dump()})
    try:
        return Capacity.model_validate(facts)
    except ValidationError as error:
        raise StudioError(
            "The Studio on {host} says something that makes no sense.",
            "Add the machine again.",
            "host",
            host=machine.host,
        ) from error


def require_device(machine: Machine, device: str) -> None:
    """Connect to a machine and raise if it does not have the devices of a plan.

    Args:
        machine: The machine.
        device: Device of the plan, as the machine itself names it.

    Raises:
        StudioError: It cannot be reached, or does not have them.
    """
    with AgentConnection(machine, bring_program(machine)) as agent:
        agent.ask("require", {"launcher": machine.launcher.model_dump(), "device": device})


def add_machine(
    host: str,
    facts: MachineFacts,
    python: str = "",
    launcher: LauncherOptions = PROCESS,
    progress: Progress | None = None,
) -> Capacity:
    """Install Studio on a machine, connect to it, then add it to the list of machines.

    Args:
        host: Name for ssh.
        facts: What is there.
        python: Path of a Python there that has the packages that Studio needs; empty to make an
            environment and install them.
        launcher: The way in which the machine starts workers.
        progress: Receives the steps.

    Raises:
        Cancelled: It was canceled; the machine is not in the list.
        StudioError: Something is missing there, or it cannot be reached.
    """
    progress = progress or SilentProgress()
    machine = install(host, facts, python, launcher, progress)
    progress.advance(0, 0, "Connecting")
    capacity = capacity_of(machine)
    progress.check()
    store_machine(machine)
    return capacity
