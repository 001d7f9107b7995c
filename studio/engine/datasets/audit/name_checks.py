"""The checks of an audit about the names of classes; see `checks`."""

from __future__ import annotations

from studio.engine.datasets.audit.checks import Check, Subject
from studio.engine.datasets.audit.findings import Finding, Severity
from studio.engine.datasets.class_names import similar_names, split_like
from studio.engine.messages import message
from studio.engine.registry import Registry


def _find_split_classes(subject: Subject) -> Finding | None:
    """Find classes that are probably splits, by their names or because they coincide.

    Where the images of each split have one class of their own, either a model has nothing to
    distinguish or folders of splits were imported as classes.
    """
    names = subject.store.classes
    alone = _classes_of_splits(subject)
    if alone:
        return Finding(
            kind="split_classes",
            severity="serious",
            message=message(
                "Each split contains images of one class only: {splits}.",
                splits=", ".join(f'{split} "{name}"' for split, name in alone.items()),
            ),
            suggestion="Import the folder that contains the class folders, or split the dataset "
            "again.",
            count=len(alone),
            classes=list(dict.fromkeys(alone.values())),
        )
    found = split_like(names)
    if not found:
        return None
    severity: Severity = "warning" if len(found) > 1 or len(names) <= 2 else "info"
    return Finding(
        kind="split_classes",
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


def _classes_of_splits(subject: Subject) -> dict[str, str]:
    """Return the class of each split if every split has one only, and not all the same."""
    store = subject.store
    present = {
        split: [store.classes[index] for index, count in enumerate(counts) if count]
        for split, counts in store.class_counts().items()
    }
    alone = {split: names[0] for split, names in present.items() if len(names) == 1}
    is_complete = len(alone) == sum(map(bool, present.values()))
    return alone if is_complete and len({*alone.values()}) > 1 else {}


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
        Check("split_classes", "Classes like splits", _find_split_classes),
        Check("similar_classes", "Similar class names", _find_similar_classes),
    ],
)
