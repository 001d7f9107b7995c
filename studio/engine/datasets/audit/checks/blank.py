"""Images of one color."""

from __future__ import annotations

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.subject import Subject, Words

_WORDS = Words("Images with nothing in them: {count}.", "Leave them out.")


def _find(subject: Subject) -> Finding | None:
    return subject.images(
        BLANK.name, subject.measures.contrast < subject.plan.blank_contrast, _WORDS
    )


BLANK = Check("blank", "Blank", _find)
