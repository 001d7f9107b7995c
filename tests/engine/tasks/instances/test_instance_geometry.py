"""Label images follow the size of images, tiles and edits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.star_images import discs
from studio.engine.tasks.boxes import CLASS
from studio.engine.tasks.instance_labels import (
    IGNORED,
    class_of,
    instance_table,
    numbers_of,
    renumbered,
    values_of,
)
from studio.engine.tasks.instances.geometry import GEOMETRY
from studio.engine.tasks.placement import ResizeMode

LABELS = discs((60, 40), [(15, 15, 9), (33, 15, 9), (50, 30, 5)], classes=2)


@dataclass(frozen=True)
class Frame:
    width: int
    height: int
    resize: ResizeMode = "squash"
    border: str = "background"
    least_visible: float = 0.0


@given(st.integers(1, 2**23 - 1), st.integers(0, 254))
def test_values_hold_number_and_class(number: int, label: int) -> None:
    values = values_of(np.array([[number, 0, -1]], np.int32), label)

    assert numbers_of(values).tolist() == [[number, 0, -1]]
    assert class_of(values).tolist() == [[label, -1, -1]]


def test_a_table_has_the_box_and_the_pixels_of_each_object() -> None:
    labels = np.zeros((8, 9), np.int32)
    labels[1:3, 2:5], labels[5, 8], labels[6:8, 0] = 5 * 256 + 1, 2 * 256, IGNORED
    labels[4, 4] = 5 * 256 + 1  # a second part

    table = instance_table(labels)

    assert table.numbers.tolist() == [2, 5]
    assert table.classes.tolist() == [0, 1]
    assert table.areas.tolist() == [1, 7]
    assert table.boxes.tolist() == [[8, 5, 9, 6], [2, 1, 5, 5]]
    assert table.mask(labels, 1).sum() == 7
    assert np.unique(renumbered(labels)).tolist() == [-1, 0, 256, 513]


def test_objects_keep_their_numbers_when_they_are_resized() -> None:
    small = GEOMETRY.fitted(LABELS, (60, 40), None, Frame(30, 20))

    assert small.shape == (20, 30)
    assert small.dtype == np.int32
    assert set(np.unique(small)) == set(np.unique(LABELS))
    areas = instance_table(small).areas * 4 / instance_table(LABELS).areas
    assert np.abs(areas - 1).max() < 0.1


@pytest.mark.parametrize("resize", ["crop", "fill", "half_crop"])
def test_borders_are_background(resize: ResizeMode) -> None:
    found = GEOMETRY.fitted(LABELS, (60, 40), None, Frame(40, 40, resize))

    assert found.shape == (40, 40)
    assert found.min() == 0
    assert found.max() > 0


def test_an_object_of_which_a_tile_shows_little_is_ignored() -> None:
    tile = (20, 0, 40, 40)

    kept = GEOMETRY.fitted(LABELS, (60, 40), tile, Frame(40, 40))
    strict = GEOMETRY.fitted(LABELS, (60, 40), tile, Frame(40, 40, least_visible=0.5))

    assert GEOMETRY.counts(kept, 2).tolist() == [2, 1]
    assert GEOMETRY.counts(strict, 2).tolist() == [1, 1]
    assert (strict == IGNORED).sum() == (kept == 256).sum()
    tiles = [tile, (0, 0, 10, 40)]
    assert GEOMETRY.hidden_objects(LABELS, (60, 40), tiles, Frame(40, 40, least_visible=0.5)) == 1


def test_a_tile_beyond_the_picture_is_filled_with_background() -> None:
    found = GEOMETRY.fitted(LABELS, (60, 40), (40, 20, 32, 32), Frame(32, 32))

    assert found.shape == (32, 32)
    assert GEOMETRY.counts(found, 2).sum() >= 1
    assert not found[20:].any()


def test_objects_can_be_left_out_and_images_compared() -> None:
    fewer = GEOMETRY.without(LABELS, [1])

    assert GEOMETRY.counts(fewer, 2).tolist() == [2, 0]
    assert GEOMETRY.differ(LABELS, fewer)
    assert not GEOMETRY.differ(LABELS, renumbered(LABELS))
    assert GEOMETRY.is_empty(np.stack([LABELS, np.minimum(LABELS, 0)])).tolist() == [False, True]


def test_objects_have_boxes() -> None:
    boxes = GEOMETRY.objects(np.stack([LABELS, GEOMETRY.without(LABELS, [0])]))

    assert boxes.shape == (2, 3, 6)
    assert boxes[0, 0].tolist() == [0, 6, 6, 24, 24, 0]
    assert boxes[1, :, CLASS].tolist() == [1, 0, -1]
    assert GEOMETRY.objects(LABELS[None][:0]).shape == (0, 0, 6)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_same_objects_never_differ(seed: int) -> None:
    random = np.random.default_rng(seed)
    circles = [(*random.uniform(0, 50, 2).tolist(), float(random.uniform(1, 9))) for _ in range(9)]
    labels = discs((50, 50), circles, classes=3)

    assert not GEOMETRY.differ(labels, renumbered(labels))
    table = np.arange(256, dtype=np.uint8)
    assert np.array_equal(GEOMETRY.relabeled(labels, table), labels)
