"""The checks of an audit that only datasets with boxes have; see `checks`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.box_errors import (
    BoxErrors,
    find_box_errors,
    missing_boxes,
    unseen_boxes,
    wrong_box_classes,
)
from studio.engine.datasets.audit.checks import CHECKS, Check, Subject, Words
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.label_errors import KIND
from studio.engine.datasets.audit.measures import Measures
from studio.engine.datasets.audit.name_checks import NAME_CHECKS
from studio.engine.datasets.audit.predictions import FeatureSource
from studio.engine.datasets.audit.task_audit import BoxSource, Predictions, TaskAudit
from studio.engine.datasets.splits import SPLIT_NAMES
from studio.engine.datasets.store import Store
from studio.engine.messages import as_message, message
from studio.engine.progress import Progress
from studio.engine.registry import Registry
from studio.engine.tasks.annotations import Boxes
from studio.engine.tasks.boxes import (
    BOTTOM,
    CLASS,
    CROWD,
    FLAGS,
    LEFT,
    RIGHT,
    TOP,
    is_about_crowds,
    overlaps,
)

DUPLICATE: Final = 0.9
"""Least overlap (IoU) of two boxes that are around the same object."""
WHOLE: Final = 0.95
"""Least fraction of the area of an image that an image-sized box covers."""
_AT_ONCE: Final = 1024
_MOST_BY_CHANCE: Final = 4.0
"""Standard errors between the boxes per image of two splits that random splits hardly reach."""
_LEAST_RATIO: Final = 1.5


def _find_unusable_boxes(subject: Subject) -> Finding | None:
    """Find pictures that were left out because their boxes cannot be read."""
    words = Words(
        "Images left out because of their annotations: {count:,}; the first is {path} ({reason}).",
        "Correct the annotations, then import again.",
    )
    return subject.files("unusable_boxes", words, "warning", is_annotation=True)


def _find_lost_boxes(subject: Subject) -> Finding | None:
    """Find pictures that were imported without some of their boxes."""
    words = Words(
        "Problems in the boxes of imported images: {count:,}; the first is in {path} ({reason}).",
        "Correct the annotations, then import again.",
    )
    return subject.files(
        "lost_boxes",
        words,
        "warning",
        is_annotation=True,
        is_partial=True,
        is_expected=is_about_crowds,
    )


def _find_duplicate_boxes(subject: Subject) -> Finding | None:
    """Find two boxes of the same class around one object."""
    return subject.images(
        "duplicate_boxes",
        _any_box(subject, has_duplicates),
        Words(
            "Images with duplicate boxes: {count:,}.",
            "Remove one box of each pair: a network learns to predict both, and each second one "
            "counts as an object that was missed.",
        ),
        actions=("deduplicate",),
    )


def _find_tiny_boxes(subject: Subject) -> Finding | None:
    """Find boxes that are a few pixels wide or high."""
    limit = subject.plan.tiny_box_pixels

    def is_tiny(boxes: Boxes, _shape: tuple[int, int]) -> bool:
        wide, high = boxes[:, RIGHT] - boxes[:, LEFT], boxes[:, BOTTOM] - boxes[:, TOP]
        return bool((np.minimum(wide, high) <= limit).any())

    return subject.images(
        "tiny_boxes",
        _any_box(subject, is_tiny),
        Words(
            "Images with a box of at most {limit:g} pixels: {count:,}.",
            "Check for slips of the mouse. If the objects are this small, import larger images "
            "or tiles.",
            {"limit": limit},
        ),
        severity="info",
    )


def _find_image_sized_boxes(subject: Subject) -> Finding | None:
    """Find boxes that cover the whole image."""
    return subject.images(
        "image_sized_boxes",
        _any_box(subject, is_image_sized),
        Words(
            "Images with a box as large as the image: {count:,}.",
            "Check that the box is around an object. A class of the whole image is a task for "
            "classification.",
        ),
        severity="info",
    )


def _find_images_without_objects(subject: Subject) -> Finding | None:
    """Find images without boxes."""
    return subject.images(
        "images_without_objects",
        subject.store.is_empty[subject.measures.rows],
        Words(
            "Images without objects: {count:,}.",
            "Check that nothing was forgotten. Images without objects are useful, as long as they "
            "are few.",
        ),
        severity="info",
    )


_FEW_BOXES_WORDS = Words(
    'Classes with at most {limit:,} training boxes: {count:,}; "{class_name}" has {objects:,}.',
    "Add images with these classes, or leave the classes out.",
)


def _find_classes_with_few_boxes(subject: Subject) -> Finding | None:
    """Find classes with few boxes to learn from."""
    return subject.rare_classes("few_boxes", _FEW_BOXES_WORDS)


def _find_unequal_splits(subject: Subject) -> Finding | None:
    """Find validation or test images with far more or fewer boxes than training images."""
    store = subject.store
    numbers = store.targets.sum(axis=1, dtype=np.int64).astype(np.float64)
    train = numbers[store.rows("train")]
    found = []
    for name in SPLIT_NAMES[1:]:
        other = numbers[store.rows(name)]
        if _differ(train, other):
            found.append((name, float(other.mean())))
    if not found:
        return None
    split, mean = found[0]
    return Finding(
        kind="boxes_per_split",
        severity="warning",
        message=message(
            "Boxes per image differ between the splits: {train:.1f} in training images, "
            "{other:.1f} in {split} images.",
            train=float(train.mean()),
            other=mean,
            split=as_message(split),
        ),
        suggestion="Check that the splits are of the same kind of images, or reassign the images.",
        count=len(found),
    )


def _differ(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Return True if the means of two samples differ by far more than chance explains."""
    if len(one) < 2 or len(other) < 2:
        return False
    low, high = sorted((float(one.mean()), float(other.mean())))
    error = float(np.sqrt(one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other)))
    return high > _LEAST_RATIO * low and high - low > _MOST_BY_CHANCE * error


