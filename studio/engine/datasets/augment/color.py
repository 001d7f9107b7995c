"""Linear changes of color, gathered into one matrix and done in one pass.

A color is red, green, blue from 0 to 255; a change is (matrix of 3x3, offset of 3). Values are cut
to 0..255 once, at the end, so that brightening and then darkening loses nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from studio.engine.arrays import Pixels

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

UNCHANGED: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# ITU-R BT.601: how bright the eye finds each channel.
LUMA: Vector = (0.299, 0.587, 0.114)


def scaling(factor: float) -> Matrix:
    """Return all channels times a factor."""
    return ((factor, 0.0, 0.0), (0.0, factor, 0.0), (0.0, 0.0, factor))


def saturation(factor: float) -> Matrix:
    """Return the distance from gray of the same luma times a factor; 0 gives gray."""
    red, green, blue = ((1.0 - factor) * share for share in LUMA)
    return ((red + factor, green, blue), (red, green + factor, blue), (red, green, blue + factor))


def hue(degrees: float) -> Matrix:
    """Turns colors around the axis of grays and keeps their luma.

    The turn of I and Q in the YIQ space (FCC, NTSC 1953). It is linear, unlike the hue of HSV,
    and so part of the one matrix; gray stays as it is.
    """
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    turn: Matrix = ((1.0, 0.0, 0.0), (0.0, cosine, -sine), (0.0, sine, cosine))
    return product(product(_FROM_YIQ, turn), _TO_YIQ)


def product(left: Matrix, right: Matrix) -> Matrix:
    """Multiply two 3x3 matrices.

    Args:
        left: Applied second.
        right: Applied first.
    """
    a, b, c = left
    return (_row(a, right), _row(b, right), _row(c, right))


def applied(matrix: Matrix, color: Vector) -> Vector:
    """Multiply a matrix by a color.

    Args:
        matrix: 3x3 matrix.
        color: Red, green and blue.
    """
    a, b, c = matrix
    return (_dot(a, color), _dot(b, color), _dot(c, color))


def plus(a: Vector, b: Vector) -> Vector:
    """Add two vectors.

    Args:
        a: First vector.
        b: Second vector.
    """
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


class ColorMap(NamedTuple):
    """All changes of color of an image as one.

    Args:
        matrix: Factors of a pixel's color.
        of_mean: Factors of the image's mean color. A contrast changes only `matrix`: it
            multiplies the distance from the mean, which stays the same.
        offset: Added to all colors.
    """

    matrix: Matrix = UNCHANGED
    of_mean: Matrix = UNCHANGED
    offset: Vector = (0.0, 0.0, 0.0)

    def then(self, matrix: Matrix, offset: Vector) -> ColorMap:
        """This change and then a linear one.

        Args:
            matrix: Factors.
            offset: Added after that.
        """
        if matrix is UNCHANGED:
            return self._replace(offset=plus(self.offset, offset))
        return ColorMap(
            product(matrix, self.matrix),
            product(matrix, self.of_mean),
            plus(applied(matrix, self.offset), offset),
        )

    def then_contrast(self, factor: float) -> ColorMap:
        """This change, and then the distance from the mean color times a factor."""
        return self._replace(matrix=product(scaling(factor), self.matrix))


def arrays_of(
    maps: Sequence[ColorMap], channels: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Changes of color as arrays.

    Args:
        maps: Changes of n images.
        channels: 3 for red, green and blue; each of any other number is changed as gray is.

    Returns:
        Factors of a pixel, shape (n, channels, channels), factors of the mean color of its image,
        of the same shape, and what is added, shape (n, channels).
    """
    matrices = np.array([each.matrix for each in maps])
    factors = np.array([each.of_mean for each in maps]) - matrices
    offsets = np.array([each.offset for each in maps])
    if channels != 3:
        grays = (each[:, :1].sum(axis=2, keepdims=True) for each in (matrices, factors))
        return *(each * np.eye(channels) for each in grays), np.repeat(offsets[:, :1], channels, 1)
    return matrices, factors, offsets


def recolored(image: Pixels, change: ColorMap, *, is_rgb: bool = True) -> Pixels:
    """Change the colors of an image; uint8 is rounded and clipped to 0..255.

    Args:
        image: Shape (height, width, channels), on the scale from 0 to 255.
        change: The change.
        is_rgb: False if the channels are no colors: each is changed as gray is.

    Returns:
        Of the same shape and type, a new array. OpenCV computes in fixed point: some values (5 to
        7 %) differ by one level from exact rounding, which in floating point takes six times as
        long.
    """
    channels = image.shape[2]
    if not is_rgb or channels not in {1, 3}:
        (matrix,), (factors,), (offset,) = arrays_of([change], 1)
        mean = image.mean(axis=(0, 1), dtype=np.float64)
        changed: Pixels = (image * matrix[0, 0] + (mean * factors[0, 0] + offset[0])).astype(
            image.dtype
        )
        return changed
    (matrix,), (factors,), (offset,) = arrays_of([change], channels)
    shift = factors @ cv2.mean(image)[:channels] + offset
    result = cv2.transform(image, np.column_stack([matrix, shift]))
    return result.reshape(image.shape).astype(image.dtype, copy=False)


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _row(row: Vector, matrix: Matrix) -> Vector:
    x, y, z = row
    a, b, c = matrix
    return (
        x * a[0] + y * b[0] + z * c[0],
        x * a[1] + y * b[1] + z * c[1],
        x * a[2] + y * b[2] + z * c[2],
    )


_TO_YIQ: Matrix = (LUMA, (0.5959, -0.2746, -0.3213), (0.2115, -0.5227, 0.3112))
_FROM_YIQ = cast("Matrix", tuple(map(tuple, np.linalg.inv(_TO_YIQ).tolist())))
