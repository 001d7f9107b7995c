"""Intervals, sizes of a curve, and what a power law through it promises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.baselines.report import Growth, LearningCurvePoint
from studio.engine.compute.probe import growth, point, sizes_up_to
from studio.engine.proportions import wilson
from studio.engine.tasks.classification.task import ACCURACY
from studio.engine.tasks.regression.task import R2


def _curve(
    floor: float, scale: float, exponent: float, noise: float = 0.0, most: int = 2000
) -> list[LearningCurvePoint]:
    random = np.random.default_rng(1)
    points = []
    for size in sizes_up_to(most, 10):
        accuracy = 1 - floor - scale * size**-exponent
        points.append(point(size, (accuracy + noise * random.standard_normal(3)).tolist()))
    return points


@pytest.mark.parametrize(
    ("right", "count", "low", "high"),
    # R. G. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)],
)
def test_wilson_as_published(right: int, count: int, low: float, high: float) -> None:
    assert wilson(right, count) == pytest.approx((low, high), abs=1e-4)


@given(st.integers(1, 5000), st.data())
def test_wilson_holds_the_share(count: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, count))
    low, high = wilson(right, count)
    assert 0 <= low <= right / count + 1e-12
    assert right / count - 1e-12 <= high <= 1


@given(st.integers(1, 100_000), st.integers(2, 1000))
def test_sizes_rise_to_all(count: int, classes: int) -> None:
    sizes = sizes_up_to(count, classes)
    assert sizes[-1] == count
    assert sizes == sorted(set(sizes))
    assert len(sizes) == 1 or sizes[0] >= 2 * classes


@pytest.mark.parametrize(
    ("floor", "scale", "exponent"), [(0.0, 1.5, 0.35), (0.1, 2.0, 0.5), (0.05, 0.8, 0.2)]
)
def test_the_law_of_a_curve_is_found(floor: float, scale: float, exponent: float) -> None:
    found = growth(_curve(floor, scale, exponent), 2000)

    expected = scale * (2000**-exponent - 4000**-exponent)
    assert found.gain is not None, found.reason
    assert found.low is not None
    assert found.high is not None
    assert found.gain == pytest.approx(expected, abs=0.003)
    assert found.low <= expected <= found.high
    assert found.floor is not None
    assert found.scale is not None
    assert found.exponent is not None
    miss = found.floor + found.scale * 4000**-found.exponent
    assert miss == pytest.approx(floor + scale * 4000**-exponent, abs=4e-3)
    assert found.sentence(ACCURACY).startswith("Twice the data would gain about ")


def test_noise_widens_the_interval() -> None:
    calm = growth(_curve(0.05, 1.5, 0.35, 0.002), 2000)
    noisy = growth(_curve(0.05, 1.5, 0.35, 0.02), 2000)

    assert None not in (calm.low, calm.high, noisy.low, noisy.high)
    assert calm.high - calm.low < noisy.high - noisy.low  # type: ignore[operator]  # not None


def test_a_flat_curve_promises_little() -> None:
    points = [point(size, [0.97, 0.971, 0.969]) for size in (30, 80, 200, 500, 1300)]

    assert (
        "change little" in growth(points, 1300).sentence(ACCURACY)
        or growth(points, 1300).gain is None
    )


@pytest.mark.parametrize(
    ("curve", "images", "reason"),
    [
        (_curve(0.1, 1, 0.5)[:3], 2000, "too few training images"),
        (_curve(0.1, 1, 0.5), 50_000, "only 2,000 of 50,000"),
        (
            [point(n, [a]) for n, a in ((20, 0.9), (60, 0.8), (200, 0.7), (600, 0.6))],
            600,
            "does not increase",
        ),
        (
            [point(n, [a]) for n, a in ((20, 0.3), (50, 0.6), (99, 0.4), (300, 0.8), (600, 0.6))],
            600,
            "noisy",
        ),
    ],
)
def test_nothing_is_promised(curve: list[LearningCurvePoint], images: int, reason: str) -> None:
    found = growth(curve, images)

    assert found.gain is None
    assert reason in found.reason
    assert found.sentence(ACCURACY).startswith("The effect of more data cannot be estimated: ")


def test_a_gain_is_reported_in_the_unit_of_its_metric() -> None:
    found = Growth(images=100, gain=0.031, low=0.01, high=0.052)

    assert found.sentence(ACCURACY) == (
        "Twice the data would gain about 3 points (between 1.0 and 5.2)."
    )
    assert found.sentence(R2) == (
        "Twice the data would change R² by about 0.031 (between 0.010 and 0.052)."
    )


def test_draws_that_differ_a_lot_promise_nothing() -> None:
    middle = ((20, 0.3), (40, 0.4), (80, 0.5), (160, 0.6))
    points = [point(n, [a - 0.3, a, a + 0.3]) for n, a in middle]

    assert "points is possible" in growth(points, 160).reason


def test_the_same_curve_gives_the_same_diagnosis() -> None:
    curve = _curve(0.05, 1.5, 0.35, 0.01)

    assert growth(curve, 2000) == growth(curve, 2000)
