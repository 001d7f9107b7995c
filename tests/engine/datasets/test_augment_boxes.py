"""Boxes follow the pixels of their objects through every change of an image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from studio.engine.arrays import Pixels
from studio.engine.datasets.augment import affine
from studio.engine.datasets.augment.augmenter import MOSAIC_UNTIL, Augmenter, preview
from studio.engine.datasets.augment.boxes import (
    clip_boxes,
    mosaic,
    mosaic_places,
    moved_boxes,
    object_crop,
)
from studio.engine.datasets.augment.draws import Draws, key_of
from studio.engine.datasets.augment.plan import AugmentationPlan
from studio.engine.tasks import boxes as form
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.tasks.geometry import RegionBatch

Boxes = NDArray[np.float32]
Images = Pixels

HEIGHT, WIDTH, COUNT = 60, 80, 6
ROWS = np.arange(COUNT) + 3


def pictures(places: int = 4) -> tuple[Images, Boxes]:
    """Return black images with a red, a green and a blue rectangle side by side, and boxes."""
    random = np.random.default_rng(2)
    images = np.zeros((COUNT, HEIGHT, WIDTH, 3), np.uint8)
    boxes = form.empty(COUNT, places)
    for image, own in zip(images, boxes, strict=True):
        for label in range(3):
            wide, high = random.integers(12, 22, 2)
            left, top = 26 * label + random.integers(0, 26 - wide), random.integers(HEIGHT - high)
            image[top : top + high, left : left + wide, label] = 255
            own[label] = [label, left, top, left + wide, top + high, label]
    return images, boxes


def shown(image: Images, label: int) -> NDArray[np.float64] | None:
    """Return the box around the pixels of a color that is at least half there."""
    other = image[..., [each for each in range(3) if each != label]].max(axis=-1)
    rows, columns = np.nonzero((image[..., label] > 127) & (other < 64))
    if not len(rows):
        return None
    return np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1], np.float64)


def changed(**values: Any) -> tuple[Images, Boxes]:
    images, boxes = pictures()
    plan = AugmentationPlan.parse({"fill": "black", "least_visible": 0.0, **values})
    return Augmenter(plan, 5).changed(
        images, ROWS, 1, RegionBatch(DETECTION.geometry, boxes)
    ), boxes


@pytest.mark.parametrize(
    "values",
    [
        {"horizontal_flip": True, "vertical_flip": True},
        {"quarter_turns": "all"},
        {"zoom": 40.0},
        {"translation": 30.0},
        {"rescale": 20.0},
        {"object_crop": 100.0},
        {"object_crop": 100.0, "horizontal_flip": True, "quarter_turns": "all", "zoom": 30.0},
    ],
    ids=str,
)
def test_boxes_lie_around_their_objects(values: dict[str, Any]) -> None:
    images, boxes = changed(**values)

    seen = 0
    for image, own in zip(images, boxes, strict=True):
        for label in range(3):
            around = shown(image, label)
            found = own[own[:, form.CLASS] == label]
            assert len(found) <= 1
            if len(found) and around is not None:
                np.testing.assert_allclose(found[0, 1:5], around, atol=1.6)
                assert found[0, form.FLAGS] == label
                seen += 1
            elif around is not None:  # a sliver at the border
                assert min(around[2:] - around[:2]) <= 2
    assert seen > COUNT


@pytest.mark.parametrize("values", [{"rotation": 40.0}, {"shear": 20.0}], ids=str)
def test_boxes_contain_objects_that_are_turned(values: dict[str, Any]) -> None:
    images, boxes = changed(**values)

    for image, own in zip(images, boxes, strict=True):
        for label in range(3):
            around = shown(image, label)
            found = own[own[:, form.CLASS] == label]
            if around is not None and len(found):
                assert np.all(found[0, 1:3] < around[:2] + 1.6)
                assert np.all(found[0, 3:5] > around[2:] - 1.6)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.integers(-1, 3),
            st.floats(0, 70, width=32),
            st.floats(0, 50, width=32),
            st.floats(0.5, 60, width=32),
            st.floats(0.5, 50, width=32),
        ),
        max_size=6,
    ),
    st.integers(0, 2**32),
    st.floats(0, 1),
)
def test_boxes_stay_inside_and_visible(
    rows: list[tuple[int, float, float, float, float]], key: int, least: float
) -> None:
    boxes = form.empty(1, 6)[0]
    for at, (label, left, top, wide, high) in enumerate(rows):
        if label >= 0:
            right, bottom = min(left + wide, WIDTH), min(top + high, HEIGHT)
            boxes[at] = [label, left, top, right, bottom, 0]
    draws = Draws(key)
    matrix = affine.chain(
        object_crop(boxes, (WIDTH, HEIGHT), draws), affine.rotation(draws.around(180))
    )
    before = boxes.copy()

    moved_boxes(boxes, matrix, (WIDTH, HEIGHT), least)

    there = boxes[:, form.CLASS] >= 0
    count = int(there.sum())
    assert there[:count].all()
    assert count <= np.sum(before[:, form.CLASS] >= 0)
    assert np.all(boxes[~there] == form.empty(1, 1)[0, 0])
    sides = boxes[there][:, 1:5]
    assert np.all(sides >= 0)
    assert np.all(sides <= (WIDTH, HEIGHT, WIDTH, HEIGHT))
    assert np.all(sides[:, 2:] - sides[:, :2] >= 1)


def test_boxes_that_are_hardly_visible_are_dropped() -> None:
    boxes = form.empty(1, 3)[0]
    boxes[0] = [1, 0, 0, 10, 10, 0]
    boxes[1] = [2, 0, 0, 10, 10, 0]
    sides = np.array([[-8.0, 0, 2, 10], [-6.0, 0, 4, 10], [0, 0, 0, 0]])

    clip_boxes(boxes, sides, (0, 0, 20, 20), 0.3)

    assert boxes.tolist() == [[2, 0, 0, 4, 10, 0], [-1, *[0] * 5], [-1, *[0] * 5]]


@settings(deadline=None, max_examples=80)
@given(st.integers(0, 2**32))
def test_a_crop_keeps_a_whole_object(key: int) -> None:
    boxes = pictures()[1][0]
    whole = boxes.copy()

    a, _, _, _, e, _ = matrix = object_crop(boxes, (WIDTH, HEIGHT), Draws(key))
    moved_boxes(boxes, matrix, (WIDTH, HEIGHT), 0.99)

    assert 0 < a <= 1
    assert 0 < e <= 1
    present = boxes[boxes[:, form.CLASS] >= 0]
    assert len(present)
    sizes = whole[present[:, 0].astype(int)][:, 3:5] - whole[present[:, 0].astype(int)][:, 1:3]
    enlarged = (present[:, 3:5] - present[:, 1:3]) * (a, e) / sizes
    assert np.any(np.all(np.isclose(enlarged, 1, atol=1e-4), axis=1))


def test_a_crop_without_objects_is_anywhere() -> None:
    matrix = object_crop(form.empty(1, 3)[0], (WIDTH, HEIGHT), Draws(4))

    assert 0.3 < matrix[0] <= 1


@pytest.mark.parametrize("key", range(12))
def test_boxes_of_a_mosaic_lie_around_their_objects(key: int) -> None:
    images, boxes = pictures()
    images, boxes = images[:4], boxes[:4]

    image, found = mosaic(images, boxes.copy(), Draws(key_of(key)), 16, 0.0)

    assert image.shape == images.shape[1:]
    present = found[found[:, form.CLASS] >= 0]
    assert 4 <= len(present) <= 12
    for label in range(3):
        own = present[present[:, form.CLASS] == label]
        mask = np.zeros((HEIGHT, WIDTH), bool)
        for left, top, right, bottom in own[:, 1:5]:
            inner = np.round([left + 1, top + 1, right - 1, bottom - 1]).astype(int)
            if np.all(inner[2:] > inner[:2]):
                assert image[inner[1] : inner[3], inner[0] : inner[2], label].mean() > 200
            outer = np.round([left - 1, top - 1, right + 1, bottom + 1]).astype(int).clip(0)
            mask[outer[1] : outer[3], outer[0] : outer[2]] = True
        other = image[..., [each for each in range(3) if each != label]].max(axis=-1)
        outside = (image[..., label] > 200) & (other < 64) & ~mask
        # What is left of objects with less than a pixel.
        assert outside.sum() < 30


def test_a_mosaic_keeps_the_largest_boxes_where_there_is_no_room() -> None:
    images, boxes = pictures()
    images, boxes = images[:4], boxes[:4]

    _, all_of_them = mosaic(images, boxes.copy(), Draws(3), 16, 0.3)
    _, few = mosaic(images, boxes.copy(), Draws(3), 2, 0.3)

    areas = np.sort(form.areas(all_of_them[:, 1:5]))
    assert np.sort(form.areas(few[:, 1:5])).tolist() == areas[-2:].tolist()


def test_mosaics_have_room_for_four_images_that_are_not_exceptional() -> None:
    counts = np.full((100, 2), 3)
    assert mosaic_places(counts) == 24
    counts[0] = 20
    assert mosaic_places(counts) == 40
    assert mosaic_places(counts[:0]) == 1


def _joined(plan: AugmentationPlan, epoch: int, rows: NDArray[np.int64]) -> tuple[Images, Boxes]:
    images, boxes = pictures(12)
    augmenter = Augmenter(plan, 5, epochs=20)
    chosen = rows - ROWS[0]
    made, own = images[chosen], boxes[chosen]

    def read(parts: NDArray[np.int64]) -> tuple[Images, Boxes]:
        return images[parts - ROWS[0]], boxes[parts - ROWS[0]]

    augmenter.joined(made, own, rows, epoch, ROWS, read)
    return augmenter.changed(made, rows, epoch, RegionBatch(DETECTION.geometry, own)), own


def test_mosaics_depend_on_seed_epoch_and_row_alone() -> None:
    plan = AugmentationPlan.parse({"mosaic": 50, "object_crop": 50, "horizontal_flip": True})
    images, boxes = _joined(plan, 2, ROWS)
    order = np.array([4, 1, 0])
    again, own = _joined(plan, 2, ROWS[order])

    np.testing.assert_array_equal(again, images[order])
    np.testing.assert_array_equal(own, boxes[order])
    assert not np.array_equal(_joined(plan, 3, ROWS)[0], images)


def test_the_last_epochs_have_no_mosaics() -> None:
    plan = AugmentationPlan.parse({"mosaic": 100})
    last = int(20 * MOSAIC_UNTIL)

    assert not np.array_equal(_joined(plan, last - 1, ROWS)[0], pictures()[0])
    np.testing.assert_array_equal(_joined(plan, last, ROWS)[0], pictures()[0])


def test_images_with_boxes_are_not_reflected() -> None:
    images, boxes = changed(translation=40.0, fill="reflect")

    assert {tuple(color) for color in np.unique(images.reshape(-1, 3), axis=0)} >= {(128,) * 3}
    assert np.any(boxes[:, :, form.CLASS] >= 0)


@pytest.mark.parametrize("name", ["mosaic", "object_crop"])
def test_what_needs_boxes_stays_on_the_host(name: str) -> None:
    plan = AugmentationPlan.parse({name: 100})

    assert name in plan.host_only
    with pytest.raises(ValueError, match="boxes"):
        Augmenter(plan, 1).table((HEIGHT, WIDTH, 3), ROWS, 0)


def test_a_preview_is_what_training_sees() -> None:
    images, boxes = pictures(12)
    before = images.copy()
    plan = AugmentationPlan.parse({"mosaic": 100, "zoom": 20})

    seen = preview(images, plan, 5, 2, ROWS, RegionBatch(DETECTION.geometry, boxes))
    made, own = _joined(plan, 2, ROWS)

    np.testing.assert_array_equal(images, before)
    np.testing.assert_array_equal(seen, made)
    np.testing.assert_array_equal(boxes, own)
