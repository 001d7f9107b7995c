"""What is kept of every validation is true, and keeping it changes nothing."""

from __future__ import annotations

import importlib.util

import keras
import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from helpers.digits import Digits, do_here
from helpers.sampling import sample
from helpers.train_plans import train_plans
from studio.engine.compute.insights import GradientProbe
from studio.engine.compute.model_checkpointer import MODEL_FILE
from studio.engine.compute.model_files import load_model
from studio.engine.compute.models import score
from studio.engine.datasets.store import Store
from studio.engine.jobs.job import journal_reader
from studio.engine.jobs.states import State
from studio.engine.training.history import EpochDone, RunJob, ValidationDone
from studio.engine.training.insights import FOLDER, MISTAKES, PICTURES, Insight, read_insight
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind

pytestmark = pytest.mark.slow


def _plan(digits: Digits, **values: object) -> TrainingPlan:
    base = {"network": "perceptron", "epochs": 2, "batch_size": 64, "deterministic": True}
    return TrainingPlan.parse({"dataset": digits.dataset.record.id, **base, **values})


def _train(digits: Digits, name: str, **values: object) -> RunJob:
    job = do_here(digits.workspace, _plan(digits, **values), name)
    assert job.history.state == State.COMPLETED, (job.history.reason, job.history.detail)
    return job


def _insights(job: RunJob) -> list[Insight]:
    return [read_insight(job.record.folder / each.path) for each in job.history.insights]


def _store(digits: Digits) -> Store:
    return Store.open(digits.dataset.record.folder)


def _scores(job: RunJob, store: Store, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    model = load_model(job.record.folder / MODEL_FILE)
    return score(model, store.images[rows])


@pytest.mark.parametrize(
    "values",
    sample(
        [
            {},
            {"ema_momentum": 0.9},
            {"precision": "mixed_float16"},
            {"augmentation": {"mix_up": 0.5}},
        ],
        1,
    ),
    ids=["plain", "averaged", "mixed", "soft"],
)
def test_the_answers_are_those_of_the_kept_model(
    own_digits: Digits, values: dict[str, object]
) -> None:
    job = _train(own_digits, "run", keep="last", **values)

    last = _insights(job)[-1]
    store = _store(own_digits)
    rows = store.rows("val")
    scores = _scores(job, store, rows)
    answers = last.answers
    assert (answers.rows == rows).all()
    assert (answers.truth == store.labels[rows]).all()
    tolerance = 2e-2 if "precision" in values else 1e-5
    assert answers.scores == pytest.approx(scores.max(axis=1), abs=tolerance)
    agree = answers.predicted == scores.argmax(axis=1)
    assert agree.mean() >= (0.97 if "precision" in values else 1.0)
    assert last.confusion().tolist() == (
        confusion_matrix(store.labels[rows], answers.predicted, labels=range(10)).tolist()
    )
    accuracy = np.trace(last.confusion()) / len(rows)
    assert accuracy == pytest.approx(job.history.epochs[-1].value("val_accuracy"))


def test_every_validation_is_kept_with_its_own_answers(own_digits: Digits) -> None:
    job = _train(own_digits, "run", epochs=2, validation_interval_epochs=0.5)

    reported, found = job.history.insights, _insights(job)
    assert [each.epoch for each in reported] == pytest.approx([0.5, 1, 1.5, 2], abs=0.05)
    for each, insight in zip(job.history.measured, found, strict=True):
        assert insight.step == each.step
        share = (insight.answers.truth == insight.answers.predicted).mean()
        assert share == pytest.approx(each.value("val_accuracy"))
    assert len({insight.answers.scores.tobytes() for insight in found}) == 4


@pytest.mark.thorough
def test_the_worst_mistakes_and_the_fixed_pictures(own_digits: Digits) -> None:
    job = _train(own_digits, "run", keep="last")

    first, last = _insights(job)
    store = _store(own_digits)
    scores = _scores(job, store, last.answers.rows)
    wrong = np.flatnonzero(scores.argmax(axis=1) != last.answers.truth)
    worst = wrong[np.argsort(-scores[wrong].max(axis=1), kind="stable")][:MISTAKES]
    assert len(worst)
    assert last.answers.mistakes().tolist() == worst.tolist()
    pictures = last.pictures
    assert len(pictures.rows) == PICTURES
    assert set(pictures.truth.tolist()) == set(range(10)), "all classes are shown"
    assert (first.pictures.rows == pictures.rows).all()
    assert not np.allclose(first.pictures.scores, pictures.scores)
    all_scores = _scores(job, store, pictures.rows)
    best = np.argsort(-all_scores, axis=1, kind="stable")[:, :5]
    assert pictures.classes.tolist() == best.tolist()
    assert pictures.scores == pytest.approx(np.take_along_axis(all_scores, best, 1), abs=1e-5)


@pytest.mark.thorough
def test_norms_are_those_of_numpy(own_digits: Digits) -> None:
    job = _train(own_digits, "run", keep="last", optimizer="sgd")

    first, last = _insights(job)
    (layer,) = [one for one in load_model(job.record.folder / MODEL_FILE).layers if one.weights]
    kernel, bias = layer.get_weights()
    (norm,) = last.norms
    assert norm.name == layer.name
    assert norm.weight == pytest.approx(np.sqrt((kernel**2).sum() + (bias**2).sum()), rel=1e-5)
    assert 0 < norm.update < 1
    assert first.norms[0].update != norm.update
    assert 0 < norm.gradient < 100


def test_gradients_are_those_of_the_formula() -> None:
    keras.utils.set_random_seed(3)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="softmax")])
    model.compile(loss=keras.losses.SparseCategoricalCrossentropy())
    random = np.random.default_rng(5)
    inputs = random.normal(size=(8, 4)).astype(np.float32)
    labels = random.integers(0, 3, 8).astype(np.int32)

    lengths = GradientProbe(model, inputs, labels).lengths()

    errors = np.asarray(model(inputs)) - np.eye(3)[labels]
    kernel, bias = inputs.T @ errors / 8, errors.mean(axis=0)
    assert lengths == pytest.approx([np.linalg.norm(kernel), np.linalg.norm(bias)], rel=1e-4)


