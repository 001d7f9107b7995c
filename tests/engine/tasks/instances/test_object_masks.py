"""Masks of detected objects with NumPy: targets, decoding, outlines, pictures of any size."""

from __future__ import annotations

import runpy
import sys
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.bent_shapes import bent_image
from helpers.mask_outputs import perfect_outputs, positions_in, random_outputs
from helpers.sampling import few_examples
from studio.engine.assets import asset
from studio.engine.tasks import masks
from studio.engine.tasks.annotations import Instances
from studio.engine.tasks.boxes import BOTTOM, CLASS, LEFT
from studio.engine.tasks.calibration import Calibration
from studio.engine.tasks.decoding import MAX_OVERLAP, MIN_SCORE, SCORE, corners_of, without_places
from studio.engine.tasks.instance_labels import IGNORED, instance_table, values_of
from studio.engine.tasks.instances.families import MASK_FAMILY, family_of_rows
from studio.engine.tasks.instances.mask_decoding import decoded
from studio.engine.tasks.instances.mask_outlines import edges_of, rings_of
from studio.engine.tasks.instances.mask_pictures import (
    PlacedObjects,
    masks_of_whole,
    step_through_tiles,
)
from studio.engine.tasks.instances.mask_targets import (
    GROWN,
    class_map_size,
    class_rows,
    mask_targets,
)
from studio.engine.tasks.instances.matching import compared
from studio.engine.tasks.instances.report import REPORTER
from studio.engine.tasks.placement import ResizeMode, placement
from studio.engine.tasks.tiling import result_of

SIZE = (48, 64)


@dataclass(frozen=True)
class Frame:
    width: int
    height: int
    resize: ResizeMode
    border: str = "background"
    least_visible: float = 0.0


def script() -> SimpleNamespace:
    """Return what exported scripts compute."""
    folder = str(asset("export/masks.py").parent)
    sys.path.insert(0, folder)
    try:
        return SimpleNamespace(**runpy.run_path(f"{folder}/masks.py"))
    finally:
        sys.path.remove(folder)
        sys.modules.pop("boxes", None)


SCRIPT = script()


def drawn(seed: int, side: int = 64) -> Instances:
    """Return a label image of bent objects of two classes."""
    _, labels = bent_image(np.random.default_rng(seed), side)
    return values_of(labels >> 8, (labels >> 8) % 2)


def row_of(cells: NDArray[np.float64], box: tuple[float, ...] = (0, 0, 28, 28)) -> masks.Masks:
    """Return one found object with some cells."""
    row = np.zeros((1, masks.VALUES), np.float32)
    row[0, LEFT : BOTTOM + 1], row[0, SCORE] = box, 0.9
    row[0, masks.MASK :] = cells.ravel()
    return row


def test_positions_belong_to_maps_and_levels() -> None:
    levels = masks.MaskLevels.of(positions_in(SIZE), SIZE)

    assert (levels.stride, levels.rows, levels.columns) == (2, 24, 32)
    assert levels.strides == (4, 8)
    assert len(levels.places) == positions_in(SIZE)
    with pytest.raises(ValueError, match="without boxes"):
        masks.MaskLevels.of(24 * 32, SIZE)


