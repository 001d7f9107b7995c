"""Quality of labels: review of doubtful labels, and the agreement of two annotators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.labeling.journal import Label
from studio.engine.labeling.model import score_of, targets_of
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.values import (
    BoxesValue,
    ClassValue,
    ExcludedValue,
    LabelsValue,
    MaskValue,
    NumbersValue,
    Value,
)
from studio.engine.tasks.annotations import IGNORE, Mask
from studio.engine.tasks.boxes import overlaps

DOUBTFUL: Final = 0.1
"""Probability of a label below which it is against the model."""
_FAST: Final = 0.35
"""Part of the usual time of an annotator below which a decision was very fast."""
_FAST_SECONDS: Final = 0.6
"""Maximum duration of a fast decision in seconds: reading and pressing a key takes longer."""
_FEWEST_TIMED: Final = 10
_HURRIED: Final = frozenset({"key", "typed", "click", "proposal"})
_SAME_BOX: Final = 0.5
_SAME: Final = 0.999


@dataclass(frozen=True, slots=True)
class Suspect:
    """A label to review.

    Attributes:
        item: Number of the picture.
        reason: "fast" or "model".
        probability: Probability that the model gives the label; None if unknown.
        seconds: Time that the decision took; None if not measured.
    """

    item: int
    reason: Literal["fast", "model"]
    probability: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A picture that two annotators labeled differently.

    Attributes:
        item: Number of the picture.
        one: Value of the first annotator.
        other: Value of the second annotator.
        agreement: How alike the values are, 0 to 1: 0 of different classes, mean IoU of boxes and
            masks, Jaccard index of labels; of numbers negative, the difference in deviations.
    """

    item: int
    one: Value
    other: Value
    agreement: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two annotators on the pictures that both labeled.

    Attributes:
        one: The first annotator.
        other: The second annotator.
        count: Number of pictures that both labeled.
        measure: "kappa" for classes and labels (Cohen 1960; the mean over labels), "mean_iou" for
            boxes and masks, "r2" for numbers.
        value: The measure; NaN if it cannot be measured.
        same: Share of the pictures with equal values.
        disagreements: The worst first.
    """

    one: str
    other: str
    count: int
    measure: str
    value: float
    same: float
    disagreements: tuple[Disagreement, ...]


def second_look(labeling: Labeling, given: Mapping[int, float]) -> list[Suspect]:
    """Return labels that were given very fast or against the model, the most doubtful first.

    Args:
        labeling: The labeling.
        given: `AssistStatus.given`.
    """
    labels = dict(labeling.labels)
    usual = _usual_seconds(labels.values())
    found = []
    for item, label in labels.items():
        probability = given.get(item)
        if probability is not None and probability < DOUBTFUL:
            found.append(Suspect(item, "model", probability, label.seconds))
        elif _is_hurried(label, usual):
            found.append(Suspect(item, "fast", probability, label.seconds))
    return sorted(found, key=lambda each: (each.reason == "fast", _doubt(each), each.item))


def _doubt(suspect: Suspect) -> float:
    value = suspect.probability if suspect.reason == "model" else suspect.seconds
    return 0.0 if value is None else value


def _usual_seconds(labels: Iterable[Label]) -> dict[str, float]:
    times: dict[str, list[float]] = {}
    for label in labels:
        if label.seconds is not None and label.via in _HURRIED:
            times.setdefault(label.by, []).append(label.seconds)
    return {
        by: float(np.median(seconds))
        for by, seconds in times.items()
        if len(seconds) >= _FEWEST_TIMED
    }


def _is_hurried(label: Label, usual: Mapping[str, float]) -> bool:
    if label.seconds is None or label.via not in _HURRIED or label.by not in usual:
        return False
    return label.seconds < min(_FAST_SECONDS, _FAST * usual[label.by])


def agreement(labeling: Labeling, one: str, other: str) -> Agreement:
    """Measure the agreement of two annotators; excluded pictures are left out.

    Args:
        labeling: The labeling.
        one: Name of an annotator.
        other: Name of another one.

    Raises:
        StudioError: One of them has labeled nothing, or they have no picture in common.
    """
    first, second = (_labels_by(labeling, name) for name in (one, other))
    common = sorted(first.keys() & second.keys())
    if not common:
        raise StudioError(
            '"{first}" and "{second}" labeled no image in common.',
            "Let both label some of the same images.",
            "annotators",
            first=one,
            second=other,
        )
    pairs = [(first[item], second[item]) for item in common]
    names = len(labeling.names)
    targets = [targets_of(list(each), names) for each in zip(*pairs, strict=True)]
    each = [_alike(labeling, *pair) for pair in pairs]
    measure, value = "mean_iou", float(np.mean(each))
    if labeling.kind == "class":
        measure, value = "kappa", _kappa(*(part.argmax(axis=1) for part in targets))
    elif labeling.kind == "labels":
        kappas = [_kappa(*(part[:, index] for part in targets)) for index in range(names)]
        known = [kappa for kappa in kappas if np.isfinite(kappa)]
        measure, value = "kappa", float(np.mean(known)) if known else float("nan")
    elif labeling.kind == "numbers":
        scale = np.maximum(np.nanstd(np.concatenate(targets), axis=0), 1e-12)
        each = (-np.nanmean(np.abs(targets[0] - targets[1]) / scale, axis=1)).tolist()
        is_known = np.isfinite(targets[0] + targets[1]).all(axis=1)
        value = float("nan")
        if is_known.any():
            value = score_of(targets[1][is_known], targets[0][is_known], "numbers")
        measure = "r2"
    is_same = [
        _is_same(labeling.kind, alike, pair) for alike, pair in zip(each, pairs, strict=True)
    ]
    found = [
        Disagreement(item, *pair, alike)
        for item, pair, alike, same in zip(common, pairs, each, is_same, strict=True)
        if not same
    ]
    found.sort(key=lambda dispute: (dispute.agreement, dispute.item))
    same = float(np.mean(is_same))
    return Agreement(one, other, len(common), measure, value, same, tuple(found))


def _is_same(kind: str, alike: float, pair: tuple[Value, Value]) -> bool:
    return pair[0] == pair[1] or (kind != "numbers" and alike >= _SAME)


def _labels_by(labeling: Labeling, annotator: str) -> dict[int, Value]:
    if annotator not in labeling.annotators:
        known = [name for name in labeling.annotators if name]
        raise StudioError(
            'There is no annotator called "{name}".',
            did_you_mean(annotator, known) or "Give the name of a person who labeled images.",
            "annotators",
            name=annotator,
        )
    return {
        item: label.value
        for item, label in labeling.labels_by(annotator).items()
        if not isinstance(label.value, ExcludedValue)
    }


def _kappa(one: NDArray[np.generic], other: NDArray[np.generic]) -> float:
    """Return Cohen's kappa; NaN if both always give the same one answer."""
    answers = np.union1d(one, other)
    observed = float((one == other).mean())
    chance = sum(float((one == each).mean() * (other == each).mean()) for each in answers)
    return float("nan") if chance >= 1 else (observed - chance) / (1 - chance)


