"""Regions are stored, counted and moved by the geometry of their task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.engine.datasets.augment.steps import AffineMotion
from studio.engine.tasks import TASKS
from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.anomaly.task import ANOMALY
from studio.engine.tasks.detection.task import DETECTION
from studio.engine.tasks.geometry import RegionBatch, packed, unpacked
from studio.engine.tasks.instances.task import INSTANCES
from studio.engine.tasks.parts.prediction import PARTS
from studio.engine.tasks.segmentation.task import SEGMENTATION

MASK = np.array([[0, 0, 1], [2, IGNORE, 1]], np.uint8)
OBJECTS = np.array([[256, 256, 514], [0, -1, 514]], np.int32)
BOXES = np.array([[0, 1, 1, 3, 2, 0], [2, 0, 0, 3, 2, 0]], np.float32)
REGIONS: dict[str, NDArray[Any]] = {
    SEGMENTATION.name: MASK,
    DETECTION.name: BOXES,
    ANOMALY.name: MASK,
    INSTANCES.name: OBJECTS,
}
MIRRORED = (-1.0, 0.0, 0.0, 0.0, 1.0, 0.0)


@pytest.mark.parametrize("name", REGIONS)
def test_stored_regions_are_read_back(name: str) -> None:
    geometry, regions = TASKS[name].geometry, REGIONS[name]
    assert geometry.rows is not None
    shape = geometry.rows.row_shape(2, 3, 5)

    row = geometry.rows.row(regions, shape)

    assert row.shape == shape
    assert np.array_equal(geometry.rows.regions(row), regions)
    assert np.array_equal(unpacked(packed(regions)), regions)
    assert not geometry.rows.regions(geometry.rows.nothing(shape)).any()


@pytest.mark.parametrize("name", REGIONS)
def test_regions_that_do_not_fit_are_refused(name: str) -> None:
    geometry = TASKS[name].geometry
    assert geometry.rows is not None
    with pytest.raises(ValueError, match=geometry.rows.name):
        geometry.rows.row(REGIONS[name], (1, 1))
    with pytest.raises(ValueError, match=geometry.rows.name):
        geometry.rows.row(REGIONS[name].astype(np.float64), geometry.rows.row_shape(2, 3, 5))


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        (SEGMENTATION.name, [2, 2, 1]),
        (DETECTION.name, [1, 0, 1]),
        (INSTANCES.name, [1, 0, 1]),
    ],
)
def test_regions_of_each_class_are_counted_and_relabeled(name: str, counts: list[int]) -> None:
    geometry, regions = TASKS[name].geometry, REGIONS[name]
    table = np.full(256, IGNORE, np.uint8)
    table[:3] = [2, 1, 0]

    assert geometry.counts(regions, 3).tolist() == counts
    assert geometry.counts(geometry.relabeled(regions, table), 3).tolist() == counts[::-1]


@pytest.mark.parametrize("name", REGIONS)
def test_regions_are_mirrored_with_their_image(name: str) -> None:
    geometry = TASKS[name].geometry
    moved: NDArray[Any] = REGIONS[name].copy()

    geometry.move(moved, AffineMotion(MIRRORED, (3, 2), 0.0))
    assert geometry.counts(moved, 3).tolist() == geometry.counts(REGIONS[name], 3).tolist()
    assert not np.array_equal(moved, REGIONS[name])
    geometry.move(moved, AffineMotion(MIRRORED, (3, 2), 0.0))
    assert np.allclose(moved, REGIONS[name])


def test_boxes_get_room_for_those_of_other_images() -> None:
    batch = RegionBatch(DETECTION.geometry, BOXES[None])

    roomy = batch.copy(4)

    assert roomy.rows.shape == (1, 8, 6)
    assert np.array_equal(roomy.rows[0, :2], BOXES)
    assert roomy.boxes is not None
    assert RegionBatch(SEGMENTATION.geometry, MASK[None]).boxes is None


@pytest.mark.parametrize("name", TASKS)
def test_what_is_drawn_is_of_the_stated_type(name: str) -> None:
    geometry = TASKS[name].geometry

    assert (geometry.part_type is None) == (geometry.rows is None)
    assert geometry.part_type in (*PARTS.values(), None)


@pytest.mark.parametrize("name", [name for name in TASKS if name not in REGIONS])
def test_images_as_wholes_have_no_regions(name: str) -> None:
    geometry = TASKS[name].geometry

    assert geometry.colors(("a", "b")) == ()
    assert geometry.unit == "images"
    with pytest.raises(TypeError, match="no regions"):
        geometry.counts(MASK, 3)
