"""Every control of a plan changes what training does."""

from __future__ import annotations

import math

import keras
import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.digits import Digits, do_here
from studio.engine.compute.keeper import MODEL_FILE
from studio.engine.compute.losses import ClassLoss
from studio.engine.compute.models import load_model
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.datasets.store import Store
from studio.engine.evaluation.metrics import measure
from studio.engine.jobs.job import Job
from studio.engine.jobs.requests import LATENCY
from studio.engine.jobs.states import State
from studio.engine.jobs.trial_values import measured
from studio.engine.training.plan import TrainingPlan

pytestmark = pytest.mark.slow

SGD = {"optimizer": "sgd", "learning_rate": 0.1}


def _train(digits: Digits, name: str, **values: object) -> Job:
    base = {"network": "perceptron", "epochs": 1, "batch_size": 64, "deterministic": True}
    plan = TrainingPlan.parse({"dataset": digits.dataset.record.id, **base, **values})
    job = do_here(digits.workspace, plan, name)
    assert job.history.state == State.COMPLETED, job.history
    return job


def _weights(job: Job) -> list[NDArray[np.float32]]:
    model = load_model(job.record.folder / MODEL_FILE)
    return [np.asarray(value) for value in model.get_weights()]


def _difference(one: Job, other: Job) -> float:
    pairs = zip(_weights(one), _weights(other), strict=True)
    return max(float(np.abs(a - b).max()) for a, b in pairs)


def _scores(job: Job, digits: Digits, split: str) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    store = Store.open(digits.dataset.record.folder)
    rows = store.rows(split)
    model = load_model(job.record.folder / MODEL_FILE)
    return np.asarray(model.predict(store.images[rows], verbose=0)), store.labels[rows]


@pytest.mark.parametrize(
    "control",
    [
        {"clip_norm": 0.01},
        {"clip_global_norm": 0.01},
        {"clip_value": 0.001},
        {"weight_decay": 0.5},
        {"average_weights": 0.9},
        {"label_smoothing": 0.2},
        {"focal_gamma": 2},
        {"balance": "class_weights"},
        {"balance": "sampling"},
        {"accumulate": 4},
    ],
    ids=str,
)
def test_it_changes_the_weights_and_does_so_again(
    own_digits: Digits, control: dict[str, object]
) -> None:
    plain = _train(own_digits, "plain", **SGD)
    one = _train(own_digits, "one", **SGD, **control)
    two = _train(own_digits, "two", **SGD, **control)

    assert _difference(plain, one) > 1e-5
    assert _difference(one, two) == 0.0


def test_accumulated_batches_are_one_large_batch(own_digits: Digits) -> None:
    # 1258 images: two updates.
    small = _train(own_digits, "small", **SGD, batch_size=1, accumulate=629)
    large = _train(own_digits, "large", **SGD, batch_size=629)

    assert _difference(small, large) < 1e-5


def test_the_average_is_what_is_measured_and_kept(own_digits: Digits) -> None:
    job = _train(own_digits, "mean", **SGD, average_weights=0.9, epochs=2, keep="last")
    scores, labels = _scores(job, own_digits, "val")

    assert measure(scores, labels).loss == pytest.approx(job.history.epochs[-1].val_loss, rel=1e-4)


def test_measuring_the_average_leaves_the_training_alone(own_digits: Digits) -> None:
    often = _train(own_digits, "often", average_weights=0.9, epochs=2, validate_every=0.25)
    once = _train(own_digits, "once", average_weights=0.9, epochs=2, validate_every=2)

    assert often.history.step_loss == once.history.step_loss


def test_the_loss_against_its_formula() -> None:
    scores = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], np.float32)
    labels = np.array([0, 1])
    smoothed = np.eye(3)[labels] * 0.9 + 0.1 / 3
    expected = np.array([2.0, 0.5]) * -(smoothed * (1 - scores) ** 2 * np.log(scores)).sum(axis=1)

    loss = ClassLoss(3, 0.1, 2.0, np.array([2.0, 0.5, 1.0]))

    assert float(loss(labels, scores)) == pytest.approx(expected.mean(), rel=1e-5)
    assert float(loss(np.eye(3)[labels], scores)) == pytest.approx(expected.mean(), rel=1e-5)
    plain = keras.losses.SparseCategoricalCrossentropy()
    assert float(ClassLoss(3, 0, 0, None)(labels, scores)) == pytest.approx(
        float(plain(labels, scores)), rel=1e-5
    )


def test_balanced_batches_are_drawn_anew_in_every_epoch(own_digits: Digits) -> None:
    store = Store.open(own_digits.dataset.record.folder)
    batches = SplitBatches(store, "train", 32, 1, balanced=True)
    first = batches.ordered_labels.tolist()
    counts = np.bincount(first)

    assert counts.max() - counts.min() <= 1
    batches.set_epoch(1)
    assert batches.ordered_labels.tolist() != first
    batches.set_epoch(0)
    assert batches.ordered_labels.tolist() == first


@pytest.mark.parametrize(("every", "at"), [(0.5, [10, 30]), (0.25, [5, 10, 15, 25, 30, 35])])
def test_validations_inside_of_epochs(own_digits: Digits, every: float, at: list[int]) -> None:
    job = _train(own_digits, "often", epochs=2, validate_every=every)
    plain = _train(own_digits, "plain", epochs=2)

    assert [each.step for each in job.history.validations] == at
    assert all(0 < each.val_accuracy < 1 for each in job.history.validations)
    for one, other in zip(job.history.epochs, plain.history.epochs, strict=True):
        assert one.loss == other.loss
        assert one.val_loss == other.val_loss
    assert job.history.step_loss == plain.history.step_loss


