"""What training does, on real digits: journal, weights, schedules, and how it can fail."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from helpers.digits import EPOCHS, Digits, SharedRuns, difference, do_here, stored_weights
from helpers.open_files import open_files
from helpers.pictures import picture_folder, small_recipe
from helpers.sampling import sample
from studio.engine.compute.build import build
from studio.engine.compute.graph import multiply_adds, steps_per_call
from studio.engine.compute.model_checkpointer import MODEL_FILE
from studio.engine.compute.model_files import load_model
from studio.engine.compute.models import score
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.datasets.store import Store
from studio.engine.jobs.job import journal_reader
from studio.engine.jobs.states import State
from studio.engine.networks.zoo import ZOO
from studio.engine.training.history import EpochDone, RunJob, StepsDone, TrainingBegan
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.schedules import rate_at

pytestmark = pytest.mark.slow


_BASE: dict[str, Any] = {
    "network": "mlp",
    "epochs": 2,
    "batch_size": 64,
    "deterministic": True,
    "keep": "last",
    "insights": False,
}


def _plan(digits: Digits, **values: object) -> TrainingPlan:
    return TrainingPlan.parse({"dataset": digits.dataset.record.id, **_BASE, **values})


def _train(runs: SharedRuns, attempt: int = 1, /, **values: object) -> RunJob:
    return runs.train(attempt, **{**_BASE, **values})


def _events(job: RunJob) -> list[Any]:
    return list(journal_reader(job.record).read())


def _store(digits: Digits) -> Store:
    return Store.open(digits.dataset.record.folder)


def _accuracy(job: RunJob, store: Store, split: str) -> float:
    rows = store.rows(split)
    scores = score(load_model(job.record.folder / MODEL_FILE), store.images[rows])
    return float((scores.argmax(axis=1) == store.labels[rows]).mean())


def test_the_journal_of_a_whole_run(digits: Digits) -> None:
    history = digits.run.history
    training = history.training

    assert training is not None
    assert training.epochs == EPOCHS
    assert training.steps_per_epoch == math.ceil(training.train_images / 32)
    assert training.train_images + training.val_images + 180 == 1797
    assert training.parameters == training.trainable_parameters == 61_706
    assert len(history.steps_of("loss")) == EPOCHS * training.steps_per_epoch
    assert len(history.steps_of("accuracy")) == len(history.steps_of("loss"))
    assert all(math.isfinite(value) for value in history.steps_of("loss"))
    assert [epoch.epoch for epoch in history.epochs] == list(range(1, EPOCHS + 1))
    assert [epoch.step for epoch in history.epochs] == [
        training.steps_per_epoch * number for number in range(1, EPOCHS + 1)
    ]
    assert all(epoch.learning_rate == 1e-3 for epoch in history.epochs)
    assert history.artifacts == {"model": MODEL_FILE}
    best = max(history.epochs, key=lambda epoch: epoch.value("val_accuracy"))
    assert history.best_epoch is not None
    assert history.best_epoch.value("val_accuracy") == best.value("val_accuracy")
    assert history.result["metrics"]["val_accuracy"] == best.value("val_accuracy")


def test_it_learns(digits: Digits) -> None:
    history = digits.run.history

    assert history.best_epoch is not None
    assert history.best_epoch.value("val_accuracy") >= 0.95
    assert _accuracy(digits.run, _store(digits), "test") >= 0.94
    assert history.epochs[-1].value("loss") < history.epochs[0].value("loss") / 3


def test_steps_are_reported_in_order_and_without_a_gap(digits: Digits) -> None:
    events = [event for event in _events(digits.run) if isinstance(event, StepsDone)]

    first = 1
    for event in events:
        assert event.first == first
        values = -(-(event.last - event.first + 1) // event.every)
        assert len(event.metrics["loss"]) == len(event.metrics["accuracy"]) == values > 0
        first = event.last + 1


def _every(job: RunJob) -> int:
    (every,) = {event.every for event in _events(job) if isinstance(event, StepsDone)}
    return every


def test_small_networks_do_several_steps_per_call_and_large_ones_one(digits: Digits) -> None:
    assert _every(digits.run) == 2, "40 steps per epoch, at least 20 values of them"
    lenet = build(ZOO["lenet"].build((28, 28, 1), 10), seed=0)
    assert multiply_adds(lenet) == 28 * 28 * 150 + 10 * 10 * 2400 + 48_000 + 10_080 + 840
    assert steps_per_call(lenet, 64, 1000) == 15
    assert steps_per_call(lenet, 64, 100) == 5
    assert steps_per_call(lenet, 4096, 1000) == 1
    large = build(ZOO["mobilenet_v2"].build((96, 96, 3), 10), seed=0)
    assert steps_per_call(large, 32, 1000) == 1


def test_losses_of_batches_add_up_to_those_of_epochs(digits: Digits) -> None:
    history, training = digits.run.history, digits.run.history.training
    assert training is not None
    steps = training.steps_per_epoch
    sizes = np.full(steps, 32.0)
    sizes[-1] = training.train_images - 32 * (steps - 1)

    for number, epoch in enumerate(history.epochs):
        span = slice(number * steps, (number + 1) * steps)
        for series, reported in (
            (history.steps_of("loss"), epoch.value("loss")),
            (history.steps_of("accuracy"), epoch.value("accuracy")),
        ):
            mean = float(np.average(np.array(series[span]), weights=sizes))
            assert mean == pytest.approx(reported, rel=1e-4)
        right = np.array(history.steps_of("accuracy")[span]) * sizes
        per_value = np.add.reduceat(right, np.arange(0, steps, _every(digits.run)))
        assert per_value == pytest.approx(per_value.round(), abs=1e-2), "whole pictures are right"


def test_the_first_loss_is_that_of_the_first_batch_before_any_step(runs: SharedRuns) -> None:
    job = _train(runs, network="lenet", epochs=1, seed=5)
    store = runs.store
    model = build(ZOO["lenet"].build((28, 28, 1), 10), seed=5)
    pixels, labels = SplitBatches(store, "train", 64, 5)[0]

    scores = score(model, pixels)

    expected = -np.log(scores[np.arange(len(labels)), labels]).mean()
    assert job.history.steps_of("loss")[0] == pytest.approx(float(expected), rel=1e-4)
    right = float((scores.argmax(axis=1) == labels).mean())
    assert job.history.steps_of("accuracy")[0] == pytest.approx(right, abs=1e-5)


def test_the_same_plan_gives_the_same_bits(runs: SharedRuns) -> None:
    one = _train(runs, network="lenet", epochs=1, seed=5)
    two = _train(runs, 2, network="lenet", epochs=1, seed=5)
    other = _train(runs, network="lenet", epochs=1, seed=4)

    assert one.history.steps_of("loss") == two.history.steps_of("loss")
    assert difference(one, two) == 0.0
    assert difference(one, other) > 0.01


def test_no_file_stays_open_after_a_training(runs: SharedRuns) -> None:
    """Windows could not delete the dataset while the worker waits for another run."""
    job = _train(runs)
    assert not open_files(runs.dataset.record.folder)
    assert not open_files(job.record.folder)


def test_a_training_step_is_traced_once(
    own_digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second trace, for variables that the first one made, doubles the time before a run."""
    traced = []
    step = keras.Model.train_step

    def counted(model: keras.Model, data: Any) -> Any:
        traced.append(model.name)
        return step(model, data)

    monkeypatch.setattr(keras.Model, "train_step", counted)

    SharedRuns(own_digits.workspace, own_digits.dataset).train(**_BASE)

    assert len(traced) == 1


