"""Editor of boxes: each image has one around every object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.engine.errors import StudioError
from studio.engine.labeling.editors.editor import RegionEditor, number_of, parts_of
from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import Box, BoxesValue, Value
from studio.engine.tasks.annotations import Regions
from studio.engine.tasks.boxes import overlaps

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store
    from studio.engine.inference.models import ModelSource
    from studio.engine.inference.requests import ImagePrediction
    from studio.engine.labeling.project import Labeling

_SAME_BOX: Final = 0.5


class BoxesEditor(RegionEditor):
    """Boxes that are drawn on the images."""

    kind = "boxes"

    def parsed(
        self,
        labeling: Labeling,
        text: str,
        items: Sequence[int],  # noqa: ARG002 - of masks
    ) -> Value:
        """Return the boxes between semicolons; see `Editor.parsed`."""
        return BoxesValue(boxes=tuple(_box(labeling, part) for part in parts_of(text)))

    def text(self, names: Sequence[str], value: Value) -> str:  # noqa: ARG002 - of classes
        """Return the number of boxes; see `Editor.text`."""
        count = len(_boxes(value).boxes)
        return f"{count:,} object{'' if count == 1 else 's'}"

    def caption(self, classes: Sequence[LabelClass], value: Value) -> str:  # noqa: ARG002
        """Return the number of boxes; see `Editor.caption`."""
        return str(len(_boxes(value).boxes))

    def imported(
        self,
        labeling: Labeling,  # noqa: ARG002 - of numbers
        store: Store,
        row: int,
        indices: Sequence[int],
        item: int,  # noqa: ARG002 - of masks
    ) -> Value:
        """Return the boxes of an image; see `Editor.imported`."""
        boxes = store.required_regions[row].copy()
        boxes = boxes[boxes[:, 0] >= 0]
        boxes[:, 0] = np.array(indices, np.float32)[boxes[:, 0].astype(int)]
        return BoxesValue.of(boxes)

    def proposed(
        self,
        labeling: Labeling,
        item: int,
        prediction: ImagePrediction,
        model: ModelSource,  # noqa: ARG002 - of masks
    ) -> Proposal | None:
        """Return the objects that a model found, perhaps none; see `Editor.proposed`."""
        if prediction.objects is None:
            return None
        found: list[Box] = []
        scores = []
        for each in prediction.objects.given:
            index = labeling.class_index(each.label)
            if index is not None:
                found.append((float(index), each.left, each.top, each.right, each.bottom, 0.0))
                scores.append(each.score)
        certainty = float(np.mean(scores)) if scores else 0.0
        return Proposal(item, BoxesValue(boxes=tuple(found)), certainty)

    def regions(self, labeling: Labeling, value: Value) -> Regions:  # noqa: ARG002 - of masks
        """Return the boxes as rows; see `RegionEditor.regions`."""
        return _boxes(value).array()

    def overlap(self, one: Regions, other: Regions) -> float:
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


def _boxes(value: Value) -> BoxesValue:
    if not isinstance(value, BoxesValue):
        raise TypeError(value.kind)
    return value


def _box(labeling: Labeling, text: str) -> Box:
    words = text.replace(",", " ").split()
    if len(words) < 5:
        raise StudioError(
            '"{text}" is not a box.',
            "Give class, left, top, right and bottom.",
            "value",
            text=text,
        )
    left, top, right, bottom = map(number_of, words[-4:])
    return float(labeling.class_named(" ".join(words[:-4]))), left, top, right, bottom, 0.0


EDITOR = BoxesEditor()
