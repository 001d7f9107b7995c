"""Editor of masks: each pixel of an image has a class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import user_path
from studio.engine.labeling.editors.editor import RegionEditor
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import MaskValue, Value
from studio.engine.messages import as_message
from studio.engine.picture_files import opened_picture
from studio.engine.tasks.annotations import IGNORE, Mask, Regions

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store
    from studio.engine.inference.models import ModelSource
    from studio.engine.inference.requests import ImagePrediction
    from studio.engine.labeling.project import Labeling


class MaskEditor(RegionEditor):
    """Classes of pixels that are painted on the images, in files of the record."""

    kind = "mask"
    counts_classes = False

    def parsed(self, labeling: Labeling, text: str, items: Sequence[int]) -> Value:
        """Return the mask of a file; see `Editor.parsed`."""
        if len(items) != 1:
            raise StudioError("A mask belongs to one image.", "Name one image.", "items")
        try:
            with opened_picture(user_path(text)) as image:
                # Values above 255 must not become those of other classes.
                mask = np.array(image, np.uint8 if image.mode == "1" else None)
        except BadDataError as error:
            raise StudioError(
                "The mask {file} cannot be read: {reason}.",
                "Give a PNG file of class indices.",
                "value",
                file=text,
                reason=as_message(error.message),
            ) from error
        return labeling.write_mask(items[0], self.marked(labeling, mask))

    def marked(self, labeling: Labeling, mask: Mask) -> Mask:  # noqa: ARG002 - of defects
        """Return the classes of the pixels of a file: its values by default.

        Args:
            labeling: The labeling.
            mask: Values of the file.
        """
        return mask

    def text(self, names: Sequence[str], value: Value) -> str:  # noqa: ARG002 - of classes
        """Return one word: masks are not opened; see `Editor.text`."""
        return "mask"

    def renumbered(
        self, labeling: Labeling, item: int, value: Value, indices: Sequence[int]
    ) -> Value:
        """Write the mask with other indices; see `Editor.renumbered`."""
        if not isinstance(value, MaskValue):
            return value
        table = np.arange(256, dtype=np.uint8)
        table[: len(indices)] = indices
        return labeling.write_mask(item, table[labeling.read_mask(value)])

    def imported(
        self, labeling: Labeling, store: Store, row: int, indices: Sequence[int], item: int
    ) -> Value:
        """Write the mask of an image; see `Editor.imported`."""
        mask = store.required_regions[row]
        return labeling.write_mask(item, _table(indices)[mask])

    def proposed(
        self, labeling: Labeling, item: int, prediction: ImagePrediction, model: ModelSource
    ) -> Proposal | None:
        """Return the predicted mask; see `Editor.proposed`."""
        if prediction.class_map is None or not prediction.class_map.mask:
            return None
        own = [labeling.class_index(name) for name in model.classes]
        table = _table([IGNORE if index is None else index for index in own])
        return Proposal(item, None, 0.0, mask=table[prediction.class_map.classes()])

    def regions(self, labeling: Labeling, value: Value) -> Regions:
        """Read the file of a mask; see `RegionEditor.regions`."""
        if not isinstance(value, MaskValue):
            raise TypeError(value.kind)
        return labeling.read_mask(value)

    def overlap(self, one: Regions, other: Regions) -> float:
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


def _table(indices: Sequence[int]) -> Mask:
    """Return the new class of each value of a mask; `IGNORE` for values that have none."""
    table: Mask = np.full(IGNORE + 1, IGNORE, np.uint8)
    table[: len(indices)] = indices
    return table


EDITOR = MaskEditor()
