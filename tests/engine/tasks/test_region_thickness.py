"""Width of regions of masks, from their areas and borders."""

from __future__ import annotations

import numpy as np
import pytest

from studio.engine.tasks.annotations import IGNORE
from studio.engine.tasks.region_thickness import THIN, THIN_CLASS, thickness_facts


@pytest.mark.parametrize("width", [1, 3, 12])
def test_a_strip_is_as_wide_as_it_is(width: int) -> None:
    mask = np.zeros((60, 80), np.uint8)
    mask[:, 30 : 30 + width] = 2
    for turned in (mask, mask.T):
        assert thickness_facts([turned]) == {THIN: width, THIN_CLASS: 2}


def test_a_disc_counts_with_about_half_its_diameter() -> None:
    rows, columns = np.mgrid[:101, :101]
    disc = ((rows - 50) ** 2 + (columns - 50) ** 2 <= 30**2).astype(np.uint8)
    # Borders in sides of pixels are 4 / pi times as long as the circle.
    assert thickness_facts([disc])[THIN] == pytest.approx(30 * np.pi / 4, rel=0.05)


def test_the_usual_image_counts_and_pixels_of_no_class_do_not() -> None:
    thin, thick = np.zeros((2, 40, 40), np.uint8)
    thin[:, 20:22] = 1
    thick[:, 10:30] = 1
    assert thickness_facts([thin, thick, thick])[THIN] == 20
    ignored = np.zeros((40, 40), np.uint8)
    ignored[:, 20:22] = IGNORE
    assert thickness_facts([ignored])[THIN_CLASS] == 0
    assert thickness_facts([np.zeros((4, 4), np.uint8)]) == {}
    assert thickness_facts([]) == {}
