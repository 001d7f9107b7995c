"""The checks of an audit of images that have one class each; see `checks`."""

from __future__ import annotations

from studio.engine.datasets.audit.checks import CONFLICTS, Check, Subject, Words
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.measures import Measures
from studio.engine.datasets.audit.predictions import FeatureSource, suspect_labels
from studio.engine.datasets.audit.task_audit import BoxSource, Predictions, TaskAudit
from studio.engine.datasets.store import Store
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


_CONFLICTING_LABELS = Check(CONFLICTS, "Conflicting labels", _find_conflicting_labels)


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
        """Return the checks of a dataset; near-duplicates have the same class, too."""
        usual = super().checks(predictions)
        return [_CONFLICTING_LABELS if each.name == CONFLICTS else each for each in usual]


AUDIT = ClassAudit()
