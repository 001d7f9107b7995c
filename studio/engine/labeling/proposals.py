"""Proposals of labels, and the status of the model that makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from studio.engine.labeling.journal import Change
from studio.engine.labeling.values import Value, Via

if TYPE_CHECKING:
    from studio.engine.labeling.project import Labeling
    from studio.engine.tasks.annotations import Instances, Mask

MIN_LABELS: Final = 20
"""Minimum number of labels for training a model on frozen features."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The value that a model proposes for a picture.

    Attributes:
        item: Number of the picture.
        value: The value; None for a mask that was not written yet.
        probability: Probability that it is correct, 0 to 1: that of a class, the mean over all
            labels, or the mean score of boxes; 0 for numbers.
        mask: The proposed mask, see `Labeling.write_mask`; None for other values.
        others: Indices of the most likely classes with their probabilities, in falling order; only
            for classes and labels.
    """

    item: int
    value: Value | None
    probability: float
    mask: Mask | Instances | None = None
    others: tuple[tuple[int, float], ...] = ()

    @property
    def margin(self) -> float | None:
        """Difference of the two highest probabilities where one class excludes the others."""
        if self.value is None or not self.value.is_exclusive or len(self.others) < 2:
            return None
        return self.others[0][1] - self.others[1][1]


@dataclass(frozen=True, slots=True)
class Group:
    """Undecided, similar pictures with the same proposed value, to accept at once.

    Attributes:
        proposals: The most certain first.
        probability: Minimum probability among them.
    """

    proposals: tuple[Proposal, ...]
    probability: float

    @property
    def value(self) -> Value | None:
        """The value of all of them."""
        return self.proposals[0].value


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Expected accuracy with a number of labels.

    Attributes:
        labels: Number of labels.
        score: Cross-validated score of a model trained on them: accuracy, mean F1 of the
            labels, or R² of the numbers.
        spread: Standard deviation over the folds.
    """

    labels: int
    score: float
    spread: float


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Expected accuracy against the number of labels.

    Attributes:
        points: Measured, ascending by labels.
        gain: Expected gain of the score with half as many labels again; None if unknown.
        is_enough: True if more labels bring little.
        sentence: Both as a sentence.
    """

    points: tuple[CurvePoint, ...] = ()
    gain: float | None = None
    is_enough: bool = False
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class CertainLimit:
    """From which certainty on proposals can be accepted at once.

    Attributes:
        threshold: Minimum certainty of such proposals, see `certain.certainty`.
        error_rate: Expected fraction of wrong ones among them, 0 to 1.
        labels: Number of labels that it was measured on.
    """

    threshold: float
    error_rate: float
    labels: int


@dataclass(frozen=True, slots=True)
class AssistStatus:
    """State of the assistance.

    Attributes:
        done: Pictures whose features are known.
        total: All pictures.
        labels: Number of labels that the model was trained on; 0 before there is one.
        proposals: Proposals for undecided pictures, by picture.
        given: Probability that the model gives to the label of each labeled picture, from models
            that did not learn from it, accepted in bulk or not; of classes and labels only.
        curve: The learning curve.
        certain: From where on proposals are certain; None if no threshold is precise enough.
        reason: The displayed reason why there are no proposals yet; empty if there are some.
        features: Origin of the features, as displayed.
        is_current: True if nothing is left to do until labels or pictures change.
    """

    done: int = 0
    total: int = 0
    labels: int = 0
    proposals: Mapping[int, Proposal] = field(default_factory=dict)
    given: Mapping[int, float] = field(default_factory=dict)
    curve: LearningCurve = LearningCurve()
    certain: CertainLimit | None = None
    reason: str = ""
    features: str = ""
    is_current: bool = False


def accept(
    labeling: Labeling,
    proposals: Sequence[Proposal],
    via: Via = "proposal",
    seconds: float | None = None,
) -> tuple[int, ...]:
    """Label pictures as proposed, as one decision; masks are written first.

    Args:
        labeling: The labeling.
        proposals: One for each picture.
        via: "proposal" for a single one, "group" for many that are accepted at once.
        seconds: Time that the decision took.

    Returns:
        The pictures.

    Raises:
        StudioError: A value does not fit the task.
        DiskFullError: No space was left.
    """
    changes = []
    for each in proposals:
        value = each.value
        if value is None and each.mask is not None:
            value = labeling.write_mask(each.item, each.mask)
        changes.append(
            Change(item=each.item, value=value, proposed=value, probability=each.probability)
        )
    return labeling.decide(changes, via, seconds)
