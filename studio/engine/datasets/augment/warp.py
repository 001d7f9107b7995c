"""Applies affine maps to images, each with one resampling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.augment.affine import Affine
from studio.engine.datasets.augment.plan import Fill

Pixels = NDArray[np.uint8]

LEVELS: Mapping[str, int] = {"black": 0, "gray": 128, "white": 255}
"""Gray levels of fills that are a color."""

_BITS = 13
_ONE = 1 << _BITS
_LANE = 8 + _BITS
PIXELS_AT_ONCE = 1 << 16
"""Pixels that stay in the cache of a core through all passes."""


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
    result = np.full((height, width, channels), LEVELS[fill], np.uint8)
    part = image[max(0, y) : max(0, height + y), max(0, x) : max(0, width + x)]
    top, left = max(0, -y), max(0, -x)
    result[top : top + part.shape[0], left : left + part.shape[1]] = part
    return result


def warped(planes: Pixels, maps: NDArray[np.float64], fill: Fill) -> Pixels:
    """Resample images, each by its own map, bilinear; values are cut to whole numbers.

    The channels of a pixel lie in one integer of 64 bits, 21 bits apart, so that one product
    weights all of them: weights have 13 bits, values 8.

    Args:
        planes: Images by channel, uint8, shape (1 or 3, n, height, width).
        maps: Maps as `affine` describes them, shape (n, 6).
        fill: Content of the places that lie outside the original.

    Returns:
        uint8 of the same shape.
    """
    _, count, height, width = planes.shape
    packed = _packed(planes)
    a, b, c, d, e, f = maps.T[:, :, None] * _ONE
    # Places are counted from the center, the axes here from the middle of the first pixel.
    xs, ys = np.arange(width) - (width - 1) / 2, np.arange(height) - (height - 1) / 2
    x_of_column, y_of_column = (a * xs).astype(np.float32), (d * xs).astype(np.float32)
    # Half a unit more rounds, because the conversion to integers cuts.
    x_of_row = (b * ys + c + _ONE * width / 2 + 0.5).astype(np.float32)
    y_of_row = (e * ys + f + _ONE * height / 2 + 0.5).astype(np.float32)
    result = np.empty_like(planes)
    rows = max(1, PIXELS_AT_ONCE // (count * width))
    for top in range(0, height, rows):
        band = slice(top, top + rows)
        x = np.add(x_of_row[:, band, None], x_of_column[:, None]).astype(np.int32)
        y = np.add(y_of_row[:, band, None], y_of_column[:, None]).astype(np.int32)
        outside = None
        if fill == "reflect":
            _fold(x, width)
            _fold(y, height)
        else:
            outside = (x < 0) | (x >= width * _ONE) | (y < 0) | (y >= height * _ONE)
        result[:, :, band] = _sampled(packed, x, y, planes.shape)
        if outside is not None:
            result[:, :, band][:, outside] = LEVELS[fill]
    return result


def _packed(planes: Pixels) -> NDArray[np.signedinteger[Any]]:
    """The channels of each pixel in one integer, one image after the other.

    One row and one pixel of zeros follow, so that every pixel has a next one in each direction.
    """
    channels, count, height, width = planes.shape
    packed = np.zeros(count * height * width + width + 1, np.int64 if channels > 1 else np.int32)
    inner = packed[: -width - 1].reshape(planes.shape[1:])
    inner[...] = planes[-1]
    if channels > 1:
        inner <<= 2 * _LANE
        others = planes[1].astype(np.int32)
        others <<= _LANE
        others |= planes[0]
        inner |= others
    return packed


def _fold(places: NDArray[np.int32], side: int) -> None:
    """Mirror places outside the image into it, in place; in units of 1 / `_ONE` pixels."""
    end = side * _ONE
    if places.min() < -end or places.max() > 2 * end:
        places %= 2 * end
    for _ in range(2):
        np.abs(places, out=places)
        np.subtract(end, places, out=places)


def _sampled(
    packed: NDArray[np.signedinteger[Any]],
    x: NDArray[np.int32],
    y: NDArray[np.int32],
    shape: tuple[int, ...],
) -> Pixels:
    """The images at places, by channel.

    Args:
        packed: See `_packed`.
        x: From the left border in units of 1 / `_ONE` pixels, shape (n, rows, columns); changed.
        y: From the upper border, likewise.
        shape: Of the images by channel.
    """
    channels, count, height, width = shape
    x -= _ONE // 2
    y -= _ONE // 2
    np.clip(x, 0, (width - 1) * _ONE, out=x)
    np.clip(y, 0, (height - 1) * _ONE, out=y)
    index = (y >> _BITS).astype(np.int64)
    index *= width
    index += x >> _BITS
    index += np.arange(count)[:, None, None] * (height * width)
    x &= _ONE - 1
    y &= _ONE - 1
    # The four weights add up to exactly `_ONE`, so that even areas stay as they are.
    both = (x * y + _ONE // 2) >> _BITS
    x -= both
    y -= both
    total = packed.take(index)
    total *= (_ONE - both - x - y).astype(packed.dtype)
    for shift, weight in ((1, x), (width, y), (width + 1, both)):
        part = packed[shift:].take(index)
        part *= weight.astype(packed.dtype)
        total += part
    result = np.empty((channels, *x.shape), np.uint8)
    total >>= _BITS
    for channel in range(channels):
        result[channel] = total
        if channel < channels - 1:
            total >>= _LANE
    return result


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
