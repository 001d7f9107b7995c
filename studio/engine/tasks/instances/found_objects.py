"""Objects in annotation files as label images: painted over each other, or read from files.

Objects do not overlap in a label image: the pixels of several belong to the one in front. What is
hidden by that, and what lies outside of the picture, is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.errors import BadDataError
from studio.engine.messages import Text, message
from studio.engine.tasks.annotation_files.painting import PaintingWork, Region, limited_patches
from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotation_files.reports import without_pixel
from studio.engine.tasks.annotations import (
    Annotations,
    Boxes,
    Instances,
    Regions,
    Remark,
    require_size,
)
from studio.engine.tasks.instance_labels import IGNORED, MAX_NUMBER, values_of
from studio.engine.tasks.instances.geometry import GEOMETRY

DEFAULT_CLASS: Final = "object"
"""Class of objects in files that name none."""


@dataclass(frozen=True, slots=True)
class ObjectShape:
    """The pixels of an object.

    Attributes:
        label: Its class; `IGNORED` for pixels that count nowhere, `NOTHING` for background.
        region: Its pixels.
    """

    label: int
    region: Region


NOTHING: Final = -2
"""Class of shapes that cut holes: their pixels are background."""


@dataclass(frozen=True, slots=True)
class ObjectPicture:
    """The objects of a picture in annotation files.

    Attributes:
        shapes: The last one is in front.
        size: Width and height that the picture must have; None if unknown.
        remarks: What is left out of it, and why.
        unclear: Regions behind the objects that count nowhere, such as crowds.
    """

    shapes: Sequence[ObjectShape] = ()
    size: tuple[int, int] | None = None
    remarks: tuple[Remark, ...] = ()
    unclear: Sequence[Region] = ()

    @property
    def count(self) -> int:
        """Number of objects in the files."""
        return sum(each.label >= 0 for each in self.shapes) + lost_in(self.remarks)


def lost_in(remarks: Iterable[Remark]) -> int:
    """Return the number of objects that remarks report as left out."""
    return sum(each.objects for each in remarks)


@dataclass(slots=True)
class InstanceAnnotations(Annotations):
    """The label images of pictures; an outline needs more pixels than a box."""

    marks_objects: ClassVar[bool] = True
    least_side: ClassVar[float] = 20.0

    def objects(self, annotation: str, size: tuple[int, int]) -> Boxes | None:
        """Return the boxes around the objects of a picture; see `Annotations.objects`."""
        labels, _ = self.regions(annotation, size)
        boxes: Boxes = GEOMETRY.objects(labels[None])[0]
        return boxes


@dataclass(slots=True, kw_only=True)
class PaintedObjects(InstanceAnnotations):
    """Objects that are painted of shapes; an annotation names a picture of `found`.

    Attributes:
        found: The objects by their annotations.
        painted: Work that was done.
    """

    found: dict[str, ObjectPicture]
    painted: PaintingWork = field(default_factory=PaintingWork)

    def regions(self, annotation: str, size: tuple[int, int]) -> tuple[Regions, list[Remark]]:
        """Paint a label image; see `Annotations.regions`."""
        picture = self.found[annotation]
        require_size(picture.size or size, size)
        labels, remarks, work = painted(picture, size)
        self.painted.add(annotation, work)
        return labels, [*picture.remarks, *remarks]

    def object_count(self, annotation: str) -> int:
        """Count the objects; see `Annotations.object_count`."""
        return self.found[annotation].count


def painted(picture: ObjectPicture, size: tuple[int, int]) -> tuple[Instances, list[Remark], int]:
    """Return the label image of a picture, what is hidden or outside, and the work.

    Args:
        picture: Its objects.
        size: Width and height of the picture.

    Raises:
        BadDataError: The objects are too many, or cannot be painted; the message is a short
            reason.
    """
    if len(picture.shapes) > MAX_NUMBER:
        raise BadDataError(
            "it has {count:,} objects; at most {limit:,} are possible",
            count=len(picture.shapes),
            limit=MAX_NUMBER,
        )
    numbers = np.zeros(size[::-1], np.int32)
    areas = np.zeros(len(picture.shapes) + 1, np.int64)
    regions = [*picture.unclear, *(shape.region for shape in picture.shapes)]
    work = 0
    for index, patch in enumerate(limited_patches(regions, size), 1 - len(picture.unclear)):
        is_shape = index > 0
        label = picture.shapes[index - 1].label if is_shape else IGNORED
        patch.paint(numbers, {IGNORED: IGNORED, NOTHING: 0}.get(label, index))
        areas[index if is_shape else 0] = np.count_nonzero(patch.inside)
        work += patch.work
    visible = np.bincount(numbers[numbers > 0], minlength=len(areas))
    labels = np.array([0, *(shape.label for shape in picture.shapes)], np.int32)
    counted = labels >= 0
    counted[0] = False
    found = values_of(numbers, labels[np.maximum(numbers, 0)])
    return found, _hidden(areas[counted], visible[counted]), work


def _hidden(areas: NDArray[np.int64], visible: NDArray[np.int64]) -> list[Remark]:
    """Return reports about objects that other ones hide, or that have no pixel.

    Args:
        areas: Pixels of each object inside the picture, shape (n,).
        visible: Those that no other object hides, shape (n,).
    """
    remarks = without_pixel(int((areas == 0).sum()))
    if count := int(((areas > 0) & (visible == 0)).sum()):
        reason = message(
            "left out {count} objects that others cover completely",
            one="left out an object that others cover completely",
            count=count,
        )
        remarks.append(Remark(reason, count))
    if count := int(((visible > 0) & (visible < areas)).sum()):
        reason = message(
            "{count} objects are partly covered by others, which got {pixels:,} of their pixels",
            one="an object is partly covered by others, which got {pixels:,} of its pixels",
            count=count,
            pixels=int((areas - visible)[visible > 0].sum()),
        )
        remarks.append(Remark(reason))
    return remarks


def joined_region(regions: Sequence[Region]) -> Region:
    """Return the pixels of all of some regions, as of an object with several parts."""
    if len(regions) == 1:
        return regions[0]

    def region(size: tuple[int, int]) -> Patch:
        whole = np.zeros(size[::-1], np.bool_)
        work = 0
        for patch in limited_patches(regions, size):
            patch.paint(whole, value=True)
            work += patch.work
        return Patch(0, 0, whole, work + whole.size)

    return region


def crowds_kept(count: int) -> Remark:
    """Return the report about a number of regions with many objects, which count nowhere."""
    reason: Text = message(
        "kept {count} crowds as regions without training: they are not counted as objects",
        one="kept a crowd as a region without training: it is not counted as an object",
        count=count,
    )
    return Remark(reason, count)
