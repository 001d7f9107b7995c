"""What the page of sweeps decides without Qt."""

from __future__ import annotations

import math

import pytest

from studio.engine.jobs.states import State
from studio.engine.sweeps import expected_time
from studio.engine.sweeps.expected_time import expected_run_time, expected_sweep_time
from studio.engine.sweeps.fields import parse_dimensions
from studio.engine.sweeps.history import TrialChanged
from studio.engine.sweeps.plan import SweepPlan
from studio.engine.training.expected_time import ExpectedTime
from studio.engine.training.history import EpochDone, RunHistory
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace
from studio.ui.pages.sweeps.facts import facts_of
from studio.ui.pages.sweeps.trial_row import OBJECTIVE, STATE, TrialRow, can_rerun


def planned(*vary: str, **fields: object) -> SweepPlan:
    dimensions = [each.model_dump() for each in parse_dimensions(vary)]
    base = {"dataset": "d", "network": "lenet", "epochs": 10}
    return SweepPlan.parse({"base": base, "dimensions": dimensions, **fields})


def done(number: int, value: float, state: State = State.COMPLETED) -> TrialChanged:
    return TrialChanged(number=number, values={}, state=state, measured=(value,))


def test_each_run_of_a_sweep_has_its_own_epochs_and_network(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def expected(_workspace: Workspace, plan: TrainingPlan, _data: object) -> ExpectedTime | None:
        each = {"lenet": 1.0, "mlp": 3.0}.get(plan.network)
        return None if each is None else ExpectedTime(each * plan.epochs, "run")

    dataset = workspace.create(RecordKind.DATASET, "d", "{}")
    monkeypatch.setattr(expected_time, "expected_time", expected)
    monkeypatch.setattr(expected_time, "dataset_summary", lambda *_: None)

    def seconds(*vary: str) -> float | None:
        plan = planned(*vary)
        base = plan.base.model_copy(update={"dataset": dataset.id})
        found = expected_run_time(workspace, plan.model_copy(update={"base": base}))
        return None if found is None else found.seconds

    assert seconds("learning_rate=0.1,0.01") == 10
    assert seconds("epochs=2,4") == 3, "not the ten epochs of the plan below"
    assert seconds("epochs=10,30", "network=lenet,mlp") == 40
    assert seconds("network=lenet,small_cnn") is None


def _sweep_seconds(plan: SweepPlan) -> float | None:
    found = expected_sweep_time(plan, ExpectedTime(10, "run"))
    return None if found is None else found.seconds


def test_the_time_is_shared_by_workers_and_ends_with_the_hours() -> None:
    plan = planned("learning_rate=0.1,0.01,0.001", seeds=3, workers=2)
    assert _sweep_seconds(plan) == pytest.approx(50)  # nine runs, two at once
    assert _sweep_seconds(plan.changed(workers=99)) == pytest.approx(10)
    assert _sweep_seconds(plan.changed(hours=0.005)) == pytest.approx(18)
    assert expected_sweep_time(plan, None) is None
    endless = planned("learning_rate=0.001..0.1", sampler="random", hours=2)
    limited = expected_sweep_time(endless, None)
    assert limited is not None
    assert limited.seconds == 7200


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
    epochs = [
        EpochDone(
            epoch=number,
            step=number,
            metrics={"loss": 1, "accuracy": 1, "val_accuracy": number / 10},
            learning_rate=1,
            seconds=1,
            images_per_second=1,
        )
        for number in (1, 2, 3)
    ]
    history = RunHistory(epochs=epochs, state=State.RUNNING)
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
