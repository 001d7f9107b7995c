"""Matching of the detections of an image with its objects, by the rules of COCO's metrics.

Each detection takes, the highest score first, the free object of its class that it overlaps most.
Objects that are not counted are taken only where no other is left: difficult ones, crowds, and
those of another size where objects of one size are measured. A crowd can be taken any number of
times, and the overlap with it is the share of the detection that lies inside. A detection of what
is not counted is neither right nor wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import (
    CLASS,
    CROWD,
    DIFFICULT,
    FLAGS,
    NO_BOX,
    OVERLAPS,
    areas,
    overlaps,
)
from studio.engine.tasks.decoding import SCORE, Detections, corners_of, without_places
from studio.engine.tasks.prediction import FALSE, IGNORED, MISSED, RIGHT

SIZES: Final = ((0.0, 1e10), (0.0, 32.0**2), (32.0**2, 96.0**2), (96.0**2, 1e10))
"""Areas of all objects, and of small, medium and large ones, in square pixels of the images."""
ALL, SMALL, MEDIUM, LARGE = range(len(SIZES))
MIN_OVERLAP: Final = OVERLAPS[0]
"""Default minimum overlap (IoU) of a correct detection."""
NONE: Final = -1
"""Stands for no object and for no detection."""
_TOUCHING: Final = 0.1
"""Least overlap of a detection that is wrong by its sides and not by its place."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The objects of the detections of an image.

    Attributes:
        objects: Object of each detection or `NONE`, for each range of sizes and each overlap;
            shape (sizes, overlaps, m).
        is_ignored: True for detections that do not count, of the same shape.
        is_counted: True for objects that count, shape (sizes, g).
    """

    objects: NDArray[np.int16]
    is_ignored: NDArray[np.bool_]
    is_counted: NDArray[np.bool_]

    @property
    def is_right(self) -> NDArray[np.bool_]:
        """True for detections of an object that counts, shape (sizes, overlaps, m)."""
        found: NDArray[np.bool_] = (self.objects != NONE) & ~self.is_ignored
        return found


@dataclass(frozen=True, slots=True)
class OverlapPairs:
    """Overlaps of the m detections of an image with its g objects.

    Attributes:
        same: Overlap with objects of the class of the detection, 0 for others; with a crowd: the
            share of the detection inside it; shape (m, g).
        every: Overlap (IoU) with objects of any class, shape (m, g).
        areas: Areas of the detections in square pixels, shape (m,).
        object_areas: Areas of the objects, shape (g,).
    """

    same: NDArray[np.float64]
    every: NDArray[np.float64]
    areas: NDArray[np.float64]
    object_areas: NDArray[np.float64]


def box_pairs(detections: Detections, boxes: NDArray[np.float32]) -> OverlapPairs:
    """Return the overlaps of the boxes of an image.

    Args:
        detections: Shape (m, 6).
        boxes: Objects of the image, shape (g, 6).
    """
    return OverlapPairs(
        class_overlaps(detections, boxes),
        overlaps(corners_of(detections), corners_of(boxes)),
        areas(corners_of(detections).astype(np.float64)),
        areas(corners_of(boxes).astype(np.float64)),
    )


def class_overlaps(detections: Detections, boxes: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the overlaps of detections with objects of their class, shape (m, g).

    With a crowd: the share of the detection inside it. 0 for other classes.

    Args:
        detections: Shape (m, 6).
        boxes: Objects of the image, shape (g, 6).
    """
    given, true = corners_of(detections).astype(np.float64), corners_of(boxes).astype(np.float64)
    found = overlaps(given, true)
    is_crowd = has_flag(boxes, CROWD)
    if is_crowd.any():
        corner = np.maximum(given[:, None, :2], true[None, is_crowd, :2])
        end = np.minimum(given[:, None, 2:], true[None, is_crowd, 2:])
        both = np.prod(np.maximum(end - corner, 0), axis=2)
        found[:, is_crowd] = both / np.maximum(areas(given), np.finfo(float).tiny)[:, None]
    same = detections[:, CLASS][:, None] == boxes[:, CLASS][None]
    return np.where(same, found, 0.0)


