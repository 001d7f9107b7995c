"""Runs with frozen layers: trained on kept features, or solved at once; one journal, one model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from helpers.digits import do_here
from helpers.pictures import picture_folder, small_recipe
from helpers.sampling import sample
from studio.engine.baselines.cache import FeatureCache
from studio.engine.compute import features
from studio.engine.compute.build import build
from studio.engine.compute.model_files import load_model
from studio.engine.datasets.store import Store
from studio.engine.errors import StudioError
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.exporting.plan import ExportPlan
from studio.engine.exporting.requests import request_export
from studio.engine.jobs.job import Job
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.parts import with_freezing
from studio.engine.networks.spec import HEAD, HEAD_BLOCK, InputShape, NetworkSpec
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.trained_models import model_file
from studio.engine.workspace import Limits, RecordKind, Workspace, write_limits


@pytest.fixture
def dataset(workspace: Workspace, tmp_path: Path) -> Job:
    """Two classes of 8x8, 60 training, 20 validation and 20 test images."""
    source = picture_folder(tmp_path / "pictures", 50)
    return do_here(workspace, small_recipe(source, val_percent=20, test_percent=20), "pictures")


def _train(workspace: Workspace, dataset: Job, name: str, **values: Any) -> RunJob:
    plan = {"dataset": dataset.record.id, "network": "small_cnn", "freeze": "all", "epochs": 4}
    plan["insights"] = False  # `test_insights` sees those of such runs
    job = do_here(workspace, TrainingPlan.parse({**plan, "learning_rate": 0.01, **values}), name)
    assert job.history.state == State.COMPLETED, (job.history.reason, job.history.detail)
    return job


def _notes(job: RunJob) -> str:
    return " ".join(note.message for note in job.history.notes)


def _as_validated(dataset: Job, job: RunJob) -> None:
    """The model on the disk does on images what the journal says of its best epoch."""
    store = Store.open(dataset.record.folder)
    model = load_model(model_file(job.record))
    rows = store.rows("val")
    scores = model.predict_on_batch(store.images[rows])
    best = job.history.best_epoch
    assert best is not None
    assert (scores.argmax(axis=1) == store.labels[rows]).mean() == pytest.approx(
        best.value("val_accuracy")
    )
    right = scores[np.arange(len(rows)), store.labels[rows]]
    assert -np.log(right).mean() == pytest.approx(best.value("val_loss"), rel=1e-2, abs=1e-3)
    spec = NetworkSpec.model_validate_json((job.record.folder / "network.json").read_bytes())
    fresh = build(spec, seed=0)
    for layer in fresh.layers:
        if layer.name != HEAD:
            for one, other in zip(
                layer.get_weights(), model.get_layer(layer.name).get_weights(), strict=True
            ):
                assert (one == other).all(), "frozen layers, and their statistics, do not move"


@pytest.mark.slow
def test_gradient_on_features(
    workspace: Workspace, dataset: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[int] = []
    from studio.engine.compute.models import score

    def counted(model: keras.Model, pixels: Any) -> Any:
        passes.append(len(pixels))
        return score(model, pixels)

    monkeypatch.setattr(features, "score", counted)
    job = _train(workspace, dataset, "one")

    assert "training uses their features (128 per image, computed once)" in _notes(job)
    assert sum(passes) == 80, "training and validation images, once in four epochs"
    assert len(job.history.epochs) == 4
    assert job.history.training is not None
    assert job.history.training.train_images == 60
    assert len(job.history.steps_of("loss")) == job.history.training.epochs * 2
    _as_validated(dataset, job)

    again = _train(workspace, dataset, "two", epochs=2, batch_size=8)
    assert sum(passes) == 80
    assert "cached" in _notes(again)
    (stored,) = FeatureCache.of(workspace.root).entries()
    assert (stored.images, stored.key.shape, stored.key.label) == (80, (128,), "Small CNN")


@pytest.mark.thorough
def test_varied_images_are_not_kept(workspace: Workspace, dataset: Job) -> None:
    job = _train(workspace, dataset, "one", epochs=1, augmentation={"horizontal_flip": True})

    assert "features" not in _notes(job)
    assert FeatureCache.of(workspace.root).entries() == []


@pytest.mark.thorough
def test_features_that_are_too_many_are_computed_again(workspace: Workspace, dataset: Job) -> None:
    write_limits(workspace.root, Limits(feature_cache_size=1e-6))
    job = _train(workspace, dataset, "one", epochs=1)

    assert "So they are recomputed in every epoch" in _notes(job)


@pytest.mark.slow
@pytest.mark.parametrize("solver", sample(["best_linear", "logistic_regression", "linear_svm"], 1))
def test_a_head_solved_at_once(workspace: Workspace, dataset: Job, solver: str) -> None:
    job = _train(workspace, dataset, solver, head_solver=solver)

    (epoch,) = job.history.epochs
    assert epoch.value("val_accuracy") > 0.9
    assert "Epochs, batch size, learning rate and optimizer had no effect" in _notes(job)
    assert job.history.fraction == 1
    assert job.history.result["metrics"]["val_accuracy"] == epoch.value("val_accuracy")
    _as_validated(dataset, job)
    measured = do_here(workspace, EvaluationPlan(run=job.record.id), "measured")
    assert measured.history.result["accuracy"] > 0.9
    compared = "In cross-validation on the training images" in _notes(job)
    assert compared == (solver == "best_linear")


@pytest.mark.thorough
def test_a_solved_head_selects_c_on_validation_and_compares_the_solvers(
    workspace: Workspace, tmp_path: Path
) -> None:
    recipe = small_recipe(picture_folder(tmp_path / "more", 90), val_percent=40, test_percent=10)
    dataset = do_here(workspace, recipe, "more")
    plain = _train(workspace, dataset, "plain", head_solver="logistic_regression")
    refit = _train(workspace, dataset, "refit", head_solver="logistic_regression", head_refit=True)

    assert "C was selected on the validation images" in _notes(plain)
    assert "Linear SVM" in _notes(plain)
    assert "refitted on training and validation images" in _notes(refit)
    same = [job.history.epochs[0].value("val_loss") for job in (plain, refit)]
    assert same[0] == same[1], "the figures are those from before the refit"

    with pytest.raises(StudioError, match="no epochs that a script could repeat"):
        request_export(
            JobQueue(workspace), ExportPlan(run=plain.record.id, variants=["script:float32"])
        )
    assert workspace.records(RecordKind.EXPORT) == []


def test_only_what_is_new_gets_standardized_features() -> None:
    from studio.engine.compute.on_features import _first_linear

    def first(freeze: str) -> str | None:
        net = GraphBuilder("Tiny", InputShape(height=8, width=8, channels=1), 2)
        net.add("conv2d", "conv", filters=4).add("conv2d", "point", filters=3, kernel=1)
        net.add("global_average_pool", "pool", block=HEAD_BLOCK)
        net.add("dropout", "drop", block=HEAD_BLOCK)
        net.add("dense", HEAD, block=HEAD_BLOCK, units=2, activation="softmax")
        spec = with_freezing(net.spec(), freeze)
        cut = features.cut_behind_frozen(build(spec, seed=0))
        assert cut is not None
        layer = _first_linear(cut, spec)
        return None if layer is None else str(layer.name)

    assert first("all") == HEAD
    assert first("conv") is None, "its weights were learned on features as they are"
