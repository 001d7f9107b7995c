"""The checks of an audit about the names of classes; see `checks`."""

from __future__ import annotations

from typing import Final

from studio.engine.datasets.audit.checks import Check, Subject
from studio.engine.datasets.audit.findings import Finding, Severity
from studio.engine.datasets.class_names import similar_names, split_like
from studio.engine.messages import message
from studio.engine.registry import Registry

SPLIT_CLASSES: Final = "split_classes"


def find_split_classes(subject: Subject) -> Finding | None:
    """Find classes that are probably splits, by their names."""
    names = subject.store.classes
    found = split_like(names)
    if not found:
        return None
    severity: Severity = "warning" if len(found) > 1 or len(names) <= 2 else "info"
    return Finding(
        kind=SPLIT_CLASSES,
        severity=severity,
        message=message(
            "Classes that are called like splits: {count:,} ({classes}).",
            count=len(found),
            classes=", ".join(found[:5]) + (", …" if len(found) > 5 else ""),
        ),
        suggestion="Check that they are not folders of training, validation or test images.",
        count=len(found),
        classes=found,
    )


def _find_similar_classes(subject: Subject) -> Finding | None:
    """Find classes whose names differ only in case, spaces or forms of letters."""
    groups = similar_names(subject.store.classes)
    if not groups:
        return None
    shown = ", ".join(" / ".join(f'"{name}"' for name in group) for group in groups[:5])
    return Finding(
        kind="similar_classes",
        severity="warning",
        message=message(
            "Classes whose names differ only in case or spaces: {classes}.", classes=shown
        ),
        suggestion="If they are the same, relabel the images of one of them.",
        count=sum(map(len, groups)),
        classes=[name for group in groups for name in group],
    )


NAME_CHECKS: Registry[Check] = Registry(
    "check",
    [
        Check(SPLIT_CLASSES, "Classes like splits", find_split_classes),
        Check("similar_classes", "Similar class names", _find_similar_classes),
    ],
)
