"""Classes without an image in a split that is used: never learned, or never measured."""

from __future__ import annotations

from studio.engine.datasets.audit.checks.base import Check
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.subject import Subject


def _find(subject: Subject) -> Finding | None:
    names = subject.store.classes
    missing = {
        split: [names[index] for index, count in enumerate(counts) if not count]
        for split, counts in subject.store.class_counts().items()
        if any(counts)
    }
    missing = {split: classes for split, classes in missing.items() if classes}
    if not missing:
        return None
    told = "; ".join(
        f"without {split} images: " + ", ".join(classes[:5]) + (", …" if len(classes) > 5 else "")
        for split, classes in missing.items()
    )
    classes = sorted({name for found in missing.values() for name in found}, key=names.index)
    return Finding(
        kind=MISSING_CLASSES.name,
        severity="serious" if "train" in missing else "warning",
        message=f"Classes that are missing from a split: {len(classes):,} ({told}).",
        suggestion="Split the dataset again, stratified, or add images.",
        count=len(classes),
        classes=classes,
    )


MISSING_CLASSES = Check("missing_classes", "Classes missing from a split", _find)