def _alike(labeling: Labeling, one: Value, other: Value) -> float:
    """Return the similarity of two values of a picture, 0 to 1."""
    if isinstance(one, LabelsValue) and isinstance(other, LabelsValue):
        both, some = set(one.indices) & set(other.indices), set(one.indices) | set(other.indices)
        return len(both) / len(some) if some else 1.0
    if isinstance(one, BoxesValue) and isinstance(other, BoxesValue):
        return box_agreement(one.array(), other.array())
    if isinstance(one, MaskValue) and isinstance(other, MaskValue):
        return mask_agreement(labeling.read_mask(one), labeling.read_mask(other))
    if isinstance(one, ClassValue | NumbersValue):
        return float(one == other)
    return 0.0


def box_agreement(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Return the mean IoU of the boxes of two annotators; boxes without a partner count 0.

    Boxes of the same class are matched greedily, the best overlap first, from 0.5 on.

    Args:
        one: Shape (n, 6), see `tasks.boxes`.
        other: Shape (m, 6).
    """
    if not len(one) and not len(other):
        return 1.0
    found = overlaps(one[:, 1:5], other[:, 1:5])
    found = np.where(one[:, None, 0] == other[None, :, 0], found, 0)
    total, pairs = 0.0, 0
    while found.size and found.max() >= _SAME_BOX:
        row, column = np.unravel_index(int(found.argmax()), found.shape)
        total += float(found[row, column])
        pairs += 1
        found[row], found[:, column] = 0, 0
    return total / (len(one) + len(other) - pairs)


def mask_agreement(one: Mask, other: Mask) -> float:
    """Return the mean IoU over the classes that either mask has, without ignored pixels.

    Args:
        one: Class of each pixel, shape (height, width).
        other: The same of another annotator.
    """
    counted = (one != IGNORE) & (other != IGNORE)
    first, second = one[counted], other[counted]
    classes = np.union1d(first, second)
    if not len(classes):
        return 1.0
    parts = [
        ((first == each) & (second == each)).sum() / ((first == each) | (second == each)).sum()
        for each in classes
    ]
    return float(np.mean(parts))
