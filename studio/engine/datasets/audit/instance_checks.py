"""The checks of an audit that only datasets of objects with masks have; see `checks`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.audit.box_checks import BOX_CHECKS
from studio.engine.datasets.audit.checks import CHECKS, Check, Subject, Words
from studio.engine.datasets.audit.findings import Finding
from studio.engine.datasets.audit.mask_checks import MASK_CHECKS
from studio.engine.datasets.audit.name_checks import NAME_CHECKS
from studio.engine.datasets.audit.task_audit import Predictions, TaskAudit
from studio.engine.messages import message
from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.boxes import is_about_crowds
from studio.engine.tasks.instance_labels import instance_table

_AT_ONCE: Final = 256
_FAR: Final = 1.0
"""Distance of two parts of an object, in diameters of a circle of its area, that is far."""
_HUGE: Final = 20.0
"""Area of an object, in medians of its class, from which on it is conspicuously large."""
_FEWEST: Final = 10
"""Objects of a class whose median area says something."""
_AT_BORDER: Final = 0.4
"""Fraction of the objects that touch the border of their image, from which on it is many."""


@dataclass(frozen=True, slots=True)
class ObjectFacts:
    """Facts about all objects of some images; n of them.

    Attributes:
        images: Index of the image of each, among the measured ones, shape (n,).
        classes: Class of each, shape (n,).
        areas: Pixels of each, shape (n,).
        smallest: Pixels of the smallest connected part of each, shape (n,).
        gaps: Largest distance of a part to the nearest other one, in diameters of a circle of
            the area of the object; 0 for one part, shape (n,).
        at_border: True for objects that touch the border of their image, shape (n,).
    """

    images: NDArray[np.int64]
    classes: NDArray[np.int64]
    areas: NDArray[np.int64]
    smallest: NDArray[np.int64]
    gaps: NDArray[np.float64]
    at_border: NDArray[np.bool_]


class _Facts:
    """Facts about the objects of a dataset, which the checks share."""

    def __init__(self) -> None:
        self._known: ObjectFacts | None = None

    def of(self, subject: Subject) -> ObjectFacts:
        """Return the facts; they are measured once.

        Raises:
            Cancelled: The job was asked to end.
        """
        if self._known is None:
            self._known = object_facts(subject)
        return self._known


def object_facts(subject: Subject) -> ObjectFacts:
    """Measure the objects of the images under audit.

    Args:
        subject: The dataset.

    Raises:
        Cancelled: The job was asked to end.
    """
    rows, regions = subject.measures.rows, subject.store.required_regions
    found: list[tuple[float, ...]] = []
    with ThreadPoolExecutor(os.cpu_count() or 1, "objects") as pool:
        for start in range(0, len(rows), _AT_ONCE):
            subject.progress.check()
            part = regions[rows[start : start + _AT_ONCE]]
            for index, objects in enumerate(pool.map(_measured, part), start):
                found += [(index, *each) for each in objects]
            subject.progress.advance(start + len(part), len(rows), "Checking the objects")
    table = np.array(found, np.float64).reshape(-1, 6)
    whole = table[:, :4].astype(np.int64)
    return ObjectFacts(
        *(whole[:, 0], whole[:, 1], whole[:, 2], whole[:, 3]), table[:, 4], table[:, 5] > 0
    )


def _measured(labels: Instances) -> list[tuple[float, ...]]:
    """Return class, area, smallest part, gap and contact with the border of each object."""
    table = instance_table(labels)
    height, width = labels.shape
    found: list[tuple[float, ...]] = []
    for index, (label, area, box) in enumerate(
        zip(table.classes.tolist(), table.areas.tolist(), table.boxes.tolist(), strict=True)
    ):
        inside = table.mask(labels, index).astype(np.uint8)
        left, top, right, bottom = box
        at_border = left == 0 or top == 0 or right == width or bottom == height
        found.append((label, area, *_parts(inside, area), float(at_border)))
    return found


def _parts(inside: NDArray[np.uint8], area: int) -> tuple[float, float]:
    """Return the pixels of the smallest part of an object, and how far apart its parts are.

    Args:
        inside: 1 for its pixels, in the box around it.
        area: Number of its pixels.
    """
    count, parts, facts, _ = cv2.connectedComponentsWithStats(inside, connectivity=8)
    if count <= 2:
        return area, 0.0
    gaps = []
    for part in range(1, count):
        distance = cv2.distanceTransform((parts != part).astype(np.uint8), cv2.DIST_L2, 3)
        others = (parts > 0) & (parts != part)
        gaps.append(float(distance[others].min()))
    return int(facts[1:, cv2.CC_STAT_AREA].min()), max(gaps) / (2 * np.sqrt(area / np.pi))


def _find_lost_objects(_facts: _Facts, subject: Subject) -> Finding | None:
    """Find pictures that were imported without some of their objects."""
    words = Words(
        "Problems in the objects of imported images: {count:,}; the first is in {path} "
        "({reason}).",
        "Correct the annotations, then import again. Objects that are annotated twice lie behind "
        "each other.",
    )
    return subject.files(
        "lost_objects",
        words,
        "warning",
        is_annotation=True,
        is_partial=True,
        is_expected=is_about_crowds,
    )


def _find_tiny_objects(facts: _Facts, subject: Subject) -> Finding | None:
    """Find objects, and parts of them, of a few pixels."""
    limit = subject.plan.tiny_region_pixels
    return _images(
        "tiny_regions",
        subject,
        facts.of(subject),
        facts.of(subject).smallest <= limit,
        Words(
            "Images with an object, or a part of one, of at most {limit:,} pixels: {count:,}.",
            "Check for slips of the pen. If the objects are this small, import larger images or "
            "tiles.",
            {"limit": limit},
        ),
    )


def _find_scattered_objects(facts: _Facts, subject: Subject) -> Finding | None:
    """Find objects whose parts are far apart: two objects with one number?"""
    found = facts.of(subject)
    return _images(
        "scattered_objects",
        subject,
        found,
        found.gaps > _FAR,
        Words(
            "Images with an object whose parts are far apart: {count:,}.",
            "Check whether they are several objects with one number. Objects behind others may "
            "have several parts.",
        ),
    )


def _find_huge_objects(facts: _Facts, subject: Subject) -> Finding | None:
    """Find objects that are far larger than others of their class: several merged ones?"""
    found = facts.of(subject)
    is_huge = np.zeros(len(found.areas), np.bool_)
    for label in np.unique(found.classes).tolist():
        mine = found.classes == label
        if mine.sum() >= _FEWEST:
            is_huge |= mine & (found.areas > _HUGE * np.median(found.areas[mine]))
    return _images(
        "huge_objects",
        subject,
        found,
        is_huge,
        Words(
            "Images with an object that is more than {limit:g} times as large as the "
            "median of its class: {count:,}.",
            "Check whether it is several objects, or the background.",
            {"limit": _HUGE},
        ),
    )


def _find_objects_at_borders(facts: _Facts, subject: Subject) -> Finding | None:
    """Find out whether many objects are cut off by the borders of images."""
    found = facts.of(subject)
    count, total = int(found.at_border.sum()), len(found.at_border)
    if not total or count <= _AT_BORDER * total:
        return None
    return Finding(
        kind="border_objects",
        severity="info",
        message=message(
            "Objects that touch the border of their image: {count:,} of {total:,}.",
            count=count,
            total=total,
        ),
        suggestion="Their sizes and shapes are not whole. Import larger images or tiles, or tiles "
        "that overlap.",
        count=count,
    )


_FEW_OBJECTS_WORDS = Words(
    'Classes with at most {limit:,} training objects: {count:,}; "{class_name}" has {objects:,}.',
    "Add images with these classes, or leave the classes out.",
)


def _find_classes_with_few_objects(_facts: _Facts, subject: Subject) -> Finding | None:
    """Find classes with few objects to learn from."""
    return subject.rare_classes("few_objects", _FEW_OBJECTS_WORDS)


def _images(
    kind: str, subject: Subject, facts: ObjectFacts, which: NDArray[np.bool_], words: Words
) -> Finding | None:
    """Return a finding about the images of some objects."""
    has = np.zeros(len(subject.measures.rows), np.bool_)
    has[facts.images[which]] = True
    return subject.images(kind, has, words, severity="info")


_FINDERS: Final[Sequence[tuple[str, str, Callable[[_Facts, Subject], Finding | None]]]] = (
    ("lost_objects", "Objects left out", _find_lost_objects),
    ("tiny_regions", "Tiny objects", _find_tiny_objects),
    ("scattered_objects", "Objects in far parts", _find_scattered_objects),
    ("huge_objects", "Far larger objects", _find_huge_objects),
    ("border_objects", "Objects at borders", _find_objects_at_borders),
    ("few_objects", "Classes with few objects", _find_classes_with_few_objects),
)


class InstanceAudit(TaskAudit):
    """Audit of objects with masks; two of one image cannot be the same, they would overlap."""

    def checks(self, predictions: Predictions) -> list[Check]:  # noqa: ARG002 - of boxes
        """Return the checks of a dataset; see `TaskAudit.checks`."""
        facts = _Facts()
        own = [Check(name, label, partial(find, facts)) for name, label, find in _FINDERS]
        shared = [MASK_CHECKS["unusable_masks"], BOX_CHECKS["images_without_objects"]]
        return [*CHECKS, *NAME_CHECKS, *shared, *own]


AUDIT = InstanceAudit()
