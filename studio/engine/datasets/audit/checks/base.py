"""What a check is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from studio.engine.datasets.audit.findings import Finding, NotChecked
from studio.engine.datasets.audit.subject import Subject


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: Stable name; the `kind` of its finding.
        label: Name as shown to a person.
        find: Looks, and says what it found, that it cannot know, or None where all is well.
    """

    name: str
    label: str
    find: Callable[[Subject], Finding | NotChecked | None]
