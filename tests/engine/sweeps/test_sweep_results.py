"""The best trials of a sweep, and how sure one can be of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from studio.engine.sweeps.plan import Direction
from studio.engine.sweeps.rows import best_trials, interval

THREE: tuple[Direction, ...] = ("maximize", "minimize", "maximize")
BOTH: tuple[Direction, Direction] = ("maximize", "minimize")
COARSE = st.integers(0, 6).map(float)


def test_the_best_of_one_objective_is_one_trial() -> None:
    values = {0: [0.5], 1: [0.9], 2: [0.9], 3: [math.nan]}

    assert best_trials(values, ["maximize"]) == [1]
    assert best_trials(values, ["minimize"]) == [0]
    assert best_trials({}, ["minimize"]) == []


def test_a_front_of_accuracy_and_size() -> None:
    values = {
        0: [0.90, 100.0],
        1: [0.95, 200.0],
        2: [0.94, 250.0],  # beaten by 1
        3: [0.99, 900.0],
        4: [0.10, 50.0],
        5: [math.nan, 1.0],
    }

    assert best_trials(values, BOTH) == [3, 1, 0, 4]


@given(st.lists(st.tuples(COARSE, COARSE, COARSE), max_size=30), st.sampled_from([2, 3]))
def test_a_front_is_what_nothing_beats(
    triples: list[tuple[float, float, float]], count: int
) -> None:
    points = [triple[:count] for triple in triples]
    front = best_trials(dict(enumerate(points)), THREE[:count])

    def beaten(point: tuple[float, ...]) -> bool:
        return any(
            other != point
            and all(
                a >= b if way == "maximize" else a <= b
                for a, b, way in zip(other, point, THREE[:count], strict=True)
            )
            for other in points
        )

    assert sorted(front) == [n for n, point in enumerate(points) if not beaten(point)]


def test_the_interval_of_repeats() -> None:
    assert interval([0.5]) is None
    low, high = interval([0.8, 0.9]) or (0.0, 0.0)

    # mean 0.85, standard deviation 0.0707, t = 12.706, over the root of 2
    assert (low, high) == pytest.approx((0.85 - 0.6353, 0.85 + 0.6353), abs=1e-3)


def test_the_interval_of_any_number_of_repeats_is_students() -> None:
    for count in range(2, 60):
        values = np.linspace(0.1, 0.9, count)
        low, high = interval(values.tolist()) or (0.0, 0.0)
        error = float(values.std(ddof=1)) / count**0.5
        assert (high - low) / (2 * error) == pytest.approx(stdtrit(count - 1, 0.975))
