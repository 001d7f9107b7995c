"""Defects that are drawn on good images."""

from __future__ import annotations

import numpy as np
import pytest

from studio.engine.tasks.anomaly.drawn_defects import with_defects


@pytest.mark.parametrize(
    ("dtype", "low", "high", "channels"),
    [("uint8", 0, 255, 3), ("uint16", 0, 4095, 1), ("float32", -1000.0, 3000.0, 2)],
)
@pytest.mark.parametrize("size", [(24, 24), (40, 200)])
def test_defects_change_a_small_part_of_an_image(
    dtype: str, low: float, high: float, channels: int, size: tuple[int, int]
) -> None:
    random = np.random.default_rng(7)
    image = (low + random.uniform(0.4, 0.6, (*size, channels)) * (high - low)).astype(dtype)
    before = image.copy()
    drawn = with_defects(image, np.random.default_rng(1), (low, high))

    assert (image == before).all()
    assert len(drawn) == 3
    for each in drawn:
        assert each.dtype == image.dtype
        assert each.min() >= low
        assert each.max() <= high
        difference = np.abs(each.astype(np.float64) - image).max(axis=-1)
        changed = (difference > 1e-4 * (high - low)).mean()
        assert 0 < changed < 0.35
    again = with_defects(image, np.random.default_rng(1), (low, high))
    assert all((one == other).all() for one, other in zip(drawn, again, strict=True))
