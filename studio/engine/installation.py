"""The command that adds packages to this copy of Studio, for all messages that name one."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement

DISTRIBUTION: Final = "studio-trainer"
"""Name in the metadata of the package; no index knows it."""
_QUOTE: Final = '"' if os.name == "nt" else "'"


@functools.cache
def install_command(extra: str = "") -> str:
    """Return the command that installs an extra, as this copy was installed.

    It is `pip install -e` with the folder for a checkout, and names the file for a wheel.
    Otherwise it names the packages of the extra, because the name of Studio would not be found.

    Args:
        extra: Name of the extra; empty for the required packages.
    """
    origin = _origin()
    if not origin:
        return " ".join(["pip install", *map(_quoted, _packages_of(extra))])
    brackets = f"[{extra}]" if extra else ""
    if origin.endswith(".whl"):
        return f"pip install {_quoted(f'{DISTRIBUTION}{brackets} @ {origin}')}"
    return f"pip install -e {_quoted(f'{origin}{brackets}')}"


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


def _packages_of(extra: str) -> list[str]:
    found = [
        f"{each.name}{_brackets(each)}{each.specifier}"
        for each in requirements()
        if extra_of(each) == extra
        and (each.marker is None or each.marker.evaluate({"extra": extra}))
    ]
    return found or [extra or DISTRIBUTION]


def _brackets(requirement: Requirement) -> str:
    return f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""


def _origin() -> str:
    """Return the folder of a checkout, or the address of the wheel that was installed."""
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file():
        return str(checkout)
    address = str(_direct_url().get("url", ""))
    return address if address.endswith(".whl") else ""


def _direct_url() -> Mapping[str, Any]:
    """Return what pip noted about the origin of the package; nothing for one of an index."""
    try:
        text = metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
        found = json.loads(text or "{}")
    except (metadata.PackageNotFoundError, OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _quoted(text: str) -> str:
    """Return a word for a shell; brackets and comparisons mean something to it."""
    return f"{_QUOTE}{text}{_QUOTE}"
