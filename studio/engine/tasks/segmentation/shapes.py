"""Masks that are painted of shapes, one over the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from studio.engine.errors import BadDataError
from studio.engine.tasks.annotation_files.painting import PaintingWork, Region, limited_patches
from studio.engine.tasks.annotation_files.reports import without_pixel
from studio.engine.tasks.annotations import IGNORE, Mask, MaskAnnotations, Remark, require_size

BACKGROUND = "background"


@dataclass(frozen=True, slots=True)
class Shape:
    """A region of one class.

    Attributes:
        label: The class, or `IGNORE`.
        region: Its pixels.
    """

    label: int
    region: Region


@dataclass(frozen=True, slots=True)
class Painting:
    """The shapes of a picture.

    Attributes:
        shapes: The last one is on top.
        size: Width and height that the picture must have; None if unknown.
        refused: The reason why it cannot be used; empty if it can.
        remarks: What is left out of it, and why.
        unclear: Regions below the shapes that belong to no class, since their pixels are unknown.
        damaged: Number of objects for which it is refused.
    """

    shapes: Sequence[Shape] = ()
    size: tuple[int, int] | None = None
    refused: str = ""
    remarks: tuple[Remark, ...] = ()
    unclear: Sequence[Region] = ()
    damaged: int = 0


@dataclass(slots=True, kw_only=True)
class PaintedMasks(MaskAnnotations):
    """Masks of shapes on a background of class 0; an annotation names a painting.

    Attributes:
        paintings: The paintings by their annotations.
        painted: Work that was done.
    """

    paintings: dict[str, Painting]
    painted: PaintingWork = field(default_factory=PaintingWork)

    def mask(self, annotation: str, size: tuple[int, int]) -> tuple[Mask, list[Remark]]:
        """Paint a mask; see `MaskAnnotations.mask`."""
        painting = self.paintings[annotation]
        if painting.refused:
            raise BadDataError(painting.refused)
        require_size(painting.size or size, size)
        mask = np.zeros(size[::-1], np.uint8)
        regions = [(region, IGNORE) for region in painting.unclear]
        regions += [(shape.region, shape.label) for shape in painting.shapes]
        work = outside = 0
        patches = limited_patches([region for region, _ in regions], size)
        for index, (patch, (_, value)) in enumerate(zip(patches, regions, strict=True)):
            patch.paint(mask, value)
            work += patch.work
            outside += index >= len(painting.unclear) and not patch.inside.any()
        self.painted.add(annotation, work)
        return mask, [*painting.remarks, *without_pixel(outside)]

    def object_count(self, annotation: str) -> int:
        """Count the objects; see `Annotations.object_count`."""
        painting = self.paintings[annotation]
        left_out = sum(each.objects for each in painting.remarks)
        return len(painting.shapes) + left_out + painting.damaged
