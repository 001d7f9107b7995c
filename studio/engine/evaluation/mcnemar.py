"""McNemar's test (1947) for a difference between two models on the same images.

Images of one origin are no independent pairs; then the test is the one of `grouped_difference`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from studio.engine.errors import BadDataError, StudioError
from studio.engine.evaluation.gap import OriginPartName
from studio.engine.evaluation.measures import ImageGroups
from studio.engine.evaluation.report import Interval, Report
from studio.engine.evaluation.report_builder import images_by_origin
from studio.engine.proportions import grouped_difference, paired_difference
from studio.engine.training.insights import ValidationPredictions

FEW = 25
"""Below this many disagreements the test is the exact binomial one."""
SMALL = 0.05
"""Significance level: differences with a smaller p-value are reported."""


class PairedComparison(BaseModel, frozen=True):
    """Two evaluations compared with each other, image by image.

    Attributes:
        first: Name of the one model.
        second: Name of the other.
        count: Images that both were measured on.
        left_out: Images that only one was measured on, or whose class was changed in between.
        both_right: Number of images that both predict correctly.
        only_first: Number of images that only the first predicts correctly.
        only_second: Number of images that only the second predicts correctly.
        both_wrong: Number of images that both get wrong.
        difference: Accuracy of the first less that of the second.
        interval: Interval of the difference, 95 % of the resamples.
        exact: True if the test is the exact binomial one; otherwise it is chi-squared with
            continuity correction.
        p_value: Probability of such a difference, or a larger one, if both models are equally
            good.
        groups: Number of origins of the images, which are the pairs that are tested; 0 if each
            image is a pair.
    """

    first: str
    second: str
    count: int
    left_out: int
    both_right: int
    only_first: int
    only_second: int
    both_wrong: int
    difference: float
    interval: Interval | None
    exact: bool
    p_value: float
    groups: int = 0
    origins: dict[OriginPartName, PairedComparison] = {}

    @property
    def is_significant(self) -> bool:
        """True if chance alone would rarely cause the difference."""
        return self.p_value < SMALL

    @property
    def sentence(self) -> str:
        """Result in one sentence."""
        better, worse = (
            (self.first, self.second) if self.difference >= 0 else (self.second, self.first)
        )
        points = f"{abs(self.difference) * 100:.1f} points"
        test = f"p = {self.p_value:.2g}"
        if self.is_significant:
            return f"{better} is better than {worse} by {points}, and not by chance ({test})."
        return f"{better} and {worse} differ by {points}; chance alone would do that ({test})."

    def rows(self) -> list[list[str]]:
        """Return no table; see `EvaluationComparison`."""
        return []

    def sentences(self) -> list[str]:
        """Return the result, also on known and on unseen origins; see `EvaluationComparison`."""
        parts = (f"On {name} origins: {each.sentence}" for name, each in self.origins.items())
        return [self.sentence, *parts]

    def document(self) -> dict[str, object]:
        """Return the figures; see `EvaluationComparison`."""
        return {"against": self.model_dump(mode="json")}


def p_value(only_first: int, only_second: int) -> float:
    """Return the p-value of McNemar's test, two-sided.

    Two lines of the standard library: SciPy's tests would delay the window by their import.

    Args:
        only_first: Images that only the first model has right.
        only_second: Images that only the second model has right.
    """
    total, fewer = only_first + only_second, min(only_first, only_second)
    if total < FEW:
        tail = sum(math.comb(total, number) for number in range(fewer + 1)) / float(2**total)
        return min(1.0, 2 * tail)
    squared = max(0, abs(only_first - only_second) - 1) ** 2 / total
    return math.erfc(math.sqrt(squared / 2))


@dataclass(frozen=True, slots=True)
class PairedImages:
    """Indices, in the predictions of the first model, of the images that both were evaluated on.

    Attributes:
        both_right: Images that both classify correctly.
        only_first: Images that only the first classifies correctly.
        only_second: Images that only the second classifies correctly.
        both_wrong: Images that both misclassify.
    """

    both_right: NDArray[np.int64]
    only_first: NDArray[np.int64]
    only_second: NDArray[np.int64]
    both_wrong: NDArray[np.int64]

    @property
    def cells(self) -> tuple[NDArray[np.int64], ...]:
        """The four kinds of images, in the order above."""
        return self.both_right, self.only_first, self.only_second, self.both_wrong


ClassPredictions = tuple[Report, ValidationPredictions]


def pairs(one: ClassPredictions, other: ClassPredictions) -> PairedImages:
    """Match the images of two evaluations by row and by the name of their class.

    Args:
        one: The first evaluation.
        other: The second one.

    Raises:
        StudioError: They are of different datasets or have no image in common.
    """
    (first, ours), (second, theirs) = one, other
    if first.subject.dataset != second.subject.dataset:
        raise StudioError(
            "{first} was evaluated on {first_dataset}, {second} on {second_dataset}.",
            "Models are compared on the same images: evaluate both on one dataset.",
            "against",
            first=first.subject.title,
            first_dataset=first.subject.dataset_name,
            second=second.subject.title,
            second_dataset=second.subject.dataset_name,
        )
    _, here, there = np.intersect1d(ours.rows, theirs.rows, return_indices=True)
    same = _names(first, ours.truth[here]) == _names(second, theirs.truth[there])
    here, there = here[same], there[same]
    if not len(here):
        raise StudioError(
            "{first} ({first_split} images) and {second} ({second_split} images) have no "
            "images in common.",
            "Evaluate both on the same split.",
            "against",
            first=first.subject.title,
            first_split=first.subject.split,
            second=second.subject.title,
            second_split=second.subject.split,
        )
    right = ours.truth[here] == ours.predicted[here]
    others_right = theirs.truth[there] == theirs.predicted[there]
    return PairedImages(
        here[right & others_right],
        here[right & ~others_right],
        here[~right & others_right],
        here[~right & ~others_right],
    )


def compare(one: ClassPredictions, other: ClassPredictions) -> PairedComparison:
    """Compare two evaluations on the same images with McNemar's test, also by origin.

    Args:
        one: The first evaluation.
        other: The second one.

    Raises:
        StudioError: They are of different datasets or have no image in common.
    """
    whole = _compared(one, other)
    (first, ours), (second, theirs) = one, other
    parts: dict[OriginPartName, PairedComparison] = {}
    for name, which in images_by_origin(first.gap, len(ours.rows)).items():
        mine = ours.only(which)
        common = theirs.only(np.isin(theirs.rows, mine.rows))
        if len(common.rows):
            parts[name] = _compared((first, mine), (second, common))
    return whole.model_copy(update={"origins": parts})


def _compared(one: ClassPredictions, other: ClassPredictions) -> PairedComparison:
    """Compare two evaluations, without parts by origin; see `compare`."""
    (first, ours), (second, theirs) = one, other
    found = pairs(one, other)
    both, only_first, only_second, none = cells = (
        len(found.both_right),
        len(found.only_first),
        len(found.only_second),
        len(found.both_wrong),
    )
    count = sum(cells)
    interval: Interval | None = paired_difference(only_first, only_second, count)
    is_exact = only_first + only_second < FEW
    probability = p_value(only_first, only_second)
    groups = _groups(ours, found)
    if groups is not None:
        *ends, probability = _grouped(found, groups)
        interval, is_exact = (ends[0], ends[1]), False
        if groups.count < 2:
            interval = None
    return PairedComparison(
        first=first.subject.title,
        second=second.subject.title,
        count=count,
        left_out=len(np.union1d(ours.rows, theirs.rows)) - count,
        both_right=both,
        only_first=only_first,
        only_second=only_second,
        both_wrong=none,
        difference=(only_first - only_second) / count,
        interval=interval,
        exact=is_exact,
        p_value=probability,
        groups=0 if groups is None else groups.count,
    )


def _groups(answers: ValidationPredictions, found: PairedImages) -> ImageGroups | None:
    """Return the groups of the images of both models as paired; None if all differ.

    Args:
        answers: Predictions of the first model.
        found: The images.
    """
    if answers.groups is None:
        return None
    return ImageGroups.of(answers.groups[np.concatenate(found.cells)])


def _grouped(found: PairedImages, groups: ImageGroups) -> tuple[float, float, float]:
    """Return the interval of the difference and the p-value; 1 for a single group."""
    signs = np.repeat([0, 1, -1, 0], [len(cell) for cell in found.cells])
    if groups.count < 2:
        return -1.0, 1.0, 1.0
    return grouped_difference(signs, groups.of_image)


def _names(report: Report, labels: NDArray[np.int32]) -> NDArray[np.str_]:
    return np.array(report.classes)[labels]


# How much better one model is than another on the same images, with an interval.


@dataclass(frozen=True, slots=True)
class Gain:
    """Two accuracies on the same images, and their difference.

    Attributes:
        before: Accuracy of the first model, 0 to 1.
        after: Accuracy of the second.
        count: Number of images that both were evaluated on.
        low: Lower end of the 95 % interval of the difference, -1 to 1.
        high: Upper end.
    """

    before: float
    after: float
    count: int
    low: float
    high: float

    @property
    def difference(self) -> float:
        """Accuracy won, -1 to 1; negative where it was lost."""
        return self.after - self.before

    @property
    def is_certain(self) -> bool:
        """True if the interval does not contain zero."""
        return self.low > 0 or self.high < 0


def paired_gain(
    before: NDArray[np.bool_], after: NDArray[np.bool_], groups: ImageGroups | None = None
) -> Gain:
    """Return the gain in accuracy with the interval of a paired difference.

    Args:
        before: True for each image that the first model classifies correctly, shape (n,).
        after: The same for the second model and the same images.
        groups: Groups of the images that are not independent; None for single images.

    Raises:
        BadDataError: There are no images, or not the same number for both.
    """
    if before.shape != after.shape or before.ndim != 1 or not len(before):
        raise BadDataError(
            "Two models are compared on the same images; received {first} and {second}.",
            "Evaluate both on the same split.",
            first=len(before),
            second=len(after),
        )
    count = len(before)
    won, lost = int((after & ~before).sum()), int((before & ~after).sum())
    interval = paired_difference(won, lost, count)
    if groups is not None:
        signs = after.astype(np.int64) - before
        low, high, _ = (
            grouped_difference(signs, groups.of_image) if groups.count > 1 else (-1.0, 1.0, 1.0)
        )
        interval = low, high
    return Gain(float(before.mean()), float(after.mean()), count, *interval)
