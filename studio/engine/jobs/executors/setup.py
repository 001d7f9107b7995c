"""Checks a machine, and installs Studio there in a folder of its own.

The program that runs there is a copy of this one, brought when it changes; the packages that it
needs come from pip into an environment of its own, or from a Python that the user names.
"""

from __future__ import annotations

import functools
import hashlib
import io
import secrets
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import studio
from studio.engine.assets import asset
from studio.engine.errors import StudioError
from studio.engine.installation import requirements
from studio.engine.jobs.executors.host import Machine
from studio.engine.jobs.executors.launchers import PROCESS, LauncherOptions
from studio.engine.jobs.executors.ssh import quoted, run_there
from studio.engine.messages import message
from studio.engine.progress import Progress, SilentProgress

FOLDER: Final = ".local/share/studio-machine"
"""Folder of Studio below the home folder there."""
NEEDED_BYTES: Final = 4 * 2**30
"""Space that the packages take, about."""
_LEFT_OUT: Final = ("ui", "__pycache__")
_CHECK: Final = r"""
echo "system=$(uname -s) $(uname -m)"
echo "home=$HOME"
for name in python3.13 python3.12 python3.11 python3; do
  path=$(command -v $name) || continue
  version=$($path -c 'import sys; print("%d.%d" % sys.version_info[:2])') || continue
  echo "python=$version $path"
done
echo "free=$(df -Pk "$HOME" | awk 'NR==2 {print $4}')"
if command -v nvidia-smi > /dev/null; then
  nvidia-smi --query-gpu=name,memory.total --format=csv,noheader | sed 's/^/gpu=/'
fi
true
"""


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """Facts about a machine before Studio is installed there.

    Attributes:
        system: Operating system and processor.
        home: Home folder.
        pythons: Versions of Python with their paths, the preferred one first.
        free_bytes: Free space of the home folder.
        gpus: Names and memory of the GPUs of NVIDIA.
    """

    system: str
    home: str
    pythons: tuple[tuple[str, str], ...]
    free_bytes: int
    gpus: tuple[str, ...]

    @property
    def python(self) -> str:
        """Path of a Python that Studio runs with; empty if there is none."""
        return next((path for version, path in self.pythons if _is_fit(version)), "")


def _is_fit(version: str) -> bool:
    major, _, minor = version.partition(".")
    return major == "3" and minor.isdecimal() and int(minor) >= 11


def check_host(host: str, progress: Progress | None = None) -> MachineFacts:
    """See what a machine has, with nothing of Studio there.

    Args:
        host: Name for ssh.
        progress: Ends the check when it is canceled.

    Raises:
        Cancelled: It was canceled.
        StudioError: It cannot be reached, or has no shell that can be used.
    """
    found: dict[str, list[str]] = {}
    for line in run_there(host, _CHECK, timeout=60, progress=progress).splitlines():
        name, sign, value = line.partition("=")
        if sign:
            found.setdefault(name, []).append(value.strip())
    if "home" not in found:
        raise StudioError(
            "The machine {host} has no shell that Studio can use.",
            "Machines with Linux or macOS are supported.",
            "host",
            host=host,
        )
    pythons = [tuple(each.split(" ", 1)) for each in found.get("python", []) if " " in each]
    free = found.get("free", ["0"])[0]
    return MachineFacts(
        system=found.get("system", [""])[0],
        home=found["home"][0],
        pythons=tuple((version, path) for version, path in pythons),
        free_bytes=int(free) * 1024 if free.isdecimal() else 0,
        gpus=tuple(found.get("gpu", [])),
    )


def install(
    host: str,
    facts: MachineFacts,
    python: str = "",
    launcher: LauncherOptions = PROCESS,
    progress: Progress | None = None,
) -> Machine:
    """Install Studio on a machine.

    Args:
        host: Name for ssh.
        facts: What is there.
        python: Path of a Python there that has the packages that Studio needs; empty to make an
            environment and install them.
        launcher: The way in which the machine starts workers.
        progress: Receives the steps.

    Raises:
        Cancelled: It was canceled.
        StudioError: Something is missing there; the hint says what to do.
    """
    folder = f"{facts.home}/{FOLDER}"
    run_there(host, f"mkdir -p {quoted(folder)} && chmod 700 {quoted(folder)}")
    machine = Machine(
        host=host,
        python=python or f"{folder}/environment/bin/python",
        folder=folder,
        launcher=launcher,
    )
    if not python:
        _make_environment(host, facts, launcher, progress or SilentProgress())
    return machine


