"""Masks and boxes of pictures of any size: of the whole picture at once, or tile by tile.

Tiles overlap. Where they do, the probabilities of masks are blended: each counts the less the
nearer its own border is, where a network sees little around a pixel. So no seam remains. Of boxes
that several tiles give, the best is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import ClassMap
from studio.engine.datasets.decode import Placement, placement, tiles_of
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import Tile
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.boxes import BOTTOM, LEFT, areas
from studio.engine.tasks.decoding import (
    Detections,
    corners_of,
    decoded,
    merged,
    without_places,
)

Maps = NDArray[np.float32]
"""Probabilities of the classes of each pixel, shape (height, width, K)."""
Score = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""Outputs of a network for n images: `Maps`, or for boxes shape (P, K + 4), of each."""

_LEAST_OVERLAP: Final = 4
"""Tiles overlap by at least such a part of their side, so that their borders never decide."""


def labels_of_whole(maps: Maps, full: tuple[int, int], recipe: DatasetRecipe) -> ClassMap:
    """Bring the probabilities of a picture that was fitted to the network back to its own size.

    Args:
        maps: Shape (height, width, K), of the fitted picture.
        full: Width and height of the picture.
        recipe: Conversion of the picture. Cropped pixels are `IGNORE`.

    Returns:
        Of the size of the picture.
    """
    place = placement(full, (maps.shape[1], maps.shape[0]), recipe.resize)
    left, top, right, bottom = (round(each) for each in place.box)
    labels = np.full(full[::-1], IGNORE, np.uint8)
    labels[top:bottom, left:right] = _enlarged(_inside(maps, place), (right - left, bottom - top))
    return labels


def _inside(maps: Maps, place: Placement) -> Maps:
    """Cut the border off that fitting added."""
    (x, y), (width, height) = place.corner, place.content
    return maps[y : y + height, x : x + width]


def _enlarged(maps: Maps, size: tuple[int, int]) -> ClassMap:
    """Return the most probable class at another size, from probabilities blended in between.

    One class at a time: all maps of a large picture would not fit into memory.

    Args:
        maps: Shape (height, width, K).
        size: Width and height of the result.
    """
    if size == (maps.shape[1], maps.shape[0]):
        found: ClassMap = np.argmax(maps, axis=-1).astype(np.uint8)
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


def tiles_for(full: tuple[int, int], recipe: DatasetRecipe) -> list[Tile]:
    """Return the tiles of a picture, row by row, that overlap by a quarter at least.

    Args:
        full: Width and height of the picture.
        recipe: Conversion with size and overlap of the tiles.

    Raises:
        BadDataError: They are too many.
    """
    side = recipe.tile_size
    overlap = min(max(recipe.tile_overlap, side // _LEAST_OVERLAP), side // 2)
    return tiles_of(full, side, overlap)


def labels_of_tiles(
    parts: Iterable[NDArray[np.uint8]],
    tiles: Sequence[Tile],
    full: tuple[int, int],
    score: Score,
    batch: int,
) -> ClassMap:
    """Blend the probabilities of the tiles of a picture.

    Only those of one row of tiles are in memory at a time.

    Args:
        parts: The tiles as the network takes them, each of shape (height, width, channels).
        tiles: Their places, row by row.
        full: Width and height of the picture.
        score: Runs the network.
        batch: Tiles at a time.
    """
    labels = np.zeros(full[::-1], np.uint8)
    side = tiles[0][3]
    band: Maps | None = None
    top = 0
    for (left, y, _, _), (_, maps) in zip(tiles, _scored(parts, score, batch), strict=True):
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


def _scored(
    parts: Iterable[NDArray[np.uint8]], score: Score, batch: int
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.float32]]]:
    """Yield each tile and the outputs for it."""
    remaining = iter(parts)
    while group := list(islice(remaining, batch)):
        yield from zip(group, score(np.stack(group)), strict=True)


