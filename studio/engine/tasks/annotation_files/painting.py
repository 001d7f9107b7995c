"""Regions that are painted over each other, with limits of the work, which files decide."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from studio.engine.errors import BadDataError, StudioError
from studio.engine.messages import message
from studio.engine.tasks.annotation_files.patches import WORK_OF_EACH, Patch
from studio.engine.tasks.annotation_files.polygons import max_work

IGNORED_NAME = "__ignore__"
"""Name of regions that belong to no class, as LabelMe has it."""
_MOST_WORK = 5 * 10**11
"""Work of all pictures, in pixels: an hour. The 118,000 pictures of COCO are a twentieth."""

Region = Callable[[tuple[int, int]], Patch]
"""Gives the pixels of a region for the width and height of a picture.

Raises `BadDataError` with a short reason.
"""


def limited_patches(regions: Sequence[Region], size: tuple[int, int]) -> Iterator[Patch]:
    """Yield the pixels of regions.

    Args:
        regions: The regions of a picture.
        size: Width and height of the picture.

    Raises:
        BadDataError: They are too many, or too large; the message is a short reason.
    """
    work, most = 0, max_work(size)
    for region in regions:
        # The first check is for shapes that are too many, however small they are.
        if max(work, len(regions) * WORK_OF_EACH) > most:
            raise _too_much(len(regions))
        patch = region(size)
        work += patch.work
        yield patch


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