def has_duplicates(boxes: Boxes, _shape: tuple[int, int]) -> bool:
    """Return True if two boxes of a class are nearly the same.

    Args:
        boxes: Boxes of an image, shape (n, 6).
        _shape: Height and width of the image; not needed.
    """
    return bool(np.triu(_same(boxes), 1).any())


def duplicate_places(row: Boxes) -> list[int]:
    """Return the indices of boxes that are nearly the same as an earlier box of their class.

    Args:
        row: Boxes of an image, shape (M, 6); empty places and crowds do not count.
    """
    counted = (row[:, CLASS] >= 0) & (row[:, FLAGS].astype(np.int32) & CROWD == 0)
    places = np.flatnonzero(counted)
    same = _same(row[places])
    kept: list[int] = []
    gone: list[int] = []
    for index in range(len(places)):
        (gone if same[index, kept].any() else kept).append(index)
    found: list[int] = places[gone].tolist()
    return found


def _same(boxes: Boxes) -> NDArray[np.bool_]:
    """Return a mask of the pairs of boxes of a class that are nearly the same, shape (n, n)."""
    same: NDArray[np.bool_] = overlaps(boxes[:, LEFT:FLAGS], boxes[:, LEFT:FLAGS]) >= DUPLICATE
    same &= boxes[:, None, CLASS] == boxes[None, :, CLASS]
    return same


def is_image_sized(boxes: Boxes, shape: tuple[int, int]) -> bool:
    """Return True if a box covers the whole image.

    Args:
        boxes: Boxes of an image, shape (n, 6).
        shape: Height and width of the image.
    """
    area = (boxes[:, RIGHT] - boxes[:, LEFT]) * (boxes[:, BOTTOM] - boxes[:, TOP])
    return bool((area >= WHOLE * shape[0] * shape[1]).any())


def _any_box(
    subject: Subject, condition: Callable[[Boxes, tuple[int, int]], bool]
) -> NDArray[np.bool_]:
    """Return a mask of the measured images whose boxes, without crowds, meet a condition, (M,).

    Raises:
        Cancelled: The job was asked to end.
    """
    store, rows = subject.store, subject.measures.rows
    height, width, _ = store.shape
    found = np.zeros(len(rows), np.bool_)
    for start in range(0, len(rows), _AT_ONCE):
        subject.progress.check()
        part = store.required_regions[rows[start : start + _AT_ONCE]]
        counted = (part[..., CLASS] >= 0) & (part[..., FLAGS].astype(np.int32) & CROWD == 0)
        for index, (boxes, mine) in enumerate(zip(part, counted, strict=True)):
            found[start + index] = mine.any() and condition(boxes[mine], (height, width))
        subject.progress.advance(start + len(part), len(rows), "Checking the boxes")
    return found


def _find_errors(
    kind: Callable[[Store, BoxErrors], Finding | None], subject: Subject
) -> Finding | None:
    """Return a finding about boxes that predictions contradict."""
    errors = subject.predictions
    return kind(subject.store, errors) if isinstance(errors, BoxErrors) else None


BOX_ERROR_CHECKS: Registry[Check] = Registry(
    "check",
    [
        Check("missing_boxes", "Missing boxes", partial(_find_errors, missing_boxes)),
        Check("wrong_box_classes", "Wrong classes", partial(_find_errors, wrong_box_classes)),
        Check("unseen_boxes", "Boxes not predicted", partial(_find_errors, unseen_boxes)),
    ],
)
"""Checks that need predicted boxes; they stand for the check of wrong labels."""


BOX_CHECKS: Registry[Check] = Registry(
    "check",
    [
        Check("unusable_boxes", "Unusable annotations", _find_unusable_boxes),
        Check("lost_boxes", "Boxes left out", _find_lost_boxes),
        Check("duplicate_boxes", "Duplicate boxes", _find_duplicate_boxes),
        Check("image_sized_boxes", "Image-sized boxes", _find_image_sized_boxes),
        Check("tiny_boxes", "Tiny boxes", _find_tiny_boxes),
        Check("images_without_objects", "Images without objects", _find_images_without_objects),
        Check("few_boxes", "Classes with few boxes", _find_classes_with_few_boxes),
        Check("boxes_per_split", "Boxes per split", _find_unequal_splits),
    ],
)


class BoxAudit(TaskAudit):
    """Audit of boxes."""

    def predictions(
        self,
        store: Store,
        measures: Measures,  # noqa: ARG002 - of images as wholes
        predicted_boxes: BoxSource,
        network: FeatureSource,  # noqa: ARG002 - of images as wholes
        progress: Progress,
    ) -> Predictions:
        """Compare the boxes with those of a model; see `TaskAudit.predictions`."""
        predicted = predicted_boxes(store)
        if isinstance(predicted, str):
            return predicted
        return find_box_errors(store, predicted, progress)

    def checks(self, predictions: Predictions) -> list[Check]:
        """Return the checks of a dataset; see `TaskAudit.checks`."""
        if not isinstance(predictions, BoxErrors):
            return [*CHECKS, *NAME_CHECKS, *BOX_CHECKS]
        others = (each for each in CHECKS if each.name != KIND)
        return [*others, *NAME_CHECKS, *BOX_ERROR_CHECKS, *BOX_CHECKS]

    def duplicates(self, row: Boxes) -> list[int]:
        """Return the indices of duplicate boxes; see `TaskAudit.duplicates`."""
        return duplicate_places(row)


AUDIT = BoxAudit()
