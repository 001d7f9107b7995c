"""Objects that are probably labeled wrongly or not at all, by predictions for images not learned.

As in confident learning (C. Northcutt et al., 2021), a prediction is credible when its score is at
least the mean score of the right predictions of its class, here also at least `MIN_SCORE`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import CLASS, CROWD, DIFFICULT, NO_BOX, SAME_OBJECT, overlaps
from studio.engine.tasks.decoding import MOST, SCORE, corners_of, without_places
from studio.engine.tasks.detection.matching import class_overlaps, given, has_flag, outcome
from studio.engine.tasks.prediction import RIGHT, Doubts

MIN_SCORE: Final = 0.5
"""Least score of a credible prediction."""
APART: Final = 0.3
"""Overlap (IoU) below which two boxes are around different objects."""
_SEEN: Final = 0.05
"""Least score of a prediction that shows that a model saw something."""


def credible_scores(
    decoded: Iterable[NDArray[Any]],
    truth: Iterable[NDArray[Any]],
    thresholds: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the least score of a credible prediction of each class, shape (K,).

    Args:
        decoded: Detections of each image, shape (100, 6).
        truth: Objects of each image, shape (M, 6).
        thresholds: From which score on detections of each class are given, shape (K,).
    """
    sums, counts = np.zeros(len(thresholds)), np.zeros(len(thresholds))
    for detections, boxes in zip(decoded, truth, strict=True):
        found = outcome(detections, boxes, thresholds)
        right = found.detections[found.states == RIGHT]
        labels = right[:, CLASS].astype(np.int64)
        np.add.at(sums, labels, right[:, SCORE])
        np.add.at(counts, labels, 1)
    # Nothing can be said of a class of which no object is found.
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.inf)
    scores: NDArray[np.float64] = np.maximum(means, MIN_SCORE)
    return scores


def doubts_of(
    detections: NDArray[Any],
    boxes: NDArray[Any],
    thresholds: NDArray[np.float64],
    credible: NDArray[np.float64],
) -> Doubts:
    """Compare the objects of an image with predictions.

    Args:
        detections: Shape (100, 6).
        boxes: The objects, shape (M, 6), with or without empty places.
        thresholds: From which score on detections of each class are given, shape (K,).
        credible: From which score on they are credible, shape (K,).
    """
    boxes = boxes[boxes[:, CLASS] != NO_BOX]
    sure = given(detections, credible)
    ious = overlaps(corners_of(sure), corners_of(boxes))
    # Inside a crowd not every object has a box.
    crowded = class_overlaps(sure, boxes)[:, has_flag(boxes, CROWD)].max(axis=1, initial=0)
    is_missing = (ious.max(axis=1, initial=0) < APART) & (crowded < APART)
    counted = np.flatnonzero(~has_flag(boxes, CROWD | DIFFICULT))
    own = _own_scores(given(detections, thresholds), boxes)
    wrong, likely = [], []
    for at in counted.tolist():
        other = sure[(ious[:, at] >= SAME_OBJECT) & (sure[:, CLASS] != boxes[at, CLASS])]
        if len(other) and other[:, SCORE].max() > own[at]:
            wrong.append(at)
            likely.append(other[other[:, SCORE].argmax()])
    every = without_places(detections)
    unseen = np.zeros(0, np.int64)
    if len(every) < MOST:  # else some predictions may have been left out
        seen = overlaps(corners_of(every[every[:, SCORE] >= _SEEN]), corners_of(boxes))
        unseen = counted[seen.max(axis=0, initial=0)[counted] < APART]
    return Doubts(
        sure[is_missing],
        boxes[wrong],
        np.array(likely, np.float32).reshape(-1, boxes.shape[1]),
        boxes[unseen],
    )


def _own_scores(detections: NDArray[Any], boxes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the highest score of a detection of each object with its class, 0 for none; (g,)."""
    near = overlaps(corners_of(detections), corners_of(boxes)) >= SAME_OBJECT
    near &= detections[:, None, CLASS] == boxes[None, :, CLASS]
    scores: NDArray[np.float64] = (near * detections[:, None, SCORE]).max(axis=0, initial=0.0)
    return scores
