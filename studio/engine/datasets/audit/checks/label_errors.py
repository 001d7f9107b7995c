"""Labels that a classifier doubts that never learned from the image; see `label_errors.py`."""

from __future__ import annotations

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding, NotChecked
from studio.engine.datasets.audit.label_errors import KIND, label_errors
from studio.engine.datasets.audit.subject import Subject


def _find(subject: Subject) -> Finding | NotChecked | None:
    guesses = subject.guesses
    if isinstance(guesses, str):
        return NotChecked(kind=KIND, reason=f"Labels were not doubted: {guesses}.")
    return label_errors(subject.store, guesses.rows, guesses.probabilities)


LABEL_ERRORS = Check(KIND, "Wrong labels", _find)