@settings(max_examples=few_examples() // 4)
@given(st.integers(0, 10_000))
def test_targets_hold_each_object_and_the_classes(seed: int) -> None:
    labels = drawn(seed)
    labels[:3] = IGNORED
    table = instance_table(labels)

    found = mask_targets(labels, 6)

    assert found.shape == (6 + class_rows(labels.shape), masks.VALUES)
    rows = without_places(found[:6])
    order = np.lexsort(table.boxes.T)
    mine = np.lexsort(rows[:, LEFT : BOTTOM + 1].T)
    assert np.array_equal(rows[mine, LEFT : BOTTOM + 1], table.boxes[order])
    assert np.array_equal(rows[mine, CLASS], table.classes[order])
    for row, at in zip(rows[mine], order, strict=True):
        box = GROWN**2 * np.prod(table.boxes[at, 2:] - table.boxes[at, :2])
        share = (row[masks.MASK :] == 1).mean()
        assert share * box == pytest.approx(table.areas[at], rel=0.25, abs=8)
    rows_, columns = class_map_size(labels.shape)
    seen = found[6:].ravel()[: rows_ * columns].reshape(rows_, columns)
    expected = labels[1::2, 1::2]
    assert np.array_equal(seen == -1, expected == IGNORED)
    assert np.array_equal(seen > 0, expected > 0)
    assert np.array_equal(mask_targets(labels, 6), found)


def test_only_some_of_many_objects_are_targets() -> None:
    numbers = np.arange(1, 17).reshape(4, 4).repeat(8, 0).repeat(8, 1).astype(np.int32)

    found = without_places(mask_targets(values_of(numbers, 0), 5)[:5])

    assert len({tuple(each) for each in corners_of(found).tolist()}) == 5


@pytest.mark.parametrize("seed", range(4))
def test_right_outputs_give_the_objects_whatever_their_shape(seed: int) -> None:
    labels = drawn(seed)
    table = instance_table(labels)

    rows = decoded(perfect_outputs(labels, 2)[None], labels.shape)[0]

    image = compared(rows, labels)
    best = image.pairs.same.max(axis=0)
    large = table.areas > 60
    assert large.any()
    assert (best[large] > 0.65).all()  # the maps have half the resolution


@settings(max_examples=few_examples() // 4)
@given(st.integers(0, 10_000))
def test_decoded_objects_are_sorted_and_apart(seed: int) -> None:
    found = decoded(random_outputs(seed, 2, SIZE), SIZE)

    rows = without_places(found[0])
    assert not len(without_places(found[1]))
    assert (rows[:, SCORE] >= MIN_SCORE).all()
    assert (np.diff(rows[:, SCORE]) <= 0).all()
    cells = masks.cells_of(rows)
    assert ((cells >= 0) & (cells <= 1)).all()
    corners = corners_of(rows)
    assert ((corners >= 0) & (corners <= [SIZE[1], SIZE[0]] * 2)).all()
    for label in (0, 1):
        same = corners[rows[:, CLASS] == label]
        both = np.minimum(same[:, None, 2:], same[None, :, 2:]) - np.maximum(
            same[:, None, :2], same[None, :, :2]
        )
        shared = np.prod(np.maximum(both, 0), axis=2)
        sizes = np.prod(same[:, 2:] - same[:, :2], axis=1)
        iou = shared / (sizes[:, None] + sizes - shared)
        np.fill_diagonal(iou, 0)
        assert iou.max(initial=0) <= MAX_OVERLAP + 1e-5


@settings(max_examples=few_examples() // 4)
@given(st.integers(0, 10_000), st.floats(0.1, 0.9))
def test_lines_around_a_mask_are_closed_and_fill_it(seed: int, level: float) -> None:
    draw = np.random.default_rng(seed)
    cells = (draw.random((28, 28)) < level).astype(np.float64) * draw.uniform(0.55, 1, (28, 28))
    rows = row_of(cells)

    edges = edges_of(rows)
    shown = MASK_FAMILY.painted(rows, (28, 28))

    assert np.array_equal(shown == 1, cells >= 0.5)
    (rings,) = rings_of(edges, 1)
    assert sum(map(len, rings)) == len(edges.start)
    assert set(edges.start.tolist()) == set(edges.end.tolist())


def test_a_hole_is_a_ring_of_its_own() -> None:
    y, x = np.mgrid[:28, :28] + 0.5
    away = np.hypot(x - 14, y - 14)
    rows = row_of(((away < 12) & (away > 6)).astype(np.float64), (10, 20, 66, 76))

    found = family_of_rows(rows).placed(rows)

    assert len(found.outlines[0]) == 2
    left, top, right, bottom = corners_of(found.rows[0])
    assert (left, top) == pytest.approx((14, 24), abs=1.5)
    assert (right, bottom) == pytest.approx((62, 72), abs=1.5)
    area = np.pi * (24**2 - 12**2)
    assert (MASK_FAMILY.painted(rows, (80, 90)) > 0).sum() == pytest.approx(area, rel=0.05)


def test_an_empty_mask_is_no_object() -> None:
    found = MASK_FAMILY.placed(np.concatenate([row_of(np.zeros((28, 28)))] * 2))

    assert found.outlines == []
    assert found.rows.shape == (0, masks.MASK)


def assert_alike(ours: PlacedObjects, theirs: NDArray[np.float64]) -> None:
    """Compare objects of Studio with rows of the script."""
    rows, outlines = SCRIPT.outlined(theirs)
    np.testing.assert_allclose(rows, ours.rows, atol=1e-2)
    for mine, other in zip(ours.outlines, outlines, strict=True):
        for one, two in zip(mine, other, strict=True):
            np.testing.assert_allclose(one, two, atol=0.011)


@pytest.mark.parametrize("resize", ["squash", "fill"])
def test_the_script_of_exports_places_alike(resize: ResizeMode) -> None:
    outputs, full = random_outputs(3, 1, SIZE)[0], (150, 100)
    frame = Frame(64, 48, resize)

    ours = masks_of_whole(outputs, full, frame)

    place = placement(full, (64, 48), frame.resize)
    scale = 1 / np.broadcast_to(np.array(place.scale, np.float64), 2)
    corner = np.array(place.box[:2]) - np.array(place.corner) * scale
    theirs = SCRIPT.moved(SCRIPT.found(outputs, *SIZE), tuple(scale), tuple(corner), place.box)
    assert_alike(ours, theirs)


def test_an_object_in_several_tiles_is_given_once_and_in_the_script_alike() -> None:
    labels = drawn(5, 96)
    tiles = [(x, y, 64, 64) for y in (0, 32) for x in (0, 32)]
    parts = [labels[y : y + h, x : x + w] for x, y, w, h in tiles]
    outputs = [perfect_outputs(each, 2) for each in parts]
    scored = [
        (tile, np.zeros((64, 64, 1), np.uint8), each)
        for tile, each in zip(tiles, outputs, strict=True)
    ]

    ours = result_of(step_through_tiles(scored, tiles, (96, 96)))

    count = int((instance_table(labels).areas > 40).sum())
    assert count <= len(ours.rows) <= count + 2
    rows = [
        SCRIPT.moved(SCRIPT.found(each, 64, 64), (1, 1), tile[:2], (0, 0, 96, 96))
        for each, tile in zip(outputs, tiles, strict=True)
    ]
    corners = [(x, y, x + w, y + h) for x, y, w, h in tiles]
    assert_alike(ours, SCRIPT.merged(rows, corners, (96, 96)))


def test_a_prediction_agrees_with_itself_and_not_with_another() -> None:
    one, other = (decoded(random_outputs(seed, 1, SIZE), SIZE)[0] for seed in (0, 1))
    calibration = Calibration(thresholds=(0.3, 0.3))

    mine, total = REPORTER.same(one, one, calibration)
    theirs, _ = REPORTER.same(one, other, calibration)

    assert mine == total > 0
    assert theirs < total / 2


def test_objects_are_scaled_with_their_picture() -> None:
    outputs = random_outputs(0, 1, SIZE)

    small = REPORTER.decoded(outputs, SIZE)
    large = REPORTER.decoded(outputs, (96, 128), SIZE)

    np.testing.assert_allclose(corners_of(large), 2 * corners_of(small), rtol=1e-5)
    assert np.array_equal(large[..., SCORE:], small[..., SCORE:])


def test_an_image_without_objects_has_targets() -> None:
    found = mask_targets(np.zeros(SIZE, np.int32), 2)

    assert not len(without_places(found[:2]))
    assert set(found[2:].ravel().tolist()) == {-1.0, 0.0}
