"""Learning-rate policies against their formulas, and what all of them must be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.errors import StudioError
from studio.engine.plans import fields_of
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.schedules import SCHEDULES, curve, policy_from, rate_at

BASE = 0.02
NAMES = SCHEDULES.names()
STARTING_AT_BASE = [name for name in NAMES if name not in ("sigmoid", "one_cycle")]


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_explains_its_parameters(name: str) -> None:
    assert SCHEDULES[name].parameters.__doc__
    assert all(field.help.endswith(".") for field in fields_of(SCHEDULES[name].parameters))


def test_the_form_offers_every_policy() -> None:
    field = next(field for field in fields_of(TrainingPlan) if field.name == "schedule")

    assert field.choices == tuple(NAMES)
    assert field.choice_labels == tuple(schedule.label for schedule in SCHEDULES)


@pytest.mark.parametrize("name", STARTING_AT_BASE)
def test_most_policies_start_at_the_base_rate(name: str) -> None:
    schedule = SCHEDULES[name]

    assert schedule.rate(schedule.parameters(), BASE, 0.0) == BASE


@pytest.mark.parametrize("name", NAMES)
@given(progress=st.floats(0, 1))
def test_every_policy_is_finite_and_never_negative(name: str, progress: float) -> None:
    schedule = SCHEDULES[name]

    rate = schedule.rate(schedule.parameters(), BASE, progress)

    assert math.isfinite(rate)
    assert 0 <= rate <= BASE


def test_step_falls_at_its_percents() -> None:
    rates = [rate_at("step", {"step_percent": 25, "gamma": 0.5}, 1.0, n, 100) for n in range(100)]

    assert rates == [1.0] * 25 + [0.5] * 25 + [0.25] * 25 + [0.125] * 25


@pytest.mark.parametrize("total", [100, 300, 700])
def test_step_falls_on_time_in_spite_of_rounding(total: int) -> None:
    rates = [rate_at("step", {"step_percent": 7.0}, 1.0, n, total) for n in range(total)]

    assert rates.index(0.1) == total * 7 // 100


@given(progress=st.floats(0, 1), gamma=st.floats(0.5, 1))
def test_exponential_formula(progress: float, gamma: float) -> None:
    policy = policy_from("exponential", {"gamma": gamma})

    expected = BASE * math.exp(math.log(gamma) * 100 * progress)
    assert SCHEDULES["exponential"].rate(policy, BASE, progress) == pytest.approx(expected)


def test_cosine_formula() -> None:
    rates = [rate_at("cosine", {"final_percent": 10}, 1.0, n, 4) for n in range(5)]

    half = math.sqrt(0.5)
    expected = [1.0, 0.55 + 0.45 * half, 0.55, 0.55 - 0.45 * half, 0.1]
    assert rates == pytest.approx(expected)


def test_cosine_may_end_at_nothing() -> None:
    assert rate_at("cosine", {"final_percent": 0}, 1.0, 10, 10) == 0.0


@pytest.mark.parametrize("name", STARTING_AT_BASE)
def test_warm_up_rises_to_the_base_rate_and_hands_over_without_a_jump(name: str) -> None:
    _, rates = curve(name, {}, BASE, 200, warmup_percent=10)

    assert rates[:20] == pytest.approx(BASE * np.arange(1, 21) / 20)
    assert rates[20] == BASE


def test_multistep_falls_at_the_points_that_are_named_in_any_order() -> None:
    for points in ("85, 50", "[50,85]", (50, 85), [85.0, 50.0]):
        rates = [rate_at("multistep", {"at_percent": points}, 1.0, n, 100) for n in range(100)]

        assert rates == [1.0] * 50 + [0.5] * 35 + [0.25] * 15


@pytest.mark.parametrize("points", ["", "[]", "50,x", "0", "101", "50,-1"])
def test_multistep_refuses_what_is_no_point_of_training(points: str) -> None:
    with pytest.raises(StudioError):
        policy_from("multistep", {"at_percent": points})


@given(percent=st.floats(0, 100), gamma=st.floats(0, 10), power=st.floats(0, 5))
def test_formulas_of_caffe_in_percent_of_training(
    percent: float, gamma: float, power: float
) -> None:
    progress = percent / 100
    inverse = policy_from("inverse", {"gamma": gamma, "power": power})
    assert inverse.factor(progress) == pytest.approx(
        math.exp(-power * math.log1p(gamma * percent))
    )
    polynomial = policy_from("polynomial", {"power": power + 0.1})
    assert polynomial.factor(progress) == pytest.approx((1 - percent / 100) ** (power + 0.1))
    sigmoid = policy_from("sigmoid", {"step_percent": 40, "gamma": gamma + 0.01})
    expected = 0.5 * (1 - math.tanh((gamma + 0.01) * (percent - 40) / 2))
    assert sigmoid.factor(progress) == pytest.approx(expected, abs=1e-12)


def test_restarts_make_each_round_longer_and_lower() -> None:
    options = {"rounds": 3, "length": 2, "decay": 0.5, "final_percent": 0}
    rates = [rate_at("cosine_restarts", options, 1.0, n, 700) for n in range(701)]

    assert [n for n in range(1, 700) if rates[n] > rates[n - 1]] == [100, 300]
    assert (rates[0], rates[100], rates[300], rates[700]) == (1.0, 0.5, 0.25, 0.0)
    assert (rates[50], rates[200], rates[500]) == pytest.approx((0.5, 0.25, 0.125))


def test_one_restart_round_is_the_plain_cosine() -> None:
    for n in range(11):
        restarts = rate_at("cosine_restarts", {"rounds": 1}, 1.0, n, 10)
        assert restarts == pytest.approx(rate_at("cosine", {}, 1.0, n, 10))


@given(rise=st.integers(0, 100))
def test_one_cycle_is_one_hill(rise: int) -> None:
    options = {"rise_percent": rise, "start_percent": 10, "final_percent": 1}
    rates = [rate_at("one_cycle", options, 1.0, n, 100) for n in range(101)]

    assert (rates[0], rates[rise]) == (1.0 if rise == 0 else pytest.approx(0.1), 1.0)
    assert (np.diff(rates[: rise + 1]) > 0).all()
    assert (np.diff(rates[rise:]) < 0).all()
    assert rise == 100 or rates[100] == pytest.approx(0.01)


def test_all_of_training_may_be_warm_up() -> None:
    _, rates = curve("cosine", {}, 1.0, 10, warmup_percent=100)

    assert rates == pytest.approx(np.arange(1, 11) / 10)


def test_beyond_the_last_step_the_rate_stays() -> None:
    assert rate_at("cosine", {}, 1.0, 500, 10) == rate_at("cosine", {}, 1.0, 10, 10)


@pytest.mark.parametrize("name", NAMES)
@given(total=st.integers(1, 5000), points=st.integers(2, 300))
def test_the_curve_is_the_rate_of_its_steps(name: str, total: int, points: int) -> None:
    steps, rates = curve(name, {}, BASE, total, 5, points)

    assert len(steps) == len(rates) == min(points, total)
    assert (steps[0], steps[-1]) == (0, total - 1)
    middle = len(steps) // 2
    assert rates[middle] == rate_at(name, {}, BASE, int(steps[middle]), total, 5)
    assert (np.diff(steps) > 0).all()


def test_wrong_names_and_values_are_the_users_mistake() -> None:
    with pytest.raises(StudioError, match="cosin"):
        rate_at("cosin", {}, BASE, 0, 10)
    with pytest.raises(StudioError, match="gamma"):
        rate_at("step", {"gamma": -1}, BASE, 0, 10)


def test_parameters_of_another_policy_are_our_mistake() -> None:
    with pytest.raises(TypeError, match="StepPolicy"):
        SCHEDULES["step"].rate(SCHEDULES["cosine"].parameters(), BASE, 0.5)
