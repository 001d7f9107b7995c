"""Applies one affine map to one image, with one resampling."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.augment.affine import Affine
from studio.engine.datasets.augment.plan import Fill

Pixels = NDArray[np.uint8]

_LEVELS = {"black": 0, "gray": 128, "white": 255}


def to_picture(image: Pixels) -> Image.Image:
    """Pixels of shape (height, width, 1 or 3) as a picture of mode L or RGB."""
    return Image.fromarray(image[:, :, 0] if image.shape[2] == 1 else image)


def to_pixels(picture: Image.Image) -> Pixels:
    """A picture of mode L or RGB as pixels of shape (height, width, 1 or 3)."""
    pixels: Pixels = np.asarray(picture)
    return pixels[:, :, None] if pixels.ndim == 2 else pixels


def is_exact(matrix: Affine) -> bool:
    """Whether the map needs no resampling: it flips, and moves by whole pixels, at most."""
    a, b, c, d, e, f = matrix
    return b == d == 0.0 and abs(a) == abs(e) == 1.0 and c.is_integer() and f.is_integer()


def moved(image: Pixels, matrix: Affine, fill: Fill) -> Pixels:
    """The image under a map that is exact; a view of it where nothing is to be filled."""
    height, width, channels = image.shape
    a, _, c, _, e, f = matrix
    image = image[:: int(e), :: int(a)]
    # Where the corner of the result lies in the mirrored original.
    x, y = int(a * c), int(e * f)
    if not (x or y):
        return image
    if fill == "reflect":
        whole = reflected(image, max(0, -x), max(0, -y), max(0, x), max(0, y))
        x, y = max(0, x), max(0, y)
        return whole[y : y + height, x : x + width]
    result = np.full((height, width, channels), _LEVELS[fill], np.uint8)
    part = image[max(0, y) : max(0, height + y), max(0, x) : max(0, width + x)]
    top, left = max(0, -y), max(0, -x)
    result[top : top + part.shape[0], left : left + part.shape[1]] = part
    return result


def warped(image: Pixels, matrix: Affine, fill: Fill) -> Image.Image:
    """The image under a map, bilinear.

    Args:
        image: uint8, shape (height, width, 1 or 3).
        matrix: See `affine`.
        fill: What stands where the original has nothing.
    """
    height, width, channels = image.shape
    a, b, c, d, e, f = matrix
    # From places around the center to places from the corner, as Pillow counts them.
    c += width / 2 - a * width / 2 - b * height / 2
    f += height / 2 - d * width / 2 - e * height / 2
    level = _LEVELS.get(fill, 0)
    if fill == "reflect":
        xs = (c, c + a * width, c + b * height, c + a * width + b * height)
        ys = (f, f + d * width, f + e * height, f + d * width + e * height)
        left, right = _outside(-min(xs)), _outside(max(xs) - width)
        top, bottom = _outside(-min(ys)), _outside(max(ys) - height)
        image = reflected(image, left, top, right, bottom)
        c, f = c + left, f + top
    return to_picture(image).transform(
        (width, height),
        Image.Transform.AFFINE,
        (a, b, c, d, e, f),
        Image.Resampling.BILINEAR,
        fillcolor=level if channels == 1 else (level, level, level),
    )


def reflected(image: Pixels, left: int, top: int, right: int, bottom: int) -> Pixels:
    """The image with its mirror image around it, border pixels twice."""
    if not (left or top or right or bottom):
        return image
    height, width, channels = image.shape
    if max(left, right) > width or max(top, bottom) > height:
        return np.pad(image, ((top, bottom), (left, right), (0, 0)), mode="symmetric")
    # np.pad costs five times as much as these copies of strips.
    result = np.empty((top + height + bottom, left + width + right, channels), np.uint8)
    middle = result[top : top + height]
    middle[:, left : left + width] = image
    middle[:, :left] = image[:, :left][:, ::-1]
    middle[:, left + width :] = image[:, width - right :][:, ::-1]
    result[:top] = middle[:top][::-1]
    result[top + height :] = middle[height - bottom :][::-1]
    return result


def _outside(distance: float) -> int:
    """Pixels to add for a place that far outside, and one more for the interpolation."""
    return math.ceil(distance) + 1 if distance > 0 else 1
