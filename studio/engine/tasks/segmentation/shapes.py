"""Masks that are painted of shapes, one over the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message
from studio.engine.tasks.annotation_files.patches import WORK_OF_EACH, Patch
from studio.engine.tasks.annotation_files.polygons import most_work
from studio.engine.tasks.annotations import IGNORE, Mask, MaskAnnotations, Remark, require_size

BACKGROUND = "background"
IGNORED_NAME = "__ignore__"
"""Name of regions that belong to no class, as LabelMe has it."""
_MOST_WORK = 5 * 10**11
"""Work of all pictures, in pixels: an hour. The 118,000 pictures of COCO are a twentieth."""

Region = Callable[[tuple[int, int]], Patch]
"""Gives the pixels of a region for the width and height of a picture.

Raises `BadDataError` with a short reason.
"""


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


def _too_much(count: int) -> BadDataError:
    return BadDataError(
        message(
            "its {count:,} shapes are too many, or too large, to be painted",
            one="its shape is too large to be painted",
            count=count,
        )
    )


class PaintingWork:
    """Work of painting all pictures of an annotation source, whose threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pictures: set[str] = set()
        self._total = 0

    def add(self, annotation: str, work: int) -> None:
        """Count the work of a picture; every picture counts once.

        Args:
            annotation: Annotation of the picture.
            work: See `Patch`.

        Raises:
            StudioError: All pictures together are more than the limit.
        """
        with self._lock:
            if annotation in self._pictures:
                return
            self._pictures.add(annotation)
            self._total += work
            count, total = len(self._pictures), self._total
        if total > _MOST_WORK:
            raise StudioError(
                "The shapes of the first {count:,} images are too many, or too large, to be "
                "painted.",
                "Import fewer images at once, or simplify the shapes.",
                "source",
                count=count,
            )


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
        work, most = 0, most_work(size)
        for region, value in regions:
            # The first check is for shapes that are too many, however small they are.
            if max(work, len(regions) * WORK_OF_EACH) > most:
                raise _too_much(len(regions))
            patch = region(size)
            patch.paint(mask, value)
            work += patch.work
        self.painted.add(annotation, work)
        return mask, [*painting.remarks]

    def object_count(self, annotation: str) -> int:
        """Count the objects; see `Annotations.object_count`."""
        painting = self.paintings[annotation]
        left_out = sum(each.objects for each in painting.remarks)
        return len(painting.shapes) + left_out + painting.damaged
