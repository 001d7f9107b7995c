"""Stars of label images: targets, candidates, suppression and painting."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.star_images import discs, perfect_outputs
from studio.engine.tasks.annotation_files.polygons import filled
from studio.engine.tasks.boxes import CLASS
from studio.engine.tasks.instances.decoding import (
    MOST,
    candidates_of,
    contain,
    decoded,
    shared_parts,
    suppressed,
)
from studio.engine.tasks.instances.painting import painted
from studio.engine.tasks.instances.star_targets import (
    LABEL,
    NUMBER,
    PEAK,
    RAY,
    SCORE,
    _distances,
    star_targets,
)
from studio.engine.tasks.stars import (
    DIRECTIONS,
    DISTANCES,
    FIRST,
    STRIDES,
    areas_of,
    corners_of,
    positions_of,
    stride_of,
)

RADII = st.lists(st.floats(1.5, 20), min_size=32, max_size=32)


def test_distances_reach_from_a_position_to_the_edge_of_its_object() -> None:
    labels = discs((64, 64), [(31.5, 31.5, 12.0)])

    truth = star_targets(labels)

    row, column = np.argwhere(truth[..., PEAK] == 1)[0]
    x, y = positions_of(32, 32, 2)[row, column]
    assert np.hypot(x - 31.5, y - 31.5) < 2
    edges = np.array([x, y]) + truth[row, column, RAY:, None] * DIRECTIONS
    assert np.abs(np.hypot(*(edges - 31.5).T) - 12).max() < 1
    assert truth[row, column, SCORE] == 1
    assert (truth[..., SCORE][truth[..., NUMBER] == 0] == 0).all()


def test_what_is_ignored_is_not_learned_and_ends_in_lower_limits() -> None:
    labels = discs((32, 32), [(16, 16, 9)])
    labels[:, 20:] = -1

    truth = star_targets(labels)

    assert (truth[:, 10:, SCORE] == -1).all()
    learned = truth[7][truth[7, :, SCORE] > 0]  # in the middle of the disc
    assert (learned[:, RAY] < 0).all()  # to the right
    assert (learned[:, RAY + 16] > 0).all()  # to the left


def test_an_image_without_objects_has_only_background() -> None:
    truth = star_targets(np.zeros((7, 9), np.int32))

    assert truth.shape == (4, 5, RAY + 32)
    # Positions behind the image are not learned.
    assert truth[:3, :4, SCORE].tolist() == [[0] * 4] * 3
    assert (truth[3, :, SCORE] == -1).all()
    assert (truth[..., LABEL] == -1).all()


@pytest.mark.parametrize("stride", STRIDES)
def test_a_grid_has_as_many_rows_as_strides_fit(stride: int) -> None:
    for side in (64, 65, 255, 256):
        rows = -(-side // stride)
        assert stride_of(rows, side) == stride
    with pytest.raises(ValueError, match="no grid"):
        stride_of(50, 64)


def test_right_outputs_give_each_touching_object_once() -> None:
    circles = [(12, 12, 8), (27, 12, 7.5), (20, 26, 8), (50, 30, 12), (36, 45, 9)]
    labels = discs((64, 64), circles, classes=2)

    (rows,) = decoded(perfect_outputs(labels, 2)[None], (64, 64))

    stars = rows[rows[:, CLASS] >= 0]
    assert len(stars) == len(circles)
    shown = painted(corners_of(stars), (64, 64))
    for at, star in enumerate(stars):
        mask = shown == at + 1
        values, counts = np.unique(labels[mask], return_counts=True)
        value = values[counts.argmax()]
        union = (mask | (labels == value)).sum()
        assert counts.max() / union > 0.9
        assert star[CLASS] == value & 255


@settings(max_examples=60, deadline=None)
@given(RADII, st.integers(0, 40), st.integers(0, 40))
def test_points_in_stars_are_those_in_their_polygons(radii: list[float], x: int, y: int) -> None:
    row = np.zeros((1, DISTANCES + 32), np.float32)
    row[0, DISTANCES - 2 :] = [x + 0.5, y + 0.5, *radii]
    corners = corners_of(row)
    patch = filled([corners[0]], (41, 41))
    expected = np.zeros((41, 41), np.bool_)
    height, width = patch.inside.shape
    expected[patch.top : patch.top + height, patch.left : patch.left + width] = patch.inside
    pixels = np.stack(np.meshgrid(np.arange(41.0), np.arange(41.0)), axis=-1).reshape(1, -1, 2)

    inside = contain(np.array([radii]), pixels - np.array([x, y], float)).reshape(41, 41)

    assert np.array_equal(painted(corners, (41, 41)) > 0, expected)
    # The sectors of a star and its polygon may differ by rounding on an edge.
    assert (inside != expected).sum() <= 1


@settings(max_examples=40, deadline=None)
@given(RADII, RADII, st.integers(-15, 15), st.integers(-15, 15))
def test_shared_parts_are_those_of_polygons(
    one: list[float], other: list[float], x: int, y: int
) -> None:
    small, large = (12 + np.array([each]) / 2 for each in (one, other))
    grid = np.meshgrid(np.arange(-60.0, 60), np.arange(-60.0, 60))
    pixels = np.stack(grid, axis=-1).reshape(1, -1, 2)
    apart = np.array([[x, y]], float)
    in_small, in_large = contain(small, pixels - apart), contain(large, pixels)
    expected = (in_small & in_large).sum() / in_small.sum()

    (found,) = shared_parts(small, large, apart)

    assert found == pytest.approx(expected, abs=0.05)


def test_stars_of_a_network_that_diverged_are_decoded_at_once() -> None:
    draw = np.random.default_rng(0)
    outputs = draw.uniform(0, 128, (128, 128, 33)).astype(np.float32)
    outputs[..., 0] = draw.random((128, 128))
    candidates = candidates_of(outputs, (256, 256))

    start = time.process_time()
    kept = suppressed(candidates)

    assert len(candidates) == MOST
    assert len(kept) < 100
    assert time.process_time() - start < 2  # with all pixels of the stars it took 20 s


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_kept_stars_share_little_and_hide_all_that_are_left_out(seed: int) -> None:
    random = np.random.default_rng(seed)
    outputs = random.random((12, 12, 33), np.float32)
    outputs[..., 1:] = random.uniform(1, 5, (12, 12, 1)) * random.uniform(0.8, 1.2, (12, 12, 32))

    every = candidates_of(outputs, (24, 24))
    kept = suppressed(every)

    assert len(kept) <= len(every)
    assert np.array_equal(kept[0], every[0])
    assert (np.diff(kept[:, 5]) <= 0).all()
    # Once more it changes nothing.
    assert np.array_equal(suppressed(kept), kept)


def test_of_overlapping_polygons_the_first_is_in_front() -> None:
    squares = np.array([[[0, 0], [4, 0], [4, 4], [0, 4]], [[2, 2], [6, 2], [6, 6], [2, 6]]], float)

    shown = painted(squares, (6, 6))

    assert shown[3, 3] == 1
    assert shown[5, 5] == 2
    assert (shown == 1).sum() == 16
    assert (shown == 2).sum() == 12
    assert painted(np.zeros((0, 4, 2)), (3, 2)).tolist() == [[0, 0, 0], [0, 0, 0]]


def test_areas_of_stars_are_those_of_their_polygons() -> None:
    distances = np.full((2, 32), 10.0)
    distances[1] *= 2

    areas = areas_of(distances)

    assert areas[0] == pytest.approx(np.pi * 100, rel=0.01)
    assert areas[1] == pytest.approx(4 * areas[0])
    assert contain(distances[:1], np.array([[[9, 0], [11, 0]]])).tolist() == [[True, False]]
    assert FIRST == 1


def test_objects_larger_than_the_rays_end_in_lower_limits() -> None:
    labels = np.full((640, 640), 256, np.int32)
    at = np.array([FIRST, 321, 639])
    rays = _distances(labels, at, at)  # all positions take ten seconds
    assert np.isfinite(rays).all()
    assert (np.abs(rays[1]) > 300).all()
    assert (rays[1] < 0).any()


@pytest.mark.parametrize("distance", [np.inf, np.nan, 5000])
def test_distances_of_a_network_end_at_the_diagonal_of_the_image(distance: float) -> None:
    outputs = np.full((32, 32, 33), distance, np.float32)
    outputs[..., 0] = 0.5
    found = decoded(outputs[None], (64, 64))[0]
    assert np.isfinite(found).all()
    assert found[:, DISTANCES:].max() <= np.float32(np.hypot(64, 64))