def _weighted(maps: Maps, side: int) -> Maps:
    """Return the probabilities of a tile at its own size, the less the nearer its border."""
    if maps.shape[:2] != (side, side):
        size = side, side
        maps = np.stack([_blended(each, size) for each in np.moveaxis(maps, 2, 0)], axis=-1)
    # Tukey's window, half a pixel off: at the border, what one tile alone covers must count, too.
    ramp = np.minimum(np.arange(side) + 0.5, side - np.arange(side) - 0.5)
    inside = np.minimum(ramp / (side / _LEAST_OVERLAP), 1.0)
    weights = (np.sin(np.pi / 2 * inside) ** 2).astype(np.float32)
    weighted: Maps = maps * (weights[:, None] * weights)[..., None]
    return weighted


# Boxes.


def boxes_of_whole(
    outputs: NDArray[np.float32],
    full: tuple[int, int],
    recipe: DatasetRecipe,
    *,
    are_decoded: bool = False,
) -> Detections:
    """Return the detections of a picture that was fitted to the network, in pixels of the picture.

    Args:
        outputs: Outputs of the network for the picture, shape (P, K + 4).
        full: Width and height of the picture.
        recipe: Conversion of the picture.
        are_decoded: True if the outputs are detections already, shape (100, 6).
    """
    seen = recipe.height, recipe.width
    rows = without_places(outputs if are_decoded else decoded(outputs[None], seen)[0])
    return placed_back(rows, placement(full, (recipe.width, recipe.height), recipe.resize))


def placed_back(rows: Detections, place: Placement) -> Detections:
    """Return detections in pixels of the original; what lies on an added border is cut off.

    Args:
        rows: Detections in pixels of the fitted picture, shape (m, 6).
        place: How the picture was fitted.
    """
    left, top, right, bottom = place.box
    scale = (right - left) / place.content[0], (bottom - top) / place.content[1]
    corners = corners_of(rows).astype(np.float64) - np.tile(place.corner, 2)
    return _within(rows, corners * np.tile(scale, 2) + np.tile((left, top), 2), place.box)


def _within(
    rows: Detections, corners: NDArray[np.float64], limits: tuple[float, float, float, float]
) -> Detections:
    """Shift and clip detections, and drop those outside.

    Args:
        rows: Detections, shape (m, 6).
        corners: Left, top, right and bottom of each, shape (m, 4).
        limits: Left, top, right and bottom of where they may be.
    """
    found = rows.copy()
    found[:, LEFT : BOTTOM + 1] = np.clip(corners, limits[:2] * 2, limits[2:] * 2)
    inside: Detections = found[areas(corners_of(found)) > 0]
    return inside


def boxes_of_tiles(
    parts: Iterable[NDArray[np.uint8]],
    tiles: Sequence[Tile],
    full: tuple[int, int],
    score: Score,
    batch: int,
    *,
    are_decoded: bool = False,
) -> Detections:
    """Return the detections of the tiles of a picture, joined, in pixels of the picture.

    Args:
        parts: The tiles as the network takes them, each of shape (height, width, channels).
        tiles: Their places.
        full: Width and height of the picture.
        score: Runs the network.
        batch: Tiles at a time.
        are_decoded: True if it returns detections already, shape (n, 100, 6).
    """
    found: list[Detections] = []
    for tile, (part, outputs) in zip(tiles, _scored(parts, score, batch), strict=True):
        left, top, width, height = tile
        seen = part.shape[0], part.shape[1]
        shown = Placement((left, top, left + width, top + height), seen[::-1], (0, 0))
        rows = without_places(outputs if are_decoded else decoded(outputs[None], seen)[0])
        placed = placed_back(rows, shown)
        # Tiles reach beyond a picture that is smaller than one.
        found.append(_within(placed, corners_of(placed).astype(np.float64), (0, 0, *full)))
    return merged(found, tiles, full)
