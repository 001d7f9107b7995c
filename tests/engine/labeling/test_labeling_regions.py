"""Tools that select pixels and fit boxes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.engine.errors import StudioError
from studio.engine.labeling.regions import filled, grab_cut, magic_wand, polygon, snapped_box


def scene(height: int = 120, width: int = 160) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """A red ellipse on a green ground with some noise, and where it is."""
    rows, columns = np.mgrid[:height, :width]
    inside = ((columns - 80) / 40) ** 2 + ((rows - 60) / 25) ** 2 < 1
    pixels = np.where(inside[..., None], (200, 40, 50), (60, 150, 70)).astype(np.int16)
    pixels += np.random.default_rng(0).integers(-9, 10, pixels.shape, np.int16)
    return np.clip(pixels, 0, 255).astype(np.uint8), inside


def test_the_magic_wand_selects_what_is_connected_and_alike() -> None:
    pixels, inside = scene()
    pixels[:, 70:74] = 255

    found = magic_wand(pixels, 90, 60, 40)
    expected = inside.copy()
    expected[:, :74] = False
    np.testing.assert_array_equal(found, expected)
    assert magic_wand(pixels, 0, 0, 0).sum() >= 1
    with pytest.raises(StudioError, match="outside"):
        magic_wand(pixels, 160, 0)


def test_filling_keeps_to_the_value_of_the_mask() -> None:
    mask = np.zeros((5, 6), np.uint8)
    mask[:, 3] = 1

    assert filled(mask, 0, 0).sum() == 15
    assert filled(mask, 3, 2).sum() == 5


def test_polygons_cover_the_centers_of_pixels() -> None:
    found = polygon([(1, 1), (4, 1), (4, 3), (1, 3)], (6, 5))

    expected = np.zeros((5, 6), np.bool_)
    expected[1:3, 1:4] = True
    assert (found & ~expected).sum() <= 7
    assert found[expected].all()
    assert not polygon([(0, 0), (3, 3)], (6, 5)).any()


def test_grab_cut_finds_the_object_in_a_box() -> None:
    pixels, inside = scene()
    found = grab_cut(pixels, (35, 30, 125, 90))
    assert (found & inside).sum() / (found | inside).sum() > 0.95

    large = np.repeat(np.repeat(pixels, 8, axis=0), 8, axis=1)
    found = grab_cut(large, (280, 240, 1000, 720))
    truth = np.repeat(np.repeat(inside, 8, axis=0), 8, axis=1)
    assert (found & truth).sum() / (found | truth).sum() > 0.93

    outside = np.zeros_like(inside)
    outside[:, :80] = True
    half = grab_cut(pixels, (35, 30, 125, 90), outside=outside)
    assert not half[:, :80].any()


def test_grab_cut_refuses_boxes_that_say_nothing() -> None:
    pixels, _ = scene()
    for box, words in (((5, 5, 5, 50), "no area"), ((-3, 0, 160, 500), "whole picture")):
        with pytest.raises(StudioError, match=words):
            grab_cut(pixels, box)


def test_sides_snap_to_edges_nearby() -> None:
    pixels = np.full((100, 140, 3), 40, np.uint8)
    pixels[20:70, 30:110] = 200

    assert snapped_box(pixels, (33.5, 16, 104, 74.2)) == (30, 20, 110, 70)
    assert snapped_box(pixels, (104, 74.2, 33.5, 16)) == (30, 20, 110, 70)
    far = (10.0, 5.0, 130.0, 90.0)
    assert snapped_box(pixels, far) == far
    assert snapped_box(pixels, (-5, -5, 2, 2)) == (-5, -5, 2, 2)
