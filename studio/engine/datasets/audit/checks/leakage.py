"""The same picture in two splits: what is measured on it was learned by heart."""

from __future__ import annotations

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.subject import Subject, Words

_WORDS = Words(
    "Pairs of the same, or nearly the same, image in two splits: {count}. Accuracy measured on "
    "them is too good.",
    "Move them to the training images, or leave them out.",
)


def _find(subject: Subject) -> Finding | None:
    pairs, split = subject.twins.all, subject.store.split
    across = split[pairs[:, 0]] != split[pairs[:, 1]]
    return subject.pairs(
        LEAKAGE.name,
        pairs[across],
        subject.twins.similarity[across],
        _WORDS,
        "serious",
        ("move", "exclude"),
    )


LEAKAGE = Check("leakage", "Leakage", _find)
