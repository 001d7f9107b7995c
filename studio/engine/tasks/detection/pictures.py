"""Detections in pictures of any size; of boxes that several tiles give, the best is kept."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import BOTTOM, LEFT, areas
from studio.engine.tasks.decoding import (
    Detections,
    corners_of,
    decoded,
    merged,
    without_places,
)
from studio.engine.tasks.placement import Framing, Placement, placement
from studio.engine.tasks.tiling import TiledPicture


def boxes_of_whole(
    outputs: NDArray[np.float32],
    full: tuple[int, int],
    framing: Framing,
    *,
    are_decoded: bool = False,
) -> Detections:
    """Return the detections of a picture that was fitted to the network, in pixels of the picture.

    Args:
        outputs: Outputs of the network for the picture, shape (P, K + 4).
        full: Width and height of the picture.
        framing: Conversion of the picture.
        are_decoded: True if the outputs are detections already, shape (100, 6).
    """
    seen = framing.height, framing.width
    rows = without_places(outputs if are_decoded else decoded(outputs[None], seen)[0])
    return placed_back(rows, placement(full, (framing.width, framing.height), framing.resize))


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


def step_through_tiles(
    picture: TiledPicture, full: tuple[int, int], *, are_decoded: bool = False
) -> Generator[float, None, Detections]:
    """Return the detections of tiles, joined, in pixels of the picture; yield the progress.

    Args:
        picture: The tiles.
        full: Width and height of the picture.
        are_decoded: True if the network returns detections already, shape (n, 100, 6).
    """
    found: list[Detections] = []
    for number, (tile, part, outputs) in enumerate(picture.scored()):
        yield number / len(picture.tiles)
        left, top, width, height = tile
        seen = part.shape[0], part.shape[1]
        shown = Placement((left, top, left + width, top + height), seen[::-1], (0, 0))
        rows = without_places(outputs if are_decoded else decoded(outputs[None], seen)[0])
        placed = placed_back(rows, shown)
        # Tiles reach beyond a picture that is smaller than one.
        found.append(_within(placed, corners_of(placed).astype(np.float64), (0, 0, *full)))
    return merged(found, picture.tiles, full)
