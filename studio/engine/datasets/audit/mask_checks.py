"""The checks of an audit that only datasets with masks have; see `checks`."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.checks import CHECKS, CLASS_IMBALANCE, Check, Subject, Words
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.name_checks import NAME_CHECKS
from studio.engine.datasets.audit.task_audit import Predictions, TaskAudit
from studio.engine.datasets.store import Store
from studio.engine.messages import message
from studio.engine.progress import Progress
from studio.engine.registry import Registry
from studio.engine.tasks.annotations import IGNORE, Mask, is_background

_AT_ONCE = 256


def _find_unusable_masks(subject: Subject) -> Finding | None:
    """Find pictures whose mask is missing, damaged, of another size or has unknown values."""
    words = Words(
        "Images left out because of their masks: {count:,}; the first is {path} ({reason}).",
        "Correct the masks, then import again.",
    )
    return subject.files("unusable_masks", words, "warning", is_annotation=True)


def _find_empty_masks(subject: Subject) -> Finding | None:
    """Find masks with only background and ignored pixels."""
    rows = subject.measures.rows
    return subject.images(
        "empty_masks",
        without_objects(subject.store, rows),
        Words(
            "Masks that are empty: {count:,}.",
            "Check that nothing was forgotten. Images without objects are useful, as long as they "
            "are few.",
        ),
    )


def _find_tiny_regions(subject: Subject) -> Finding | None:
    """Find masks with a region of a few pixels, which is more often a slip than an object."""
    limit = subject.plan.tiny_region_pixels
    smallest = smallest_regions(subject.store, subject.measures.rows, subject.progress)
    return subject.images(
        "tiny_regions",
        (smallest > 0) & (smallest <= limit),
        Words(
            "Masks with a region of at most {limit:,} pixels: {count:,}.",
            "Check for slips of the pen, and for objects that became too small.",
            {"limit": limit},
        ),
        severity="info",
    )


def _find_pixel_imbalance(subject: Subject) -> Finding | None:
    """Find classes with far fewer pixels in the training masks than others.

    The background is left out: most pixels show no object.
    """
    store = subject.store
    pixels = store.targets[store.rows("train")].sum(axis=0, dtype=np.int64)
    total = int(pixels.sum())
    pixels[[is_background(name) for name in store.classes]] = 0
    ratio = subject.plan.pixel_imbalance_ratio
    small = np.flatnonzero((pixels > 0) & (pixels * ratio <= pixels.max(initial=0)))
    if not len(small):
        return None
    names = store.classes
    fewest, largest = int(small[pixels[small].argmin()]), int(pixels.argmax())
    return Finding(
        kind="pixel_imbalance",
        severity="warning",
        message=message(
            "Classes with far fewer training pixels than others: {count:,}; "
            '"{class_name}" has {smallest:.2%} of the pixels, "{largest_class}" has {most:.1%}.',
            count=len(small),
            class_name=names[fewest],
            smallest=int(pixels[fewest]) / total,
            largest_class=names[largest],
            most=int(pixels[largest]) / total,
        ),
        suggestion="Train with class weights or the Dice loss, or collect more images of them.",
        count=len(small),
        classes=[names[index] for index in small.tolist()],
    )


def smallest_regions(
    store: Store, rows: NDArray[np.int64], progress: Progress
) -> NDArray[np.int64]:
    """Return the pixels of the smallest connected region of a class in each mask, shape (M,).

    Regions touch at sides or corners. Those of ignored pixels and of the background don't count;
    a mask without any other has 0.

    Args:
        store: A dataset with masks.
        rows: Rows of the masks, shape (M,).
        progress: Receives the progress and may cancel.

    Raises:
        Cancelled: The job was asked to end.
    """
    masks = store.required_regions
    ground = [label for label, name in enumerate(store.classes) if is_background(name)]
    found = np.zeros(len(rows), np.int64)
    with ThreadPoolExecutor(os.cpu_count() or 1, "regions") as pool:
        for start in range(0, len(rows), _AT_ONCE):
            progress.check()
            part = masks[rows[start : start + _AT_ONCE]]
            smallest = pool.map(lambda mask: _smallest(mask, ground), part)
            found[start : start + len(part)] = list(smallest)
            progress.advance(start + len(part), len(rows), "Checking the masks")
    return found


def _smallest(mask: Mask, ground: list[int]) -> int:
    areas: list[int] = []
    for label in np.flatnonzero(np.bincount(mask.ravel(), minlength=256)).tolist():
        if label != IGNORE and label not in ground:
            region = (mask == label).view(np.uint8)
            _, _, statistics, _ = cv2.connectedComponentsWithStats(region, connectivity=8)
            areas.append(int(statistics[1:, cv2.CC_STAT_AREA].min()))
    return min(areas, default=0)


def without_objects(store: Store, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask of the images with background only, shape (M,).

    Args:
        store: A dataset with masks.
        rows: Rows of the masks, shape (M,).
    """
    objects = [label for label, name in enumerate(store.classes) if not is_background(name)]
    found: NDArray[np.bool_] = store.targets[rows][:, objects].sum(axis=1) == 0
    return found


MASK_CHECKS: Registry[Check] = Registry(
    "check",
    [
        Check("unusable_masks", "Unusable masks", _find_unusable_masks),
        Check("empty_masks", "Empty masks", _find_empty_masks),
        Check("tiny_regions", "Tiny regions", _find_tiny_regions),
        Check("pixel_imbalance", "Imbalance by pixels", _find_pixel_imbalance),
    ],
)


class MaskAudit(TaskAudit):
    """Audit of masks."""

    def checks(self, predictions: Predictions) -> list[Check]:  # noqa: ARG002 - of boxes
        """Return the checks of a dataset; the pixels of classes are compared, not the images."""
        others = (each for each in CHECKS if each.name != CLASS_IMBALANCE)
        return [*others, *NAME_CHECKS, *MASK_CHECKS]


AUDIT = MaskAudit()