def _make_environment(
    host: str, facts: MachineFacts, launcher: LauncherOptions, progress: Progress
) -> None:
    if not facts.python:
        known = ", ".join(version for version, _ in facts.pythons) or message("none")
        raise StudioError(
            "Studio needs Python 3.11 or newer; {host} has: {versions}.",
            "Install it there, or name one with --python PATH.",
            "host",
            host=host,
            versions=known,
        )
    if 0 < facts.free_bytes < NEEDED_BYTES:
        raise StudioError(
            "The packages need about {needed:.0f} GB; {host} has {free:.1f} GB free.",
            "Free some space there.",
            "host",
            host=host,
            needed=NEEDED_BYTES / 2**30,
            free=facts.free_bytes / 2**30,
        )
    try:
        commands = install_commands(facts, launcher)
        for number, command in enumerate(commands):
            progress.advance(number, len(commands), "Installing packages")
            run_there(host, command, progress=progress)
    except StudioError as error:
        whole = "\n".join(install_commands(facts, launcher))
        raise StudioError(
            error.message,
            message(
                "Install the packages on {host} yourself, then name its Python with --python. "
                "Without an internet connection there, pip download fetches them elsewhere, "
                "and pip install takes --no-index --find-links FOLDER:\n{commands}",
                host=host,
                commands=whole,
            ),
            "host",
        ) from error


def install_commands(facts: MachineFacts, launcher: LauncherOptions = PROCESS) -> list[str]:
    """Return the commands that install the packages on a machine.

    Args:
        facts: What is there.
        launcher: The way in which the machine starts workers.
    """
    with_gpu = bool(facts.gpus) or launcher.has_gpus
    environment = quoted(f"{facts.home}/{FOLDER}/environment")
    packages = " ".join(quoted(each) for each in needed_packages(with_gpu=with_gpu))
    return [
        f"{quoted(facts.python)} -m venv {environment}",
        f"{environment}/bin/python -m pip install --upgrade {packages}",
    ]


def needed_packages(*, with_gpu: bool) -> list[str]:
    """Return the packages that workers need, as pip names them.

    Args:
        with_gpu: True if the machine has a GPU of NVIDIA.
    """
    extras = ["", "tensorflow", *(["gpu"] if with_gpu else [])]
    found = []
    for requirement in requirements():
        marker = requirement.marker
        environment = [{"extra": extra, "sys_platform": "linux"} for extra in extras]
        if marker is None or any(marker.evaluate(each) for each in environment):
            requirement.marker = None
            found.append(str(requirement))
    return list(dict.fromkeys(found))


def bring_program(machine: Machine) -> str:
    """Copy this program to a machine unless it is there; return its folder there.

    Raises:
        StudioError: The machine cannot be reached.
    """
    folder = f"{machine.folder}/programs/{program_key()}"
    there = run_there(machine.host, f"test -e {quoted(folder)}/.complete && echo yes || true")
    if there.strip() != "yes":
        new = quoted(f"{folder}.{secrets.token_hex(6)}")  # others may bring it at the same time
        script = (
            f"mkdir -p {new} && tar -xzf - -C {new} && touch {new}/.complete && "
            f"(test -e {quoted(folder)} || mv {new} {quoted(folder)}) && rm -rf {new} || "
            f"(rm -rf {new}; exit 1)"
        )
        run_there(machine.host, script, packed_program())
    return folder


@functools.cache
def program_key() -> str:
    """Return a text that differs where any file of this program does, without the window."""
    digest = hashlib.sha256()
    for name, path in _program_files():
        content = path.read_bytes()
        digest.update(f"{name}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


def packed_program() -> bytes:
    """Return the files of this program as a compressed archive, without the window."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=3) as archive:
        for name, path in _program_files():
            content = path.read_bytes()
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o644
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def _program_files() -> Iterator[tuple[str, Path]]:
    package = Path(studio.__file__).resolve().parent
    for root, prefix in ((package, "studio"), (asset("help").parent, "assets")):
        for path in sorted(root.rglob("*")):
            relative = path.relative_to(root)
            folders = {*relative.parts[:-1]}
            is_asset = prefix == "studio" and relative.parts[0] == "assets"
            if path.is_file() and not is_asset and folders.isdisjoint(_LEFT_OUT):
                yield f"{prefix}/{relative.as_posix()}", path
