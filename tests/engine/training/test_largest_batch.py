"""The largest batch, from what an image needs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.compute.measuring import (
    LARGEST,
    SPARE,
    does_fit,
    image_cost,
    largest_batch,
    power_of_two,
)

GB = 10**9


@given(
    base=st.floats(0, 8 * GB),
    each=st.floats(1, GB),
    free=st.integers(0, 64 * GB),
    images=st.integers(1, 10**7),
)
def test_it_fits_is_a_power_of_two_and_there_are_images_for_it(
    base: float, each: float, free: int, images: int
) -> None:
    size, limit = largest_batch(base, each, free, images)

    assert size <= min(images, LARGEST)
    assert size == 0 or size & (size - 1) == 0
    room = (1 - SPARE) * free
    if size:
        assert base + each * size <= room * (1 + 1e-9)
    bounds = {"memory": base + 2 * each * max(size, 0.5), "images": 0.0, "range": 0.0}
    assert bounds[limit] == 0 or bounds[limit] > room * (1 - 1e-9)


@pytest.mark.parametrize(
    ("free", "images", "found"),
    [
        (10 * GB, 10_000, (64, "memory")),  # 9 GB less 1 of them, at 0.1 GB each: 80
        (10 * GB, 50, (32, "images")),
        (None, 10**7, (LARGEST, "range")),
        (GB, 1000, (0, "memory")),
    ],
)
def test_what_limits_it(free: int | None, images: int, found: tuple[int, str]) -> None:
    assert largest_batch(GB, 0.1 * GB, free, images) == found


def test_the_cost_of_an_image_is_the_rise_to_the_largest_batch() -> None:
    # The first sizes also hold what is compiled for them.
    assert image_cost(1000, {8: 1500, 32: 2000, 256: 4240}, 1) == 10
    assert image_cost(1000, {8: 1100}, 1) == 12.5
    assert image_cost(1000, {8: 1100, 32: 1090}, 3) == 3, "never less than its pixels"
    # Two sizes that are hardly different say nothing.
    assert image_cost(1000, {250: 3500, 256: 3900, 64: 1980}, 1) == 10
    assert image_cost(1000, {}, 7) == 7


def test_powers_and_fitting() -> None:
    assert [power_of_two(size) for size in (0, 1, 2, 3, 1023, 1024)] == [0, 1, 2, 2, 512, 1024]
    assert does_fit(0.89 * GB, GB)
    assert not does_fit(0.91 * GB, GB)
    assert does_fit(10**15, None)
