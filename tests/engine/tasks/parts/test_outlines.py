"""Outlines of objects along the edges of pixels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from studio.engine.tasks.parts.outlines import filled_patch, label_image, polygons_of, traced


def test_a_pixel_has_four_corners() -> None:
    """The outline runs along the edges of pixels, clockwise from the upper left corner."""
    labels = np.zeros((3, 4), np.int32)
    labels[1, 2] = 7
    assert traced(labels) == {7: (((2, 1), (3, 1), (3, 2), (2, 2)),)}


def test_a_label_image_without_objects_has_no_outlines() -> None:
    """Neither the background nor ignored pixels are objects."""
    assert traced(np.array([[0, -1], [-1, 0]], np.int32)) == {}


def test_a_hole_is_a_ring_of_its_part() -> None:
    """A part with a hole and a second part are two polygons, one with two rings."""
    labels = np.zeros((8, 12), np.int32)
    labels[1:7, 1:7] = 3
    labels[3:5, 3:5] = 0
    labels[2:4, 9:11] = 3
    (rings,) = traced(labels).values()
    assert sorted(len(part) for part in polygons_of(rings)) == [1, 2]
    whole = next(part for part in polygons_of(rings) if len(part) == 2)
    assert list(whole[0]) == [(1, 1), (7, 1), (7, 7), (1, 7)]
    assert set(whole[1]) == {(3, 3), (3, 5), (5, 5), (5, 3)}


def test_pixels_that_touch_at_a_corner_are_in_different_rings() -> None:
    """No ring touches itself, as GeoJSON demands."""
    rings = traced(np.eye(3, dtype=np.int32))[1]
    assert len(rings) == 3
    assert all(len(ring) == 4 for ring in rings)


@pytest.mark.parametrize("seed", range(60))
def test_filled_outlines_give_the_pixels_back(seed: int) -> None:
    """Of any pixels; the number of polygons is that of parts that are connected by sides."""
    random = np.random.default_rng(seed)
    height, width = random.integers(1, 14, 2).tolist()
    labels = random.integers(-1, 4, (height, width)).astype(np.int32)
    for value, rings in traced(labels).items():
        inside = labels == value
        assert (filled_patch(rings, (width, height)).whole((width, height)) == inside).all()
        polygons = polygons_of(rings)
        assert len(polygons) == ndimage.label(inside)[1]
        assert sum(map(len, polygons)) == len(rings)


def test_the_first_object_lies_on_top() -> None:
    """Objects are sorted by score: the surer one keeps the pixels that two claim."""
    left, right = ((0, 0), (3, 0), (3, 2), (0, 2)), ((2, 0), (4, 0), (4, 2), (2, 2))
    assert label_image([(left,), (right,)], (4, 2)).tolist() == [[1, 1, 1, 2]] * 2
