"""The command that adds packages to this copy of Studio, for all messages that name one."""

from __future__ import annotations

import functools
import json
import os
import shutil
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from packaging.requirements import Requirement

DISTRIBUTION: Final = "studio-trainer"
"""Name in the metadata of the package; no index knows it."""
_QUOTE: Final = '"' if os.name == "nt" else "'"


INSTALLER_PIP: Final = "studio-pip.cmd" if os.name == "nt" else "studio-pip"
"""Name of the command for packages in a copy that brings its own Python."""


@functools.cache
def install_command(*extras: str) -> str:
    """Return the command that installs extras, as this copy was installed.

    It is `pip install -e` with the folder for a checkout, and names the file for a wheel.
    Otherwise it names the packages of the extras, because the name of Studio would not be found;
    without their versions for `studio-pip`, which knows them.

    Args:
        extras: Names of the extras; none for the required packages.
    """
    if _installer_pip().is_file():
        # cmd.exe, which runs studio-pip.cmd, takes the sign in "onnx<2" for a redirection.
        return package_command(*map(_bracketed, _packages_of(extras, with_versions=False)))
    origin = _origin()
    if not origin:
        return package_command(*map(_quoted, _packages_of(extras)))
    brackets = f"[{','.join(extras)}]" if extras else ""
    if origin.endswith(".whl"):
        return package_command(_quoted(f"{DISTRIBUTION}{brackets} @ {origin}"))
    return package_command("-e", _quoted(f"{origin}{brackets}"))


def package_command(*words: str) -> str:
    """Return the command that installs packages for the Python that runs Studio.

    Args:
        words: Packages and options of `pip install`.
    """
    return " ".join([f"{_pip()} install", *words])


def has_packages(extra: str) -> bool:
    """Return True if the packages of an extra exist for this Python and this system."""
    own = _requirements_of(extra)
    return not own or any(_is_for_us(each, extra) for each in own)


def _installer_pip() -> Path:
    return Path(sys.prefix).parent / "bin" / INSTALLER_PIP


def _pip() -> str:
    """Return the words that start pip for the Python that runs Studio.

    `pip` alone is that of another Python where the environment is not activated.
    """
    own = _installer_pip()
    if own.is_file():
        image, mounted = os.environ.get("APPIMAGE"), os.environ.get("APPDIR")
        if image and mounted and own.is_relative_to(mounted):  # gone when the AppImage ends
            return f"{_path(Path(image))} pip"
        return _path(own)
    found = shutil.which("pip")
    if found and Path(found).parent == Path(sys.executable).parent:
        return "pip"
    return f"{_path(Path(sys.executable))} -m pip"


def requirements() -> list[Requirement]:
    """Return the requirements of Studio and its extras; none if it is not installed."""
    try:
        return [Requirement(text) for text in metadata.requires(DISTRIBUTION) or []]
    except metadata.PackageNotFoundError:
        return []


def extra_of(requirement: Requirement) -> str:
    """Return the extra that a requirement belongs to; empty for what Studio always needs."""
    marker = str(requirement.marker or "")
    return marker.partition('extra == "')[2].partition('"')[0]


def _packages_of(extras: tuple[str, ...], *, with_versions: bool = True) -> list[str]:
    found = [
        f"{each.name}{_brackets(each)}{each.specifier if with_versions else ''}"
        for extra in extras or ("",)
        for each in _requirements_of(extra)
        if _is_for_us(each, extra)
    ]
    return list(dict.fromkeys(found)) or [*extras] or [DISTRIBUTION]


def _requirements_of(extra: str) -> list[Requirement]:
    """Return the requirements of an extra; those that contain other extras name their packages."""
    return [each for each in requirements() if extra_of(each) == extra]


def _is_for_us(requirement: Requirement, extra: str) -> bool:
    """Return True if a requirement is for this Python and this system."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _brackets(requirement: Requirement) -> str:
    return f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""


def _origin() -> str:
    """Return the folder of a checkout, or the address of the wheel that was installed.

    Empty if pip cannot install from it again.
    """
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file():
        return str(checkout)
    address = str(_direct_url().get("url", ""))
    is_gone = (
        address.startswith("file:") and not Path(url2pathname(urlsplit(address).path)).exists()
    )
    return "" if is_gone or not address.endswith(".whl") else address


def _direct_url() -> Mapping[str, Any]:
    """Return what pip noted about the origin of the package; nothing for one of an index."""
    try:
        text = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
        found = json.loads(text or "{}")
    except (metadata.PackageNotFoundError, OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _path(path: Path) -> str:
    """Return a program for a shell: on Windows for PowerShell, which only prints quoted text."""
    if " " not in str(path):
        return str(path)
    return f"& {_quoted(str(path))}" if os.name == "nt" else _quoted(str(path))


def _bracketed(package: str) -> str:
    return _quoted(package) if "[" in package else package


def _quoted(text: str) -> str:
    """Return a word for a shell; brackets and comparisons mean something to it."""
    return f"{_QUOTE}{text}{_QUOTE}"