@pytest.mark.thorough
def test_every_optimizer_trains(runs: SharedRuns) -> None:
    rates = {"adam": 1e-3, "adamw": 1e-3, "sgd": 0.1, "rmsprop": 1e-3}
    for optimizer, rate in rates.items():
        job = _train(runs, optimizer=optimizer, learning_rate=rate)
        assert job.history.epochs[-1].value("val_accuracy") > 0.7, optimizer


@pytest.mark.thorough
def test_weight_decay_follows_the_plan(runs: SharedRuns) -> None:
    adam = _train(runs, epochs=1)
    adamw = _train(runs, epochs=1, optimizer="adamw")
    decayed = _train(runs, epochs=1, optimizer="adamw", weight_decay=1.0)

    assert difference(adam, adamw) == 0.0, "without weight decay, AdamW is Adam"
    assert sum(float((w**2).sum()) for w in stored_weights(decayed)) < 0.99 * sum(
        float((w**2).sum()) for w in stored_weights(adam)
    )


@pytest.mark.thorough
def test_momentum_reaches_the_optimizer(runs: SharedRuns) -> None:
    plain = _train(runs, epochs=1, optimizer="sgd", learning_rate=0.01)
    pushed = _train(runs, epochs=1, optimizer="sgd", learning_rate=0.01, momentum=0.9)

    assert pushed.history.epochs[0].value("loss") < plain.history.epochs[0].value("loss")


@pytest.mark.parametrize(
    ("schedule", "options"),
    sample([("cosine", {"final_percent": 0}), ("step", {"step_percent": 25, "gamma": 0.5})], 1),
)
def test_the_reported_rate_follows_the_schedule(
    runs: SharedRuns, schedule: str, options: dict[str, float]
) -> None:
    job = _train(runs, schedule=schedule, schedule_options=options, warmup_percent=20)
    training = job.history.training
    assert training is not None
    total = 2 * training.steps_per_epoch

    reported = [event for event in _events(job) if isinstance(event, StepsDone | EpochDone)]

    for event in reported:
        done = event.step if isinstance(event, EpochDone) else event.last
        expected = rate_at(schedule, options, 1e-3, done - 1, total, 20)
        assert event.learning_rate == pytest.approx(expected)


