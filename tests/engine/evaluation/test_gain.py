"""What one model wins over another on the same images."""

from __future__ import annotations

import numpy as np
import pytest

from studio.engine.errors import BadDataError
from studio.engine.evaluation.mcnemar import paired_gain


def test_the_interval_is_that_of_a_bootstrap_over_the_images() -> None:
    rng = np.random.default_rng(3)
    before = rng.random(400) < 0.8
    after = before ^ (rng.random(400) < 0.1)

    gain = paired_gain(before, after)

    picks = rng.integers(0, 400, (4000, 400))
    plain = (after[picks].mean(axis=1) - before[picks].mean(axis=1)).astype(float)
    low, high = np.quantile(plain, [0.025, 0.975])
    assert gain.before == pytest.approx(before.mean())
    assert gain.difference == pytest.approx(after.mean() - before.mean())
    assert (gain.low, gain.high) == pytest.approx((low, high), abs=0.006)
    assert gain.count == 400


def test_a_clear_gain_is_significant_and_no_difference_is_not() -> None:
    wrong, right = np.zeros(100, bool), np.ones(100, bool)
    clear = paired_gain(wrong, right)
    assert (clear.difference, clear.high, clear.is_certain) == (1, 1, True)
    assert 0.9 < clear.low < 1, "other images might not all be won"
    same = paired_gain(right, right)
    assert (same.difference, same.is_certain) == (0, False)
    assert same.low == pytest.approx(-same.high)
    assert 0 < same.high < 0.05


@pytest.mark.parametrize("counts", [(0, 0), (3, 4)])
def test_other_images_cannot_be_compared(counts: tuple[int, int]) -> None:
    with pytest.raises(BadDataError, match="same images"):
        paired_gain(np.ones(counts[0], bool), np.ones(counts[1], bool))


def test_the_interval_of_few_pairs_is_that_of_agresti_and_min() -> None:
    """Computed by hand, with half an observation more of each kind of pair."""
    gain = paired_gain(np.arange(20) >= 6, np.ones(20, bool))
    assert (gain.low, gain.high) == pytest.approx((0.0664, 0.4791), abs=1e-4)
