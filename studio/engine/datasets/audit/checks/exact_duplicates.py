"""Images that are the same pixel by pixel, whatever their files are called."""

from __future__ import annotations

import numpy as np

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.subject import Subject, Words


def _find(subject: Subject) -> Finding | None:
    pairs = subject.twins.exact
    hashes = subject.store.hashes
    same_file = int((hashes[pairs[:, 0]] == hashes[pairs[:, 1]]).all(axis=1).sum())
    words = Words(
        f"Copies of another image, pixel by pixel: {{count}}; of these the same file: "
        f"{same_file:,}.",
        "Keep one of each.",
    )
    similarity = np.ones(len(pairs))
    return subject.pairs(EXACT_DUPLICATES.name, pairs, similarity, words, "warning", ("exclude",))


EXACT_DUPLICATES = Check("exact_duplicates", "Exact duplicates", _find)
