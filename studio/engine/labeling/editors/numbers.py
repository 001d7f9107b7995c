"""Editor of numbers: each image has one of every quantity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Floats
from studio.engine.errors import StudioError
from studio.engine.labeling.editors.editor import (
    Compared,
    Pair,
    TableEditor,
    number_of,
    parts_of,
)
from studio.engine.labeling.model import Learner
from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import NumbersValue, Value
from studio.engine.messages import message

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store
    from studio.engine.inference.models import ModelSource
    from studio.engine.inference.requests import ImagePrediction
    from studio.engine.labeling.project import Labeling


class NumbersLearner(Learner):
    """Learns numbers in their units."""

    def scale(self, targets: Floats) -> Floats:
        """Return the standard deviation of each quantity; see `Learner.scale`."""
        found: Floats = targets.std(axis=0)
        return found

    def calibrated(
        self,
        outputs: Floats,
        held_out: Floats,
        targets: Floats,  # noqa: ARG002 - of classes
    ) -> tuple[Floats, Floats]:
        """Return the outputs as they are; see `Learner.calibrated`."""
        return outputs, held_out

    def score(self, outputs: Floats, targets: Floats) -> float:
        """Return the mean R² of the quantities; see `Learner.score`."""
        variance = targets.var(axis=0)
        error = ((outputs - targets) ** 2).mean(axis=0)
        r2 = 1 - np.divide(error, variance, out=np.ones(len(error)), where=variance > 0)
        return max(0.0, float(r2.mean()))

    def proposed(self, item: int, outputs: Floats) -> Proposal:
        """Return the numbers; see `Learner.proposed`."""
        return Proposal(item, NumbersValue(numbers=tuple(outputs.tolist())), 0.0)

    def sentence(self, labels: int, score: float) -> str:
        """Return R² in a sentence; see `Learner.sentence`."""
        return message(
            "With {count:,} labels, R² is about {score:.2f}.", count=labels, score=score
        )


class NumbersEditor(TableEditor):
    """Numbers for each image, in columns of a table.

    Args:
        quantities: Quantities of every labeling; empty where a person names them.
    """

    kind = "numbers"
    has_units = True
    counts_classes = False
    learner = NumbersLearner()

    def __init__(self, quantities: tuple[LabelClass, ...] = ()) -> None:
        self.classes = quantities

    def parsed(
        self,
        labeling: Labeling,  # noqa: ARG002 - of classes
        text: str,
        items: Sequence[int],  # noqa: ARG002 - of masks
    ) -> Value:
        """Return the numbers between semicolons; see `Editor.parsed`."""
        return NumbersValue(numbers=tuple(map(number_of, parts_of(text))))

    def text(self, names: Sequence[str], value: Value) -> str:
        """Return each quantity with its number; see `Editor.text`."""
        numbers = value.targets(len(names))
        return ", ".join(
            f"{name} {'?' if np.isnan(number) else f'{number:.4g}'}"
            for name, number in zip(names, numbers, strict=True)
        )

    def caption(self, classes: Sequence[LabelClass], value: Value) -> str:
        """Return the known numbers with their units; see `Editor.caption`."""
        numbers = zip(value.targets(len(classes)), classes, strict=True)
        return " · ".join(
            f"{number:g} {each.unit}".strip() for number, each in numbers if not np.isnan(number)
        )

    def misfit(self, labeling: Labeling, value: Value) -> StudioError | None:
        """Refuse another number of numbers; see `Editor.misfit`."""
        received = len(value.numbers) if isinstance(value, NumbersValue) else 0
        if received == len(labeling.names):
            return None
        return StudioError(
            "Quantities of this labeling: {count}; numbers received: {received}.",
            "Give a number for each quantity.",
            "value",
            count=len(labeling.names),
            received=received,
        )

    def numbers_of(self, targets: NDArray[Any]) -> Sequence[float]:
        """Return the numbers of `dataset_classes` for an image of a dataset.

        Args:
            targets: Its targets, shape (outputs,).
        """
        found: Sequence[float] = targets.tolist()
        return found

    def imported(
        self,
        labeling: Labeling,
        store: Store,
        row: int,
        indices: Sequence[int],
        item: int,  # noqa: ARG002 - of masks
    ) -> Value:
        """Return the numbers of an image; see `Editor.imported`."""
        numbers = self.numbers_of(store.targets[row])
        by_index: Mapping[int, float] = dict(zip(indices, numbers, strict=True))
        count = len(labeling.names)
        return NumbersValue(numbers=tuple(by_index.get(each) for each in range(count)))

    def proposed(
        self,
        labeling: Labeling,
        item: int,
        prediction: ImagePrediction,
        model: ModelSource,  # noqa: ARG002 - of masks
    ) -> Proposal | None:
        """Return the predicted numbers of the quantities; see `Editor.proposed`."""
        if prediction.values is None:
            return None
        found = {name.casefold(): value for name, value in prediction.values.numbers().items()}
        numbers = tuple(found.get(name.casefold()) for name in labeling.names)
        is_known = any(each is not None for each in numbers)
        return Proposal(item, NumbersValue(numbers=numbers), 0.0) if is_known else None

    def compared(self, labeling: Labeling, pairs: Sequence[Pair]) -> Compared:
        """Return R², and the differences in deviations; see `Editor.compared`."""
        count = len(labeling.names)
        one, other = (
            np.array([value.targets(count) for value in part]) for part in zip(*pairs, strict=True)
        )
        scale = np.maximum(np.nanstd(np.concatenate([one, other]), axis=0), 1e-12)
        each = (-np.nanmean(np.abs(one - other) / scale, axis=1)).tolist()
        is_known = np.isfinite(one + other).all(axis=1)
        value = float("nan")
        if is_known.any():
            value = self.learner.score(other[is_known], one[is_known])
        return Compared("r2", value, each, [pair[0] == pair[1] for pair in pairs])

    def cells(self, names: Sequence[str], value: Value) -> list[object]:
        """Return the numbers; see `TableEditor.cells`."""
        return [repr(number) for number in value.targets(len(names))]


EDITOR = NumbersEditor()
