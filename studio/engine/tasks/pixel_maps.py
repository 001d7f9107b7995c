"""Outputs for each pixel as maps of pictures of any size: classes, and numbers.

Tiles overlap. Where they do, the outputs are blended: each counts the less the nearer its own
border is, where a network sees little around a pixel. So no seam remains.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import PixelClasses
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.placement import MIN_OVERLAP, Framing, Placement, placement
from studio.engine.tasks.tiling import TiledPicture

Maps = NDArray[np.float32]
"""Outputs of each pixel, such as probabilities of classes, shape (height, width, K)."""
Plane = NDArray[np.float32]
"""One output of each pixel, shape (height, width)."""


def labels_of_whole(maps: Maps, full: tuple[int, int], framing: Framing) -> PixelClasses:
    """Bring the probabilities of a picture that was fitted to the network back to its own size.

    Args:
        maps: Shape (height, width, K), of the fitted picture.
        full: Width and height of the picture.
        framing: Conversion of the picture. Cropped pixels are `IGNORE`.

    Returns:
        Of the size of the picture.
    """
    place = placement(full, (maps.shape[1], maps.shape[0]), framing.resize)
    left, top, right, bottom = (round(each) for each in place.box)
    labels = np.full(full[::-1], IGNORE, np.uint8)
    labels[top:bottom, left:right] = _enlarged(_inside(maps, place), (right - left, bottom - top))
    return labels


def _inside(maps: Maps, place: Placement) -> Maps:
    """Cut the border off that fitting added."""
    (x, y), (width, height) = place.corner, place.content
    return maps[y : y + height, x : x + width]


def _enlarged(maps: Maps, size: tuple[int, int]) -> PixelClasses:
    """Return the most probable class at another size, from probabilities blended in between.

    One class at a time: all maps of a large picture would not fit into memory.

    Args:
        maps: Shape (height, width, K).
        size: Width and height of the result.
    """
    if size == (maps.shape[1], maps.shape[0]):
        found: PixelClasses = np.argmax(maps, axis=-1).astype(np.uint8)
        return found
    best = np.full(size[::-1], -1.0, np.float32)
    labels = np.zeros(size[::-1], np.uint8)
    for place in range(maps.shape[2]):
        each = _blended(maps[:, :, place], size)
        labels[each > best] = place
        np.maximum(best, each, out=best)
    return labels


def _blended(plane: Plane, size: tuple[int, int]) -> Plane:
    """Return one map at another size, by Pillow as in the script of an export."""
    image = Image.fromarray(np.ascontiguousarray(plane))
    return np.asarray(image.resize(size, Image.Resampling.BILINEAR))


def labels_of_tiles(picture: TiledPicture, full: tuple[int, int]) -> PixelClasses:
    """Return the most probable class of each pixel of a picture of blended tiles.

    Args:
        picture: The tiles.
        full: Width and height of the picture.
    """
    labels = np.zeros(full[::-1], np.uint8)
    for top, band in bands(picture, full):
        labels[top : top + len(band)] = band[..., :-1].argmax(axis=-1)
    return labels


def values_of_whole(plane: Plane, full: tuple[int, int], framing: Framing) -> Plane:
    """Bring one output of a picture that was fitted to the network back to its own size.

    Args:
        plane: Shape (height, width), of the fitted picture.
        full: Width and height of the picture.
        framing: Conversion of the picture. Cropped pixels are NaN.

    Returns:
        Of the size of the picture.
    """
    place = placement(full, (plane.shape[1], plane.shape[0]), framing.resize)
    left, top, right, bottom = (round(each) for each in place.box)
    values = np.full(full[::-1], np.nan, np.float32)
    inside = _inside(plane[..., None], place)[..., 0]
    values[top:bottom, left:right] = _blended(inside, (right - left, bottom - top))
    return values


def values_of_tiles(picture: TiledPicture, full: tuple[int, int], output: int) -> Plane:
    """Return one output of each pixel of a picture of blended tiles.

    Args:
        picture: The tiles.
        full: Width and height of the picture.
        output: Index of the output, 0 to K - 1.
    """
    values = np.full(full[::-1], np.nan, np.float32)
    for top, band in bands(picture, full):
        values[top : top + len(band)] = value_of_band(band, output)
    return values


def value_of_band(band: Maps, output: int) -> Plane:
    """Return one output of each pixel of some lines, shape (lines, width).

    Args:
        band: See `bands`.
        output: Index of the output, 0 to K - 1 or negative.
    """
    values: Plane = band[..., :-1][..., output] / band[..., -1]
    return values


def bands(picture: TiledPicture, full: tuple[int, int]) -> Iterator[tuple[int, Maps]]:
    """Yield the blended outputs of a picture from top to bottom, a row of tiles at a time.

    Only those of one row of tiles are in memory.

    Args:
        picture: The tiles.
        full: Width and height of the picture.

    Yields:
        The first line, and sums of the weighted outputs and of the weights of the lines from
        there on, shape (lines, width, K + 1).
    """
    side = picture.tiles[0][3]
    band: Maps | None = None
    top = 0
    for (left, y, _, _), _, maps in picture.scored():
        weighted = _weighted(maps, side)
        if band is None:
            band = np.zeros((side, max(full[0], side), weighted.shape[2]), np.float32)
        if y > top:
            done = y - top
            yield top, band[:done, : full[0]]
            band[: side - done] = band[done:].copy()
            band[side - done :] = 0
            top = y
        band[:, left : left + side] += weighted
    if band is not None:
        yield top, band[: full[1] - top, : full[0]]


def _weighted(maps: Maps, side: int) -> Maps:
    """Return the outputs of a tile at its own size, times their weights, and the weights.

    A weight is the smaller the nearer the border of the tile is.
    """
    if maps.shape[:2] != (side, side):
        size = side, side
        maps = np.stack([_blended(each, size) for each in np.moveaxis(maps, 2, 0)], axis=-1)
    # Tukey's window, half a pixel off: at the border, what one tile alone covers must count, too.
    ramp = np.minimum(np.arange(side) + 0.5, side - np.arange(side) - 0.5)
    inside = np.minimum(ramp / (side / MIN_OVERLAP), 1.0)
    weights = (np.sin(np.pi / 2 * inside) ** 2).astype(np.float32)
    plane = (weights[:, None] * weights)[..., None]
    weighted: Maps = np.concatenate([maps * plane, plane], axis=-1)
    return weighted
