"""Measurements of objects: against shapes computed by hand, and the values of scikit-image."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.engine.tasks.parts.measurements import Measurements, measured
from studio.engine.tasks.parts.objects import DetectedObject
from studio.engine.tasks.parts.outlines import traced


def disk(radius: float, *, stretch: float = 1.0) -> NDArray[np.bool_]:
    """Return the pixels of a disk or ellipse around the middle of 41 x 41 pixels."""
    rows, columns = np.mgrid[:41, :41]
    return np.asarray(((rows - 20) / stretch) ** 2 + (columns - 20) ** 2 <= radius**2)


def measure(inside: NDArray[np.bool_], pixels: NDArray[np.uint8] | None = None) -> Measurements:
    """Return the measurements of one object."""
    height, width = inside.shape
    outline = traced(inside.astype(np.int32))[1]
    box = DetectedObject(
        label="cell", score=1, left=0, top=0, right=width, bottom=height, outline=outline
    )
    (found,) = measured([box], (width, height), pixels)
    assert found is not None
    return found


def test_a_rectangle_is_measured_by_hand() -> None:
    """Three rows of 16 pixels: moments of uniform rows and columns."""
    inside = np.zeros((10, 20), np.bool_)
    inside[3:6, 2:18] = True
    found = measure(inside)
    assert found.area == 48
    assert list(found.center) == [10, 4.5]
    assert found.perimeter == 2 * 15 + 2 * 2  # through the centers of the border pixels
    assert found.equivalent_diameter == pytest.approx(math.sqrt(4 * 48 / math.pi))
    along, across = (16**2 - 1) / 12, (3**2 - 1) / 12
    assert found.eccentricity == pytest.approx(math.sqrt(1 - across / along))


@pytest.mark.parametrize(
    ("inside", "area", "perimeter", "eccentricity"),
    [
        (disk(15), 709, 98.911688, 0),
        (disk(15) & ~disk(7), 560, 148.852814, 0),
        (disk(18, stretch=8 / 18), 445, 87.59798, 0.901054),
        (np.eye(8, dtype=np.bool_), 8, 8.485281, 1),
    ],
)
def test_shapes_are_measured_as_by_scikit_image(
    inside: NDArray[np.bool_], area: float, perimeter: float, eccentricity: float
) -> None:
    """The values are those of `regionprops` of scikit-image 0.26."""
    found = measure(inside)
    assert found.area == area
    assert found.perimeter == pytest.approx(perimeter)
    assert found.eccentricity == pytest.approx(eccentricity, abs=1e-6)


def test_brightness_is_the_mean_of_each_channel_inside() -> None:
    """Pixels outside, and those of holes, do not count."""
    inside = disk(15) & ~disk(7)
    pixels = np.zeros((41, 41, 2), np.uint8)
    pixels[inside] = (10, 30)
    pixels[~inside] = 255
    assert measure(inside, pixels).means == (10, 30)


def test_micrometers_follow_the_size_of_a_pixel() -> None:
    """Areas scale by both sides, lengths by their geometric mean."""
    found = measure(disk(15)).in_micrometers((0.5, 0.5))
    assert found.area == 709 / 4
    assert found.perimeter == pytest.approx(98.911688 / 2)
    assert measure(disk(15)).in_micrometers((0.2, 0.8)).area == pytest.approx(709 * 0.16)


def test_an_ellipse_of_oblong_pixels_may_be_a_circle() -> None:
    """The eccentricity is that of what was photographed."""
    rows, columns = np.mgrid[:41, :41]
    inside = ((rows - 20) / 8) ** 2 + ((columns - 20) / 16) ** 2 <= 1
    outline = traced(inside.astype(np.int32))[1]
    box = DetectedObject(label="a", score=1, left=0, top=0, right=41, bottom=41, outline=outline)
    (plain,), (scaled,) = (measured([box], (41, 41), None, side) for side in ((1, 1), (1, 2)))
    assert plain is not None
    assert scaled is not None
    assert plain.eccentricity > 0.8
    assert scaled.eccentricity < 0.2


def test_boxes_are_not_measured() -> None:
    """Only what has an outline has an area."""
    box = DetectedObject(label="a", score=1, left=0, top=0, right=4, bottom=4)
    assert measured([box], (9, 9)) == [None]
