"""The rows of a sweep's journal as the arrays that its charts draw."""

from __future__ import annotations

import math

import numpy as np

from helpers.sweep_trials import row, sweep_plan
from studio.engine.jobs.states import State
from studio.ui.charts.sweeps.data import sweep_trials, trial_text, value_text


def test_only_trials_that_came_to_their_end_are_taken_by_number() -> None:
    rows = {
        7: row(7, [0.9, 5e6]),
        1: row(1, [0.5, 5e6], state=State.PRUNED),
        2: row(2, [], state=State.RUNNING),
        3: row(3, [math.nan, 5e6]),
        4: row(4, [0.9], state=State.COMPLETED),
        0: row(0, [0.8, 4e6]),
    }

    trials = sweep_trials(sweep_plan(), rows)

    assert trials.numbers.tolist() == [0, 7]
    assert [each.values.tolist() for each in trials.objectives] == [[0.8, 0.9], [4e6, 5e6]]
    assert trials.maximize == (True, False)
    assert sorted(trials.best) == [0, 7], "better, and smaller"
    assert trials.is_best().all()


def test_numbers_stay_numbers_and_words_become_codes() -> None:
    rows = {
        0: row(0, [0.8, 1], {"optimizer": "adam", "batch_size": 32}),
        1: row(1, [0.8, 1], {"optimizer": "rmsprop"}),
    }

    rate, batch, optimizer, epochs = sweep_trials(sweep_plan(), rows).axes

    assert (rate.label, rate.is_log, rate.ticks) == ("Learning rate", True, ())
    assert rate.plotted().tolist() == [-2, -2]
    assert batch.values.tolist() == [32, 8]
    assert optimizer.values.tolist() == [1, 2], "what is no longer offered has a code, too"
    assert [code for code, _ in optimizer.ticks] == [0, 1, 2]
    assert value_text(optimizer, 2.0) == optimizer.ticks[2][1]
    assert epochs.values.tolist() == [5, 5]


def test_switches_are_words_and_a_missing_value_is_a_gap() -> None:
    plan = sweep_plan(vary=["shuffle=on,off"])
    rows = {
        0: row(0, [0.8, 1], {"shuffle": False}),
        1: row(1, [0.8, 1]),
    }

    (shuffle,) = sweep_trials(plan, rows).axes

    assert shuffle.ticks == ((0.0, "on"), (1.0, "off"))
    assert shuffle.values[0] == 1
    assert np.isnan(shuffle.values[1])


def test_no_rows_are_no_trials() -> None:
    trials = sweep_trials(sweep_plan(), {})

    assert len(trials) == 0
    assert trials.best == ()
    assert [len(axis.values) for axis in (*trials.axes, *trials.objectives)] == [0] * 6


def test_a_trial_is_described_in_lines_with_units() -> None:
    rows = {3: row(3, [0.912, 3_100_000], {"learning_rate": 0.001})}

    text = trial_text(sweep_trials(sweep_plan(), rows), 0, "Trial 3")

    assert text.splitlines()[:4] == [
        "Trial 3",
        "Val accuracy: 91.2\N{NO-BREAK SPACE}%",
        "Size of the model: 3.1\N{NO-BREAK SPACE}MB",
        "Learning rate: 0.001",
    ]
