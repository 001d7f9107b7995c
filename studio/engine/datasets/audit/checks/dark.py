"""Images in which nothing is bright; blank ones are told elsewhere."""

from __future__ import annotations

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.subject import Subject, Words

_WORDS = Words("Very dark images: {count}.", "Look at them; leave out what cannot be seen.")


def _find(subject: Subject) -> Finding | None:
    measures, plan = subject.measures, subject.plan
    dark = (measures.bright_end < plan.dark_level) & (measures.contrast >= plan.blank_contrast)
    return subject.images(DARK.name, dark, _WORDS)


DARK = Check("dark", "Very dark", _find)
