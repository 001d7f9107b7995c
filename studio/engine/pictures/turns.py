"""Orientation of arrays of pixels by EXIF and TIFF."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Value = TypeVar("_Value", bound=np.generic)
_SIDEWAYS = 5
"""Lowest orientation that exchanges width and height."""
_UPSIDE_DOWN = {3, 4, 6, 7}
_MIRRORED = {2, 3, 7, 8}


def is_sideways(orientation: int) -> bool:
    """Return True if an orientation exchanges width and height."""
    return _SIDEWAYS <= orientation <= 8


def turned(pixels: NDArray[_Value], orientation: int) -> NDArray[_Value]:
    """Return pixels as they are shown.

    Args:
        pixels: Shape (height, width, channels), as they are stored.
        orientation: EXIF orientation, 1 to 8; others change nothing.
    """
    if orientation in _UPSIDE_DOWN:
        pixels = pixels[::-1]
    if orientation in _MIRRORED:
        pixels = pixels[:, ::-1]
    if is_sideways(orientation):
        pixels = pixels.swapaxes(0, 1)
    return np.ascontiguousarray(pixels)
