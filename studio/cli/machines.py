"""`studio machines …`: other machines that train, reached by ssh."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from studio.cli.verb import Session, Verb, argument
from studio.engine.errors import StudioError
from studio.engine.jobs.executors.capacity import Capacity, add_machine, capacity_of
from studio.engine.jobs.executors.host import (
    Machine,
    checked_host,
    find_machine,
    forget_machine,
    known_machines,
    ssh_hosts,
)
from studio.engine.jobs.executors.launchers import (
    LAUNCHER_KINDS,
    LauncherOptions,
    read_launcher,
)
from studio.engine.jobs.executors.setup import (
    MachineFacts,
    bring_program,
    check_host,
    install_commands,
)
from studio.engine.jobs.executors.ssh import AgentConnection

_host = argument("host", metavar="HOST", help="host of ~/.ssh/config, or user@host")

_list_options = argument(
    "--check", action="store_true", help="connect to each machine and show its devices"
)


def _list(session: Session) -> object:
    machines = []
    for machine in known_machines():
        facts: dict[str, Any] = {"host": machine.host, "state": "known", "devices": []}
        if session.options.check:
            try:
                facts |= _greet(machine)
            except StudioError as error:
                facts |= {"state": "unreachable", "reason": error.message, "hint": error.hint}
        machines.append(facts)
    if machines:
        session.output.table(
            ["machine", "state", "devices"],
            [[each["host"], each["state"], _devices_text(each)] for each in machines],
        )
    else:
        known = ", ".join(ssh_hosts()[:8])
        hosts = f" Hosts of ~/.ssh/config: {known}." if known else ""
        session.output.say(f"No machines yet. Add one: studio machines add HOST.{hosts}")
    return {"machines": machines}


def _devices_text(facts: dict[str, Any]) -> str:
    if "reason" in facts:
        return str(facts["reason"])
    return "; ".join(map(_device_text, facts["devices"])) or "–"


def _device_text(device: dict[str, Any]) -> str:
    words = [f"{device['name']}: {device['label']}"]
    if device["free_memory"] is not None:
        free, total = device["free_memory"] / 2**30, device["memory"] / 2**30
        words.append(f"{free:.0f} of {total:.0f} GB free")
    words.append(f"{device['jobs']} jobs, {device['waiting']} waiting")
    return ", ".join(words)


def _greet(machine: Machine) -> dict[str, Any]:
    """Return what the Studio on a machine says of it."""
    return _ready(capacity_of(machine))


def _ready(capacity: Capacity) -> dict[str, Any]:
    return {**capacity.model_dump(mode="json"), "state": "ready"}


def _check(session: Session) -> object:
    """Check a machine, whether it was added or not; changes nothing but the program there."""
    host = checked_host(session.options.host)
    if any(each.host == host for each in known_machines()):
        facts = {"host": host, **_greet(find_machine(host))}
        session.output.say(f"{host} is ready: Studio {facts['studio']}, Python {facts['python']}.")
        for device in facts["devices"]:
            session.output.say(f"  {host}:{_device_text(device)}")
        return {"machines": [facts]}
    found = check_host(host)
    _say_facts(session, host, found)
    session.output.say(f"Studio is not installed there. Add it: studio machines add {host}")
    return {"machines": [{"host": host, "state": "not added", "devices": [], **_facts(found)}]}


def _facts(found: MachineFacts) -> dict[str, Any]:
    return {
        "system": found.system,
        "python": [version for version, _ in found.pythons],
        "free_disk": found.free_bytes,
        "gpus": list(found.gpus),
    }


def _say_facts(session: Session, host: str, found: MachineFacts) -> None:
    say = session.output.note
    say(f"{host}: {found.system}")
    say(f"Python: {', '.join(version for version, _ in found.pythons) or 'none'}")
    say(f"Free disk space of {found.home}: {found.free_bytes / 2**30:.0f} GB")
    say(f"GPUs: {'; '.join(found.gpus) or 'none of NVIDIA'}")


_add_options = (
    _host,
    argument(
        "--python",
        default="",
        metavar="PATH",
        help="interpreter there that has Studio's packages; otherwise an environment is made",
    ),
    argument("--yes", action="store_true", help="install without asking"),
    argument(
        "--launcher",
        choices=LAUNCHER_KINDS,
        default=LAUNCHER_KINDS[0],
        help="process: the machine runs the jobs; slurm: it submits them to SLURM",
    ),
    argument("--partition", metavar="NAME", help="partition of SLURM"),
    argument("--account", metavar="NAME", help="account of SLURM that is charged"),
    argument(
        "--time", metavar="LIMIT", help="time limit of a SLURM job: 30, 12:00:00, 2-00:00:00"
    ),
    argument("--gpus", metavar="[TYPE:]N", help="GPUs of a SLURM job on auto: 1, a100:2"),
    argument("--cpus", type=int, metavar="N", help="processors of a SLURM job"),
    argument("--memory", metavar="SIZE", help="memory of a SLURM job: 32G"),
    argument(
        "--line",
        action="append",
        metavar="TEXT",
        help="line of the job script: a #SBATCH option or a command; can be repeated",
    ),
)


def _launcher(options: argparse.Namespace) -> LauncherOptions:
    """Return the launcher that the options describe.

    Raises:
        StudioError: They contradict each other, or a value is not valid.
    """
    names = ("partition", "account", "time", "gpus", "cpus", "memory")
    values = {name: getattr(options, name) for name in names}
    values["lines"] = options.line and tuple(options.line)
    given = {name: value for name, value in values.items() if value is not None}
    return read_launcher({"kind": options.launcher, **given})


def _add(session: Session) -> object:
    options = session.options
    host = checked_host(options.host)
    launcher = _launcher(options)
    found = check_host(host)
    _say_facts(session, host, found)
    if not options.python:
        _confirm(session, host, install_commands(found, launcher))
    with session.output.bar(f"Installing on {host}"):
        capacity = add_machine(host, found, options.python, launcher)
    facts = {"host": host, **_ready(capacity)}
    session.output.say(f"{host} is ready. Train there: studio train --device {host}:auto …")
    for device in facts["devices"]:
        session.output.say(f"  {host}:{_device_text(device)}")
    return {"machines": [facts]}


def _confirm(session: Session, host: str, commands: list[str]) -> None:
    """Ask before packages are installed.

    Raises:
        StudioError: The user does not want it, or cannot be asked.
    """
    session.output.note(f"These commands run on {host}:")
    for command in commands:
        session.output.note(f"  {command}")
    if session.options.yes:
        return
    if not sys.stdin.isatty():
        raise StudioError("Nothing was installed.", "Confirm with --yes.")
    sys.stderr.write("Install? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise StudioError("Nothing was installed.")


_remove_options = (
    _host,
    argument("--files", action="store_true", help="also remove copied data and jobs there"),
)


def _remove(session: Session) -> object:
    machine = find_machine(session.options.host)
    if session.options.files:
        with AgentConnection(machine, bring_program(machine)) as agent:
            agent.ask("forget", {})
    forget_machine(machine.host)
    session.output.say(f"{machine.host} was removed from the list.")
    if not session.options.files:
        session.output.say(f"Its files are kept there, in {machine.folder}.")
    return {"machines": [{"host": machine.host, "state": "removed", "devices": []}]}


VERBS = (
    Verb("list", "list the machines", _list_options, _list),
    Verb("add", "check a machine, and install Studio there", _add_options, _add),
    Verb("check", "check connection, Python, disk and devices of a machine", _host, _check),
    Verb("remove", "remove a machine from the list", _remove_options, _remove),
)
