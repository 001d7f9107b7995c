from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.ui.charts.series import Series, Smoother, nearest_index, smooth

values = st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), max_size=300)


@given(values)
def test_appending_and_extending_give_the_same(y: list[float]) -> None:
    one, many = Series(), Series(range(len(y)), y)
    for index, value in enumerate(y):
        one.append(index, value)
    assert len(one) == len(y)
    np.testing.assert_array_equal(one.x, many.x)
    np.testing.assert_array_equal(one.y, y)


def test_a_series_cannot_be_changed_from_outside() -> None:
    series = Series([1, 2], [3, 4])
    with pytest.raises(ValueError, match="read-only"):
        series.y[0] = 5
    with pytest.raises(ValueError, match="received 2 and 1"):
        series.extend([1, 2], [3])
    series.clear()
    assert len(series.x) == 0


@given(values, st.floats(0, 0.99))
def test_smoothing_stays_inside_the_values_and_keeps_gaps(y: list[float], weight: float) -> None:
    smoothed = smooth(y, weight)
    finite = np.isfinite(y)
    np.testing.assert_array_equal(np.isfinite(smoothed), finite)
    if finite.any():
        known = np.asarray(y)[finite]
        slack = 1e-6 * (1 + np.abs(known).max())
        assert smoothed[finite].min() >= known.min() - slack
        assert smoothed[finite].max() <= known.max() + slack
        assert smoothed[finite][0] == pytest.approx(known[0], abs=slack)


def by_formula(y: list[float], weight: float) -> list[float]:
    average, count, smoothed = 0.0, 0, []
    for value in y:
        if math.isfinite(value):
            count += 1
            average = weight * average + (1 - weight) * value
        smoothed.append(average / (1 - weight**count) if math.isfinite(value) else math.nan)
    return smoothed


@given(values, st.integers(0, 300), st.floats(0.001, 0.999))
def test_smoothing_continues_incrementally_and_matches_the_formula(
    y: list[float], cut: int, weight: float
) -> None:
    smoother = Smoother(weight)
    parts = np.concatenate([smoother.feed(y[:cut]), smoother.feed(y[cut:])])
    np.testing.assert_allclose(parts, by_formula(y, weight), rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("weight", [0.01, 0.5, 0.9, 0.999])
def test_smoothing_very_many_values_is_the_formula(weight: float) -> None:
    y = np.random.default_rng(0).normal(3, 1, 20_000)
    np.testing.assert_allclose(smooth(y, weight), by_formula(y.tolist(), weight), rtol=1e-9)


def test_a_tiny_weight_does_not_overflow() -> None:
    np.testing.assert_array_equal(smooth([1, 5, 2], 1e-311), [1, 5, 2])


def test_smoothing_by_hand() -> None:
    # m1 = .5*1 = .5, /.5 = 1; m2 = .25+.5*3 = 1.75, /.75 = 2.333...
    np.testing.assert_allclose(smooth([1, math.nan, 3], 0.5), [1, math.nan, 7 / 3])
    np.testing.assert_array_equal(smooth([1, 5], 0), [1, 5])
    with pytest.raises(ValueError, match=r"1\.0"):
        smooth([1], 1.0)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.floats(-2e6, 2e6))
def test_nearest_is_nearest(x: list[float], value: float) -> None:
    x = sorted(x)
    found = nearest_index(x, value)
    assert abs(x[found] - value) == min(abs(one - value) for one in x)


def test_nearest_of_nothing() -> None:
    assert nearest_index([], 3) == -1
