"""Events added up to the state of a job."""

from __future__ import annotations

import math

import pytest

from studio.engine.jobs.events import Artifact, Event, Note, ProgressMade, Result, StateChanged
from studio.engine.jobs.states import State
from studio.engine.training.history import (
    EpochDone,
    RunHistory,
    StepsDone,
    TrainingBegan,
    ValidationDone,
)


def _training(first_step: int = 1, t: float = 10.0) -> TrainingBegan:
    return TrainingBegan(
        t=t,
        epochs=3,
        steps_per_epoch=4,
        train_images=16,
        val_images=4,
        parameters=10,
        trainable_parameters=10,
        backend="tensorflow",
        device="CPU",
        first_step=first_step,
    )


def _steps(first: int, *loss: float) -> StepsDone:
    return StepsDone(
        first=first,
        last=first + len(loss) - 1,
        metrics={"loss": list(loss), "accuracy": [0.5] * len(loss)},
        learning_rate=0.1,
        images_per_second=100,
    )


def _epoch(epoch: int, *, is_best: bool = True, loss: float = 1.0) -> EpochDone:
    return EpochDone(
        epoch=epoch,
        step=4 * epoch,
        metrics={"loss": loss, "accuracy": 0.5},
        learning_rate=0.1,
        seconds=1,
        images_per_second=100,
        is_best=is_best,
    )


def _history(*events: Event) -> RunHistory:
    history = RunHistory()
    history.apply(events)
    return history


def test_nothing_written_is_queued() -> None:
    history = RunHistory()

    assert history.state == State.QUEUED
    assert history.attempt == 0
    assert history.fraction is None
    assert history.best_epoch is None


def test_a_whole_run() -> None:
    history = _history(
        StateChanged(t=1, state=State.STARTING, attempt=1),
        StateChanged(t=2, state=State.RUNNING, attempt=1),
        _training(),
        _steps(1, 4.0, 3.0),
        _steps(3, 2.0, 1.0),
        _epoch(1),
        _steps(5, 0.9, 0.8, 0.7, 0.6),
        _epoch(2, is_best=False),
        Artifact(name="model", path="model.keras"),
        Note(message="Hello"),
        Result(values={"accuracy": 0.5}),
        StateChanged(t=30, state=State.STOPPED, attempt=1, reason="It was stopped."),
    )

    assert history.state == State.STOPPED
    assert history.reason == "It was stopped."
    assert list(history.steps_of("loss")) == [4.0, 3.0, 2.0, 1.0, 0.9, 0.8, 0.7, 0.6]
    assert len(history.steps_of("accuracy")) == 8
    assert [epoch.epoch for epoch in history.epochs] == [1, 2]
    assert history.best_epoch is history.epochs[0]
    assert history.artifacts == {"model": "model.keras"}
    assert history.result == {"accuracy": 0.5}
    assert (history.started_at, history.ended_at, history.updated_at) == (2, 30, 30)
    assert history.fraction == pytest.approx(8 / 12)


def test_resuming_does_the_steps_and_epochs_after_the_checkpoint_again() -> None:
    history = _history(
        _training(),
        _steps(1, 1, 2, 3, 4),
        _epoch(1, loss=1),
        _steps(5, 5, 6, 7, 8),
        _epoch(2, loss=2),
        _steps(9, 9, 10),
        StateChanged(state=State.LOST, attempt=1, reason="It was killed."),
        StateChanged(state=State.STARTING, attempt=2),
        _training(first_step=5),
    )

    assert history.reason == ""
    assert history.ended_at is None
    assert [epoch.epoch for epoch in history.epochs] == [1]
    assert list(history.steps_of("loss")) == [1, 2, 3, 4]

    history.apply([_steps(5, 50, 60), _steps(7, 70, 80), _epoch(2, loss=20)])

    assert list(history.steps_of("loss")) == [1, 2, 3, 4, 50, 60, 70, 80]
    assert [epoch.value("loss") for epoch in history.epochs] == [1, 20]
    assert len(history.steps_of("accuracy")) == 8


def test_steps_reported_twice_count_once() -> None:
    history = _history(_training(), _steps(1, 1, 2, 3), _steps(2, 20, 30), _steps(4, 4))

    assert list(history.steps_of("loss")) == [1, 20, 30, 4]


def test_steps_of_a_lost_line_leave_a_gap_and_move_nothing() -> None:
    history = _history(_training(), _steps(1, 1, 2), _steps(5, 5, 6))

    assert list(history.steps_of("loss"))[:2] == [1, 2]
    assert list(history.steps_of("loss"))[4:] == [5, 6]
    assert all(math.isnan(value) for value in history.steps_of("loss")[2:4])
    assert len(history.steps_of("accuracy")) == 6


def test_starting_over_discards_the_events_of_the_last_attempt() -> None:
    history = _history(
        StateChanged(t=1, state=State.RUNNING, attempt=1),
        ProgressMade(done=3, total=4),
        Result(values={"count": 3}),
        StateChanged(t=2, state=State.FAILED, attempt=1, category="bad_data", reason="Bad."),
        StateChanged(t=3, state=State.QUEUED, attempt=1),
    )
    assert (history.state, history.attempt, history.category) == (State.QUEUED, 1, None)

    history.apply([StateChanged(t=4, state=State.STARTING, attempt=2)])

    assert history.fraction is None
    assert history.result == {}


def test_fraction_of_a_countable_job() -> None:
    history = _history(
        StateChanged(t=100, state=State.RUNNING, attempt=1),
        ProgressMade(t=110, done=1, total=4, what="Importing"),
    )

    assert history.fraction == pytest.approx(0.25)
    history.apply([ProgressMade(done=1, total=0)])
    assert history.fraction is None
    assert history.seconds_left(now=110) is None
    history.apply([StateChanged(state=State.COMPLETED, attempt=1)])
    assert history.fraction == 1.0


def test_elapsed_time_and_log_continue_after_a_pause() -> None:
    history = _history(
        StateChanged(t=0, state=State.RUNNING, attempt=1),
        _training(t=5),
        StateChanged(t=100, state=State.PAUSED, attempt=1),
    )
    assert history.seconds_spent(now=400) == 100
    history.apply(
        [
            StateChanged(t=500, state=State.STARTING, attempt=2),
            StateChanged(t=510, state=State.RUNNING, attempt=2),
            _training(t=515, first_step=1),
        ]
    )
    assert history.seconds_spent(now=520) == 110
    assert [event.t for event in history.log] == [5, 100, 515]


def test_the_best_epoch_is_the_last_that_was_best() -> None:
    history = _history(_epoch(1), _epoch(2), _epoch(3, is_best=False))

    assert history.best_epoch is history.epochs[1]


def test_the_best_checkpoint_may_be_within_an_epoch() -> None:
    middle = ValidationDone(
        epoch=1.5, step=6, metrics={"val_loss": 0.1}, learning_rate=0.1, is_best=True
    )
    history = _history(_training(), _epoch(1), middle, _epoch(2, is_best=False))

    assert history.best is history.validations[0]
    assert history.best_epoch is history.epochs[0]
    assert [each.epoch for each in history.measured] == [1, 1.5, 2]


def test_states_are_either_waiting_at_work_or_over() -> None:
    for state in State:
        waiting = state in (State.QUEUED, State.PAUSED)
        assert [waiting, state.has_worker, state.is_finished].count(True) == 1
