"""Editor of classes: each image has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Floats
from studio.engine.datasets.sources.shared.labels import MAX_DIGITS
from studio.engine.files import write_atomically
from studio.engine.labeling.editors.editor import Compared, Pair, TableEditor, same_pairs
from studio.engine.labeling.label_files import Labeled, write_table
from studio.engine.labeling.model import Learner
from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import ClassValue, Value
from studio.engine.progress import Progress

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store
    from studio.engine.inference.models import ModelSource
    from studio.engine.inference.requests import ImagePrediction
    from studio.engine.labeling.project import Labeling

SHOWN: Final = 5
"""Most likely classes of a proposal."""
_SHARPNESS: Final = np.geomspace(1, 40, 25)
_CLASSES_NAME: Final = "classes.txt"


class ClassLearner(Learner):
    """Learns probabilities of classes that sum to 1."""

    def can_learn(self, targets: Floats) -> bool:
        """Return True if there are images of two classes."""
        return len(np.unique(targets.argmax(axis=1))) > 1

    def calibrated(
        self, outputs: Floats, held_out: Floats, targets: Floats
    ) -> tuple[Floats, Floats]:
        """Return probabilities of the classes with labels; see `Learner.calibrated`."""
        known = targets.sum(axis=0) > 0
        sharpness = _sharpness(held_out[:, known], targets[:, known])
        return (
            _probabilities(outputs, known, sharpness),
            _probabilities(held_out, known, sharpness),
        )

    def score(self, outputs: Floats, targets: Floats) -> float:
        """Return the accuracy; see `Learner.score`."""
        return float((outputs.argmax(axis=1) == targets.argmax(axis=1)).mean())

    def given(self, outputs: Floats, targets: Floats) -> list[float]:
        """Return the probability of each class that was given; see `Learner.given`."""
        found: list[float] = (outputs * targets).sum(axis=1).tolist()
        return found

    def proposed(self, item: int, outputs: Floats) -> Proposal:
        """Return the most likely class; see `Learner.proposed`."""
        others = most_likely(outputs)
        return Proposal(item, ClassValue(index=others[0][0]), others[0][1], others=others)


class ClassEditor(TableEditor):
    """One class for each image, in a column of a table."""

    kind = "class"
    gives_classes = True
    takes_texts = True
    learner = ClassLearner()

    def parsed(
        self,
        labeling: Labeling,
        text: str,
        items: Sequence[int],  # noqa: ARG002 - of masks
    ) -> Value:
        """Return the class of a name; see `Editor.parsed`."""
        return ClassValue(index=labeling.class_named(text))

    def text(self, names: Sequence[str], value: Value) -> str:
        """Return the name of the class; see `Editor.text`."""
        return names[value.classes[0]]

    def caption(self, classes: Sequence[LabelClass], value: Value) -> str:
        """Return the name of the class; see `Editor.caption`."""
        return classes[value.classes[0]].name

    def with_class(self, before: Sequence[Value | None], index: int) -> list[Value]:
        """Return the class for each picture; see `Editor.with_class`."""
        return [ClassValue(index=index)] * len(before)

    def imported(
        self,
        labeling: Labeling,  # noqa: ARG002 - of numbers
        store: Store,
        row: int,
        indices: Sequence[int],
        item: int,  # noqa: ARG002 - of masks
    ) -> Value:
        """Return the class of an image; see `Editor.imported`."""
        return ClassValue(index=indices[int(store.labels[row])])

    def proposed(
        self,
        labeling: Labeling,
        item: int,
        prediction: ImagePrediction,
        model: ModelSource,  # noqa: ARG002 - of masks
    ) -> Proposal | None:
        """Return the most likely class that the labeling has; see `Editor.proposed`."""
        known = known_scores(labeling, prediction)
        if not known:
            return None
        index, score = known[0]
        return Proposal(item, ClassValue(index=index), score, others=tuple(known))

    def compared(self, labeling: Labeling, pairs: Sequence[Pair]) -> Compared:  # noqa: ARG002
        """Return Cohen's kappa; see `Editor.compared`."""
        one = np.array([pair[0].classes[0] for pair in pairs])
        other = np.array([pair[1].classes[0] for pair in pairs])
        each = [float(pair[0] == pair[1]) for pair in pairs]
        return Compared("kappa", kappa(one, other), each, same_pairs(pairs, each))

    def columns(self, classes: Sequence[LabelClass]) -> list[str]:  # noqa: ARG002 - of numbers
        """Return the one column; see `TableEditor.columns`."""
        return ["label"]

    def cells(self, names: Sequence[str], value: Value) -> list[object]:
        """Return the name of the class; see `TableEditor.cells`."""
        return [self.text(names, value)]

    def write_source(
        self, labeling: Labeling, labeled: Sequence[Labeled], folder: Path, progress: Progress
    ) -> tuple[Path, Mapping[str, object]]:
        """Write a table of names, or of numbers beside a file of names; see `Editor`."""
        names = labeling.names
        if not any(map(_is_ambiguous, names)):
            source, _ = super().write_source(labeling, labeled, folder, progress)
            return source, {}
        # In a table 007 is the class of the number 7, and -3 is refused, unless a file names
        # numbers.
        source = folder / "labels.csv"
        write_atomically(folder / _CLASSES_NAME, "".join(f"{name}\n" for name in names))
        rows = ((each, [each.value.classes[0]]) for each in labeled)
        write_table(source, self.columns(labeling.classes), rows)
        return source, {"labels_file": str(folder / _CLASSES_NAME)}


