"""Masks of pictures of any size.

Tiles overlap. Where they do, the probabilities are blended: each counts the less the nearer its
own border is, where a network sees little around a pixel. So no seam remains.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import PixelClasses
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.placement import LEAST_OVERLAP, Framing, Placement, placement
from studio.engine.tasks.tiling import TiledPicture

Maps = NDArray[np.float32]
"""Probabilities of the classes of each pixel, shape (height, width, K)."""


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


def _blended(plane: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    """Return one map at another size, by Pillow as in the script of an export."""
    image = Image.fromarray(np.ascontiguousarray(plane))
    return np.asarray(image.resize(size, Image.Resampling.BILINEAR))


def labels_of_tiles(picture: TiledPicture, full: tuple[int, int]) -> PixelClasses:
    """Blend the probabilities of the tiles of a picture.

    Only those of one row of tiles are in memory at a time.

    Args:
        picture: The tiles.
        full: Width and height of the picture.
    """
    labels = np.zeros(full[::-1], np.uint8)
    side = picture.tiles[0][3]
    band: Maps | None = None
    top = 0
    for (left, y, _, _), _, maps in picture.scored():
        weighted = _weighted(maps, side)
        if band is None:
            width = max(full[0], side)
            band = np.zeros((side, width, maps.shape[2]), np.float32)
        if y > top:
            done = y - top
            labels[top:y] = band[:done, : full[0]].argmax(axis=-1)
            band[: side - done] = band[done:]
            band[side - done :] = 0
            top = y
        band[:, left : left + side] += weighted
    if band is not None:
        labels[top:] = band[: full[1] - top, : full[0]].argmax(axis=-1)
    return labels


def _weighted(maps: Maps, side: int) -> Maps:
    """Return the probabilities of a tile at its own size, the less the nearer its border."""
    if maps.shape[:2] != (side, side):
        size = side, side
        maps = np.stack([_blended(each, size) for each in np.moveaxis(maps, 2, 0)], axis=-1)
    # Tukey's window, half a pixel off: at the border, what one tile alone covers must count, too.
    ramp = np.minimum(np.arange(side) + 0.5, side - np.arange(side) - 0.5)
    inside = np.minimum(ramp / (side / LEAST_OVERLAP), 1.0)
    weights = (np.sin(np.pi / 2 * inside) ** 2).astype(np.float32)
    weighted: Maps = maps * (weights[:, None] * weights)[..., None]
    return weighted
