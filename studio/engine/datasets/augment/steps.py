"""Changes of images: gathered first, then done to the whole batch in one pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.datasets.augment import affine
from studio.engine.datasets.augment.affine import Affine
from studio.engine.datasets.augment.color import ColorMap, Matrix, Vector, recolored
from studio.engine.datasets.augment.plan import Fill

# Applies affine maps to images, each with one resampling.

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


Filter = Callable[[Image.Image], Image.Image]
Paint = Callable[[Pixels], Pixels]

_NONE: Vector = (0.0, 0.0, 0.0)


class Steps:
    """The changes of one image.

    Whatever the number of operations: one resampling, one pass over the colors, then filters,
    then what paints pixels; inside each of these, in the order in which they were added.

    Args:
        height: Of the image.
        width: Of the image.
        channels: 1 or 3.
        fill: What stands where a turned or moved image leaves the frame empty.

    Attributes:
        matrix: All turns and moves as one, see `affine`.
        color: All changes of color as one; None where there are none.
    """

    __slots__ = (
        "_filters",
        "_paints",
        "channels",
        "color",
        "fill",
        "height",
        "matrix",
        "width",
    )

    def __init__(self, height: int, width: int, channels: int, fill: Fill) -> None:
        self.height = height
        self.width = width
        self.channels = channels
        self.fill: Fill = fill
        self.matrix = affine.IDENTITY
        self.color: ColorMap | None = None
        self._filters: list[Filter] = []
        self._paints: list[Paint] = []

    @property
    def is_affine(self) -> bool:
        """True if the map and the change of color are all there is."""
        return not self._filters and not self._paints

    def warp(self, matrix: Affine) -> None:
        """Turn, move or stretch."""
        self.matrix = affine.chain(self.matrix, matrix)

    def recolor(self, matrix: Matrix, offset: Vector = _NONE) -> None:
        """Change colors linearly."""
        self.color = (self.color or ColorMap()).then(matrix, offset)

    def contrast(self, factor: float) -> None:
        """Multiply the distance of every channel from its mean in this image."""
        self.color = (self.color or ColorMap()).then_contrast(factor)

    def filter(self, function: Filter) -> None:
        """Change the picture in a way that is neither of these."""
        self._filters.append(function)

    def finish(self, image: Pixels) -> None:
        """Do what acts on one image by itself: filters, then what paints.

        Args:
            image: uint8, shape (height, width, channels), turned and recolored; changed in place.
        """
        if self._filters:
            picture = to_picture(image)
            for change in self._filters:
                picture = change(picture)
            image[...] = to_pixels(picture)
        for paint in self._paints:
            image[...] = paint(image)

    def paint(self, function: Paint) -> None:
        """Change pixels last; the function gives uint8 of the same shape, a new array."""
        self._paints.append(function)


def render(images: Pixels, steps: Sequence[Steps]) -> Pixels:
    """Do what was gathered for the images of a batch.

    Args:
        images: uint8, shape (n, height, width, 1 or 3); changed in place.
        steps: What is done to each.

    Returns:
        The images.
    """
    count, height, width, channels = images.shape
    for image, step in zip(images, steps, strict=True):
        if step.matrix != affine.IDENTITY and is_exact(step.matrix):
            image[...] = moved(image, step.matrix, step.fill)
    warps = [not is_exact(step.matrix) for step in steps]
    busy = [at for at in range(count) if warps[at] or steps[at].color]
    several = max(1, PIXELS_AT_ONCE // (height * width))
    for start in range(0, len(busy), several):
        part = busy[start : start + several]
        planes = np.empty((channels, len(part), height, width), np.uint8)
        for at, channel in np.ndindex(len(part), channels):
            planes[channel, at] = images[part[at], :, :, channel]
        chosen = _all_or([warps[index] for index in part])
        if maps := [steps[index].matrix for index in part if warps[index]]:
            planes[:, chosen] = warped(planes[:, chosen], np.array(maps), steps[0].fill)
        chosen = _all_or([steps[index].color is not None for index in part])
        if colors := [change for index in part if (change := steps[index].color)]:
            planes[:, chosen] = recolored(planes[:, chosen], colors)
        for at, channel in np.ndindex(len(part), channels):
            images[part[at], :, :, channel] = planes[channel, at]
    for image, step in zip(images, steps, strict=True):
        step.finish(image)
    return images


def _all_or(chosen: list[bool]) -> slice | list[bool]:
    """An index of those chosen; of all of them one that copies nothing."""
    return slice(None) if all(chosen) else chosen
