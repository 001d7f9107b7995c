"""The same picture in two classes: one of them is wrong."""

from __future__ import annotations

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.subject import Subject, Words

_WORDS = Words(
    "Pairs of the same, or nearly the same, image in two classes: {count}.",
    "Give both the right class, or leave them out.",
)


def _find(subject: Subject) -> Finding | None:
    pairs, labels = subject.twins.all, subject.store.labels
    across = labels[pairs[:, 0]] != labels[pairs[:, 1]]
    return subject.pairs(
        CONFLICTING_LABELS.name,
        pairs[across],
        subject.twins.similarity[across],
        _WORDS,
        "serious",
        ("relabel", "exclude"),
    )


CONFLICTING_LABELS = Check("conflicting_labels", "Conflicting classes", _find)
