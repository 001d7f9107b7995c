"""Stars in pictures of any size; an object that several tiles show is given once."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import BOTTOM, LEFT, RIGHT, TOP
from studio.engine.tasks.decoding import SCORE, without_places
from studio.engine.tasks.instances.decoding import candidates_of, suppressed
from studio.engine.tasks.placement import Framing, Tile, placement
from studio.engine.tasks.stars import DISTANCES, VALUES, Stars, X, Y, corners_of
from studio.engine.tasks.tiling import ScoredTile

_NEAR_BORDER: Final = 2.0
"""Distance from the border of a tile, in pixels that the network sees, of stars that are cut."""


class PlacedStars(NamedTuple):
    """Stars in a picture.

    Attributes:
        rows: As detections in pixels of the picture, the highest score first, shape (m, 6) or
            more columns.
        corners: Corners of their outlines in pixels of the picture, shape (m, 32, 2).
    """

    rows: NDArray[np.float32]
    corners: NDArray[np.float64]


def stars_of_whole(
    outputs: NDArray[np.float32],
    full: tuple[int, int],
    framing: Framing,
    *,
    are_decoded: bool = False,
) -> PlacedStars:
    """Return the stars of a picture that was fitted to the network, in pixels of the picture.

    Args:
        outputs: Outputs of the network for the picture, shape (rows, columns, K + 32).
        full: Width and height of the picture.
        framing: Conversion of the picture.
        are_decoded: True if the outputs are candidates already, shape (1000, 40).
    """
    rows = _stars_of(outputs, (framing.height, framing.width), are_decoded=are_decoded)
    place = placement(full, (framing.width, framing.height), framing.resize)
    corners = (corners_of(rows) - place.corner) / place.scale + place.box[:2]
    return _placed(rows, corners, place.box)


def step_through_tiles(
    scored: Iterable[ScoredTile],
    tiles: Sequence[Tile],
    full: tuple[int, int],
    *,
    are_decoded: bool = False,
) -> Generator[float, None, PlacedStars]:
    """Return the stars of tiles, joined, in pixels of the picture; yield the finished fraction.

    Stars are compared in pixels that the network sees. One that the border of its tile cuts is
    left out where another tile shows the whole object.

    Args:
        scored: The tiles with the outputs of the network.
        tiles: Their places.
        full: Width and height of the picture.
        are_decoded: True if the network returns candidates already, shape (n, 1000, 40).
    """
    whole: list[Stars] = [np.zeros((0, VALUES), np.float32)]
    cut = list(whole)
    scale = np.ones(2)
    for number, (tile, part, outputs) in enumerate(scored):
        yield number / len(tiles)
        seen = part.shape[0], part.shape[1]
        rows = _stars_of(outputs, seen, are_decoded=are_decoded)
        scale = np.array(seen[::-1]) / tile[2:]
        is_cut = _is_cut(rows, tile, seen, full)
        rows[:, X : Y + 1] += np.array(tile[:2]) * scale
        whole.append(rows[~is_cut])
        cut.append(rows[is_cut])
    rows = suppressed(np.concatenate([_by_score(each) for each in (whole, cut)]))
    rows = rows[np.argsort(-rows[:, SCORE], kind="stable")]
    return _placed(rows, corners_of(rows) / scale, (0, 0, *full))


def _by_score(parts: list[Stars]) -> Stars:
    rows = np.concatenate(parts)
    return rows[np.argsort(-rows[:, SCORE], kind="stable")]


def _stars_of(outputs: NDArray[np.float32], size: tuple[int, int], *, are_decoded: bool) -> Stars:
    candidates = without_places(outputs) if are_decoded else candidates_of(outputs, size)
    return suppressed(candidates)


def _is_cut(
    rows: Stars, tile: Tile, seen: tuple[int, int], full: tuple[int, int]
) -> NDArray[np.bool_]:
    """Return True for stars at a border of their tile that is inside the picture, shape (m,)."""
    left, top, width, height = tile
    found: NDArray[np.bool_] = (
        ((left > 0) & (rows[:, LEFT] <= _NEAR_BORDER))
        | ((top > 0) & (rows[:, TOP] <= _NEAR_BORDER))
        | ((left + width < full[0]) & (rows[:, RIGHT] >= seen[1] - _NEAR_BORDER))
        | ((top + height < full[1]) & (rows[:, BOTTOM] >= seen[0] - _NEAR_BORDER))
    )
    return found


def _placed(
    rows: Stars, corners: NDArray[np.float64], limits: tuple[float, float, float, float]
) -> PlacedStars:
    """Cut outlines off at the borders of what is visible, and drop those outside.

    Args:
        rows: Stars, shape (m, 40).
        corners: Corners of their outlines in pixels of the picture, shape (m, 32, 2).
        limits: Left, top, right and bottom of what is visible.
    """
    corners = np.clip(corners, limits[:2], limits[2:])
    low, high = corners.min(axis=1), corners.max(axis=1)
    found = rows[:, :DISTANCES].copy()
    found[:, LEFT:SCORE] = np.concatenate([low, high], axis=1)
    inside = np.all(high > low, axis=1)
    return PlacedStars(found[inside], corners[inside])
