"""Stars in pictures of any size: fitted, in tiles that overlap, and in the script of exports."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.star_images import discs, perfect_outputs
from studio.engine.arrays import Pixels
from studio.engine.assets import asset
from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.instances.painting import painted
from studio.engine.tasks.instances.pictures import PlacedStars, stars_of_whole, step_through_tiles
from studio.engine.tasks.placement import ResizeMode, Tile, placement
from studio.engine.tasks.tiling import TiledPicture, result_of

SIDE = 64
SIZE = (200, 160)
PLACES = [(x, y, SIDE, SIDE) for y in (0, 48, 96) for x in (0, 48, 96, 136)]
SCRIPT = SimpleNamespace(**runpy.run_path(str(asset("export/stars.py"))))


@dataclass(frozen=True)
class Frame:
    width: int
    height: int
    resize: ResizeMode = "squash"
    border: str = "background"
    least_visible: float = 0.0


def shapes(seed: int, most: float = 14.0) -> Instances:
    random = np.random.default_rng(seed)
    circles = [
        (*random.uniform(5, SIZE, 2).tolist(), float(random.uniform(4, most))) for _ in range(30)
    ]
    return discs(SIZE, circles, classes=2)


def tiled(labels: Instances) -> TiledPicture:
    """Return a picture as tiles, and a network that is always right."""

    def part(tile: Tile) -> Instances:
        left, top, width, height = tile
        return labels[top : top + height, left : left + width]

    places = iter(PLACES)

    def score(parts: Pixels) -> NDArray[np.float32]:
        return np.stack([perfect_outputs(part(next(places)), 2) for _ in parts])

    def images() -> Iterator[Pixels]:
        for _ in PLACES:
            yield np.zeros((SIDE, SIDE, 1), np.uint8)

    return TiledPicture(images(), PLACES, score, 3)


def joined_tiles(labels: Instances) -> PlacedStars:
    """Return the stars of all tiles of a picture, joined."""
    picture = tiled(labels)
    return result_of(step_through_tiles(picture.scored(), picture.tiles, SIZE))


def overlaps_of(found: PlacedStars, labels: Instances) -> NDArray[np.float64]:
    """Return the best overlap of each object with an outline."""
    shown = painted(found.corners, (labels.shape[1], labels.shape[0]))
    best = []
    for value in np.unique(labels[labels > 0]):
        mask = labels == value
        numbers, counts = np.unique(shown[mask], return_counts=True)
        ious = [
            count / (mask | (shown == number)).sum()
            for number, count in zip(numbers, counts, strict=True)
            if number
        ]
        best.append(max(ious, default=0.0))
    return np.array(best)


@pytest.mark.parametrize("seed", range(3))
def test_objects_of_several_tiles_are_given_once(seed: int) -> None:
    labels = shapes(seed)
    # Slivers that others leave visible are no objects that a network could find.
    values, areas = np.unique(labels[labels > 0], return_counts=True)
    labels = np.where(np.isin(labels, values[areas >= 40]), labels, 0)

    found = joined_tiles(labels)

    count = int((areas >= 40).sum())
    assert count <= len(found.rows) <= count + 2
    assert (overlaps_of(found, labels) > 0.5).mean() > 0.9


def test_a_fitted_picture_has_its_outlines_where_its_objects_are() -> None:
    labels = discs((128, 96), [(40, 40, 20), (90, 60, 16)])
    small = labels[::2, ::2]

    found = stars_of_whole(perfect_outputs(small, 1), (128, 96), Frame(64, 48))

    assert len(found.rows) == 2
    assert (overlaps_of(found, labels) > 0.85).all()
    assert found.rows[0, 1:5] == pytest.approx(
        [*found.corners[0].min(axis=0), *found.corners[0].max(axis=0)], abs=1e-3
    )


@pytest.mark.parametrize("resize", ["squash", "crop", "fill", "half_crop"])
def test_the_script_of_exports_places_the_same_outlines(resize: ResizeMode) -> None:
    outputs = perfect_outputs(shapes(5)[:48, :64], 2)
    full, frame = (100, 50), Frame(64, 48, resize)

    ours = stars_of_whole(outputs, full, frame)
    place = placement(full, (64, 48), resize)
    scale = np.array([1 / each for each in place.scale])
    corner = np.array(place.box[:2]) - np.array(place.corner) * scale
    theirs = SCRIPT.moved(SCRIPT.found(outputs, 48, 64), tuple(scale), tuple(corner), place.box)

    assert np.allclose(ours.rows[:, :6], theirs[:, :6], atol=1e-3)
    assert np.allclose(
        ours.corners.round(2), np.array(SCRIPT.outlined(theirs)[1])[:, 0], atol=0.011
    )


def test_the_script_of_exports_joins_tiles_alike() -> None:
    labels = shapes(9)

    ours = joined_tiles(labels)
    parts = []
    for left, top, width, height in PLACES:
        outputs = perfect_outputs(labels[top : top + height, left : left + width], 2)
        rows = SCRIPT.found(outputs, SIDE, SIDE)
        parts.append(SCRIPT.moved(rows, (1, 1), (left, top), (0, 0, *SIZE)))
    tiles = [(x, y, x + width, y + height) for x, y, width, height in PLACES]
    theirs = SCRIPT.merged(parts, tiles, SIZE)

    assert len(ours.rows) == len(theirs)
    assert np.allclose(
        np.sort(ours.rows[:, :6], axis=0), np.sort(theirs[:, :6], axis=0), atol=1e-3
    )
