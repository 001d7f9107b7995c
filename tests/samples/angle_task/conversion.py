"""Outputs of a network as an angle: for Studio, and for the exported script."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def degrees(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the directions of cosines and sines, shape (n, 2), in degrees from 0 to 360."""
    angles: NDArray[np.float64] = np.rad2deg(np.arctan2(values[:, 1], values[:, 0]))
    return angles % 360


def quantities(outputs: NDArray[Any]) -> list[tuple[str, float, str]]:
    """Return name, value and unit of the angle in a picture.

    Args:
        outputs: Cosine and sine, shape (2,).
    """
    (angle,) = degrees(outputs[None])
    return [("angle", float(angle), "°")]
