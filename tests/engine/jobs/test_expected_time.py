"""The expected time of a training: from a preflight, earlier runs, or a short benchmark."""

from __future__ import annotations

import statistics

import pytest

from helpers.digits import Digits
from helpers.runs import append_events
from studio.engine.datasets.requests import dataset_summary
from studio.engine.jobs.events import StateChanged
from studio.engine.jobs.states import State
from studio.engine.training import expected_time as module
from studio.engine.training.expected_time import expected_time
from studio.engine.training.history import EpochDone, TrainingBegan
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind


def test_a_run_of_the_same_network_estimates_the_time_of_the_next(digits: Digits) -> None:
    summary = dataset_summary(digits.dataset.record.folder)
    plan = digits.run.plan(TrainingPlan)
    history = digits.run.history

    same = expected_time(digits.workspace, plan, summary)
    more = expected_time(digits.workspace, plan.changed(epochs=plan.epochs * 10), summary)

    assert same is not None
    assert more is not None
    assert same.source == more.source == "run"
    assert history.ended_at is not None
    assert history.started_at is not None
    taken = history.ended_at - history.started_at
    assert same.seconds == pytest.approx(taken, rel=0.3, abs=1.5)
    each = statistics.median(epoch.seconds for epoch in history.epochs) * plan.epochs
    assert more.seconds - same.seconds == pytest.approx(9 * each, rel=0.1)


def test_other_networks_are_estimated_by_their_cost(
    digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "machine_devices", list)
    summary = dataset_summary(digits.dataset.record.folder)
    plan = digits.run.plan(TrainingPlan)

    plan = plan.changed(epochs=50)
    small = expected_time(digits.workspace, plan.changed(network="small_cnn"), summary)
    large = expected_time(digits.workspace, plan.changed(network="resnet34"), summary)

    assert small is not None
    assert large is not None
    assert small.source == "benchmark", "LeNet is too small to tell"
    assert large.seconds > small.seconds


def test_the_first_run_of_a_machine_is_estimated_by_a_short_benchmark(
    own_digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "machine_devices", list)
    summary = dataset_summary(own_digits.dataset.record.folder)
    plan = TrainingPlan(dataset=own_digits.dataset.record.id)
    assert own_digits.workspace.records(RecordKind.RUN) == []

    found = expected_time(own_digits.workspace, plan, summary)

    assert found is not None
    assert found.source == "benchmark"
    assert module.STARTUP_SECONDS < found.seconds < 600
    unknown = plan.model_copy(update={"network": "nobody"})
    assert expected_time(own_digits.workspace, unknown, summary) is None


def test_what_a_short_run_took_to_compile_is_not_expected_of_each_epoch(
    own_digits: Digits,
) -> None:
    """A run of one epoch made sixty of them seem to take forty minutes instead of eleven."""
    summary = dataset_summary(own_digits.dataset.record.folder)
    plan = TrainingPlan(dataset=own_digits.dataset.record.id, network="small_cnn", epochs=1)
    run = own_digits.workspace.create(RecordKind.RUN, "short", plan.to_json())
    images, seconds = summary.count["train"], 40.0
    frame = TrainingBegan(
        epochs=1, steps_per_epoch=9, train_images=images, val_images=0, parameters=1,
        trainable_parameters=1, backend="tensorflow", device="cpu", t=2,
    )  # fmt: skip
    epoch = EpochDone(
        epoch=1, step=9, metrics={"loss": 1.0}, learning_rate=0.1, is_best=True,
        seconds=seconds, images_per_second=images / 10, t=2 + seconds,
    )  # fmt: skip
    times = ((State.STARTING, 0), (State.RUNNING, 1), (State.COMPLETED, 3 + seconds))
    starting, running, ended = (StateChanged(state=state, t=t) for state, t in times)
    append_events(run, [starting, running, frame, epoch, ended])

    found = expected_time(own_digits.workspace, plan.changed(epochs=60), summary)

    assert found is not None
    assert found.source == "run"
    assert 600 < found.seconds < 700


def test_training_on_crops_takes_less_time_than_on_whole_images(
    own_digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "machine_devices", list)
    summary = dataset_summary(own_digits.dataset.record.folder)
    plan = TrainingPlan(dataset=own_digits.dataset.record.id, network="resnet34", epochs=50)
    cropped = plan.changed(augmentation=plan.augmentation.changed(crop=14))

    whole, crops = (expected_time(own_digits.workspace, each, summary) for each in (plan, cropped))

    assert whole is not None
    assert crops is not None
    assert crops.seconds < 0.6 * whole.seconds


def test_a_fit_takes_as_long_whatever_its_epochs(
    own_digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random filters on 143 images seemed to take 3 to 15 minutes instead of seven seconds."""
    monkeypatch.setattr(module, "machine_devices", list)
    monkeypatch.setattr(module, "_matrix_speed", lambda: 40e9)
    counts = {"train": 143, "val": 30, "test": 0}
    summary = dataset_summary(own_digits.dataset.record.folder).model_copy(
        update={"width": 224, "height": 224, "count": counts, "task": "anomaly"}
    )
    plan = TrainingPlan(dataset=own_digits.dataset.record.id, network="small_padim", epochs=10)

    found = expected_time(own_digits.workspace, plan, summary)
    longer = expected_time(own_digits.workspace, plan.changed(epochs=1), summary)
    pretrained = expected_time(own_digits.workspace, plan.changed(network="padim"), summary)

    assert found is not None
    assert pretrained is not None
    assert found == longer
    assert 5 < found.seconds < 10
    assert 15 < pretrained.seconds < 30
