"""Masks while they are drawn: tools, and undo by tiles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from studio.ui.widgets.canvas.mask_image import (
    NOWHERE,
    MaskImage,
    alike,
    cut_out,
    same_class,
)

HEIGHT, WIDTH = 300, 520


def empty() -> MaskImage:
    return MaskImage(np.full((HEIGHT, WIDTH), 255, np.uint8))


def drawn(mask: MaskImage, value: int) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = mask.labels == value
    return found


@pytest.mark.parametrize("size", [1, 2, 5, 32, 101])
def test_a_dot_has_the_size_of_the_brush(size: int) -> None:
    mask = empty()

    mask.stroke((200.5, 150.5), (200.5, 150.5), size, 3)

    rows, columns = np.nonzero(drawn(mask, 3))
    for found, center in ((rows, 150), (columns, 200)):
        assert abs(len(np.unique(found)) - size) <= 1
        assert abs((found.min() + found.max()) / 2 - center) <= 1


def test_a_brush_of_one_pixel_draws_the_pixel_under_the_pointer() -> None:
    mask = empty()

    area = mask.stroke((10.9, 20.1), (13.2, 20.1), 1, 0)

    assert np.argwhere(mask.labels == 0).tolist() == [[20, 10], [20, 11], [20, 12], [20, 13]]
    assert area[0] <= 10
    assert area[2] >= 14


def test_a_stroke_over_the_edge_draws_the_part_inside() -> None:
    mask = empty()

    area = mask.stroke((-40, 150), (20, 150), 10, 2)

    assert area[0] == 0
    assert drawn(mask, 2)[150, :20].all()
    assert mask.stroke((-90, -90), (-80, -90), 10, 2) == NOWHERE


def test_a_polygon_is_filled() -> None:
    mask = empty()

    mask.polygon([(100, 100), (140, 100), (140, 130), (100, 130)], 7)

    assert drawn(mask, 7)[100:130, 100:140].all()
    assert abs(int(drawn(mask, 7).sum()) - 40 * 30) <= 2 * (40 + 30)


def test_fill_takes_the_connected_pixels_of_a_class() -> None:
    labels = np.zeros((40, 60), np.uint8)
    labels[:, 30] = 5

    region = same_class(labels, 3, 3)
    mask = MaskImage(labels)
    mask.paint(region, 2)

    assert (mask.labels[:, :30] == 2).all()
    assert (mask.labels[:, 30] == 5).all()
    assert (mask.labels[:, 31:] == 0).all()


def test_the_wand_takes_what_looks_alike() -> None:
    pixels = np.full((50, 80, 3), 100, np.uint8)
    pixels[10:30, 20:50] = (180, 90, 40)
    pixels[12, 22] = (184, 86, 44)
    pixels[40:, 70:] = (180, 90, 40)

    region = alike(pixels, 25, 15, 10)

    assert region.area == (20, 10, 50, 30)
    assert region.inside.all()
    assert not alike(pixels, 25, 15, 2).inside[2, 2]


def test_an_object_is_cut_out_of_a_rectangle() -> None:
    generator = np.random.default_rng(1)
    pixels = generator.integers(90, 110, (900, 1200, 3), np.uint8)
    rows, columns = np.ogrid[:900, :1200]
    disk = (rows - 450) ** 2 + (columns - 600) ** 2 < 200**2
    pixels[disk] = generator.integers(190, 230, (int(disk.sum()), 3), np.uint8)

    region = cut_out(pixels, (350, 200, 850, 700))

    left, top, right, bottom = region.area
    truth = disk[top:bottom, left:right]
    overlap = (region.inside & truth).sum() / (region.inside | truth).sum()
    assert overlap > 0.97


def test_a_step_that_changes_nothing_is_no_step() -> None:
    mask = empty()
    mask.begin()
    mask.stroke((10, 10), (40, 10), 8, 255)

    assert not mask.end()
    assert not mask.can_undo
    assert mask.undo() == NOWHERE


def test_only_changed_tiles_are_kept() -> None:
    mask = MaskImage(np.random.default_rng(0).integers(0, 9, (2048, 2048), np.uint8))
    mask.begin()
    mask.stroke((300, 300), (330, 310), 12, 200)
    mask.end()

    assert sum(step.size for step in mask._done) == 2 * 256 * 256


STROKES = st.lists(
    st.tuples(
        st.floats(-50, WIDTH + 50),
        st.floats(-50, HEIGHT + 50),
        st.floats(1, 90),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=50)
@given(STROKES)
def test_undo_and_redo_give_each_state_back(
    strokes: list[tuple[float, float, float, int]],
) -> None:
    mask = empty()
    states = [mask.labels.copy()]
    last = (WIDTH / 2, HEIGHT / 2)
    for x, y, size, value in strokes:
        mask.begin()
        mask.stroke(last, (x, y), size, value)
        if mask.end():
            states.append(mask.labels.copy())
        last = (x, y)
    for state in reversed(states[:-1]):
        mask.undo()
        assert np.array_equal(mask.labels, state)
    assert not mask.can_undo
    for state in states[1:]:
        mask.redo()
        assert np.array_equal(mask.labels, state)
    assert not mask.can_redo
