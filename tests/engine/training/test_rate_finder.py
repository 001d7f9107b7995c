"""What is read off a curve of losses at rising rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from studio.engine.compute.rate_finder import (
    HIGHEST,
    LOWEST,
    STEPS,
    Divergence,
    read_curve,
    rising_rates,
    smoothed,
)
from studio.engine.training.optimizers import OPTIMIZERS

ANY = (1e-9, 100.0)
RATES = [float(rate) for rate in rising_rates(STEPS)]


def _falling(middle: float, explodes: float, noise: float = 0.0, seed: int = 0) -> list[float]:
    """A loss of 2.3 that falls around a rate, to 0.3, and explodes at another."""
    where = np.log10(RATES)
    fall: NDArray[np.float64] = 2.0 / (1 + np.exp(-6 * (where - math.log10(middle))))
    rise = np.exp(np.minimum(6 * (where - math.log10(explodes)), 50.0))
    wobble = np.random.default_rng(seed).uniform(-noise, noise, len(RATES))
    losses = (2.3 - fall) * (1 + wobble) + rise
    return [float(loss) for loss in losses]


def test_rates_rise_by_one_factor_over_the_whole_range() -> None:
    factors = np.array(RATES[1:]) / np.array(RATES[:-1])

    assert RATES[0] == pytest.approx(LOWEST)
    assert RATES[-1] == pytest.approx(HIGHEST)
    assert factors == pytest.approx(factors[0])


def test_smoothing_is_corrected_for_its_beginning() -> None:
    assert smoothed([4.0])[0] == pytest.approx(4.0)
    # m1 = 0.2*1, m2 = 0.8*m1 + 0.2*3 = 0.76; told as 0.76 / (1 - 0.64)
    assert smoothed([1.0, 3.0])[1] == pytest.approx(0.76 / 0.36)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60))
def test_what_is_smoothed_stays_within_the_values(losses: list[float]) -> None:
    mean = smoothed(losses)

    slack = 1e-6 * max(1.0, *map(abs, losses))
    assert len(mean) == len(losses)
    assert mean.min() >= min(losses) - slack
    assert mean.max() <= max(losses) + slack


@given(
    middle=st.floats(-5, -1.5),
    room=st.floats(1.0, 2.5),
    noise=st.floats(0, 0.05),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_suggestion_lies_where_the_loss_falls(
    middle: float, room: float, noise: float, seed: int
) -> None:
    falls, explodes = 10**middle, 10 ** (middle + room)

    curve = read_curve(RATES, _falling(falls, explodes, noise, seed), ANY, "SGD")

    assert curve.suggestion is not None, curve.reason
    assert falls / 30 < curve.suggestion < explodes
    assert curve.steepest is not None
    assert curve.tenth is not None
    assert curve.suggestion <= 1.05 * min(curve.steepest, curve.tenth)


@given(
    level=st.floats(1e-3, 1e3),
    noise=st.floats(0, 0.02),
    seed=st.integers(0, 2**32 - 1),
)
def test_nothing_is_suggested_where_the_loss_does_not_fall(
    level: float, noise: float, seed: int
) -> None:
    wobble = np.random.default_rng(seed).uniform(-noise, noise, STEPS)

    curve = read_curve(RATES, [float(x) for x in level * (1 + wobble)], ANY, "SGD")

    assert curve.suggestion is None
    assert "does not clearly decrease" in curve.reason


@given(st.integers(0, 2**32 - 1))
def test_a_loss_that_only_rises_gives_nothing(seed: int) -> None:
    noise = np.random.default_rng(seed).uniform(-0.02, 0.02, STEPS)
    losses = 2.3 + 5 * (np.arange(STEPS) / STEPS) ** 2 + noise

    assert read_curve(RATES, [float(x) for x in losses], ANY, "SGD").suggestion is None


def test_a_drop_within_the_noise_is_not_significant() -> None:
    wobble = np.random.default_rng(3).normal(0, 1.0, STEPS)
    losses = 2.3 + 0.15 * wobble - 0.15 * (np.arange(STEPS) / STEPS)

    assert read_curve(RATES, [float(x) for x in losses], ANY, "SGD").suggestion is None


def test_what_follows_a_loss_that_is_no_number_is_left_out() -> None:
    losses = [*_falling(1e-3, 1.0)[:70], math.nan, 0.0, 0.0]

    curve = read_curve(RATES[:73], losses, ANY, "SGD")

    assert len(curve.rates) == len(curve.losses) == len(curve.smoothed) == 70
    assert curve.suggestion is not None
    assert curve.model_validate_json(curve.model_dump_json()) == curve
    short = read_curve(RATES[:5], [2.0, 2.0, math.inf, 2.0, 2.0], ANY, "SGD")
    assert short.suggestion is None
    assert "after 2 steps" in short.reason


def test_the_suggestion_is_no_more_than_usual() -> None:
    usual = OPTIMIZERS["adam"].usual_rates

    high = read_curve(RATES, _falling(0.3, 9.0), usual, "Adam")
    low = read_curve(RATES, _falling(1e-6, 1e-4), usual, "Adam")

    assert high.suggestion == usual[1]
    assert "highest usual rate for Adam" in high.reason
    assert low.suggestion is not None
    assert low.suggestion < usual[0]
    assert "less than is usual for Adam: 1e-05 to 0.01" in low.reason


def test_a_search_is_over_when_the_loss_is_lost() -> None:
    search = Divergence()
    losses = [2.0] * 20 + [50.0] * 5
    over = [search.add(loss) for loss in losses]

    assert not any(over[:20])
    assert over[20]
    assert Divergence().add(math.inf)
    assert not any(Divergence().add(value) for value in (1.0, 100.0))
