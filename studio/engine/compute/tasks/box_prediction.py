"""Boxes in pictures of any size: of the whole picture at once, or of its tiles together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from studio.engine.datasets.decode import Placement, placement
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import Tile
from studio.engine.tasks.boxes import BOTTOM, LEFT, areas
from studio.engine.tasks.decoding import (
    Detections,
    corners_of,
    decoded,
    merged,
    without_places,
)

Score = Callable[[Sequence[NDArray[np.uint8]]], NDArray[np.float32]]
"""Outputs for n images of a network for boxes, shape (n, P, K + 4)."""


def boxes_of_whole(
    outputs: NDArray[np.float32], full: tuple[int, int], recipe: DatasetRecipe
) -> Detections:
    """Return the detections of a picture that was fitted to the network, in its own pixels.

    Args:
        outputs: Outputs of the network for the picture, shape (P, K + 4).
        full: Width and height of the picture.
        recipe: Conversion of the picture.
    """
    seen = recipe.height, recipe.width
    rows = without_places(decoded(outputs[None], seen)[0])
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
    """Return detections at another place, clipped, without those that lie outside.

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
) -> Detections:
    """Return the detections of the tiles of a picture, joined, in pixels of the picture.

    Args:
        parts: The tiles as the network takes them, each of shape (height, width, channels).
        tiles: Their places.
        full: Width and height of the picture.
        score: Runs the network.
        batch: Tiles at a time.
    """
    found: list[Detections] = []
    remaining = iter(parts)
    while group := list(islice(remaining, batch)):
        seen = group[0].shape[0], group[0].shape[1]
        for rows in decoded(score(group), seen):
            left, top, width, height = tiles[len(found)]
            shown = Placement((left, top, left + width, top + height), seen[::-1], (0, 0))
            placed = placed_back(without_places(rows), shown)
            # Tiles reach beyond a picture that is smaller than one.
            found.append(_within(placed, corners_of(placed).astype(np.float64), (0, 0, *full)))
    return merged(found, tiles, full)