def has_flag(boxes: NDArray[np.float32], flag: int) -> NDArray[np.bool_]:
    """Return a mask of the boxes with a flag, shape (…).

    Args:
        boxes: Shape (…, 6).
        flag: `DIFFICULT`, `CROWD`, or both added.
    """
    found: NDArray[np.bool_] = (boxes[..., FLAGS].astype(np.int64) & flag) > 0
    return found


def matched(
    detections: Detections,
    boxes: NDArray[np.float32],
    least: tuple[float, ...] = OVERLAPS,
    sizes: tuple[tuple[float, float], ...] = SIZES,
    pairs: OverlapPairs | None = None,
) -> Matches:
    """Match the detections of an image with its objects.

    Args:
        detections: The highest score first, shape (m, 6).
        boxes: Objects of the image, shape (g, 6).
        least: Least overlaps with an object, T.
        sizes: Smallest and largest area of objects that count, S.
        pairs: Their overlaps; None for those of the boxes.
    """
    pairs = pairs or box_pairs(detections, boxes)
    count, given = len(sizes), len(detections)
    low, high = np.array(sizes).T[:, :, None]
    objects = np.full((count, len(least), given), NONE, np.int16)
    ignored = np.zeros((count, len(least), given), np.bool_)
    size = pairs.object_areas[None]
    uncounted = has_flag(boxes, DIFFICULT | CROWD) | (size < low) | (size > high)
    crowd = has_flag(boxes, CROWD)
    ious = pairs.same
    needed = np.minimum(least, 1 - 1e-10)
    # Only a few detections overlap an object enough.
    candidates = np.flatnonzero(ious.max(axis=1, initial=0) >= needed.min())
    free = np.ones((count, len(least), len(boxes)), np.bool_)
    sets, levels = np.indices((count, len(least)), sparse=True)
    for at in candidates.tolist():
        near = np.flatnonzero(ious[at] >= needed.min())
        share = ious[at, near]
        possible = free[:, :, near] & (share >= needed[:, None])
        # The most overlapped one, and of equals the last one: counted objects first.
        counted = possible & ~uncounted[:, None, near]
        possible = np.where(counted.any(axis=2, keepdims=True), counted, possible)
        worth = np.where(possible, share, -1.0)[:, :, ::-1]
        chosen = near[len(near) - 1 - worth.argmax(axis=2)]
        is_found = possible.any(axis=2)
        objects[:, :, at] = np.where(is_found, chosen, NONE)
        ignored[:, :, at] = is_found & uncounted[sets, chosen]
        free[sets, levels, chosen] &= ~is_found | crowd[chosen]
    area = pairs.areas[None]
    outside = (area < low) | (area > high)
    ignored |= (objects == NONE) & outside[:, None]
    return Matches(objects, ignored, ~uncounted)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of matching the detections and the objects of an image.

    Attributes:
        detections: The returned detections, shape (m, 6), the highest score first.
        boxes: The objects, shape (g, 6).
        states: State of each detection, m: `RIGHT`, `FALSE` or `IGNORED`.
        partners: Object of each detection, or `NONE`; of a false one the object that it overlaps
            most, of any class.
        ious: Overlap of each detection with that object, 0 to 1.
        reasons: Why each false detection is false, m; empty for others.
        object_states: State of each object, g: `RIGHT`, `MISSED` or `IGNORED`.
        object_partners: Detection of each object, or `NONE`.
        overlaps: Overlap (IoU) of each detection with each object, shape (m, g).
    """

    detections: Detections
    boxes: NDArray[np.float32]
    states: NDArray[np.uint8]
    partners: NDArray[np.int16]
    ious: NDArray[np.float64]
    reasons: tuple[str, ...]
    object_states: NDArray[np.uint8]
    object_partners: NDArray[np.int16]
    overlaps: NDArray[np.float64]


DUPLICATE, OTHER_CLASS, SIDES_OFF, NOTHING = "duplicate", "class", "sides", "background"
"""Reasons of false detections: another detection is nearer to the object; the object is of another
class; the sides are wrong; nothing is there. After Bolya et al., TIDE, ECCV 2020."""


def outcome(
    detections: NDArray[np.float32],
    boxes: NDArray[np.float32],
    thresholds: NDArray[np.float64],
    least: float = MIN_OVERLAP,
) -> Outcome:
    """Match the detections and objects of an image: correct, false and missed.

    Args:
        detections: Decoded detections of the image, shape (m, 6), with or without empty places.
        boxes: Objects of the image, shape (g, 6), with or without empty places.
        thresholds: From which score on detections of each class are given, shape (K,).
        least: Least overlap of a right detection.
    """
    rows, boxes = given(detections, thresholds), boxes[boxes[:, CLASS] != NO_BOX]
    return outcome_of(rows, boxes, box_pairs(rows, boxes), least)


def outcome_of(
    rows: Detections, boxes: NDArray[np.float32], pairs: OverlapPairs, least: float = MIN_OVERLAP
) -> Outcome:
    """Match the given detections and the objects of an image by their overlaps.

    Args:
        rows: The given detections, the highest score first, shape (m, 6).
        boxes: Objects of the image, shape (g, 6).
        pairs: Their overlaps.
        least: Least overlap of a right detection.
    """
    found = matched(rows, boxes, (least,), SIZES[:1], pairs)
    objects, ignored = found.objects[0, 0], found.is_ignored[0, 0]
    states = np.where(ignored, IGNORED, np.where(objects == NONE, FALSE, RIGHT)).astype(np.uint8)
    ious = pairs.every
    partners, reasons = objects.copy(), [""] * len(rows)
    for at in np.flatnonzero(states == FALSE).tolist():
        reasons[at], partners[at] = _reason(rows[at], boxes, ious[at], least)
    takers = np.full(len(boxes), NONE, np.int16)
    for at in np.flatnonzero(states == RIGHT).tolist():
        takers[objects[at]] = at
    counted = found.is_counted[0]
    return Outcome(
        rows,
        boxes,
        states,
        partners,
        np.array([ious[at, of] if of != NONE else 0.0 for at, of in enumerate(partners)]),
        tuple(reasons),
        np.where(counted, np.where(takers == NONE, MISSED, RIGHT), IGNORED).astype(np.uint8),
        takers,
        ious,
    )


def given(detections: NDArray[np.float32], thresholds: NDArray[np.float64]) -> Detections:
    """Return the detections of an image whose score reaches the threshold of their class.

    Args:
        detections: Shape (m, 6), with or without empty places.
        thresholds: Shape (K,).
    """
    rows = without_places(detections)
    return rows[rows[:, SCORE] >= thresholds[rows[:, CLASS].astype(np.int64)]]


def _reason(
    row: NDArray[np.float32],
    boxes: NDArray[np.float32],
    ious: NDArray[np.float64],
    least: float,
) -> tuple[str, int]:
    """Return why a detection is false, and the object that it is about.

    Args:
        row: The detection, shape (6,).
        boxes: Objects of the image, shape (g, 6).
        ious: Its overlap with each of them, shape (g,).
        least: Least overlap of a right detection.
    """
    same = boxes[:, CLASS] == row[CLASS]
    for reason, which, overlap in (
        (DUPLICATE, same, least),
        (OTHER_CLASS, ~same, least),
        (SIDES_OFF, same, _TOUCHING),
    ):
        near = np.where(which, ious, -1.0)
        if len(near) and near.max() >= overlap:
            return reason, int(near.argmax())
    return NOTHING, NONE


def confusion(found: Outcome, classes: int, least: float = MIN_OVERLAP) -> NDArray[np.int64]:
    """Count the objects of an image by their true and their predicted class.

    The last row and column are the background: false detections of nothing, and objects
    that are missed. What is not counted is left out.

    Args:
        found: The outcome of the image.
        classes: Number of classes, K.
        least: Least overlap of a detection with an object of another class.

    Returns:
        Shape (K + 1, K + 1): rows are true classes, columns predicted ones.
    """
    counts = np.zeros((classes + 1, classes + 1), np.int64)
    true, label = found.boxes[:, CLASS].astype(int), found.detections[:, CLASS].astype(int)
    ious = found.overlaps
    free = found.object_states == MISSED
    for at, state in enumerate(found.states.tolist()):
        if state == RIGHT:
            counts[true[found.partners[at]], label[at]] += 1
        elif state == FALSE:
            near = np.where(free, ious[at], -1.0)
            best = int(near.argmax()) if len(near) else NONE
            if best != NONE and near[best] >= least:
                free[best] = False
                counts[true[best], label[at]] += 1
            else:
                counts[classes, label[at]] += 1
    np.add.at(counts, (true[free], classes), 1)
    return counts
