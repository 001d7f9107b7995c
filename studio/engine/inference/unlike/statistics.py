"""Statistics of the pixels of images as a network receives them, 0 to 1 each.

`assets/export/unlike.py` computes the same, for models without Studio.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.pixel_format import PixelFormat

Statistics = NDArray[np.float32]
"""A row for each image, a column for each of `STATISTICS`."""

STATISTICS: Final = ("brightness", "background", "contrast", "saturation", "detail")
"""Mean gray level; mean gray level of the border; standard deviation of the gray levels; root
mean square of the difference of the largest and the smallest channel, so that a small colored
object counts; mean difference of neighboring pixels."""

_BORDER: Final = 16
"""The border on each side is this part of the image wide: one pixel of 16."""


def statistics_of(images: Pixels, pixels: PixelFormat) -> Statistics:
    """Measure images.

    Args:
        images: Pixels, shape (n, height, width, channels).
        pixels: Their number format.

    Returns:
        The columns of `STATISTICS`, float32, shape (n, 5).
    """
    values = images if pixels.is_standard else pixels.network_values(images)
    gray = values.mean(axis=3, dtype=np.float32) / 255
    spread = (values.max(axis=3) - values.min(axis=3)).astype(np.float32) / 255
    columns = (
        gray.mean(axis=(1, 2)),
        _border_mean(gray),
        gray.std(axis=(1, 2)),
        np.sqrt(np.square(spread).mean(axis=(1, 2))),
        (_mean_step(gray, 1) + _mean_step(gray, 2)) / 2,
    )
    return np.stack(columns, axis=1).astype(np.float32)


def _border_mean(gray: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean of the pixels at the edges of images, shape (n, height, width)."""
    height, width = gray.shape[1:]
    is_border = np.ones((height, width), bool)
    rows, columns = max(1, height // _BORDER), max(1, width // _BORDER)
    is_border[rows : height - rows, columns : width - columns] = False
    mean: NDArray[np.float32] = gray[:, is_border].mean(axis=1)
    return mean


def _mean_step(gray: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """Return the mean difference of pixels that are neighbors along an axis, shape (n,)."""
    if gray.shape[axis] < 2:
        return np.zeros(len(gray), np.float32)
    mean: NDArray[np.float32] = np.abs(np.diff(gray, axis=axis)).mean(axis=(1, 2))
    return mean
