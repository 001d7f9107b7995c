"""Check of drivers, devices, memory and packages, with hints for what is missing."""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Literal

import platformdirs
import psutil
from packaging.requirements import Requirement

from studio import __version__
from studio.engine.installation import (
    DISTRIBUTION,
    extra_of,
    has_packages,
    install_command,
    package_command,
    requirements,
)
from studio.engine.jobs.devices import machine_devices
from studio.engine.jobs.machine import disk_free
from studio.engine.messages import joined, message
from studio.engine.progress import Progress
from studio.engine.training.backends import BACKENDS, is_installed, missing_backend
from studio.engine.workspace import sync_advice

_LITTLE_MEMORY = 4 * 2**30
_LITTLE_DISK = 5 * 2**30
_BACKEND_SECONDS = 120

Level = Literal["good", "advice", "bad"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the report.

    Attributes:
        topic: Topic: `Python`, `Packages`, `Devices`, …
        name: Name of the checked item.
        value: The result.
        level: `bad` keeps Studio from working, `advice` from using everything available.
        hint: What to do; empty for nothing.
    """

    topic: str
    name: str
    value: str
    level: Level = "good"
    hint: str = ""


def check_system(
    workspace: Path, progress: Progress, *, ask_backends: bool = True
) -> list[CheckResult]:
    """Look at everything; nothing is changed, but that a file is written and removed again.

    Args:
        workspace: The folder of the workspace, which need not exist yet.
        progress: Receives the current check; starting the backends takes seconds.
        ask_backends: Start each installed backend and ask which devices it sees.
    """
    found = [*_program(), *_packages(requirements()), *_machine(workspace)]
    found += _folders(workspace)
    found += [*_gpus(), *_display(ctypes.util.find_library)]
    asked: list[CheckResult] = []
    if ask_backends:
        for number, (name, question) in enumerate(_DEVICE_QUESTIONS.items()):
            progress.advance(number, len(_DEVICE_QUESTIONS), message("Checking {name}", name=name))
            progress.check()
            asked += _backend(name, question)
        if any(finding.level == "good" for finding in asked):  # one is enough
            asked = [
                replace(finding, level="advice") if finding.level == "bad" else finding
                for finding in asked
            ]
    return [*found, *asked, *_no_backend()]


def _no_backend() -> Iterator[CheckResult]:
    missing = missing_backend()
    if missing is not None:
        yield CheckResult("Backends", "Backend", "none is installed", "bad", missing.hint)


def _program() -> Iterator[CheckResult]:
    yield CheckResult("Program", "Studio", __version__)
    fits = has_packages("tensorflow")
    others = "Studio also computes with PyTorch or JAX."
    yield CheckResult(
        "Program",
        "Python",
        f"{platform.python_version()}, {sys.executable}",
        "good" if fits else "advice",
        "" if fits else joined((BACKENDS["tensorflow"].advice, others)),
    )
    yield CheckResult("Program", "System", f"{platform.platform()}, {platform.machine()}")


def _packages(required: list[Requirement]) -> Iterator[CheckResult]:
    if not required:
        hint = message("Install it: {command}", command=install_command())
        yield CheckResult("Packages", DISTRIBUTION, "not installed as a package", "advice", hint)
    for requirement in required:
        extra = extra_of(requirement)
        requested = not requirement.marker or requirement.marker.evaluate({"extra": extra})
        if extra in ("all", "test") or not requested:
            continue
        yield _package(requirement, extra)


def _package(requirement: Requirement, extra: str) -> CheckResult:
    topic = "Packages" if not extra else "Optional packages"
    level: Level = "advice" if extra else "bad"
    install = install_command(extra) if extra else install_command()
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        hint = (
            message("For the extra {extra}: {command}", extra=extra, command=install)
            if extra
            else message("Install it: {command}", command=install)
        )
        # A missing extra is not an error.
        return CheckResult(
            topic, requirement.name, "not installed", "good" if extra else level, hint
        )
    if requirement.specifier.contains(version, prereleases=True):
        return CheckResult(topic, requirement.name, version)
    value = message(
        "{version}, but Studio requires {required}",
        version=version,
        required=requirement.specifier,
    )
    return CheckResult(
        topic, requirement.name, value, level, message("Fix it: {command}", command=install)
    )


def _machine(workspace: Path) -> Iterator[CheckResult]:
    cores, threads = psutil.cpu_count(logical=False), os.cpu_count()
    yield CheckResult(
        "Machine",
        "Processor",
        message("{cores} cores, {threads} threads", cores=cores or threads, threads=threads),
    )
    memory = psutil.virtual_memory()
    little = memory.total < _LITTLE_MEMORY
    yield CheckResult(
        "Machine",
        "Memory",
        message(
            "{total:.1f} GB, {available:.1f} GB free",
            total=memory.total / 2**30,
            available=memory.available / 2**30,
        ),
        "advice" if little else "good",
        "Choose small networks and small batches." if little else "",
    )
    free = disk_free(_existing_parent(workspace))
    full = free < _LITTLE_DISK
    yield CheckResult(
        "Machine",
        "Disk of the workspace",
        message("{free:.1f} GB free", free=free / 2**30),
        "advice" if full else "good",
        "Free some space, or move the workspace: --workspace DIR." if full else "",
    )


def _folders(workspace: Path) -> Iterator[CheckResult]:
    folders = {
        "Workspace": workspace,
        "Settings": platformdirs.user_config_path("Studio"),
        "Cache": platformdirs.user_cache_path("Studio"),
        "Temporary files": Path(tempfile.gettempdir()),
    }
    for name, folder in folders.items():
        there = _existing_parent(folder)
        try:
            with tempfile.NamedTemporaryFile(dir=there, prefix=".studio-"):
                pass
        except OSError as error:
            value = message(
                "{folder} cannot be written to: {reason}",
                folder=folder,
                reason=error.strerror or error,
            )
            hint = "Change its permissions, or choose another folder."
            yield CheckResult("Folders", name, value, "bad", hint)
            continue
        service, advice = sync_advice(folder) if folder == workspace else ("", "")
        value = message(
            "{folder} (synced by {service})" if service else "{folder}",
            folder=folder,
            service=service,
        )
        yield CheckResult("Folders", name, value, "advice" if advice else "good", advice)


def _existing_parent(folder: Path) -> Path:
    return next(each for each in (folder, *folder.absolute().parents) if each.exists())


def _gpus() -> Iterator[CheckResult]:
    gpus = [device for device in machine_devices() if device.is_gpu]
    for device in gpus:
        value = f"{device.label}, {device.memory / 2**30:.0f} GB"
        yield CheckResult("Devices", device.name, value)
    if gpus:
        if importlib.util.find_spec("pynvml") is not None:
            yield CheckResult("Devices", "Driver", _driver())
        return
    hint = _gpu_hint(sys.platform, platform.machine())
    yield CheckResult("Devices", "GPU", "none reported by the NVIDIA driver", "good", hint)


def _driver() -> str:
    import pynvml  # noqa: PLC0415 - it is there, or no GPU was found

    pynvml.nvmlInit()
    try:
        return str(pynvml.nvmlSystemGetDriverVersion())
    finally:
        pynvml.nvmlShutdown()


def _gpu_hint(system: str, machine: str) -> str:
    """Return the packages to install for a GPU on a system."""
    if system == "linux":
        return message(
            "With an NVIDIA GPU and its driver: {command}", command=install_command("gpu")
        )
    if system == "darwin" and machine == "arm64":
        return message(
            "Apple's GPU works through PyTorch: {command}", command=install_command("torch")
        )
    if system == "win32":
        return (
            "With an NVIDIA GPU: install PyTorch with CUDA (pytorch.org) and choose the backend "
            "torch; TensorFlow supports GPUs on Windows only inside WSL2."
        )
    return "There is no GPU support for this system."


_DISPLAY = {
    "xcb-cursor": "libxcb-cursor0",
    "xkbcommon-x11": "libxkbcommon-x11-0",
    "xcb-icccm": "libxcb-icccm4",
    "xcb-keysyms": "libxcb-keysyms1",
    "EGL": "libegl1",
    "GL": "libgl1",
    "fontconfig": "libfontconfig1",
    "dbus-1": "libdbus-1-3",
}
"""Libraries that Qt's window needs on Linux, and the Debian packages that have them."""


def _display(find: Callable[[str], str | None]) -> Iterator[CheckResult]:
    if not is_installed("PySide6"):
        hint = message("To install it: {command}", command=install_command("gui"))
        yield CheckResult("Window", "Window", "not installed", "good", hint)
        return
    if sys.platform != "linux":
        return
    missing = [name for name in _DISPLAY if not find(name)]
    if not missing:
        yield CheckResult("Window", "Display libraries", "all installed")
        return
    packages = " ".join(_DISPLAY[name] for name in missing)
    yield CheckResult(
        "Window",
        "Display libraries",
        message("missing: {libraries}", libraries=", ".join(missing)),
        "bad",
        message("On Debian and Ubuntu: sudo apt-get install {packages}", packages=packages),
    )


_DEVICE_QUESTIONS: Mapping[str, str] = {
    "tensorflow": "import tensorflow as t;print([d.name for d in t.config.get_visible_devices()])",
    "jax": "import jax;print([str(d) for d in jax.devices()])",
    "torch": "import torch as t;print(['cpu',*map(t.cuda.get_device_name,range(t.cuda.device_count"
    "())),*(['mps'] if t.backends.mps.is_available() else [])])",
}
"""Code of a separate process: a backend takes seconds and much memory to load."""


def _backend(name: str, question: str) -> Iterator[CheckResult]:
    if not is_installed(name):
        return  # derived from the packages
    words = [sys.executable, "-P", "-c", question]
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    try:
        done = subprocess.run(
            words, capture_output=True, timeout=_BACKEND_SECONDS, check=False, env=quiet
        )
    except subprocess.TimeoutExpired:
        value = message("did not load in {seconds} s", seconds=_BACKEND_SECONDS)
        yield CheckResult(
            "Backends", name, value, "bad", message("Try: python -c 'import {name}'", name=name)
        )
        return
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        value = message(
            "does not load: {reason}",
            reason=last[0] if last else message("exit code {code}", code=done.returncode),
        )
        yield CheckResult(
            "Backends",
            name,
            value,
            "bad",
            message(
                "Install it again: {command}", command=package_command("--force-reinstall", name)
            ),
        )
        return
    seen = done.stdout.decode(errors="replace").strip().splitlines()[-1].strip("[]")
    yield CheckResult("Backends", name, message("sees {devices}", devices=seen))