def most_likely(outputs: Floats) -> tuple[tuple[int, float], ...]:
    """Return the classes with the highest outputs, and these."""
    order = np.argsort(-outputs, kind="stable")[:SHOWN].tolist()
    return tuple((index, float(outputs[index])) for index in order)


def known_scores(labeling: Labeling, prediction: ImagePrediction) -> list[tuple[int, float]]:
    """Return the predicted classes that a labeling has, with their scores.

    Args:
        labeling: The labeling.
        prediction: The prediction.
    """
    return [
        (index, each.score)
        for each in prediction.class_scores
        if (index := labeling.class_index(each.label)) is not None
    ]


def kappa(one: NDArray[np.generic], other: NDArray[np.generic]) -> float:
    """Return Cohen's kappa; NaN if both always give the same one label.

    Args:
        one: Labels by an annotator, shape (n,).
        other: Labels by another one.
    """
    labels = np.union1d(one, other)
    observed = float((one == other).mean())
    chance = sum(float((one == each).mean() * (other == each).mean()) for each in labels)
    return float("nan") if chance >= 1 else (observed - chance) / (1 - chance)


def _is_ambiguous(name: str) -> bool:
    if name.startswith("-"):
        return name[1:].isdecimal()
    is_number = name.isascii() and name.isdecimal()
    return is_number and (len(name) > MAX_DIGITS or str(int(name)) != name)


def _probabilities(outputs: Floats, known: NDArray[np.bool_], sharpness: float) -> Floats:
    """Softmax over the classes that have labels; the others get 0."""
    found: Floats = np.zeros(outputs.shape)
    found[:, known] = _softmax(outputs[:, known] * sharpness)
    return found


def _softmax(logits: Floats) -> Floats:
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: Floats = exponents / exponents.sum(axis=1, keepdims=True)
    return found


def _sharpness(held_out: Floats, targets: Floats) -> float:
    """Return the factor of the outputs that makes the softmax the best probabilities."""
    truth: NDArray[Any] = targets.argmax(axis=1)
    rows = np.arange(len(truth))
    losses = [
        -np.log(_softmax(held_out * factor)[rows, truth] + 1e-9).mean() for factor in _SHARPNESS
    ]
    return float(_SHARPNESS[int(np.argmin(losses))])


EDITOR = ClassEditor()
