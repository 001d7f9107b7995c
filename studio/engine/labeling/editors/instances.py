"""Editor of objects: each has a class and pixels of its own, and no two overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from studio.engine.errors import BadDataError, StudioError
from studio.engine.files import user_path
from studio.engine.labeling.editors.editor import RegionEditor, parts_of
from studio.engine.labeling.pixel_files import OBJECT_PIXELS
from studio.engine.labeling.plan import LabelClass
from studio.engine.labeling.proposals import Proposal
from studio.engine.labeling.values import InstancesValue, Value
from studio.engine.messages import as_message
from studio.engine.tasks.annotations import Instances, Regions
from studio.engine.tasks.instance_labels import CLASSES, IGNORED, compacted, values_of
from studio.engine.tasks.instances.label_files import read_labels
from studio.engine.tasks.parts.outlines import label_image

if TYPE_CHECKING:
    from studio.engine.datasets.store import Store
    from studio.engine.inference.models import ModelSource
    from studio.engine.inference.requests import ImagePrediction
    from studio.engine.labeling.project import Labeling

_SAME_OBJECT: Final = 0.5
"""Least overlap (IoU) of two masks of one object."""


class InstanceEditor(RegionEditor):
    """Objects drawn on the images, in files of the record; see `tasks.instances.edits`."""

    kind = "instances"
    pixels = OBJECT_PIXELS

    def parsed(self, labeling: Labeling, text: str, items: Sequence[int]) -> Value:
        """Return the objects of label images, "CLASS: FILE" or "FILE"; see `Editor.parsed`."""
        if len(items) != 1:
            raise StudioError("A label image belongs to one image.", "Name one image.", "items")
        item = labeling.items[items[0]]
        found = np.zeros((item.height, item.width), np.int32)
        for part in parts_of(text):
            name, _, file = part.rpartition(": ")
            label = labeling.class_named(name) if name else _only_class(labeling, part)
            numbers = _numbers(file, (item.width, item.height))
            first = int(found.max(initial=0)) // CLASSES
            added = values_of(numbers + np.int32(first) * (numbers > 0), label)
            found = np.where(found == 0, added, found)
        return labeling.write_mask(items[0], found)

    def text(self, names: Sequence[str], value: Value) -> str:  # noqa: ARG002 - of classes
        """Return the number of objects; see `Editor.text`."""
        count = len(_instances(value).objects)
        return f"{count:,} object{'' if count == 1 else 's'}"

    def caption(self, classes: Sequence[LabelClass], value: Value) -> str:  # noqa: ARG002
        """Return the number of objects; see `Editor.caption`."""
        return str(len(_instances(value).objects))

    def renumbered(
        self, labeling: Labeling, item: int, value: Value, indices: Sequence[int]
    ) -> Value:
        """Write the objects with other indices of their classes; see `Editor.renumbered`."""
        if not isinstance(value, InstancesValue):
            return value
        return labeling.write_mask(item, _relabeled(labeling.read_mask(value), indices))

    def imported(
        self, labeling: Labeling, store: Store, row: int, indices: Sequence[int], item: int
    ) -> Value:
        """Write the objects of an image; see `Editor.imported`."""
        return labeling.write_mask(item, _relabeled(store.required_regions[row], indices))

    def proposed(
        self,
        labeling: Labeling,
        item: int,
        prediction: ImagePrediction,
        model: ModelSource,  # noqa: ARG002 - objects name their classes
    ) -> Proposal | None:
        """Return the objects that a model found, perhaps none; see `Editor.proposed`."""
        if prediction.objects is None:
            return None
        given = prediction.objects.given
        labels = [labeling.class_index(each.label) for each in given]
        known = [at for at, label in enumerate(labels) if label is not None]
        picture = labeling.items[item]
        numbers = label_image([given[at].outline for at in known], (picture.width, picture.height))
        classes = np.array([0, *(labels[at] for at in known)], np.int32)
        certainty = float(np.mean([given[at].score for at in known])) if known else 0.0
        return Proposal(item, None, certainty, mask=values_of(numbers, classes[numbers]))

    def regions(self, labeling: Labeling, value: Value) -> Regions:
        """Read the file of the objects; see `RegionEditor.regions`."""
        return labeling.read_mask(_instances(value))

    def overlap(self, one: Regions, other: Regions) -> float:
        """Return the mean IoU of the objects of two annotators; those without a partner count 0.

        Objects of the same class that overlap by at least 0.5 are partners: there is at most one
        for each.

        Args:
            one: Label image, shape (height, width).
            other: The same of another annotator.
        """
        (first, areas), (second, others) = (
            np.unique(each[each > 0], return_counts=True) for each in (one, other)
        )
        if not len(first) and not len(second):
            return 1.0
        both = (one > 0) & (other > 0) & (one % CLASSES == other % CLASSES)
        pairs, shared = np.unique(np.stack([one[both], other[both]]), axis=1, return_counts=True)
        union = areas[np.searchsorted(first, pairs[0])] - shared
        union = union + others[np.searchsorted(second, pairs[1])]
        overlaps = shared / union
        matched = overlaps[overlaps > _SAME_OBJECT]
        return float(matched.sum() / (len(first) + len(second) - len(matched)))


def _instances(value: Value) -> InstancesValue:
    if not isinstance(value, InstancesValue):
        raise TypeError(value.kind)
    return value


def _relabeled(labels: Instances, indices: Sequence[int]) -> Instances:
    """Return objects with other indices of their classes."""
    table = np.array(indices, np.int32)
    inside = labels > 0
    found = labels.copy()
    found[inside] = (labels[inside] >> 8) * CLASSES + table[labels[inside] % CLASSES]
    return found


def _only_class(labeling: Labeling, text: str) -> int:
    """Return the index of the only class of a labeling.

    Raises:
        StudioError: It has several, or none.
    """
    if len(labeling.names) != 1:
        raise StudioError(
            'The class of the objects in "{text}" is unknown.',
            'Write "CLASS: FILE".',
            "value",
            text=text,
        )
    return 0


def _numbers(file: str, size: tuple[int, int]) -> Instances:
    """Return the numbers of the objects of a label image, from 1.

    Raises:
        StudioError: It cannot be read.
    """
    try:
        numbers = read_labels(user_path(file).read_bytes(), size).astype(np.int32)
    except (OSError, BadDataError) as error:
        reason = as_message(error.message) if isinstance(error, BadDataError) else str(error)
        raise StudioError(
            "The label image {file} cannot be read: {reason}.",
            "Give a PNG or TIFF file with a number for each object.",
            "value",
            file=file,
            reason=reason,
        ) from error
    small, _ = compacted(numbers)
    return np.where(numbers < 0, np.int32(IGNORED), small)


EDITOR = InstanceEditor()
