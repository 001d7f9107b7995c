"""Images that show the same after another compression, brightness or a slight crop."""

from __future__ import annotations

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.subject import Subject, Words


def _find(subject: Subject) -> Finding | None:
    more = " at least" if subject.twins.is_cut else ""
    words = Words(
        f"Pairs of images that are nearly the same: {{count}}{more}.",
        "Look at them, and keep one of each where they are the same.",
    )
    return subject.pairs(
        NEAR_DUPLICATES.name,
        subject.twins.near,
        subject.twins.near_similarity,
        words,
        "warning",
        ("exclude",),
    )


NEAR_DUPLICATES = Check("near_duplicates", "Near duplicates", _find)
