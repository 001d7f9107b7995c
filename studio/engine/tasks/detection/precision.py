"""Average precision and average recall of COCO, of images drawn any number of times.

Of each image only its evidence is needed: whether its detections are right at each overlap and
for each range of sizes, and how many objects it has. Detections are sorted once; a bootstrap
resample is then a weight for each image.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import CLASS, NO_BOX, OVERLAPS
from studio.engine.tasks.curves import PrecisionRecallCurve
from studio.engine.tasks.decoding import MOST, SCORE, without_places
from studio.engine.tasks.detection.matching import ALL, SIZES, Matches, matched

Evidence = NDArray[Any]
"""Evidence of images, a record for each, see `evidence_type`."""

RECALLS: Final = np.linspace(0.0, 1.0, 101)
"""Recalls at which the precision is read, as in COCO."""
LIMITS: Final = (1, 10, MOST)
"""Detections of a class in an image that average recall counts."""
_SETS: Final = len(SIZES) * len(OVERLAPS)
AT_50: Final = ALL * len(OVERLAPS)
"""Place of the lowest overlap, all sizes, among the sets of rules."""


def evidence_type(classes: int, most: int = MOST) -> np.dtype[Any]:
    """Return the form of the evidence of an image.

    `label`, `score`, `right` and `ignored` have a number for each detection: its class, its
    score, and by which rules it is right or does not count (bit 10 * size + overlap). `objects`
    are the objects that count, of each range of sizes and class.

    Args:
        classes: Number of classes, K.
        most: Largest number of detections of an image.
    """
    return np.dtype(
        [
            ("label", np.int16, (most,)),
            ("score", np.float32, (most,)),
            ("right", np.uint64, (most,)),
            ("ignored", np.uint64, (most,)),
            ("objects", np.int32, (len(SIZES), classes)),
        ]
    )


_BITS = np.uint64(1) << np.arange(_SETS, dtype=np.uint64)


def evidence_of(
    detections: NDArray[np.float32], truth: NDArray[np.float32], classes: int
) -> Evidence:
    """Return the evidence of images, shape (n,).

    Args:
        detections: Decoded detections, shape (n, 100, 6).
        truth: Boxes of the images, shape (n, M, 6).
        classes: Number of classes, K.
    """
    found = np.zeros(len(detections), evidence_type(classes))
    found["label"] = int(NO_BOX)
    for record, each, boxes in zip(found, detections, truth, strict=True):
        rows, objects = without_places(each), boxes[boxes[:, CLASS] != NO_BOX]
        write_record(record, rows, objects, matched(rows, objects))
    return found


def write_record(
    record: Any,  # noqa: ANN401 - a record of NumPy
    rows: NDArray[np.float32],
    objects: NDArray[np.float32],
    match: Matches,
) -> None:
    """Write the evidence of an image.

    Args:
        record: A record of `evidence_type`; changed.
        rows: Detections, the highest score first, shape (m, 6).
        objects: Objects of the image, shape (g, 6).
        match: Their matches.
    """
    record["label"][: len(rows)] = rows[:, CLASS]
    record["score"][: len(rows)] = rows[:, SCORE]
    for name, flags in (("right", match.is_right), ("ignored", match.is_ignored)):
        bits = np.where(flags.reshape(_SETS, -1), _BITS[:, None], np.uint64(0))
        record[name][: len(rows)] = bits.sum(axis=0, dtype=np.uint64)
    labels = objects[:, CLASS].astype(np.int64)
    classes = record["objects"].shape[1]
    for at, is_counted in enumerate(match.is_counted):
        record["objects"][at] = np.bincount(labels[is_counted], minlength=classes)


@dataclass(frozen=True, slots=True)
class Precision:
    """Precision and recall of K classes; NaN for classes without objects.

    Attributes:
        average: Average precision for each range of sizes, overlap and class.
        recall: Recall for each limit of detections, range of sizes, overlap and class.
        right: Right detections from the threshold of each class on, at the lowest overlap, K.
        given: Detections that count from the threshold of each class on, K.
        objects: Objects that count, K.
    """

    average: NDArray[np.float64]
    recall: NDArray[np.float64]
    right: NDArray[np.int64]
    given: NDArray[np.int64]
    objects: NDArray[np.int64]


class _Class:
    """The detections of a class in all images, the highest score first.

    Args:
        evidence: Evidence of the images.
        label: The class.
    """

    def __init__(self, evidence: Evidence, label: int) -> None:
        images, columns = np.nonzero(evidence["label"] == label)
        scores = evidence["score"][images, columns]
        order = np.argsort(-scores, kind="stable")
        # Detections of an image are in the order of their scores, too.
        _, first = np.unique(images, return_index=True)
        counts = np.diff(np.append(first, len(images)))
        places = np.arange(len(images)) - np.repeat(first, counts)
        self.images, self.scores, self.places = images[order], scores[order], places[order]
        chosen = self.images, columns[order]
        self.right = _spread(evidence["right"][chosen])
        self.counted = ~_spread(evidence["ignored"][chosen])
        self.objects = evidence["objects"][:, :, label].astype(np.int64)

    def curve(self) -> PrecisionRecallCurve:
        """Return precision and recall at the lowest overlap."""
        counted = self.counted[AT_50]
        right = self.right[AT_50][counted]
        return PrecisionRecallCurve(
            self.scores[counted],
            np.cumsum(right),
            np.arange(1, len(right) + 1),
            int(self.objects[:, ALL].sum()),
        )


def _spread(bits: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return flags, shape (sets of rules, m), of their bits, shape (m,)."""
    found: NDArray[np.bool_] = (bits[None] & _BITS[:, None]) > 0
    return found