def test_the_schedule_reaches_the_weights(runs: SharedRuns) -> None:
    half = _train(runs, epochs=1, keep="last")
    constant = _train(runs, epochs=2, keep="last")
    frozen = _train(
        runs,
        epochs=2,
        keep="last",
        schedule="step",
        schedule_options={"step_percent": 50, "gamma": 1e-9},
    )

    assert difference(half, frozen) < 1e-5, "a rate of nearly zero moves nothing"
    assert difference(half, constant) > 1e-3


@pytest.mark.thorough
@pytest.mark.parametrize("keep", ["best", "last"])
def test_the_kept_model_is_that_of_the_kept_epoch(runs: SharedRuns, keep: str) -> None:
    # So high a rate that accuracy goes up and down.
    job = _train(runs, keep=keep, epochs=6, learning_rate=0.05)
    epochs = job.history.epochs
    best = max(epochs, key=lambda epoch: epoch.value("val_accuracy"))
    assert best.value("val_accuracy") > epochs[-1].value("val_accuracy")

    stored = best if keep == "best" else epochs[-1]

    assert _accuracy(job, runs.store, "val") == pytest.approx(
        stored.value("val_accuracy"), abs=1e-6
    )
    assert job.history.result["epoch"] == stored.epoch


def test_a_loss_that_is_no_number_fails_with_advice(own_digits: Digits) -> None:
    # Every step multiplies the weights by 1 - 10, until they overflow.
    plan = _plan(own_digits, optimizer="sgd", learning_rate=10.0, weight_decay=1.0, epochs=9)

    job = do_here(own_digits.workspace, plan, "too fast")

    history = job.history
    assert history.state == State.FAILED, history
    assert history.category == "not_finite"
    assert "at step" in history.reason
    assert "Lower the learning rate (10" in history.hint
    assert not math.isfinite(history.steps_of("loss")[-1])


def test_a_stop_in_the_first_epoch_keeps_a_model(own_digits: Digits) -> None:
    plan = _plan(own_digits, epochs=1000, batch_size=1)

    job = do_here(own_digits.workspace, plan, "stopped", stop_when=lambda history: True)

    history = job.history
    assert history.state == State.STOPPED
    assert "kept" in history.reason
    assert history.epochs == []
    assert 0 < history.step_count < 1258
    assert history.artifacts == {"model": MODEL_FILE}
    images = _store(own_digits).images[:3]
    scores = score(load_model(job.record.folder / MODEL_FILE), images)
    assert scores.sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-5)


@pytest.mark.thorough
def test_a_stop_is_received_between_very_short_epochs(own_digits: Digits, tmp_path: Path) -> None:
    recipe = small_recipe(picture_folder(tmp_path / "pictures", 4), val_percent=0)
    dataset = do_here(own_digits.workspace, recipe, "tiny")
    assert dataset.history.state == State.COMPLETED
    plan = TrainingPlan(dataset=dataset.record.id, network="perceptron", epochs=3000)

    job = do_here(
        own_digits.workspace, plan, "stopped", stop_when=lambda history: len(history.epochs) > 5
    )

    assert job.history.state == State.STOPPED
    assert 5 < len(job.history.epochs) < 3000
    assert all(math.isnan(epoch.value("val_loss")) for epoch in job.history.epochs)
    assert "model" in job.history.artifacts


def test_a_missing_backend_is_the_users_matter(own_digits: Digits) -> None:
    job = do_here(own_digits.workspace, _plan(own_digits, backend="torch"), "torch")

    if job.history.state == State.COMPLETED:
        pytest.skip("PyTorch is installed")
    assert job.history.category == "user"
    assert "PyTorch is not installed" in job.history.reason
    assert "pip install" in job.history.hint


def test_a_dataset_without_its_file_is_bad_data(own_digits: Digits) -> None:
    (own_digits.dataset.record.folder / "images.h5").unlink()

    job = do_here(own_digits.workspace, _plan(own_digits), "none")

    assert job.history.state == State.FAILED
    assert job.history.category == "bad_data"
    assert not any(isinstance(event, TrainingBegan) for event in _events(job))


def test_a_validation_that_is_no_number_fails_before_its_weights_are_kept(
    own_digits: Digits,
) -> None:
    # One step per epoch: its loss is that of the weights before it, and still finite.
    plan = _plan(
        own_digits,
        optimizer="sgd",
        learning_rate=10.0,
        weight_decay=1.0,
        batch_size=1258,
        epochs=99,
    )

    job = do_here(own_digits.workspace, plan, "too fast")

    assert job.history.category == "not_finite"
    assert all(math.isfinite(epoch.value("val_loss")) for epoch in job.history.epochs)
    assert all(np.isfinite(weight).all() for weight in stored_weights(job))
