"""Linear changes of color, gathered into one matrix and done in one pass.

A color is red, green, blue from 0 to 255; a change is (matrix of 3x3, offset of 3). Values are cut
to 0..255 once, at the end, so that brightening and then darkening loses nothing.
"""

from __future__ import annotations

import math

from PIL import Image

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

UNCHANGED: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# ITU-R BT.601: how bright the eye finds each channel.
LUMA: Vector = (0.299, 0.587, 0.114)


def scaling(factor: float) -> Matrix:
    """All channels times a factor."""
    return ((factor, 0.0, 0.0), (0.0, factor, 0.0), (0.0, 0.0, factor))


def saturation(factor: float) -> Matrix:
    """The distance from gray of the same luma times a factor; 0 gives gray."""
    red, green, blue = ((1.0 - factor) * share for share in LUMA)
    return (
        (red + factor, green, blue),
        (red, green + factor, blue),
        (red, green, blue + factor),
    )


def hue(degrees: float) -> Matrix:
    """Turns colors around the axis of grays and keeps their luma.

    The turn of I and Q in the YIQ space (FCC, NTSC 1953). It is linear, unlike the hue of HSV,
    and so part of the one matrix; gray stays as it is.
    """
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    turn: Matrix = ((1.0, 0.0, 0.0), (0.0, cosine, -sine), (0.0, sine, cosine))
    return product(product(_FROM_YIQ, turn), _TO_YIQ)


def product(left: Matrix, right: Matrix) -> Matrix:
    """The matrix of `right` and then `left`."""
    a, b, c = left
    return (_row(a, right), _row(b, right), _row(c, right))


def applied(matrix: Matrix, color: Vector) -> Vector:
    """The matrix times a color."""
    a, b, c = matrix
    return (_dot(a, color), _dot(b, color), _dot(c, color))


def plus(a: Vector, b: Vector) -> Vector:
    """The sum of two."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def recolored(picture: Image.Image, matrix: Matrix, offset: Vector) -> Image.Image:
    """A picture of mode L or RGB under a change of color, rounded and cut to 0..255."""
    if picture.mode == "L":
        factor, shift = sum(matrix[0]), offset[0]
        return picture.point([min(max(int(factor * x + shift + 0.5), 0), 255) for x in range(256)])
    a, b, c = matrix
    return picture.convert("RGB", (*a, offset[0], *b, offset[1], *c, offset[2]))


def mean_color(picture: Image.Image) -> Vector:
    """Mean of each channel; that of a gray picture three times."""
    counts = picture.histogram()
    size = picture.width * picture.height
    means = [
        sum(map(_times, counts[start : start + 256], _VALUES)) / size
        for start in range(0, len(counts), 256)
    ]
    return (means[0], means[1], means[2]) if len(means) == 3 else (means[0],) * 3


_VALUES = range(256)


def _times(count: int, value: int) -> int:
    return count * value


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


def _inverse(matrix: Matrix) -> Matrix:
    (a, b, c), (d, e, f), (g, h, i) = matrix
    size = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return (
        ((e * i - f * h) / size, (c * h - b * i) / size, (b * f - c * e) / size),
        ((f * g - d * i) / size, (a * i - c * g) / size, (c * d - a * f) / size),
        ((d * h - e * g) / size, (b * g - a * h) / size, (a * e - b * d) / size),
    )


_TO_YIQ: Matrix = (LUMA, (0.5959, -0.2746, -0.3213), (0.2115, -0.5227, 0.3112))
_FROM_YIQ = _inverse(_TO_YIQ)
