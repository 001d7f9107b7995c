"""Places of objects in their images, which show coordinates that are for other images."""

from __future__ import annotations

from typing import Final

from studio.engine.messages import Text, message
from studio.engine.tasks.annotations import Regions
from studio.engine.tasks.boxes import BOTTOM, CLASS, RIGHT
from studio.engine.tasks.geometry import Geometry

_HALF: Final = 0.5
_FEWEST_OBJECTS: Final = 8
_FEWEST_IMAGES: Final = 5


class ObjectPlaces:
    """Collects how far objects reach to the right and down.

    Percent, and coordinates for a smaller copy of the images, are all near the upper left corner.

    Args:
        geometry: Tells the boxes of objects, if there are any.
        size: Width and height of the images as they are stored.
    """

    def __init__(self, geometry: Geometry, size: tuple[int, int]) -> None:
        self._geometry = geometry
        self._size = size
        self._images = 0
        self._objects = 0
        self._farthest = 0.0

    def add(self, regions: Regions) -> None:
        """Add the objects of an image."""
        if self._farthest > _HALF:
            return
        boxes = self._geometry.objects(regions[None])
        if boxes is None:
            return
        found = boxes[0][boxes[0][:, CLASS] >= 0]
        if len(found):
            self._images += 1
            self._objects += len(found)
            ends = found[:, [RIGHT, BOTTOM]] / self._size
            self._farthest = max(self._farthest, float(ends.max()))

    def warnings(self) -> list[Text]:
        """Return a sentence if all objects lie in the upper left quarter of their images."""
        is_little = self._objects < _FEWEST_OBJECTS or self._images < _FEWEST_IMAGES
        if is_little or self._farthest > _HALF:
            return []
        return [
            message(
                "All {count} objects of {images} images lie in the upper left quarter of their "
                "images. Check in the preview that the coordinates are not percent, or those of "
                "smaller images.",
                count=self._objects,
                images=self._images,
            )
        ]