def test_validation_every_other_epoch_and_at_the_end(own_digits: Digits) -> None:
    job = _train(own_digits, "rare", epochs=5, validate_every=2)

    measured = [not math.isnan(epoch.val_loss) for epoch in job.history.epochs]
    assert measured == [False, True, False, True, True]
    assert job.history.best_epoch in [job.history.epochs[at] for at in (1, 3, 4)]


def test_top_5_is_what_it_says(own_digits: Digits) -> None:
    job = _train(own_digits, "ten", keep="last")
    scores, labels = _scores(job, own_digits, "val")
    best = np.argsort(-scores, axis=1)[:, :5]

    share = float((best == labels[:, None]).any(axis=1).mean())
    assert job.history.epochs[0].val_top_5 == pytest.approx(share, abs=0.01)
    assert 0 < job.history.epochs[0].top_5 <= 1


@pytest.mark.parametrize("watch", ["val_loss", "loss", "val_top_5", "accuracy"])
def test_what_is_watched_says_what_is_kept(own_digits: Digits, watch: str) -> None:
    job = _train(own_digits, watch, epochs=4, watch=watch, learning_rate=0.1)

    epochs = job.history.epochs
    values = [getattr(epoch, watch) * (-1 if "loss" in watch else 1) for epoch in epochs]
    kept = epochs[values.index(max(values))]
    assert job.history.result["epoch"] == kept.epoch
    scores, labels = _scores(job, own_digits, "val")
    assert measure(scores, labels).accuracy == pytest.approx(kept.val_accuracy, abs=1e-6)


def test_it_stops_early(own_digits: Digits) -> None:
    job = _train(own_digits, "early", epochs=50, watch="loss", least_gain=100, stop_patience=2)

    assert len(job.history.epochs) == 3
    assert "Stopped early" in job.history.notes[-1].message
    assert job.history.result["epoch"] == 3, "a small gain is a gain for what is kept"


def test_the_rate_falls_on_a_plateau(own_digits: Digits) -> None:
    values = {"epochs": 5, "watch": "loss", "least_gain": 100, "keep": "last"}
    job = _train(own_digits, "falls", **values, plateau_patience=2, plateau_factor=0.5)
    still = _train(own_digits, "still", **values, plateau_patience=2, plateau_factor=1e-9)
    short = _train(own_digits, "short", epochs=3, keep="last")

    rates = [epoch.learning_rate for epoch in job.history.epochs]
    assert rates == pytest.approx([1e-3, 1e-3, 1e-3, 5e-4, 5e-4])
    assert _difference(still, short) < 1e-6, "a rate of nearly zero moves nothing"
    assert _difference(job, short) > 1e-5


@pytest.mark.parametrize("precision", ["mixed_float16", "mixed_bfloat16"])
def test_mixed_precision_trains_and_keeps_32_bits(own_digits: Digits, precision: str) -> None:
    values: dict[str, object] = {"network": "mlp", "epochs": 2, "average_weights": 0.5}
    full = _train(own_digits, "full", **values)
    one = _train(own_digits, "one", **values, precision=precision)
    two = _train(own_digits, "two", **values, precision=precision)

    model = load_model(one.record.folder / MODEL_FILE)
    assert {layer.compute_dtype for layer in model.layers} == {"float32"}
    assert _difference(full, one) > 0
    assert _difference(one, two) == 0.0
    assert one.history.epochs[-1].val_accuracy > 0.6
    scores, labels = _scores(one, own_digits, "val")
    kept = one.history.best_epoch
    assert kept is not None
    assert measure(scores, labels).accuracy == pytest.approx(kept.val_accuracy, abs=0.02)


def test_the_latency_of_an_image_is_measured_where_a_sweep_looks_for_it(
    own_digits: Digits,
) -> None:
    quick = _train(own_digits, "without", epochs=1)
    timed = _train(own_digits, "with", epochs=1, measure_latency=True)
    assert LATENCY not in quick.history.result
    assert math.isnan(measured(quick, ["latency"], "best")[0])
    (latency,) = measured(timed, ["val_accuracy", "latency"], "best")[1:]
    assert 0 < latency < 10_000
    assert latency == timed.history.result[LATENCY]


def test_without_shuffling_the_order_is_that_of_the_dataset(own_digits: Digits) -> None:
    still = _train(own_digits, "still", shuffle=False)
    store = Store.open(own_digits.dataset.record.folder)

    batches = SplitBatches(store, "train", 64, None)

    assert batches.ordered_labels.tolist() == store.labels[store.rows("train")].tolist()
    other = _train(own_digits, "other", shuffle=True)
    assert still.history.step_loss != other.history.step_loss


def test_the_threads_of_a_plan_reach_the_backend(
    own_digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Threads are set once in a process: this one has its own already.
    asked = []
    monkeypatch.setattr(
        "studio.engine.compute.train.prepare_backend",
        lambda _name, _deterministic, _seed, threads, _device: asked.append(threads),
    )

    _train(own_digits, "one", threads=1)
    _train(own_digits, "all")

    assert asked == [1, None]
