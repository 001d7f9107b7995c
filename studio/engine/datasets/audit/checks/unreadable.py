"""Files that the import left out."""

from __future__ import annotations

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.subject import Subject


def _find(subject: Subject) -> Finding | None:
    skipped = subject.skipped
    if not skipped:
        return None
    first = skipped[0]
    return Finding(
        kind=UNREADABLE.name,
        severity="info",
        message=f"Files that the import left out: {len(skipped):,}; the first is {first.path} "
        f"({first.reason}).",
        suggestion="Mend or remove the files, then import again.",
        count=len(skipped),
        paths=[entry.path for entry in skipped],
    )


UNREADABLE = Check("unreadable", "Files left out", _find)
