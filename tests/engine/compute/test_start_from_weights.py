"""Runs that start from earlier ones, with frozen parts, and with auxiliary heads: real jobs."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.digits import SharedRuns, do_here, go_on_here
from helpers.pictures import picture_folder, small_recipe
from studio.engine.compute.model_checkpointer import MODEL_FILE
from studio.engine.compute.model_files import load_model
from studio.engine.jobs.queue import JobQueue
from studio.engine.jobs.states import State
from studio.engine.networks.builder import GraphBuilder
from studio.engine.networks.spec import HEAD_BLOCK, AuxiliaryHead, InputShape, NetworkSpec
from studio.engine.training.artifacts import checkpoints_of
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.training.requests import request_training, training_problems
from studio.engine.training.trained_models import model_file
from studio.engine.workspace import Workspace

pytestmark = pytest.mark.slow


CLASSES = ("a", "b", "c")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> SharedRuns:
    root = tmp_path_factory.mktemp("weights")
    workspace = Workspace.open(root / "workspace")
    recipe = small_recipe(picture_folder(root / "pictures", 30, CLASSES))
    job = do_here(workspace, recipe, "small")
    assert job.history.state == State.COMPLETED, job.history
    return SharedRuns(workspace, job)


def drawn() -> NetworkSpec:
    net = GraphBuilder("Drawn", InputShape(height=8, width=8, channels=1), 3)
    net.add("rescaling", scale=1 / 127.5, offset=-1.0)
    net.add("conv2d", "conv1", block="low", filters=4, activation="relu")
    net.add("batch_normalization", "norm1", block="low")
    net.add("conv2d", "conv2", block="high", filters=6, activation="relu", stride=2)
    net.add("batch_normalization", "norm2", block="high")
    net.add("global_average_pool", "pool", block=HEAD_BLOCK)
    net.add("dense", "predictions", block=HEAD_BLOCK, units=3, activation="softmax")
    return net.spec()


def aided() -> NetworkSpec:
    spec = drawn()
    net = GraphBuilder("Drawn", spec.input, 3)
    net.add("flatten", "side_flat", after="norm1", block="side")
    net.add("dense", "side", block="side", units=3, activation="softmax")
    return spec.model_copy(
        update={
            "nodes": (*spec.nodes, *net.spec().nodes),
            "auxiliary": (AuxiliaryHead(node="side"),),
        }
    )


def _train(data: SharedRuns, **values: object) -> RunJob:
    base = {
        "network": "drawn",
        "design": drawn().model_dump(),
        "epochs": 2,
        "batch_size": 8,
        "learning_rate": 0.01,
        "keep": "last",
    }
    return data.train(**{**base, **values})


def _weights(job: RunJob) -> dict[str, list[NDArray[Any]]]:
    model = load_model(job.record.folder / MODEL_FILE)
    return {layer.name: layer.get_weights() for layer in model.layers if layer.weights}


def _same(one: list[NDArray[Any]], other: list[NDArray[Any]]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_all_frozen_layers_keep_the_weights_of_the_run_that_they_come_from(
    data: SharedRuns,
) -> None:
    first = _train(data)
    source = f"run:{first.record.id}"
    frozen = _train(data, weights=source, freeze="all", seed=1)
    partly = _train(data, weights=source, freeze="low", seed=1)

    before, after, half = _weights(first), _weights(frozen), _weights(partly)
    for layer in ("conv1", "norm1", "conv2", "norm2"):
        assert _same(before[layer], after[layer]), layer
    assert not _same(before["predictions"], after["predictions"])
    assert all(_same(before[layer], half[layer]) for layer in ("conv1", "norm1"))
    assert not any(_same(before[layer], half[layer]) for layer in ("conv2", "norm2"))
    assert frozen.history.training is not None
    assert frozen.history.training.trainable_parameters == 6 * 3 + 3
    reported = frozen.history.weights
    assert reported is not None
    assert reported.source == source
    assert reported.loaded == ("conv1", "norm1", "conv2", "norm2")
    assert (reported.random, reported.reversed_channels) == ((), False)


def test_the_kept_model_has_no_auxiliary_heads(data: SharedRuns) -> None:
    plain = _train(data, epochs=1)
    with_side = _train(data, design=aided().model_dump(), epochs=1)

    assert set(_weights(with_side)) == set(_weights(plain))
    training = with_side.history.training
    assert training is not None
    assert training.parameters == training.trainable_parameters + 2 * 4 + 2 * 6
    assert plain.history.training is not None
    assert training.parameters > plain.history.training.parameters
    first = with_side.history.steps_of("loss")[0]
    assert first == pytest.approx(plain.history.steps_of("loss")[0], rel=1e-4), (
        "its own loss alone"
    )


def test_weights_that_do_not_fit_end_the_run_in_words(data: SharedRuns) -> None:
    first = _train(data, epochs=1)
    plan = TrainingPlan(
        dataset=data.dataset.record.id, network="mlp", weights=f"run:{first.record.id}"
    )

    job = do_here(data.workspace, plan, "wrong")

    assert job.history.state == State.FAILED
    assert job.history.category == "user"
    assert "layers of" in job.history.reason


def _weights_at(job: RunJob, epoch: int) -> dict[str, list[NDArray[Any]]]:
    model = load_model(model_file(job.record, str(epoch)))
    return {layer.name: layer.get_weights() for layer in model.layers if layer.weights}


def test_a_run_starts_from_a_checkpoint_of_another(data: SharedRuns) -> None:
    first = _train(data, epochs=4, snapshot_interval_epochs=2)
    assert checkpoints_of(first.history) == [2, 4]
    assert all(
        _same(_weights_at(first, 4)[name], values) for name, values in _weights(first).items()
    )
    early = _weights_at(first, 2)
    assert not _same(early["conv1"], _weights(first)["conv1"])

    second = _train(data, weights=f"run:{first.record.id}@2", freeze="all", seed=1)

    assert all(_same(early[name], _weights(second)[name]) for name in ("conv1", "norm2"))


def test_checkpoints_change_no_weight_of_a_training(data: SharedRuns) -> None:
    plain = _train(data, epochs=2)
    stored = _train(data, epochs=2, snapshot_interval_epochs=1)

    assert all(_same(_weights(plain)[name], values) for name, values in _weights(stored).items())


@pytest.mark.thorough
def test_checkpoints_inside_of_epochs(data: SharedRuns) -> None:
    run = _train(data, epochs=2, snapshot_interval_epochs=0.5)

    assert run.history.training is not None
    steps = run.history.training.steps_per_epoch
    inside = round(-(-steps // 2) / steps, 2)
    found = checkpoints_of(run.history)
    assert found == pytest.approx([inside, 1, 1 + inside, 2], abs=0.01)
    assert model_file(run.record, f"{found[0]:g}").exists()


@pytest.mark.parametrize(("checkpoint", "said"), [("3", "1, 2"), ("best", "none"), ("x", "none")])
def test_a_missing_checkpoint_is_reported_before_anything_starts(
    data: SharedRuns, checkpoint: str, said: str
) -> None:
    first = _train(data, snapshot_interval_epochs=0 if said == "none" else 1)
    plan = TrainingPlan.parse(
        {
            "dataset": data.dataset.record.id,
            "network": "drawn",
            "design": drawn().model_dump(),
            "weights": f"run:{first.record.id}@{checkpoint}",
        }
    )

    (problem,) = [p for p in training_problems(data.workspace, plan) if p.where == "weights"]

    assert problem.serious
    assert f'"{checkpoint}"' in problem.message
    assert f"Available: {said}." in problem.hint


@pytest.mark.thorough
def test_a_network_that_is_only_a_head_starts_from_its_own_weights(
    data: SharedRuns, tmp_path: Path
) -> None:
    net = GraphBuilder("Head", InputShape(height=8, width=8, channels=1), 3)
    net.add("rescaling", scale=1 / 255)
    net.add("flatten", block=HEAD_BLOCK)
    net.add("dense", "predictions", block=HEAD_BLOCK, units=3, activation="softmax")
    head = {"network": "head", "design": net.spec().model_dump(), "epochs": 1}
    first = _train(data, **head)
    model = model_file(first.record)
    load_model(model).save(tmp_path / "head.h5")
    with zipfile.ZipFile(tmp_path / "head.zip", "w") as archive:
        archive.write(model, "model.keras")
        archive.writestr("labels.json", "{}")
        archive.writestr("network.json", net.spec().to_json())

    for weights in (f"run:{first.record.id}", tmp_path / "head.h5", tmp_path / "head.zip"):
        reported = _train(data, **head, weights=str(weights)).history.weights
        assert reported is not None
        assert reported.loaded == ("predictions",)


@pytest.mark.thorough
def test_a_run_with_the_largest_seed_reads_its_copy_of_the_weights(
    data: SharedRuns, tmp_path: Path
) -> None:
    first = _train(data)
    file = tmp_path / "start.keras"
    file.write_bytes(model_file(first.record).read_bytes())
    job = request_training(
        JobQueue(data.workspace),
        first.plan(TrainingPlan).changed(weights=str(file), seed=2**32 - 1, epochs=1),
        "largest seed",
    )
    file.unlink()

    done = go_on_here(data.workspace, job)

    assert done.history.state == State.COMPLETED, done.history
    assert done.history.weights is not None
