"""Measurements of objects with outlines: size, shape and brightness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.parts.objects import DetectedObject
from studio.engine.tasks.parts.outlines import filled_patch

PixelSize = tuple[float, float]
"""Width and height of a pixel in micrometers."""

_DIAGONAL: Final = math.sqrt(2)
_BORDER_LENGTHS: Final = np.zeros(50)
"""Length of the border at a pixel, by the sum of 2 for each side and 10 for each corner at which
another pixel of the border lies, plus 1 for itself."""
_BORDER_LENGTHS[[5, 7, 15, 17, 25, 27]] = 1
_BORDER_LENGTHS[[21, 33]] = _DIAGONAL
_BORDER_LENGTHS[[13, 23]] = (1 + _DIAGONAL) / 2


@dataclass(frozen=True, slots=True)
class Measurements:
    """Measurements of an object.

    Areas are in square pixels and lengths in pixels, or in square micrometers and micrometers,
    see `in_micrometers`. They are defined as in scikit-image.

    Attributes:
        area: Area of its pixels.
        perimeter: Length of its border through the centers of the border pixels; K. Benkrid and
            D. Crookes, "Design and FPGA implementation of a perimeter estimator", 2000.
        equivalent_diameter: Diameter of the circle with the same area.
        eccentricity: Eccentricity of the ellipse with the same second moments, 0 (circle) to 1.
        center: Mean x and y of its pixels in pixels of the picture.
        means: Mean value of each channel in the object; none without pixels.
    """

    area: float
    perimeter: float
    equivalent_diameter: float
    eccentricity: float
    center: tuple[float, float]
    means: tuple[float, ...] = ()

    def in_micrometers(self, pixel: PixelSize) -> Measurements:
        """Return the measurements in micrometers; center and means as they are.

        Where pixels are not square, the perimeter is scaled by the geometric mean of their sides.

        Args:
            pixel: Width and height of a pixel in micrometers.
        """
        area = pixel[0] * pixel[1]
        return Measurements(
            area=self.area * area,
            perimeter=self.perimeter * math.sqrt(area),
            equivalent_diameter=self.equivalent_diameter * math.sqrt(area),
            eccentricity=self.eccentricity,
            center=self.center,
            means=self.means,
        )


def measured(
    objects: Sequence[DetectedObject],
    size: tuple[int, int],
    pixels: Pixels | None = None,
    pixel: PixelSize = (1.0, 1.0),
) -> list[Measurements | None]:
    """Measure objects; None for those without an outline, or smaller than a pixel.

    Args:
        objects: Objects of a picture.
        size: Width and height of the picture.
        pixels: The picture, shape (height, width, channels); None to leave brightness out.
        pixel: Width and height of a pixel in any unit: eccentricities depend on their ratio.
    """
    return [
        _measured(filled_patch(each.outline, size), pixels, pixel) if each.outline else None
        for each in objects
    ]


def _measured(patch: Patch, pixels: Pixels | None, pixel: PixelSize) -> Measurements | None:
    rows, columns = np.nonzero(patch.inside)
    area = len(rows)
    if not area:
        return None
    height, width = patch.inside.shape
    means: tuple[float, ...] = ()
    if pixels is not None:
        part = pixels[patch.top : patch.top + height, patch.left : patch.left + width]
        means = tuple(part[rows, columns].mean(axis=0, dtype=np.float64).tolist())
    return Measurements(
        area=float(area),
        perimeter=perimeter(patch.inside),
        equivalent_diameter=math.sqrt(4 * area / math.pi),
        eccentricity=_eccentricity(columns * pixel[0], rows * pixel[1]),
        center=(
            patch.left + float(columns.mean()) + 0.5,
            patch.top + float(rows.mean()) + 0.5,
        ),
        means=means,
    )


def perimeter(inside: NDArray[np.bool_]) -> float:
    """Return the length of the border of a region in pixels, see `Measurements.perimeter`.

    Args:
        inside: Pixels of the region, shape (height, width).
    """
    padded = np.pad(inside, 2)
    # Pixels of the border have one of four neighbors outside.
    eroded = padded.copy()
    eroded[1:-1, 1:-1] &= (
        padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    )
    border = (padded & ~eroded).astype(np.uint8)
    sides = border[:-2, 1:-1] + border[2:, 1:-1] + border[1:-1, :-2] + border[1:-1, 2:]
    corners = border[:-2, :-2] + border[:-2, 2:] + border[2:, :-2] + border[2:, 2:]
    own = border[1:-1, 1:-1]
    codes = (own + 2 * sides + 10 * corners)[own > 0]
    return float(_BORDER_LENGTHS[codes].sum())


def _eccentricity(x: NDArray[np.generic], y: NDArray[np.generic]) -> float:
    """Return the eccentricity of the ellipse with the second moments of points."""
    spread = np.cov(np.stack([x, y]), bias=True)
    low, high = np.linalg.eigvalsh(spread).tolist()
    return math.sqrt(1 - max(0.0, low) / high) if high > 0 else 0.0
