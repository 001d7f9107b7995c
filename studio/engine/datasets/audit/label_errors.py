"""Finds images whose label or targets are probably wrong, by predictions out of fold.

Confident learning: Northcutt, Jiang and Chuang, "Confident learning: estimating uncertainty in
dataset labels" (2021). A class is credible for an image when its probability is at least the mean
that the images of that class get for it; an image is suspect when the most probable of its
credible classes is not the one that it is labeled with, nor is that one the most probable of all.

Written out in NumPy, because it is short and no package has to be installed. On random cases it
gives the images, and their order, that cleanlab 2.9 gives with
`find_label_issues(filter_by="confident_learning", return_indices_ranked_by="self_confidence")`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.findings import Finding, NotChecked
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError
from studio.engine.messages import as_message, message

KIND = "label_errors"
FEW = 0.01
"""Below this share, doubtful images are what every dataset has."""


@dataclass(frozen=True, slots=True)
class LabelIssues:
    """Probable label errors, the most suspicious first.

    Attributes:
        indices: Indices of the images, int64, shape (K,).
        suggested: Probable class of each, int64, shape (K,).
        self_confidence: Probability of the given label of each image, shape (N,).
        margin: `self_confidence` minus the highest probability of another class, -1 to 1, shape
            (N,).
    """

    indices: NDArray[np.int64]
    suggested: NDArray[np.int64]
    self_confidence: NDArray[np.float64]
    margin: NDArray[np.float64]


def label_issues(probabilities: NDArray[np.floating], labels: NDArray[np.integer]) -> LabelIssues:
    """Find labels that are probably wrong, ranked by self-confidence.

    Args:
        probabilities: Out of fold: of each image from a network that did not learn from it. N x K.
        labels: Given classes, 0 to K - 1, N.

    Raises:
        BadDataError: The two do not fit, or values are not probabilities.
    """
    scores = np.asarray(probabilities, np.float64)
    _check(scores, labels)
    rows = np.arange(len(labels))
    own = scores[rows, labels]
    others = scores.copy()
    others[rows, labels] = -1.0
    # A class without images is never credible.
    counts = np.bincount(labels, minlength=scores.shape[1])
    sums = np.bincount(labels, weights=own, minlength=scores.shape[1])
    thresholds = np.where(counts > 0, sums / np.maximum(counts, 1), np.inf)
    # A hair is taken off because a mean of equal numbers may lie above them.
    credible = np.where(scores >= thresholds - 1e-6, scores, -1.0)
    believed = credible.argmax(axis=1)
    suspect = (credible.max(axis=1) >= 0) & (believed != labels)
    suspect &= scores.argmax(axis=1) != labels
    indices = np.flatnonzero(suspect)
    indices = indices[np.argsort(own[indices], kind="stable")].astype(np.int64)
    return LabelIssues(indices, believed[indices].astype(np.int64), own, own - others.max(axis=1))


def label_errors(
    store: Store, rows: NDArray[np.int64], probabilities: NDArray[np.floating]
) -> Finding | NotChecked | None:
    """Return the finding for suspect labels or targets of a dataset; None if there is none.

    Args:
        store: The dataset.
        rows: The images that the probabilities are of, N.
        probabilities: Out of fold, N x K; see `label_issues`. Predicted targets of other tasks.

    Raises:
        BadDataError: The arguments do not fit together.
    """
    if store.task.targets is not None:
        return _target_errors(store, rows, np.asarray(probabilities, np.float64))
    issues = label_issues(probabilities, store.labels[rows])
    if not len(issues.indices):
        return None
    suspect = rows[issues.indices].tolist()
    first = store.classes[int(issues.suggested[0])]
    return Finding(
        kind=KIND,
        severity="info" if len(suspect) < FEW * len(rows) else "warning",
        message=message(
            "Labels that are probably wrong: {count:,}; the first is "
            '"{class_name}", probably "{suggestion}".',
            count=len(suspect),
            class_name=store.classes[int(store.labels[suspect[0]])],
            suggestion=first,
        ),
        suggestion="Inspect them, the most suspect first, and relabel the wrong ones.",
        count=len(suspect),
        rows=suspect,
        paths=[store.paths[row] for row in suspect],
        classes=[store.classes[label] for label in issues.suggested.tolist()],
        actions=("relabel", "exclude"),
    )


def _target_errors(
    store: Store, rows: NDArray[np.int64], predicted: NDArray[np.float64]
) -> Finding | NotChecked | None:
    kind, values = store.task.targets, store.required_targets[rows]
    doubts = "" if kind is None else kind.doubts(predicted, values)
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


def _check(scores: NDArray[np.float64], labels: NDArray[np.integer]) -> None:
    if scores.ndim != 2 or labels.shape != scores.shape[:1]:
        raise BadDataError(
            "{count} labels do not match probabilities of shape {shape}.",
            "One row of probabilities per label is needed.",
            "probabilities",
            count=labels.size,
            shape=scores.shape,
        )
    if labels.size and (labels.min() < 0 or labels.max() >= scores.shape[1]):
        raise BadDataError(
            "A label is outside 0 to {last}.",
            "One column of probabilities per class is needed.",
            "labels",
            last=scores.shape[1] - 1,
        )
    if not np.isfinite(scores).all() or scores.min(initial=0) < 0 or scores.max(initial=0) > 1:
        raise BadDataError(
            "Probabilities must be numbers from 0 to 1.",
            "Return probabilities, as softmax does.",
            "probabilities",
        )
