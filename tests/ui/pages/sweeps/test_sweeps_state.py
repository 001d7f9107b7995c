"""What the page of sweeps decides without Qt."""

from __future__ import annotations

import math

import pytest

from studio.engine.jobs.states import State
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.training.history import EpochDone, RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.ui.pages.sweeps.draft import Trained, estimated_seconds, seconds_per_run
from studio.ui.pages.sweeps.facts import facts_of
from studio.ui.pages.sweeps.trial_row import OBJECTIVE, STATE, TrialRow, can_rerun


def planned(*vary: str, **fields: object) -> SweepPlan:
    dimensions = [each.model_dump() for each in parse_dimensions(vary)]
    base = {"dataset": "d", "network": "lenet", "epochs": 10}
    return SweepPlan.parse({"base": base, "dimensions": dimensions, **fields})


def trained(network: str = "lenet", dataset: str = "d", seconds: float = 2.0) -> Trained:
    epochs = [
        EpochDone(
            epoch=number,
            step=number,
            metrics={"loss": 1, "accuracy": 1, "val_accuracy": number / 10},
            learning_rate=1,
            seconds=each,
            images_per_second=1,
        )
        for number, each in ((1, 9 * seconds), (2, seconds), (3, seconds))
    ]
    return Trained(TrainingPlan(dataset=dataset, network=network), RunHistory(epochs=epochs))


def done(number: int, value: float, state: State = State.COMPLETED) -> TrialChanged:
    return TrialChanged(number=number, values={}, state=state, measured=(value,))


def test_the_throughput_is_of_the_newest_run_with_the_same_network_and_dataset() -> None:
    plan = planned("learning_rate=0.1,0.01")
    runs = [trained("mlp"), trained(dataset="other"), trained(seconds=3), trained(seconds=50)]
    assert seconds_per_run(plan, runs) == pytest.approx(30)  # the first epoch, slow, counts less
    assert seconds_per_run(plan, runs[:2]) is None


def test_what_takes_time_besides_epochs_is_counted_once() -> None:
    run = trained(seconds=2)
    run.history.started_at, run.history.spent = 100.0, 26.0  # three epochs, 20 s of the rest
    assert seconds_per_run(planned("learning_rate=0.1"), [run]) == pytest.approx(40)
    assert seconds_per_run(planned("epochs=3,5"), [run]) == pytest.approx(28)


def test_epochs_and_networks_that_vary_are_averaged() -> None:
    plan = planned("epochs=10,30", "network=lenet,mlp")
    assert seconds_per_run(plan, [trained(seconds=1)]) is None
    both = [trained(seconds=1), trained("mlp", seconds=3)]
    assert seconds_per_run(plan, both) == pytest.approx(40)


def test_the_time_is_shared_by_workers_and_ends_with_the_hours() -> None:
    plan = planned("learning_rate=0.1,0.01,0.001", seeds=3, workers=2)
    assert estimated_seconds(plan, 10) == pytest.approx(50)  # nine runs, two at once
    assert estimated_seconds(plan.changed(workers=99), 10) == pytest.approx(10)
    assert estimated_seconds(plan.changed(hours=0.005), 10) == pytest.approx(18)
    assert estimated_seconds(plan, None) is None
    endless = planned("learning_rate=0.001..0.1", sampler="random", hours=2)
    assert estimated_seconds(endless, None) == 7200


def test_summary_line_of_a_sweep() -> None:
    plan = planned("learning_rate=0.1,0.01,0.001,0.0001")
    trials = {
        0: done(0, 0.8),
        1: done(1, 0.9),
        2: done(2, math.nan, State.FAILED),
        3: done(3, 0.95, State.RUNNING),
    }
    facts = facts_of(plan, {"trials": 2}, trials)
    assert (facts.done, facts.total, facts.failed) == (3, 2, 1)
    assert (facts.best, facts.best_values) == ((1,), (0.9,))
    assert facts.plan.trials == 2


def test_which_trials_are_done_again() -> None:
    failed, over = done(0, math.nan, State.FAILED), done(1, 1)
    assert can_rerun(State.RUNNING, failed)
    assert can_rerun(State.COMPLETED, failed)
    assert not can_rerun(State.STOPPING, failed)
    assert not can_rerun(State.COMPLETED, over)
    assert not can_rerun(State.COMPLETED, None)


def test_a_trial_that_trains_shows_what_its_run_reached() -> None:
    history = trained().history
    history.state = State.RUNNING
    event = TrialChanged.model_validate(
        {"number": 0, "values": {}, "state": "running", "runs": [{"name": "r", "id": "1"}]}
    )
    runs: dict[str, RunHistory] = {"1": history}
    row = TrialRow(event, planned("learning_rate=0.1"), runs.get)
    assert row.value(STATE) == "running"
    assert row.value(f"{OBJECTIVE}val_accuracy") == 0.3
    history.epochs = history.epochs[:2]
    assert row.value(f"{OBJECTIVE}val_accuracy") == 0.3
    row.forget()
    assert row.value(f"{OBJECTIVE}val_accuracy") == 0.2
