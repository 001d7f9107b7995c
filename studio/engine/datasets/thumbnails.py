"""Which images stand for a class, and small pictures of them. NumPy only."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.store import Store


def sample_rows(store: Store, class_index: int, limit: int) -> NDArray[np.int64]:
    """Rows that show what a class looks like: evenly spaced over it, the same each time.

    Returns:
        At most `limit` different rows, ascending.
    """
    return evenly_spaced(store.class_rows(class_index), limit)


def evenly_spaced(rows: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return at most so many of some rows, at equal distances."""
    count = min(limit, len(rows))
    places = (np.arange(count) * len(rows)) // max(count, 1)
    return rows[places]


def class_mosaic(
    store: Store, class_index: int, per_class: int = 9, cell: int = 64, blank: int = 255
) -> NDArray[np.uint8]:
    """A square of small images of one class.

    Args:
        store: The dataset.
        class_index: The class.
        per_class: How many images at most; 9 make three rows of three.
        cell: Larger images are shrunk by a whole number until no side is longer, in pixels.
        blank: Gray level of the places that stay empty.

    Returns:
        side x side x channels cells in one array, uint8.
    """
    side = math.ceil(math.sqrt(per_class))
    small = [
        _shrunk(store.images[row], cell) for row in sample_rows(store, class_index, per_class)
    ]
    height, width, channels = _shrunk(np.zeros(store.shape, np.uint8), cell).shape
    mosaic = np.full((side * height, side * width, channels), blank, np.uint8)
    for place, image in enumerate(small):
        top, left = place // side * height, place % side * width
        mosaic[top : top + height, left : left + width] = image
    return mosaic


def _shrunk(image: NDArray[np.uint8], largest: int) -> NDArray[np.uint8]:
    """The image with blocks of pixels averaged, so that no side is longer than `largest`."""
    height, width, channels = image.shape
    factor = max(1, math.ceil(max(height, width) / largest))
    across, down = min(factor, width), min(factor, height)
    cut = image[: height // down * down, : width // across * across]
    blocks = cut.reshape(height // down, down, width // across, across, channels)
    means: NDArray[np.float64] = blocks.mean(axis=(1, 3))
    return np.rint(means).astype(np.uint8)
