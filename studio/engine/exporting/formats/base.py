"""What the window and the command line need to know of an export format."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One format.

    Attributes:
        name: As on the command line and in files.
        label: As shown to people.
        summary: One line: what it is good for.
        packages: Modules that must be importable to write it.
        install: What to type to get them.
    """

    name: str
    label: str
    summary: str
    packages: tuple[str, ...] = ()
    install: str = ""

    def missing(self) -> list[str]:
        """The packages that are not installed, so that it can be shown and not tried."""
        return [name for name in self.packages if importlib.util.find_spec(name) is None]