class Ranking:
    """The detections of all classes, sorted, to measure them for several draws of the images.

    Args:
        evidence: Evidence of n images.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._count = len(evidence)
        self._classes = [_Class(evidence, label) for label in range(evidence["objects"].shape[2])]

    def curves(self) -> Iterator[PrecisionRecallCurve]:
        """Yield precision and recall of each class at the lowest overlap."""
        for each in self._classes:
            yield each.curve()

    def measure(
        self, thresholds: NDArray[np.float64], weights: NDArray[np.int64] | None = None
    ) -> Precision:
        """Compute precision and recall of all classes.

        Args:
            thresholds: From which score on detections of each class are given, K.
            weights: How often each image counts, shape (n,); once if None.
        """
        if weights is None:
            weights = np.ones(self._count, np.int64)
        classes, sizes, levels = len(self._classes), len(SIZES), len(OVERLAPS)
        average = np.full((sizes, levels, classes), np.nan)
        recall = np.full((len(LIMITS), sizes, levels, classes), np.nan)
        counts = np.zeros((3, classes), np.int64)
        for label, each in enumerate(self._classes):
            objects = weights @ each.objects
            # Half as long as with 64 bits: a bootstrap takes a thousand of these.
            weight = weights[each.images].astype(np.int32)
            right = np.cumsum(each.right * weight, axis=1, dtype=np.int32)
            given = np.cumsum(each.counted * weight, axis=1, dtype=np.int32)
            average[..., label] = _average(right, given, objects).reshape(sizes, levels)
            for at, limit in enumerate(LIMITS):
                within = each.places < limit
                hits = (each.right[:, within] * weight[within]).sum(axis=1)
                recall[at, ..., label] = _share(hits.reshape(sizes, levels), objects[:, None])
            passed = int(np.searchsorted(-each.scores, -thresholds[label], side="right"))
            if passed:
                counts[:2, label] = right[AT_50, passed - 1], given[AT_50, passed - 1]
            counts[2, label] = objects[ALL]
        return Precision(average, recall, *counts)


def _average(
    right: NDArray[np.int32], given: NDArray[np.int32], objects: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the average precision for each set of matching rules; NaN without objects.

    Args:
        right: Cumulative number of correct detections, shape (sets, m).
        given: Cumulative number of detections that count, shape (sets, m).
        objects: Objects of each range of sizes.
    """
    sets, count = right.shape
    found = np.full(sets, np.nan)
    per_size = sets // len(objects)
    if not count:
        found[np.repeat(objects > 0, per_size)] = 0.0
        return found
    precision = np.divide(right, given, out=np.zeros(right.shape), where=given > 0)
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    # One search in all sets: the counts of each are shifted behind those of the one before.
    shift = np.arange(sets) * (int(right[:, -1].max()) + int(objects.max()) + 2)
    needed = np.stack([_hits_for(int(each)) for each in objects])
    wanted = np.repeat(needed, per_size, axis=0)
    flat = (right + shift[:, None]).ravel()
    at = np.searchsorted(flat, (wanted + shift[:, None]).ravel()).reshape(sets, -1)
    at -= np.arange(sets)[:, None] * count
    read = np.take_along_axis(best, np.minimum(at, count - 1), axis=1)
    mean = np.where(at < count, read, 0.0).mean(axis=1)
    return np.where(np.repeat(objects > 0, per_size), mean, np.nan)


def _hits_for(objects: int) -> NDArray[np.int64]:
    """Return the right detections that each of `RECALLS` takes.

    Divided as recall is: then rounding decides equal numbers as in COCO's own code.
    """
    return np.searchsorted(np.arange(objects + 1) / max(objects, 1), RECALLS).astype(np.int64)


def _share(part: NDArray[np.int64], whole: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return fractions; NaN of nothing."""
    whole = np.broadcast_to(whole, part.shape)
    found: NDArray[np.float64] = np.divide(
        part, whole, out=np.full(part.shape, np.nan), where=whole > 0
    )
    return found
