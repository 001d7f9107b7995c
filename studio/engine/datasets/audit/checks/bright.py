"""Images in which nothing is dark; blank ones are told elsewhere."""

from __future__ import annotations

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.subject import Subject, Words

_WORDS = Words("Very bright images: {count}.", "Look at them; leave out what cannot be seen.")


def _find(subject: Subject) -> Finding | None:
    measures, plan = subject.measures, subject.plan
    bright = (measures.dark_end > plan.bright_level) & (measures.contrast >= plan.blank_contrast)
    return subject.images(BRIGHT.name, bright, _WORDS)


BRIGHT = Check("bright", "Very bright", _find)
