"""Original files that are much smaller than the others: little is left of them to learn from."""

from __future__ import annotations

import numpy as np

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding, NotChecked
from studio.engine.datasets.audit.subject import Subject, Words


def _find(subject: Subject) -> Finding | NotChecked | None:
    if subject.sides is None:
        return NotChecked(
            kind=TINY.name,
            reason="The size of the original files is not known: they are gone, were not looked "
            "at, or are inside an archive.",
        )
    sides = np.sqrt(subject.sides.astype(np.float64).prod(axis=1))
    known = sides > 0
    usual = float(np.median(sides[known])) if known.any() else 0.0
    limit = usual * subject.plan.tiny_percent / 100
    words = Words(
        f"Files with a side below {limit:.0f} pixels, where {usual:.0f} are usual: {{count}}.",
        "Look for larger versions, or leave them out.",
    )
    return subject.images(TINY.name, known & (sides < limit), words)


TINY = Check("tiny", "Tiny", _find)
