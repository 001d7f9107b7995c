"""Runs beside each other: settings that differ, best and last figures, time, CSV."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from studio.engine.errors import StudioError
from studio.engine.jobs.events import Amended, Event, StateChanged
from studio.engine.jobs.states import State
from studio.engine.networks.zoo import ZOO
from studio.engine.tasks import MEASURED_METRICS
from studio.engine.training.comparison import (
    ComparedRun,
    best_of,
    compare,
    csv_text,
    epoch_rows,
    last_of,
    seconds_of,
    step_rows,
    write_csv,
)
from studio.engine.training.history import (
    EpochDone,
    RunHistory,
    StepsDone,
    TrainingBegan,
    ValidationDone,
)
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.run_settings import (
    differing,
    setting_label,
    setting_text,
    setting_value,
    settings_of,
)

BY_NAME = MEASURED_METRICS


def _plan(**values: object) -> TrainingPlan:
    return TrainingPlan.parse({"dataset": "d", **values})


def _began(attempt: int = 1, first_step: int = 1, t: float = 100.0) -> list[Event]:
    return [
        StateChanged(state=State.STARTING, attempt=attempt, t=t),
        StateChanged(state=State.RUNNING, attempt=attempt, t=t),
        TrainingBegan(
            t=t,
            epochs=3,
            steps_per_epoch=2,
            train_images=8,
            val_images=4,
            parameters=10,
            trainable_parameters=10,
            backend="tensorflow",
            device="CPU",
            first_step=first_step,
        ),
    ]


def _epoch(epoch: int, val_accuracy: float, loss: float = 0.5) -> EpochDone:
    return EpochDone(
        epoch=epoch,
        step=2 * epoch,
        metrics={
            "loss": loss,
            "accuracy": 0.5,
            "val_loss": math.nan,
            "val_accuracy": val_accuracy,
        },
        learning_rate=0.1,
        seconds=2.5,
        images_per_second=8.0,
    )


def _history(*events: Event) -> RunHistory:
    history = RunHistory()
    history.apply(events)
    return history


def test_settings_that_differ_are_found_wherever_they_stand() -> None:
    plans = [
        _plan(),
        _plan(epochs=20, augmentation={"rotation": 15}),
        _plan(optimizer="sgd", optimizer_options={"momentum": 0.9}),
    ]

    names = differing([settings_of(plan) for plan in plans])

    assert names == ["epochs", "optimizer", "optimizer_options.momentum", "augmentation.rotation"]
    assert differing([settings_of(plans[0])]) == []
    assert differing([settings_of(plans[0]), settings_of(_plan())]) == []


def test_options_spelled_out_as_they_come_are_no_difference() -> None:
    plain = _plan(optimizer="sgd", schedule="multistep")
    spelled = _plan(
        optimizer="sgd",
        optimizer_options={"momentum": 0.0, "nesterov": False},
        schedule="multistep",
        schedule_options={"at_percent": list(_usual("multistep", "at_percent"))},
    )

    assert differing([settings_of(plain), settings_of(spelled)]) == []
    assert setting_value(plain, {}, "optimizer_options.momentum") == 0.0
    assert setting_value(_plan(), {}, "optimizer_options.nesterov") is None


def test_one_setting_is_as_among_all() -> None:
    plan = _plan(
        network="mine",
        design=ZOO["perceptron"].build((8, 8, 1), 2),
        optimizer="sgd",
        optimizer_options={"momentum": 0.9},
        schedule="multistep",
        schedule_options={"at_percent": [10, 20]},
    )
    changes = {"epochs": 3}

    everything = settings_of(plan, changes)

    assert {name: setting_value(plan, changes, name) for name in everything} == everything
    assert setting_value(plan, changes, "of_tomorrow") is None


def _usual(schedule: str, option: str) -> tuple[float, ...]:
    from studio.engine.training.schedules import SCHEDULES

    value = SCHEDULES[schedule].parameters.model_fields[option].get_default()
    assert isinstance(value, tuple | list)
    return tuple(value)


def test_what_was_changed_while_it_ran_counts() -> None:
    history = _history(*_began(), Amended(changes={"epochs": 7, "augmentation.zoom": 3}))
    runs = [ComparedRun("a", _plan(), _history()), ComparedRun("b", _plan(), history)]

    lines = {line.name: line.values for line in compare(runs).settings}

    assert lines == {"epochs": (10, 7), "augmentation.zoom": (0.0, 3)}


def test_two_drawings_of_one_name_differ() -> None:
    drawings = [ZOO["perceptron"].build((8, 8, 1), classes) for classes in (2, 3)]
    plans = [_plan(network="mine", design=design) for design in drawings]

    assert differing([settings_of(plan) for plan in plans]) == ["network"]
    assert differing([settings_of(plans[0]), settings_of(plans[0].changed())]) == []


def test_settings_in_words() -> None:
    assert setting_label("augmentation.rotation") == "Rotation"
    assert setting_label("optimizer_options.momentum") == "Momentum"
    assert setting_label("schedule_options.of_tomorrow") == "Of tomorrow"
    assert setting_text("optimizer", "adamw") == "AdamW"
    assert setting_text("learning_rate", 1e-5) == "1e-05"
    assert setting_text("shuffle", False) == "off"
    assert setting_text("weights", "") == setting_text("epochs", None) == "–"
    assert setting_text("schedule_options.at_percent", (50.0, 75.0)) == "50, 75"


def test_best_and_last_of_all_measurements() -> None:
    between = ValidationDone(epoch=1.5, step=3, metrics={"val_accuracy": 0.9}, learning_rate=0.1)
    history = _history(*_began(), _epoch(1, 0.5, loss=0.2), _epoch(2, 0.7, loss=0.4), between)

    assert best_of(history, BY_NAME["val_accuracy"]) == 0.9
    assert last_of(history, BY_NAME["val_accuracy"]) == 0.7
    assert best_of(history, BY_NAME["loss"]) == 0.2
    assert last_of(history, BY_NAME["loss"]) == 0.4
    assert math.isnan(best_of(history, BY_NAME["val_loss"]))
    assert math.isnan(last_of(_history(), BY_NAME["loss"]))


def test_the_time_of_a_run_leaves_its_pauses_out() -> None:
    once = _history(*_began(t=100.0), StateChanged(state=State.COMPLETED, t=130.0))
    assert seconds_of(once) == 30.0
    assert seconds_of(_history(*_began(t=100.0)), now=104.0) == 4.0
    assert math.isnan(seconds_of(_history()))

    resumed = _history(
        *_began(t=100.0),
        _epoch(1, 0.5),
        StateChanged(state=State.LOST, t=110.0),
        *_began(attempt=2, first_step=3, t=90_000.0),
        _epoch(2, 0.5),
        StateChanged(state=State.COMPLETED, attempt=2, t=90_001.0),
    )
    assert seconds_of(resumed) == 10.0 + 1.0


def test_the_best_value_of_a_comparison_is_marked() -> None:
    runs = [
        ComparedRun("a", _plan(), _history(*_began(), _epoch(1, 0.5, loss=0.3))),
        ComparedRun("b", _plan(), _history(*_began(), _epoch(1, 0.8, loss=0.3))),
        ComparedRun("c", _plan(), _history()),
    ]

    comparison = compare(runs)
    lines = {line.name: line for line in comparison.figures}

    assert comparison.names == ("a", "b", "c")
    assert lines["best_val_accuracy"].best == {1}
    assert lines["best_loss"].best == frozenset()  # as good as each other
    assert "best_val_loss" not in lines  # none has it
    assert lines["epochs"].values == (1, 1, 0)


def test_the_csv_of_epochs_and_steps(tmp_path: Path) -> None:
    steps = StepsDone(
        first=1,
        last=3,
        metrics={"loss": [1.5, math.nan, 0.25], "accuracy": [0, 0.5, 1]},
        learning_rate=0.1,
        images_per_second=9,
    )
    between = ValidationDone(epoch=0.5, step=1, metrics={"val_accuracy": 0.25}, learning_rate=0.1)
    history = _history(*_began(), steps, between, _epoch(1, 0.5))

    epochs = list(csv.DictReader(csv_text(epoch_rows(history)).splitlines()))
    assert [row["epoch"] for row in epochs] == ["0.5", "1"]
    assert epochs[0]["loss"] == epochs[1]["val_loss"] == ""
    assert (epochs[1]["val_accuracy"], epochs[1]["images_per_second"]) == ("0.5", "8.0")

    target = tmp_path / "new folder" / "steps.csv"
    write_csv(target, step_rows(history))
    assert target.read_text(encoding="utf-8") == (
        "step,epoch,loss,accuracy\n1,0.5,1.5,0.0\n2,1.0,,0.5\n3,1.5,0.25,1.0\n"
    )
    with pytest.raises(StudioError, match="cannot be written"):
        write_csv(target / "x.csv", step_rows(history))


def test_every_step_is_in_the_csv() -> None:
    half = [0.5] * 25_000
    steps = StepsDone(
        first=1,
        last=25_000,
        metrics={"loss": half, "accuracy": half},
        learning_rate=0.1,
        images_per_second=1,
    )
    history = _history(*_began(), steps)

    lines = csv_text(step_rows(history)).splitlines()

    assert len(lines) == 25_001
    assert lines[-1].startswith("25000,")
