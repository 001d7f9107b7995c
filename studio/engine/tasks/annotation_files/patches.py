"""Pixels of regions within rectangles of a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WORK_OF_EACH = 8_000
"""Work of a region however small it is, in pixels that are painted in the same time."""


@dataclass(frozen=True, slots=True)
class Patch:
    """Pixels within a rectangle that lies in the picture.

    Attributes:
        left: Left side of the rectangle in pixels.
        top: Upper side.
        inside: Pixels of the region, shape (height, width); without pixels for an empty region.
        work: Work of computing and painting it, in pixels.
    """

    left: int
    top: int
    inside: NDArray[np.bool_]
    work: int = WORK_OF_EACH

    @classmethod
    def of(cls, left: int, top: int, inside: NDArray[np.bool_]) -> Patch:
        """Return a patch with the work of its rectangle.

        Args:
            left: Left side of the rectangle in pixels.
            top: Upper side.
            inside: Pixels of the region, shape (height, width).
        """
        return cls(left, top, inside, WORK_OF_EACH + inside.size)

    def paint(self, mask: NDArray[np.generic], value: int) -> None:
        """Set the pixels of the region in a mask of the picture.

        Args:
            mask: Shape (height, width) of the picture.
            value: New value.
        """
        height, width = self.inside.shape
        mask[self.top : self.top + height, self.left : self.left + width][self.inside] = value

    def whole(self, size: tuple[int, int]) -> NDArray[np.bool_]:
        """Return the pixels of the region in the picture, shape (height, width).

        Args:
            size: Width and height of the picture.
        """
        found = np.zeros(size[::-1], np.bool_)
        self.paint(found, value=True)
        return found
