"""Editor of labels: each image has any number of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.engine.arrays import Floats
from studio.engine.labeling.editors.classes import kappa, known_scores, most_likely
from studio.engine.labeling.editors.editor import (
    Compared,
    Pair,
    TableEditor,
    parts_of,
    same_pairs,
)
from studio.engine.labeling.model import Learner
from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import LabelsValue, Value

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store
    from studio.engine.inference.models import ModelSource
    from studio.engine.inference.requests import ImagePrediction
    from studio.engine.labeling.project import Labeling

_HALF: Final = 0.5


class LabelsLearner(Learner):
    """Learns a probability for each label."""

    def calibrated(
        self,
        outputs: Floats,
        held_out: Floats,
        targets: Floats,  # noqa: ARG002 - of classes
    ) -> tuple[Floats, Floats]:
        """Limit outputs to probabilities; see `Learner.calibrated`."""
        return np.clip(outputs, 0, 1), np.clip(held_out, 0, 1)

    def score(self, outputs: Floats, targets: Floats) -> float:
        """Return the mean F1 of the labels that occur; see `Learner.score`."""
        given, truth = outputs > _HALF, targets > _HALF
        both = (given & truth).sum(axis=0)
        some = given.sum(axis=0) + truth.sum(axis=0)
        occurs = truth.any(axis=0)
        f1 = np.divide(2 * both, some, out=np.zeros(len(some)), where=some > 0)
        return float(f1[occurs].mean()) if occurs.any() else 0.0

    def given(self, outputs: Floats, targets: Floats) -> list[float]:
        """Return the probability of the least probable label, given or not; see `Learner`."""
        found: list[float] = np.where(targets > _HALF, outputs, 1 - outputs).min(axis=1).tolist()
        return found

    def proposed(self, item: int, outputs: Floats) -> Proposal:
        """Return the probable labels; see `Learner.proposed`."""
        chosen = np.flatnonzero(outputs > _HALF).tolist()
        certainty = float(np.maximum(outputs, 1 - outputs).mean())
        return Proposal(item, LabelsValue.of(chosen), certainty, others=most_likely(outputs))


class LabelsEditor(TableEditor):
    """A set of labels for each image, in columns of 0 and 1."""

    kind = "labels"
    gives_classes = True
    learner = LabelsLearner()

    def parsed(
        self,
        labeling: Labeling,
        text: str,
        items: Sequence[int],  # noqa: ARG002 - of masks
    ) -> Value:
        """Return the labels between semicolons; see `Editor.parsed`."""
        return LabelsValue.of([labeling.class_named(part) for part in parts_of(text)])

    def text(self, names: Sequence[str], value: Value) -> str:
        """Return the names of the labels; see `Editor.text`."""
        return ", ".join(names[index] for index in value.classes) or "no label"

    def caption(self, classes: Sequence[LabelClass], value: Value) -> str:
        """Return the names of the labels; see `Editor.caption`."""
        return ", ".join(classes[index].name for index in value.classes)

    def with_class(self, before: Sequence[Value | None], index: int) -> list[Value]:
        """Return the labels with a further one, or without it where all have it; see `Editor`."""
        values = [LabelsValue() if value is None else value for value in before]
        is_on = not all(index in value.classes for value in values)
        return [value.toggled(index, is_on=is_on) for value in values]

    def imported(
        self,
        labeling: Labeling,  # noqa: ARG002 - of numbers
        store: Store,
        row: int,
        indices: Sequence[int],
        item: int,  # noqa: ARG002 - of masks
    ) -> Value:
        """Return the labels of an image; see `Editor.imported`."""
        targets = store.targets[row]
        return LabelsValue.of([indices[each] for each in np.flatnonzero(targets).tolist()])

    def proposed(
        self,
        labeling: Labeling,
        item: int,
        prediction: ImagePrediction,
        model: ModelSource,  # noqa: ARG002 - of masks
    ) -> Proposal | None:
        """Return the predicted labels that the labeling has; see `Editor.proposed`."""
        known = known_scores(labeling, prediction)
        if not known or prediction.scores is None:
            return None
        given = [labeling.class_index(name) for name in prediction.scores.labels]
        value = LabelsValue.of([index for index in given if index is not None])
        sure = [max(score, 1 - score) for _, score in known]
        return Proposal(item, value, float(np.mean(sure)), others=tuple(known))

    def compared(self, labeling: Labeling, pairs: Sequence[Pair]) -> Compared:
        """Return the mean of Cohen's kappa over the labels; see `Editor.compared`."""
        count = len(labeling.names)
        given = [
            np.array([value.targets(count) for value in part]) for part in zip(*pairs, strict=True)
        ]
        kappas = [kappa(*(part[:, index] for part in given)) for index in range(count)]
        known = [each for each in kappas if np.isfinite(each)]
        each = [_jaccard(*pair) for pair in pairs]
        value = float(np.mean(known)) if known else float("nan")
        return Compared("kappa", value, each, same_pairs(pairs, each))

    def cells(self, names: Sequence[str], value: Value) -> list[object]:
        """Return 0 or 1 for each label; see `TableEditor.cells`."""
        return [int(index in value.classes) for index in range(len(names))]


def _jaccard(one: Value, other: Value) -> float:
    both, some = {*one.classes} & {*other.classes}, {*one.classes} | {*other.classes}
    return len(both) / len(some) if some else 1.0


EDITOR = LabelsEditor()
