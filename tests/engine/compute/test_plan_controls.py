"""Every control of a plan changes what training does."""

from __future__ import annotations

import math

import keras
import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.digits import Digits, SharedRuns, difference
from helpers.sampling import sample
from studio.engine.compute.model_checkpointer import MODEL_FILE
from studio.engine.compute.model_files import load_model
from studio.engine.compute.models import score
from studio.engine.compute.pipeline import SplitBatches
from studio.engine.compute.scoring import latency_ms
from studio.engine.compute.tasks.classification import ClassLoss
from studio.engine.evaluation.outcomes import outcomes_of
from studio.engine.progress import SilentProgress
from studio.engine.sweeps.rows import measured
from studio.engine.timing import ProcessorLoad
from studio.engine.training.artifacts import LATENCY
from studio.engine.training.history import RunJob

pytestmark = pytest.mark.slow

SGD = {"optimizer": "sgd", "learning_rate": 0.1}


def _train(runs: SharedRuns, attempt: int = 1, /, **values: object) -> RunJob:
    base = {"network": "perceptron", "epochs": 1, "batch_size": 64, "deterministic": True}
    return runs.train(attempt, **{**base, **values})


def _scores(
    job: RunJob, runs: SharedRuns, split: str
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    store = runs.store
    rows = store.rows(split)
    model = load_model(job.record.folder / MODEL_FILE)
    return score(model, store.images[rows]), store.labels[rows]


@pytest.mark.parametrize(
    "control",
    sample(
        [
            {"clipnorm": 0.01},
            {"global_clipnorm": 0.01},
            {"clipvalue": 0.001},
            {"weight_decay": 0.5},
            {"ema_momentum": 0.9},
            {"label_smoothing": 0.2},
            {"focal_gamma": 2},
            {"class_balancing": "class_weights"},
            {"class_balancing": "sampling"},
            {"gradient_accumulation_steps": 4},
        ],
        2,
    ),
    ids=str,
)
def test_it_changes_the_weights_and_does_so_again(
    runs: SharedRuns, control: dict[str, object]
) -> None:
    plain = _train(runs, **SGD)
    one = _train(runs, **SGD, **control)
    two = _train(runs, 2, **SGD, **control)

    assert difference(plain, one) > 1e-5
    assert difference(one, two) == 0.0


def test_accumulated_batches_are_one_large_batch(runs: SharedRuns) -> None:
    # 1258 images: two updates.
    small = _train(runs, **SGD, batch_size=1, gradient_accumulation_steps=629)
    large = _train(runs, **SGD, batch_size=629)

    assert difference(small, large) < 1e-5


def test_the_average_is_what_is_measured_and_kept(runs: SharedRuns) -> None:
    job = _train(runs, **SGD, ema_momentum=0.9, epochs=2, keep="last")
    scores, labels = _scores(job, runs, "val")

    assert outcomes_of(scores, labels, scores.shape[1]).loss == pytest.approx(
        job.history.epochs[-1].value("val_loss"), rel=1e-4
    )


@pytest.mark.thorough
def test_measuring_the_average_leaves_the_training_alone(runs: SharedRuns) -> None:
    often = _train(runs, ema_momentum=0.9, epochs=2, validation_interval_epochs=0.25)
    once = _train(runs, ema_momentum=0.9, epochs=2, validation_interval_epochs=2)

    assert often.history.steps_of("loss") == once.history.steps_of("loss")


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


def test_balanced_batches_are_resampled_in_every_epoch(runs: SharedRuns) -> None:
    store = runs.store
    batches = SplitBatches(store, "train", 32, 1, balanced=True)
    first = batches.labels[batches._order].tolist()
    counts = np.bincount(first)

    assert counts.max() - counts.min() <= 1
    batches.set_epoch(1)
    assert batches.labels[batches._order].tolist() != first
    batches.set_epoch(0)
    assert batches.labels[batches._order].tolist() == first


@pytest.mark.parametrize(
    ("every", "at"), sample([(0.5, [10, 30]), (0.25, [5, 10, 15, 25, 30, 35])], 1)
)
def test_validations_inside_of_epochs(runs: SharedRuns, every: float, at: list[int]) -> None:
    job = _train(runs, epochs=2, validation_interval_epochs=every)
    plain = _train(runs, epochs=2)

    assert [each.step for each in job.history.validations] == at
    assert all(0 < each.value("val_accuracy") < 1 for each in job.history.validations)
    for one, other in zip(job.history.epochs, plain.history.epochs, strict=True):
        assert one.value("loss") == other.value("loss")
        assert one.value("val_loss") == other.value("val_loss")
    assert job.history.steps_of("loss") == plain.history.steps_of("loss")


@pytest.mark.thorough
def test_validation_every_other_epoch_and_at_the_end(runs: SharedRuns) -> None:
    job = _train(runs, epochs=5, validation_interval_epochs=2)

    measured = [not math.isnan(epoch.value("val_loss")) for epoch in job.history.epochs]
    assert measured == [False, True, False, True, True]
    assert job.history.best_epoch in [job.history.epochs[at] for at in (1, 3, 4)]


def test_top_5_matches_its_definition(runs: SharedRuns) -> None:
    job = _train(runs, keep="last")
    scores, labels = _scores(job, runs, "val")
    best = np.argsort(-scores, axis=1)[:, :5]

    share = float((best == labels[:, None]).any(axis=1).mean())
    assert job.history.epochs[0].value("val_top_5") == pytest.approx(share, abs=0.01)
    assert 0 < job.history.epochs[0].value("top_5") <= 1


@pytest.mark.parametrize("monitor", sample(["val_loss", "loss", "val_top_5", "accuracy"], 1))
def test_the_monitor_determines_the_best_checkpoint(runs: SharedRuns, monitor: str) -> None:
    job = _train(runs, epochs=4, monitor=monitor, learning_rate=0.1)

    epochs = job.history.epochs
    values = [epoch.value(monitor) * (-1 if "loss" in monitor else 1) for epoch in epochs]
    stored = epochs[values.index(max(values))]
    assert job.history.result["epoch"] == stored.epoch
    scores, labels = _scores(job, runs, "val")
    assert outcomes_of(scores, labels, scores.shape[1]).accuracy == pytest.approx(
        stored.value("val_accuracy"), abs=1e-6
    )


def test_it_stops_early(runs: SharedRuns) -> None:
    job = _train(runs, epochs=50, monitor="loss", min_delta=100, early_stopping_patience=2)

    assert len(job.history.epochs) == 3
    assert "Stopped early" in job.history.notes[-1].message
    assert job.history.result["epoch"] == 3, "a small gain is a gain for what is kept"


def test_the_rate_falls_on_a_plateau(runs: SharedRuns) -> None:
    values = {"epochs": 5, "monitor": "loss", "min_delta": 100, "keep": "last"}
    job = _train(runs, **values, plateau_patience=2, plateau_factor=0.5)
    still = _train(runs, **values, plateau_patience=2, plateau_factor=1e-9)
    short = _train(runs, epochs=3, keep="last")

    rates = [epoch.learning_rate for epoch in job.history.epochs]
    assert rates == pytest.approx([1e-3, 1e-3, 1e-3, 5e-4, 5e-4])
    assert difference(still, short) < 1e-6, "a rate of nearly zero moves nothing"
    assert difference(job, short) > 1e-5


@pytest.mark.parametrize("precision", sample(["mixed_bfloat16", "mixed_float16"], 1))
def test_mixed_precision_trains_and_keeps_32_bits(runs: SharedRuns, precision: str) -> None:
    values: dict[str, object] = {"network": "mlp", "epochs": 2, "ema_momentum": 0.5}
    full = _train(runs, **values)
    one = _train(runs, **values, precision=precision)
    two = _train(runs, 2, **values, precision=precision)

    model = load_model(one.record.folder / MODEL_FILE)
    assert {layer.compute_dtype for layer in model.layers} == {"float32"}
    assert difference(full, one) > 0
    assert difference(one, two) == 0.0
    assert one.history.epochs[-1].value("val_accuracy") > 0.6
    scores, labels = _scores(one, runs, "val")
    stored = one.history.best_epoch
    assert stored is not None
    assert outcomes_of(scores, labels, scores.shape[1]).accuracy == pytest.approx(
        stored.value("val_accuracy"), abs=0.02
    )


@pytest.mark.thorough
def test_the_latency_of_an_image_is_measured_if_a_sweep_optimizes_it(
    runs: SharedRuns,
) -> None:
    quick = _train(runs, epochs=1)
    timed = _train(runs, epochs=1, measure_latency=True)
    assert LATENCY not in quick.history.result
    assert math.isnan(measured(quick, ["latency"], "best")[0])
    (latency,) = measured(timed, ["val_accuracy", "latency"], "best")[1:]
    assert 0 < latency < 10_000
    assert latency == timed.history.result[LATENCY]


def test_a_latency_beside_other_programs_gets_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    progress = SilentProgress()
    monkeypatch.setattr(progress, "warn", warnings.append)
    model = keras.Sequential([keras.Input((4, 4, 1)), keras.layers.Flatten()])
    pixels = np.zeros((1, 4, 4, 1), np.uint8)
    for share, expected in ((0.1, 0), (0.4, 1)):
        monkeypatch.setattr(ProcessorLoad, "of_others", lambda _, share=share: share)
        assert 0 < latency_ms(model, pixels, progress) < 1000
        assert len(warnings) == expected
    assert warnings[0].startswith("Other programs used 40% of the processors")


def test_without_shuffling_the_order_is_that_of_the_dataset(runs: SharedRuns) -> None:
    still = _train(runs, shuffle=False)
    store = runs.store

    batches = SplitBatches(store, "train", 64, None)

    assert batches.labels[batches._order].tolist() == store.labels[store.rows("train")].tolist()
    other = _train(runs, shuffle=True)
    assert still.history.steps_of("loss") != other.history.steps_of("loss")


@pytest.mark.thorough
def test_the_threads_of_a_plan_reach_the_backend(
    own_digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Threads are set once in a process: this one has its own already.
    asked = []
    monkeypatch.setattr(
        "studio.engine.compute.train.prepare_backend",
        lambda _name, _deterministic, _seed, threads, _device: asked.append(threads),
    )

    of_its_own = SharedRuns(own_digits.workspace, own_digits.dataset)
    _train(of_its_own, threads=1)
    _train(of_its_own)

    assert asked == [1, None]
