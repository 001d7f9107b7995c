"""Quality of labels: review of doubtful labels, and the agreement of two annotators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from studio.engine.errors import StudioError, did_you_mean
from studio.engine.labeling.journal import Label
from studio.engine.labeling.project import Labeling
from studio.engine.labeling.values import Value

DOUBTFUL: Final = 0.1
"""Probability of a label below which it is against the model."""
_FAST: Final = 0.35
"""Part of the usual time of an annotator below which a decision was very fast."""
_FAST_SECONDS: Final = 0.6
"""Maximum duration of a fast decision in seconds: reading and pressing a key takes longer."""
_FEWEST_TIMED: Final = 10
_HURRIED: Final = frozenset({"key", "typed", "click", "proposal"})


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
class AnnotatorAgreement:
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


def agreement(labeling: Labeling, one: str, other: str) -> AnnotatorAgreement:
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
    compared = labeling.editor.compared(labeling, pairs)
    found = [
        Disagreement(item, *pair, alike)
        for item, pair, alike, same in zip(
            common, pairs, compared.each, compared.is_same, strict=True
        )
        if not same
    ]
    found.sort(key=lambda dispute: (dispute.agreement, dispute.item))
    same = float(np.mean(compared.is_same))
    return AnnotatorAgreement(
        one, other, len(common), compared.measure, compared.value, same, tuple(found)
    )


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
        if not label.value.is_excluded
    }
