"""A pixel belongs to a polygon if its center does."""

from __future__ import annotations

import time

import numpy as np
import pytest

from studio.engine.errors import BadDataError, StudioError
from studio.engine.tasks.annotation_files import painting, polygons
from studio.engine.tasks.annotation_files.painting import Region
from studio.engine.tasks.annotation_files.patches import Patch
from studio.engine.tasks.annotation_files.polygons import area_of, filled, points_of
from studio.engine.tasks.annotation_files.rle import decode, encode, runs_of
from studio.engine.tasks.segmentation.shapes import PaintedMasks, Painting, Shape


def inside(points: np.ndarray, x: float, y: float) -> bool:
    """Count the edges to the right of a place: the definition, slowly."""
    crossings = 0
    for (ax, ay), (bx, by) in zip(points, np.roll(points, -1, axis=0), strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            crossings += 1
    return crossings % 2 == 1


@pytest.mark.parametrize("seed", range(12))
def test_random_polygons_also_outside_of_the_picture(seed: int) -> None:
    random = np.random.default_rng(seed)
    points = random.uniform(-6, 26, (int(random.integers(3, 9)), 2))
    found = filled([points], (20, 17)).whole((20, 17))
    assert found.shape == (17, 20)
    wanted = [[inside(points, x + 0.5, y + 0.5) for x in range(20)] for y in range(17)]
    assert np.array_equal(found, wanted)


def test_whole_pixels_and_neighbors_that_share_a_border() -> None:
    left = points_of([[1, 1], [3, 1], [3, 4], [1, 4]])
    right = points_of([3, 1, 6, 1, 6, 4, 3, 4])
    one, other = (filled([each], (8, 5)).whole((8, 5)) for each in (left, right))
    assert not (one & other).any()
    assert one.sum() == area_of(left) == 6
    assert other.sum() == area_of(right) == 9
    assert np.array_equal(filled([left, right], (8, 5)).whole((8, 5)), one | other)


@pytest.mark.parametrize(
    "values",
    [
        *(None, 7, "x", {}, [], [1, 2], [[1, 2], [3, 4]], [1, 2, 3, 4, 5, 6, 7]),
        *([["a", 1]] * 3, [[1, 2], [3, 4], [5, 1e300]], [[1, 2], [3, 4], [5, None]]),
        *([[1, 2], [3, 4], [5, float("nan")]], [[10**400, 1]] * 3, [[1, 2], [3, 4], [5]]),
    ],
)
def test_what_is_no_polygon_is_refused(values: object) -> None:
    with pytest.raises(BadDataError):
        points_of(values)


def test_a_polygon_that_would_take_forever_is_refused() -> None:
    zigzag = np.array([[step % 7, 4000 * (step % 2)] for step in range(100_000)], float)
    begun = time.monotonic()
    with pytest.raises(BadDataError, match="too many corners"):
        filled([zigzag], (4096, 4096))
    assert time.monotonic() - begun < 5


def test_work_is_limited_for_all_polygons_of_an_object(monkeypatch: pytest.MonkeyPatch) -> None:
    square = np.array([[0, 0], [9, 0], [9, 9], [0, 9]], float)
    monkeypatch.setattr(polygons, "_MAX_CROSSINGS", 40)
    assert filled([square, square], (10, 10)).inside.sum() == 81
    with pytest.raises(BadDataError, match="too many corners"):
        filled([square] * 3, (10, 10))
    monkeypatch.setattr(polygons, "_MAX_CORNERS", 7)
    with pytest.raises(BadDataError, match="too many corners"):
        filled([square, square], (10, 10))


def test_many_large_polygons_of_an_object_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polygons, "_MOST_WORK", 10**7)
    triangle = np.array([[0, 0], [400, 0], [0, 300]], float)

    assert filled([triangle] * 50, (400, 300)).inside.sum() == 60_000
    with pytest.raises(BadDataError, match="too many, or too large"):
        filled([triangle] * 150, (400, 300))


def _painted(count: int, region: Region, unclear: int = 0) -> PaintedMasks:
    painting = Painting([Shape(1, region)] * count, unclear=[region] * unclear)
    return PaintedMasks(paintings={"a": painting, "b": painting})


@pytest.mark.parametrize("unclear", [0, 1])
def test_shapes_of_a_picture_that_would_take_too_long_are_refused(unclear: int) -> None:
    calls = 0

    def region(size: tuple[int, int]) -> Patch:
        nonlocal calls
        calls += 1
        return Patch.of(0, 0, np.ones(size[::-1], np.bool_))

    many = 400_000 * (1 - unclear), region, 400_000 * unclear
    with pytest.raises(BadDataError, match="its 400,000 shapes are too many"):
        _painted(*many).mask("a", (9, 9))
    assert calls == 0
    # The limit of large pictures is how often they are covered.
    with pytest.raises(BadDataError, match="its 30,000 shapes are too many"):
        _painted(30_000, lambda size: Patch(0, 0, np.ones((1, 1), np.bool_), 10**8)).mask(
            "a", (9, 9)
        )


def test_work_for_all_pictures_of_a_file_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    masks = _painted(3, lambda size: Patch.of(0, 0, np.ones(size[::-1], np.bool_)))
    monkeypatch.setattr(painting, "_MOST_WORK", 40_000)

    for _ in range(3):
        assert masks.mask("a", (9, 9))[0].sum() == 81
    with pytest.raises(StudioError, match="The shapes of the first 2 images are too many"):
        masks.mask("b", (9, 9))


@pytest.mark.parametrize("seed", range(6))
def test_run_lengths_are_read_as_they_were_written(seed: int) -> None:
    random = np.random.default_rng(seed)
    mask = random.random((13, 9)) < random.random()
    written = encode(mask)
    counts = written["counts"]
    assert isinstance(counts, str)
    assert np.array_equal(decode((13, 9), counts), mask)
    assert np.array_equal(decode((13, 9), runs_of((13, 9), counts).tolist()), mask)


@pytest.mark.parametrize("counts", ["", "0", "zz~", "o" * 100_000, [5], [-1, 118], [117, 10**30]])
def test_damaged_run_lengths_are_refused(counts: str | list[int]) -> None:
    with pytest.raises(ValueError, match=r"RLE|runs cover"):
        runs_of((13, 9), counts)
