"""Classes with far fewer training images than others: they are learned last."""

from __future__ import annotations

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.subject import Subject


def _find(subject: Subject) -> Finding | None:
    counts = subject.store.class_counts()["train"]
    largest = max(counts, default=0)
    smallest = min((count for count in counts if count), default=0)
    if not smallest or largest / smallest < subject.plan.imbalance_ratio:
        return None
    names = subject.store.classes
    small = [
        index
        for index, count in enumerate(counts)
        if count and largest / count >= subject.plan.imbalance_ratio
    ]
    fewest = min(small, key=lambda index: counts[index])
    return Finding(
        kind=CLASS_IMBALANCE.name,
        severity="warning",
        message=f"Classes with far fewer training images than others: {len(small):,}; "
        f'"{names[fewest]}" has {counts[fewest]:,}, "{names[counts.index(largest)]}" has '
        f"{largest:,}.",
        suggestion="Collect more images of the small classes, or import at most so many of each.",
        count=len(small),
        classes=[names[index] for index in small],
    )


CLASS_IMBALANCE = Check("class_imbalance", "Class imbalance", _find)