def test_collecting_gradients_leaves_random_states_and_statistics_alone() -> None:
    layers = keras.layers
    model = keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(8),
            layers.BatchNormalization(),
            layers.Dropout(0.5, seed=3),
            layers.Dense(3, activation="softmax"),
        ]
    )
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(), metrics=["accuracy"])
    random = np.random.default_rng(5)
    inputs = random.normal(size=(8, 4)).astype(np.float32)
    labels = random.integers(0, 3, 8).astype(np.int32)
    model.fit(inputs, labels, epochs=1, verbose=0)
    everything = [*model.variables, *model.optimizer.variables, *model.metrics_variables]
    before = [np.asarray(variable).tobytes() for variable in everything]
    probe = GradientProbe(model, inputs, labels)

    first, again = probe.lengths(), probe.lengths()

    assert first.tolist() == again.tolist()
    assert np.isfinite(first).all()
    assert [np.asarray(variable).tobytes() for variable in everything] == before


@pytest.mark.thorough
def test_where_it_cannot_listen_it_asks_a_sample(
    own_digits: Digits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.engine.compute.insights.replicas_of", lambda _model: 2)
    monkeypatch.setattr("studio.engine.compute.insights.SAMPLE", 50)

    job = _train(own_digits, "run", keep="last")

    last = _insights(job)[-1]
    assert (len(last.answers.rows), last.answers.of) == (50, len(_store(own_digits).rows("val")))
    scores = _scores(job, _store(own_digits), last.answers.rows)
    assert (last.answers.predicted == scores.argmax(axis=1)).all()
    assert len(last.pictures.rows) == PICTURES


def _weights(job: RunJob) -> list[NDArray[np.float32]]:
    return [np.asarray(w) for w in load_model(job.record.folder / MODEL_FILE).get_weights()]


def _reported(job: RunJob) -> list[object]:
    """Everything that the journal says of steps and epochs, without times."""
    events = journal_reader(job.record).read()
    steps: list[object] = [
        job.history.steps_of("loss").tolist(),
        job.history.steps_of("accuracy").tolist(),
    ]
    timed = {"t", "seconds", "images_per_second"}
    return steps + [
        event.model_dump_json(exclude=timed)
        for event in events
        if isinstance(event, EpochDone | ValidationDone)
    ]


def _must_be_the_same(stored: RunJob, plain: RunJob) -> None:
    assert stored.history.insights
    assert not plain.history.insights
    assert not (plain.record.folder / FOLDER).exists()
    assert _reported(stored) == _reported(plain)
    for one, other in zip(_weights(stored), _weights(plain), strict=True):
        assert one.tobytes() == other.tobytes()


def test_training_is_the_same_without_it(own_digits: Digits) -> None:
    """Also with averaged weights and a validation within an epoch."""
    values: dict[str, object] = {
        "network": "mlp",  # it has dropout
        "keep": "last",
        "ema_momentum": 0.9,
        "validation_interval_epochs": 0.5,
    }
    stored = _train(own_digits, "kept", **values)
    plain = _train(own_digits, "plain", **values, insights=False)

    _must_be_the_same(stored, plain)


@pytest.mark.thorough
@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is an extra")
def test_training_with_jax_is_the_same_without_it(own_digits: Digits) -> None:
    values = {
        "network": "mlp",
        "keep": "last",
        "validation_interval_epochs": 0.5,
        "backend": "jax",
    }
    fixed = {"epochs": 2, "batch_size": 64, "deterministic": True}
    plans = [
        (f"insights {is_on}", {**fixed, **values, "insights": is_on}) for is_on in (True, False)
    ]

    train_plans(own_digits.workspace.root, plans)

    records = (own_digits.workspace.find(RecordKind.RUN, name) for name, _ in plans)
    stored, plain = (RunJob(record) for record in records)
    for job in (stored, plain):
        job.refresh()
    assert stored.history.state == plain.history.state == State.COMPLETED
    _must_be_the_same(stored, plain)


@pytest.mark.thorough
def test_solved_and_trained_heads_on_features_have_insights(own_digits: Digits) -> None:
    values: dict[str, object] = {"network": "small_cnn", "freeze": "all", "keep": "last"}
    trained = _train(own_digits, "trained", **values)
    solved = _train(own_digits, "solved", **values, head_solver="logistic_regression")

    store = _store(own_digits)
    for job in (trained, solved):
        last = _insights(job)[-1]
        scores = _scores(job, store, last.answers.rows)
        assert (last.answers.predicted == scores.argmax(axis=1)).mean() > 0.99
        head = [norm for norm in last.norms if np.isfinite(norm.weight)]
        assert len(head) == len(last.norms) == 1, "only the part that learns"
