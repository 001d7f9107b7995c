"""Masks of objects in pictures of any size; an object that several tiles show is given once."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.engine.tasks.boxes import BOTTOM, LEFT
from studio.engine.tasks.decoding import Detections, corners_of, merged, without_places
from studio.engine.tasks.instances.mask_decoding import decoded
from studio.engine.tasks.instances.mask_outlines import edges_of, rings_of
from studio.engine.tasks.masks import MASK, Masks
from studio.engine.tasks.parts.objects import Ring
from studio.engine.tasks.placement import Framing, Tile, placement
from studio.engine.tasks.tiling import ScoredTile


class PlacedObjects(NamedTuple):
    """Objects in a picture.

    Attributes:
        rows: As detections in pixels of the picture, the highest score first, shape (m, 6).
        outlines: Rings around each, in pixels of the picture, m.
    """

    rows: Detections
    outlines: list[tuple[Ring, ...]]


def masks_of_whole(
    outputs: NDArray[np.float32],
    full: tuple[int, int],
    framing: Framing,
    *,
    are_decoded: bool = False,
) -> PlacedObjects:
    """Return the objects of a picture that was fitted to the network, in pixels of the picture.

    Args:
        outputs: Outputs of the network for the picture, shape (P, K + 32).
        full: Width and height of the picture.
        framing: Conversion of the picture.
        are_decoded: True if the outputs are objects already, shape (100, 790).
    """
    rows = _objects_of(outputs, (framing.height, framing.width), are_decoded=are_decoded)
    place = placement(full, (framing.width, framing.height), framing.resize)
    return placed(_moved(rows, place.corner, place.scale, place.box[:2]), place.box)


def step_through_tiles(
    scored: Iterable[ScoredTile],
    tiles: Sequence[Tile],
    full: tuple[int, int],
    *,
    are_decoded: bool = False,
) -> Generator[float, None, PlacedObjects]:
    """Return the objects of tiles, joined, in pixels of the picture; yield the finished fraction.

    Args:
        scored: The tiles with the outputs of the network.
        tiles: Their places.
        full: Width and height of the picture.
        are_decoded: True if the network returns objects already, shape (n, 100, 790).
    """
    found: list[Masks] = []
    for number, (tile, part, outputs) in enumerate(scored):
        yield number / len(tiles)
        seen = part.shape[0], part.shape[1]
        rows = _objects_of(outputs, seen, are_decoded=are_decoded)
        scale = np.array(seen[::-1]) / tile[2:]
        found.append(_moved(rows, (0, 0), scale, tile[:2]))
    return placed(merged(found, tiles, full), (0, 0, *full))


def _objects_of(
    outputs: NDArray[np.float32], size: tuple[int, int], *, are_decoded: bool
) -> Masks:
    return without_places(outputs if are_decoded else decoded(outputs[None], size)[0])


def _moved(
    rows: Masks,
    corner: tuple[float, float],
    scale: NDArray[np.float64] | float | tuple[float, float],
    start: tuple[float, float],
) -> Masks:
    """Return objects in pixels of a picture.

    Args:
        rows: Objects in pixels that the network saw, shape (m, 790).
        corner: Where the picture begins there.
        scale: Pixels that the network saw for one of the picture, along x and y.
        start: Where in the picture what it saw begins.
    """
    found = rows.copy()
    sides = corners_of(rows).astype(np.float64).reshape(-1, 2, 2)
    moved = (sides - np.array(corner)) / np.array(scale) + np.array(start)
    found[:, LEFT : BOTTOM + 1] = moved.reshape(-1, 4)
    return found


def placed(rows: Masks, limits: tuple[float, float, float, float] | None = None) -> PlacedObjects:
    """Make outlines of masks, cut off at what is visible; drop those of which nothing is.

    Args:
        rows: Objects, shape (m, 790).
        limits: Left, top, right and bottom of what is visible; None for everything.
    """
    edges = edges_of(rows)
    if limits is not None:
        edges = edges._replace(first=np.clip(edges.first, limits[:2], limits[2:]))
    found, outlines = [], []
    for at, rings in enumerate(rings_of(edges, len(rows))):
        if not rings:
            continue
        points = np.concatenate(rings)
        low, high = points.min(axis=0), points.max(axis=0)
        if np.any(high <= low):
            continue
        row = rows[at, :MASK].copy()
        row[LEFT : BOTTOM + 1] = (*low, *high)
        found.append(row)
        outlines.append(tuple(tuple((x, y) for x, y in ring.tolist()) for ring in rings))
    kept = np.stack(found) if found else np.zeros((0, MASK), np.float32)
    return PlacedObjects(kept, outlines)
