"""Boxes go where the pixels of their objects go."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from studio.engine.arrays import Pixels
from studio.engine.datasets.decode import load_parts, tiles_of
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.sources.base import Tile
from studio.engine.errors import StudioError
from studio.engine.tasks.boxes import BOTTOM, FLAGS, LEFT, RIGHT, TOP, areas, clipped
from studio.engine.tasks.detection.task import DETECTION

MODES = ("squash", "crop", "fill", "half_crop")


def recipe(mode: str, width: int, height: int, least_visible: float = 0.0) -> DatasetRecipe:
    return DatasetRecipe.parse(
        {
            "source": "/x", "task": DETECTION.name, "width": width, "height": height,
            "resize": mode, "background": "#000000", "least_visible": least_visible,
        }
    )  # fmt: skip


def box(left: float, top: float, right: float, bottom: float) -> NDArray[np.float32]:
    return np.array([[1, left, top, right, bottom, 2]], np.float32)


def bright(pixels: Pixels) -> NDArray[np.float32]:
    """The box around the bright pixels of an image, none where there are none."""
    ys, xs = np.nonzero(pixels[..., 0] >= 128)
    if not len(ys):
        return np.zeros((0, 6), np.float32)
    return box(xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)


sides = st.tuples(st.integers(0, 40), st.integers(6, 60))


@given(
    mode=st.sampled_from(MODES),
    full=st.tuples(st.integers(30, 150), st.integers(30, 150)),
    across=sides,
    down=sides,
    target=st.tuples(st.integers(40, 90), st.integers(40, 90)),
    side=st.sampled_from((0, 24, 40, 200)),
)
def test_boxes_follow_the_pixels(
    mode: str,
    full: tuple[int, int],
    across: tuple[int, int],
    down: tuple[int, int],
    target: tuple[int, int],
    side: int,
) -> None:
    left, top = min(across[0], full[0] - 8), min(down[0], full[1] - 8)
    right, bottom = min(left + across[1], full[0]), min(top + down[1], full[1])
    picture = np.zeros((full[1], full[0], 3), np.uint8)
    picture[top:bottom, left:right] = 255
    file = BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    file.seek(0)
    tiles: list[Tile | None] = [*tiles_of(full, side, 0)] if side else [None]

    found = load_parts(file, recipe(mode, *target), lambda _: box(left, top, right, bottom), tiles)

    for pixels, boxes in found:
        seen = bright(pixels)
        assert boxes is not None
        # Where a sliver is left, no pixel may be bright: an object is blended with what is around.
        scale = max(2.0, pixels.shape[1] / full[0], pixels.shape[0] / full[1])
        if len(seen) and len(boxes):
            assert np.abs(seen[0, LEFT:FLAGS] - boxes[0, LEFT:FLAGS]).max() <= scale
            assert boxes[0, [0, FLAGS]].tolist() == [1, 2]
        else:
            assert not len(seen)
            slim = np.minimum(boxes[:, RIGHT] - boxes[:, LEFT], boxes[:, BOTTOM] - boxes[:, TOP])
            assert (slim <= scale).all()


def test_whole_boxes_stay_exactly_whole() -> None:
    boxes = box(0, 0, 99, 33)
    found = DETECTION.geometry.fitted(
        boxes, (99, 33), None, recipe("fill", 64, 64, least_visible=1.0)
    )
    assert found[0, LEFT:FLAGS].tolist() == [0, 21, 64, 42]
    assert DETECTION.geometry.fitted(
        boxes, (99, 33), None, recipe("squash", 99, 33, 1.0)
    ).tolist() == (boxes.tolist())


@pytest.mark.parametrize(("least", "left"), [(0.0, 2), (0.3, 2), (0.31, 1), (1.0, 1)])
def test_boxes_that_are_mostly_cut_off_are_left_out(least: float, left: int) -> None:
    # The crop keeps the middle: from 50 to 150. Of the first box three tenths are inside.
    boxes = np.concatenate([box(36, 10, 56, 30), box(60, 0, 90, 100), box(0, 0, 50, 100)])
    found = DETECTION.geometry.fitted(boxes, (200, 100), None, recipe("crop", 50, 50, least))
    assert len(found) == left
    assert found[-1, LEFT:FLAGS].tolist() == [5, 0, 20, 50]


def test_each_tile_has_the_boxes_in_it() -> None:
    boxes = np.concatenate([box(2, 2, 10, 12), box(15, 5, 25, 15), box(31, 21, 40, 30)])
    by_tile = [
        DETECTION.geometry.fitted(boxes, (40, 30), tile, recipe("squash", 40, 40, 0.3))[
            :, LEFT:FLAGS
        ].tolist()
        for tile in tiles_of((40, 30), 20, 0)
    ]
    assert by_tile == [
        [[4, 4, 20, 24], [30, 10, 40, 30]],
        [[0, 10, 10, 30]],
        [],
        [[22, 22, 40, 40]],
    ]


@given(st.lists(st.tuples(*[st.floats(-50, 50)] * 4), max_size=8), st.floats(0, 1))
def test_clipped_boxes_are_inside_and_visible(
    corners: list[tuple[float, float, float, float]], least: float
) -> None:
    boxes = np.array(
        [[0, min(a, c), min(b, d), max(a, c), max(b, d), 0] for a, b, c, d in corners]
    ).reshape(-1, 6)
    found = clipped(boxes, (20, 10), least)
    assert (found[:, [LEFT, TOP]] >= 0).all()
    assert (found[:, RIGHT] <= 20).all()
    assert (found[:, BOTTOM] <= 10).all()
    assert (areas(found[:, LEFT:FLAGS]) > 0).all()
    inside = boxes[(boxes[:, 1:3] >= 0).all(axis=1) & (boxes[:, 3] <= 20) & (boxes[:, 4] <= 10)]
    whole = inside[areas(inside[:, LEFT:FLAGS]) > 0]
    assert all((found == each).all(axis=1).any() for each in whole)


def test_a_reflected_border_is_refused() -> None:
    with pytest.raises(StudioError, match="reflected border"):
        recipe("fill", 20, 20).changed(border="reflect")
