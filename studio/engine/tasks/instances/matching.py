"""Matches of found objects and objects of an image: overlaps of masks, by the rules of COCO.

Found objects are called stars here, whatever family they are of. Their masks do not overlap: of
two the one with the higher score is in front, as in the label images that are written. Ignored
pixels are a crowd of every class: a star that lies there is neither right nor wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.boxes import CLASS, CROWD, FLAGS, LEFT, VALUES
from studio.engine.tasks.decoding import without_places
from studio.engine.tasks.detection.matching import NONE, OverlapPairs, matched
from studio.engine.tasks.detection.precision import evidence_type, write_record
from studio.engine.tasks.instance_labels import IGNORED, compacted, instance_table
from studio.engine.tasks.instances.decoding import MOST
from studio.engine.tasks.instances.families import Found, family_of_rows

HALF: Final = 0.5
"""Share of an object, or of a star, that has to be in the other for a merged or split object."""
_FURTHER: Final = (
    ("iou", np.float32, (MOST,)),
    ("covered", np.uint8, (MOST,)),
    ("piece", np.int16, (MOST,)),
)


@dataclass(frozen=True, slots=True)
class ComparedStars:
    """The stars and the objects of an image.

    Attributes:
        rows: Stars of which pixels are visible, as detections, shape (m, 6).
        objects: Objects as boxes, and a crowd where pixels are ignored, shape (g, 6).
        pairs: Overlaps of their masks.
        covered: Share of each object that lies in each star, shape (m, g).
        within: Share of each star that lies in each object, shape (m, g).
        shown: Label image of the stars, `i + 1` for star i, shape (height, width).
    """

    rows: NDArray[np.float32]
    objects: NDArray[np.float32]
    pairs: OverlapPairs
    covered: NDArray[np.float64]
    within: NDArray[np.float64]
    shown: NDArray[np.int32]


def compared(stars: Found, labels: Instances) -> ComparedStars:
    """Compare the masks of stars with those of objects.

    Args:
        stars: Found objects of an image, the highest score first, with or without empty places,
            shape (m, 40) or (m, 790).
        labels: Label image.
    """
    stars = without_places(stars)
    shown = family_of_rows(stars).painted(stars, labels.shape[::-1])
    small, _ = compacted(labels)
    table = instance_table(labels)
    count = len(table)
    small = np.where(labels == IGNORED, count + 1, small)
    both = np.bincount(
        (small * np.int64(len(stars) + 1) + shown).ravel(),
        minlength=(count + 2) * (len(stars) + 1),
    ).reshape(count + 2, len(stars) + 1)[:, 1:]
    visible = np.flatnonzero(both.sum(axis=0))
    both, areas = both[:, visible], both.sum(axis=0)[visible].astype(np.float64)
    order = np.zeros(len(stars) + 1, np.int32)
    order[visible + 1] = np.arange(len(visible)) + 1
    has_crowd = bool((labels == IGNORED).any())
    objects = np.zeros((count + has_crowd, VALUES), np.float32)
    objects[:count, CLASS] = table.classes
    objects[:count, LEFT:FLAGS] = table.boxes
    objects[count:, FLAGS] = CROWD
    rows = stars[visible, :VALUES]
    shared = both[1 : count + 1 + has_crowd].T.astype(np.float64)
    sizes = np.append(table.areas, [np.sum(labels == IGNORED)] * has_crowd).astype(np.float64)
    within = shared / np.maximum(areas, 1)[:, None]
    every = shared / np.maximum(areas[:, None] + sizes - shared, 1)
    every[:, count:] = 0
    same = np.where(rows[:, CLASS, None] == objects[:, CLASS], every, 0.0)
    same[:, count:] = within[:, count:]
    covered = shared / np.maximum(sizes, 1)
    pairs = OverlapPairs(same, every, areas, sizes)
    return ComparedStars(rows, objects, pairs, covered[:, :count], within[:, :count], order[shown])


def instance_evidence_type(classes: int) -> np.dtype[Any]:
    """Return the form of the evidence of an image: that of detection, and more for each star.

    `iou` is the overlap with its object, 0 without one; `covered` is the number of objects of
    which at least half lies in the star; `piece` is the object that at least half of the star
    lies in, or -1.

    Args:
        classes: Number of classes, K.
    """
    return np.dtype([*evidence_type(classes, MOST).descr, *_FURTHER])


def instance_evidence(
    stars: NDArray[np.float32], truth: NDArray[np.int32], classes: int
) -> NDArray[Any]:
    """Return the evidence of images, shape (n,).

    Args:
        stars: Found objects, shape (n, 1000, 40) or (n, 100, 790).
        truth: Label images, shape (n, height, width).
        classes: Number of classes, K.
    """
    found = np.zeros(len(stars), instance_evidence_type(classes))
    found["label"] = NONE
    found["piece"] = NONE
    for record, each, labels in zip(found, stars, truth, strict=True):
        image = compared(each, labels)
        match = matched(image.rows, image.objects, pairs=image.pairs)
        write_record(record, image.rows, image.objects, match)
        count = len(image.rows)
        owner = match.objects[0, 0]
        places = np.arange(count)
        record["iou"][:count] = (
            np.where(match.is_right[0, 0], image.pairs.every[places, owner], 0.0)
            if len(image.objects)
            else 0.0
        )
        if image.within.shape[1]:
            record["covered"][:count] = np.sum(image.covered >= HALF, axis=1)
            most = image.within.argmax(axis=1)
            record["piece"][:count] = np.where(image.within[places, most] >= HALF, most, NONE)
    return found
