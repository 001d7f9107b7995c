"""Masks of detected objects: arrangement of the outputs of a network and of found objects.

Outputs are those of a detector with one more level, twice as fine as its finest one. There, each
position holds what masks are made of: a score for each class, 28 prototypes, and four maps that
multiply the place in the box. At the other positions there are a score for each class, 28
coefficients, and the distances to the four sides of a box.

The mask of a box is 28 x 28 cells. In the middle of each cell the maps are read between their
positions, and the logit of the mask is

    sum_c coefficient_c * prototype_c + x * map_1 + y * map_2 + (x^2 + y^2) * map_3 + map_4

with x and y from -1 at the left and top side to 1 at the right and bottom side. Prototypes are the
same wherever an object is, so that they cannot tell equal objects side by side apart; maps that
multiply the place can: "the middle of my object is on the left".

A found object is a row of 790 float32 numbers. The first six are those of a detection; then follow
the probabilities of the cells, row by row.

Source: D. Bolya et al., "YOLACT: real-time instance segmentation", ICCV 2019; for the place in the
box, Z. Tian et al., "Conditional convolutions for instance segmentation", ECCV 2020.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import CLASS, NO_BOX, centers_of, strides_of
from studio.engine.tasks.decoding import SCORE
from studio.engine.tasks.outputs import BOX_SIDES, COEFFICIENTS

CELLS: Final = 28
"""Rows and columns of the cells of a mask."""
MASK: Final = SCORE + 1
"""First number of a row that belongs to the mask."""
VALUES: Final = MASK + CELLS**2
"""Numbers of a found object."""
NUMBERS: Final = COEFFICIENTS + BOX_SIDES
"""Numbers of a position beside the scores of the classes."""
INSIDE: Final = 0.5
"""Probability from which on a place belongs to an object."""
FINEST: Final = (2, 4, 8, 16, 32)
"""Strides in pixels that the maps may have."""
_MIDDLES: Final = (np.arange(CELLS) + 0.5) / CELLS

Masks = NDArray[np.float32]
"""Found objects of an image, shape (n, 790)."""


@dataclass(frozen=True, slots=True)
class MaskLevels:
    """Places of the positions of an output over the image.

    Attributes:
        strides: Strides of the positions with boxes in pixels, the finest first.
        stride: Stride of the maps in pixels.
        rows: Rows of the maps.
        columns: Columns of the maps.
        places: x, y and stride of all positions in pixels, those of the maps first.
    """

    strides: tuple[int, ...]
    stride: int
    rows: int
    columns: int
    places: NDArray[np.float32]

    @classmethod
    def of(cls, positions: int, size: tuple[int, int]) -> MaskLevels:
        """Return the levels of an output.

        Args:
            positions: Number of its positions.
            size: Height and width of the images that the network sees, in pixels.

        Raises:
            ValueError: There are no levels with this number of positions.
        """
        height, width = size
        first, *others = strides_of(positions, height, width, FINEST)
        if not others:
            raise ValueError(f"{positions} positions are the maps of masks without boxes")
        rows, columns = math.ceil(height / first), math.ceil(width / first)
        places = centers_of((first, *others), height, width)
        return cls(tuple(others), first, rows, columns, places)

    @property
    def count(self) -> int:
        """Number of positions of the maps, the first ones of the output."""
        return self.rows * self.columns


def empty(images: int, places: int) -> NDArray[np.float32]:
    """Return places without objects, shape (images, places, 790).

    Args:
        images: Number of images.
        places: Places of each image.
    """
    found = np.zeros((images, places, VALUES), np.float32)
    found[..., CLASS] = NO_BOX
    return found


def cells_of(rows: NDArray[Any]) -> NDArray[Any]:
    """Return the probabilities of the cells of found objects, shape (…, 28, 28)."""
    return rows[..., MASK:].reshape(*rows.shape[:-1], CELLS, CELLS)


def places_in_box() -> NDArray[np.float32]:
    """Return x, y and x² + y² of each cell in its box, from -1 to 1, shape (28, 28, 3)."""
    x, y = np.meshgrid(2 * _MIDDLES - 1, 2 * _MIDDLES - 1)
    return np.stack([x, y, x**2 + y**2], axis=-1).astype(np.float32)


def middles_of(low: NDArray[Any], high: NDArray[Any]) -> NDArray[np.float64]:
    """Return the middles of the cells along one side of boxes, in pixels, shape (n, 28).

    Args:
        low: Left or top side of each box, shape (n,).
        high: Right or bottom side of each, shape (n,).
    """
    found: NDArray[np.float64] = low[:, None] + _MIDDLES * (high - low)[:, None]
    return found


def readers_of(middles: NDArray[Any], stride: int, count: int) -> NDArray[np.float64]:
    """Return matrices that read a map between its positions, shape (n, 28, count).

    Args:
        middles: Where it is read along one side, in pixels, shape (n, 28).
        stride: Distance of its positions in pixels.
        count: Its rows or columns.
    """
    place = np.clip(middles / stride - 0.5, 0, count - 1)
    found: NDArray[np.float64] = np.maximum(0, 1 - np.abs(place[..., None] - np.arange(count)))
    return found
