from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.ui.charts.series import (
    FACTOR,
    Axes,
    Columns,
    ExtremesPyramid,
    Points,
    Series,
    Window,
    columns_of,
    indices_of,
    traces_of,
)

values = st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), max_size=700)


@given(values, st.lists(st.integers(0, 700), max_size=5))
def test_growing_in_parts_gives_the_same_as_at_once(y: list[float], cuts: list[int]) -> None:
    array = np.array(y, dtype=float)
    once, parts = ExtremesPyramid(), ExtremesPyramid()
    once.grow(array)
    for cut in sorted(min(cut, len(y)) for cut in cuts):
        parts.grow(array[:cut])
    parts.grow(array)
    assert parts.bounds(array) == once.bounds(array)
    for (low, high), (other_low, other_high) in zip(once._levels, parts._levels, strict=True):
        np.testing.assert_array_equal(low.values, other_low.values)
        np.testing.assert_array_equal(high.values, other_high.values)


@given(values, st.integers(1, 30))
def test_columns_hold_the_extremes_of_their_values(y: list[float], count: int) -> None:
    array = np.array(y, dtype=float)
    pyramid = ExtremesPyramid()
    pyramid.grow(array)
    edges = np.linspace(0, len(y), count + 1).astype(np.intp)
    lows, highs = pyramid.columns(array, edges)
    for index in range(count):
        inside = array[edges[index] : edges[index + 1]]
        if not np.isfinite(inside).any():
            continue
        # A run of values that lies across the edge counts on both sides.
        assert lows[index] <= np.nanmin(inside)
        assert highs[index] >= np.nanmax(inside)
    if np.isfinite(array).any():
        assert np.nanmin(lows) == np.nanmin(array)
        assert np.nanmax(highs) == np.nanmax(array)


@given(values)
def test_landmarks_are_the_first_extremes_and_the_last_value(y: list[float]) -> None:
    array = np.array(y, dtype=float)
    found = Series(range(len(y)), y).landmarks()
    if np.isnan(array).all():
        assert found is None
    else:
        last = int(np.flatnonzero(np.isfinite(array))[-1])
        assert found == (last, int(np.nanargmin(array)), int(np.nanargmax(array)))


@pytest.mark.parametrize("uneven", [0.0, 1e-9, 0.4, 3.0])
def test_indices_of_edges_are_those_of_a_search(uneven: float) -> None:
    random = np.random.default_rng(0)
    x = np.sort(np.arange(20_000) / 1000 + uneven * random.random(20_000))
    repeated = np.repeat(x[::4], 4)
    for values in (x, repeated, x[:10]):
        low, high = values[0] - 1, values[-1] + 1
        for edges in (np.linspace(low, high, 801), values[::7], np.array([low, high, high])):
            np.testing.assert_array_equal(
                indices_of(values, edges), np.searchsorted(values, edges)
            )


def spiky(count: int) -> Series:
    y = np.sin(np.arange(count) / 50)
    y[54_321], y[77_777] = 9, -9
    return Series(np.arange(1.0, count + 1), y)


def test_no_spike_is_lost_at_any_zoom() -> None:
    series = spiky(1_000_000)
    for width in (1e6, 3e5, 1e5, 3e4, 1e4, 4321.5):
        window = Window(54_322 - 0.4 * width, 54_322 + 0.6 * width, -10, 10, 500, 400)
        (trace,) = traces_of([series], window)
        assert isinstance(trace, Columns)
        assert np.nanmin(trace.tops) == window.down(np.array([9.0]))[0]
        at = int(np.nanargmin(trace.tops))
        assert abs(at - 0.4 * 500) <= 1, "a spike is where it is, within a pixel"


def test_from_two_points_in_a_pixel_on_every_point_is_drawn_exactly() -> None:
    series = spiky(100_000)
    window = Window(54_300, 55_200, -10, 10, 500, 400)
    (trace,) = traces_of([series], window)
    assert isinstance(trace, Points)
    assert len(trace.x) == 903
    inside = slice(1, -1)
    np.testing.assert_allclose(trace.x[inside], (np.arange(54_300, 55_201) - 54_300) / 900 * 500)
    np.testing.assert_allclose(trace.y[inside], (10 - series.y[54_299:55_200]) / 20 * 400)


def test_log_axes_keep_what_is_positive() -> None:
    y = np.full(100_000, 1.0)
    y[500], y[50_000], y[70_000] = 0.01, -3.0, 0.0
    series = Series(np.arange(1.0, 100_001), y)
    window = Window(0, 5, -3, 1, 600, 400, Axes(log_x=True, log_y=True))
    (trace,) = columns_of([series], window)
    assert np.nanmax(trace.bottoms) == window.down(np.array([0.01]))[0]
    at = int(np.nanargmax(trace.bottoms))
    assert abs(at - math.log10(501) / 5 * 600) <= 1
    assert not np.isnan(trace.tops[1:-1]).any(), "few points at the left are joined by lines"


def test_gaps_stay_gaps() -> None:
    y = np.ones(100_000)
    y[40_000:60_000] = np.nan
    (trace,) = columns_of([Series(np.arange(100_000.0), y)], Window(0, 1e5, 0, 2, 500, 400))
    assert np.isnan(trace.tops[201:299]).all()
    assert np.isfinite(trace.tops[:199]).all()


def test_columns_of_a_steep_curve_touch() -> None:
    x = np.arange(100_000.0)
    (trace,) = columns_of([Series(x, 1e3 * x**2)], Window(0, 1e5, 0, 1e13, 300, 4000))
    assert (trace.tops[:-1] <= trace.bottoms[1:] + 1e-9).all()


def test_lines_together_are_what_each_is_alone() -> None:
    noise = np.random.default_rng(0).standard_normal((3, 200_000))
    noise[1, 50_000:70_000] = np.nan
    x = np.arange(200_000.0)
    many = [Series(x, noise[0]), Series(x[:500], noise[0, :500]), Series(x, noise[1]),
            Series(x[::40], noise[2, ::40])]  # fmt: skip
    for right in (2e5, 3e4, 2e3):
        window = Window(-100, right, -4, 4, 600, 300)
        for together, series in zip(traces_of(many, window), many, strict=True):
            (alone,) = traces_of([series], window)
            assert type(alone) is type(together)
            for field in ("tops", "bottoms") if isinstance(alone, Columns) else ("x", "y"):
                np.testing.assert_array_equal(getattr(together, field), getattr(alone, field))


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_level_that_starts_after_a_complete_one_knows_it(
    level: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A live curve showed a scale of 75 for losses below 2.3, one step after a power of eight."""
    monkeypatch.setattr(np, "empty", lambda shape, *_, **__: np.full(shape, 75.0))
    whole = np.full(FACTOR**level, 5.0)
    pyramid = ExtremesPyramid()
    pyramid.grow(whole)
    longer = np.append(whole, 5.0)
    pyramid.grow(longer)
    assert pyramid.bounds(longer) == (5.0, 5.0)
