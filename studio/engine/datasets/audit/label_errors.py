"""Findings for labels and targets that are probably wrong; `label_noise` finds the labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.findings import Finding, NotChecked, Severity
from studio.engine.datasets.audit.label_noise import LabelSuspects
from studio.engine.datasets.store import Store
from studio.engine.messages import as_message, message

KIND = "label_errors"
FEW = 0.01
"""Below this share, doubtful images are what every dataset has."""
BULK_PRECISION, BULK_LOW = 0.9, 0.8
"""Estimated precision, and lower end of its interval, from which on all suspects can be relabeled
with one action; below, people relabel them one by one."""


def label_errors(store: Store, suspects: LabelSuspects) -> Finding | None:
    """Return the finding for suspect labels of a dataset; None if all were confirmed.

    Args:
        store: The dataset.
        suspects: The suspects by their rows.
    """
    suspects = _unconfirmed(store, suspects)
    rows = suspects.indices.tolist()
    if not rows:
        return None
    certain = (
        suspects.is_significant
        and suspects.precision >= BULK_PRECISION
        and suspects.low >= BULK_LOW
    )
    return Finding(
        kind=KIND,
        severity=_severity(store, suspects),
        message=message(
            "Labels that are probably wrong: {count:,}. According to {features}, about "
            "{precision} of 10 of them are wrong ({low} to {high} of 10)."
            if suspects.is_significant
            else "The most doubtful labels: {count:,}. There are too few images to find wrong "
            "labels with certainty. According to {features}, about {precision} of 10 of these "
            "are wrong ({low} to {high} of 10).",
            count=len(rows),
            features=as_message(suspects.features),
            precision=round(10 * suspects.precision),
            low=int(10 * suspects.low),
            high=int(np.ceil(10 * suspects.high - 1e-9)),
        ),
        suggestion=(
            "Inspect them, the most suspect first, and relabel the wrong ones."
            if certain
            else "Decide about them one by one, the most suspect first."
        ),
        count=len(rows),
        rows=rows,
        paths=[store.paths[row] for row in rows],
        classes=[store.classes[label] for label in suspects.suggested.tolist()],
        labels=[store.classes[label] for label in store.labels[suspects.indices].tolist()],
        probabilities=[round(value, 3) for value in suspects.probability.tolist()],
        precision=round(suspects.precision, 3),
        precision_interval=(round(suspects.low, 3), round(suspects.high, 3)),
        actions=("relabel", "exclude") if certain else (),
    )


def _unconfirmed(store: Store, suspects: LabelSuspects) -> LabelSuspects:
    """Return the suspects without those whose labels were confirmed."""
    left = ~store.confirmed[suspects.indices]
    return replace(
        suspects,
        indices=suspects.indices[left],
        suggested=suspects.suggested[left],
        probability=suspects.probability[left],
    )


def _severity(store: Store, suspects: LabelSuspects) -> Severity:
    is_few = len(suspects.indices) < FEW * len(store.labels)
    return "info" if is_few or not suspects.is_significant else "warning"


def target_errors(
    store: Store, rows: NDArray[np.int64], predicted: NDArray[np.floating]
) -> Finding | NotChecked | None:
    """Return the finding for suspect targets of a dataset; None if there is none.

    Args:
        store: The dataset.
        rows: The images that the predictions are of, N.
        predicted: Targets by models that were not trained on the image, N x K.
    """
    kind, values = store.task.targets, store.targets[rows]
    doubts = kind.doubts(np.asarray(predicted, np.float64), values)
    if isinstance(doubts, str):
        return NotChecked(
            kind=KIND,
            reason=message("Wrong targets cannot be found: {reason}.", reason=as_message(doubts)),
        )
    images, outputs = doubts
    if not len(images):
        return None
    suspect = rows[images].tolist()
    first = store.classes[int(outputs[0])]
    given, expected = (float(each[images[0], outputs[0]]) for each in (values, predicted))
    return Finding(
        kind=KIND,
        severity="info" if len(suspect) < FEW * len(rows) else "warning",
        message=message(
            "Images whose targets are probably wrong: {count:,}; the first is "
            '{path}, where "{target}" is {value:.4g} and about {expected:.2g} is '
            "expected.",
            count=len(suspect),
            path=store.paths[suspect[0]],
            target=first,
            value=given,
            expected=expected,
        ),
        suggestion="Inspect them, the most suspect first, and correct the wrong ones.",
        count=len(suspect),
        rows=suspect,
        paths=[store.paths[row] for row in suspect],
        classes=[store.classes[output] for output in outputs.tolist()],
        actions=("exclude",),
    )
