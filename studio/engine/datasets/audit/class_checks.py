"""The checks of an audit of images that have one class each; see `checks`."""

from __future__ import annotations

from typing import Final

from studio.engine.datasets.audit.checks import CONFLICTS, Check, Subject, Words
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.measures import Measures
from studio.engine.datasets.audit.name_checks import SPLIT_CLASSES, find_split_classes
from studio.engine.datasets.audit.predictions import FeatureSource, suspect_labels
from studio.engine.datasets.audit.task_audit import BoxSource, Predictions, TaskAudit
from studio.engine.datasets.store import Store
from studio.engine.messages import message
from studio.engine.progress import Progress

_CONFLICTING_LABELS_WORDS = Words(
    "Pairs of duplicates or near-duplicates in two classes: {count:,}.",
    "Assign the right class to both, or exclude them.",
)


def _find_conflicting_labels(subject: Subject) -> Finding | None:
    """Return the same picture in two classes: one of them is wrong."""
    pairs = subject.duplicates.all
    across = subject.store.differ(pairs)
    return subject.pairs(
        CONFLICTS,
        pairs[across],
        subject.duplicates.similarity[across],
        _CONFLICTING_LABELS_WORDS,
        "serious",
        ("relabel", "exclude"),
    )


def _find_split_classes(subject: Subject) -> Finding | None:
    """Find classes that are probably splits, by their names or because they coincide.

    Where the images of each split have one class of their own, either a model has nothing to
    distinguish or folders of splits were imported as classes.
    """
    alone = _classes_of_splits(subject)
    if not alone:
        return find_split_classes(subject)
    return Finding(
        kind=SPLIT_CLASSES,
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


_CHECKS: Final = {
    CONFLICTS: Check(CONFLICTS, "Conflicting labels", _find_conflicting_labels),
    SPLIT_CLASSES: Check(SPLIT_CLASSES, "Classes like splits", _find_split_classes),
}
"""Checks in place of those of the same names for other targets."""


class ClassAudit(TaskAudit):
    """Audit of images that have one class each."""

    def predictions(
        self,
        store: Store,
        measures: Measures,
        predicted_boxes: BoxSource,  # noqa: ARG002 - of boxes
        network: FeatureSource,
        progress: Progress,
    ) -> Predictions:
        """Find suspect labels; see `TaskAudit.predictions`."""
        return suspect_labels(store, measures, progress, network)

    def checks(self, predictions: Predictions) -> list[Check]:
        """Return the checks of a dataset; see `TaskAudit.checks`."""
        usual = super().checks(predictions)
        return [_CHECKS.get(each.name, each) for each in usual]


AUDIT = ClassAudit()
