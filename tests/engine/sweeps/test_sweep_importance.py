"""Which fields matter, from trials of which it is known."""

from __future__ import annotations

from typing import Any

import pytest

from helpers.sweep_trials import random_rows, row, sweep_plan
from studio.engine.errors import StudioError
from studio.engine.jobs.states import State
from studio.engine.sweeps.study import importances


@pytest.mark.parametrize("count", [20, 300])
def test_the_field_that_decides_is_found(count: int) -> None:
    found = importances(sweep_plan(), random_rows(count))

    assert next(iter(found)) == "learning_rate"
    assert sorted(found) == ["batch_size", "epochs", "learning_rate", "optimizer"]
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert sum(found.values()) == pytest.approx(1.0)


def test_fewer_than_four_finished_trials_are_refused() -> None:
    rows = random_rows(3)
    rows[3] = row(3, [0.5, 1.0], state=State.FAILED)
    rows[4] = row(4, [float("nan"), 1.0])

    with pytest.raises(StudioError, match="needs 4 finished trials; there are 3"):
        importances(sweep_plan(), rows)

    rows[5] = row(5, [0.5, 1.0])
    assert len(importances(sweep_plan(), rows)) == 4


def test_trials_outside_the_space_as_it_is_now_are_left_out() -> None:
    rows = random_rows(6)
    strange: list[dict[str, Any]] = [
        {"optimizer": "rmsprop"},
        {"learning_rate": 5.0},
        {"epochs": None},
    ]
    for number, values in enumerate(strange, 10):
        rows[number] = row(number, [0.99, 1.0], values)

    assert importances(sweep_plan(), rows) == importances(sweep_plan(), random_rows(6))


def test_lower_is_better_if_the_objective_says_so() -> None:
    rows = {
        number: each.model_copy(
            update={"values": {**each.values, "batch_size": 8 if number % 10 else 32}}
        )
        for number, each in random_rows(200).items()
    }
    # The least losses are those of batches of 32, the greatest hang on the rate.
    rows = {
        number: each.model_copy(
            update={"measured": (each.measured[0] - 10.0 * (number % 10 == 0),)}
        )
        for number, each in rows.items()
    }

    least = importances(sweep_plan(["val_loss"]), rows)
    most = importances(sweep_plan(["val_accuracy"]), rows)

    assert next(iter(least)) == "batch_size"
    assert next(iter(most)) == "learning_rate"
