"""Real ImageNet weights in a real run: frozen features of SqueezeNet, and a head on them.

The weights and the pictures lie beside the repository and are never committed; without them the
tests are skipped.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import h5py
import numpy as np
import pytest

from helpers.digits import do_here
from studio.engine.compute.model_checkpointer import MODEL_FILE
from studio.engine.compute.model_files import load_model
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.jobs.states import State
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace

SHARED = Path(__file__).resolve().parents[4] / "shared"
WEIGHTS = SHARED / "models" / "squeezenet_v1.1_imagenet_notop.h5"
PICTURES = SHARED / "data" / "cifar10.tar.xz"
CLASSES = ("airplane", "automobile", "frog")
PER_CLASS = 60

pytestmark = [
    pytest.mark.slow,
    pytest.mark.thorough,
    pytest.mark.skipif(
        not (WEIGHTS.is_file() and PICTURES.is_file()), reason="the shared files are not here"
    ),
]


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> RunJob:
    root = tmp_path_factory.mktemp("squeezenet")
    requested = {f"train/{name}/{at:04}.jpg" for name in CLASSES for at in range(PER_CLASS)}
    with tarfile.open(PICTURES) as archive:
        for member in archive:
            if member.name in requested:
                archive.extract(member, root / "pictures", filter="data")
                requested.remove(member.name)
            if not requested:
                break
    workspace = Workspace.open(root / "workspace")
    recipe = DatasetRecipe.parse(
        {
            "source": str(root / "pictures" / "train"),
            "width": 96,
            "height": 96,
            "color": "rgb",
            "val_percent": 40,
            "test_percent": 0,
        }
    )
    dataset = do_here(workspace, recipe, "three classes")
    assert dataset.history.state == State.COMPLETED, dataset.history
    plan = TrainingPlan(
        dataset=dataset.record.id,
        network="squeezenet",
        weights=str(WEIGHTS),
        freeze="all",
        epochs=15,
        learning_rate=3e-3,
        insights=False,
    )
    job = do_here(workspace, plan, "frozen")
    assert job.history.state == State.COMPLETED, job.history
    return job


def test_a_head_on_frozen_features_learns_from_few_pictures(frozen: RunJob) -> None:
    best = frozen.history.best_epoch

    assert best is not None
    assert best.value("val_accuracy") > 0.8


def test_all_weights_are_loaded_and_only_the_head_learns(frozen: RunJob) -> None:
    reported, training = frozen.history.weights, frozen.history.training

    assert reported is not None
    assert (len(reported.loaded), reported.parameters) == (25, 722_496)
    assert reported.random == reported.unused == ()
    assert reported.reversed_channels
    assert training is not None
    assert training.trainable_parameters == 512 * 3 + 3


def test_the_kept_model_has_the_weights_of_the_file_red_first(frozen: RunJob) -> None:
    model = load_model(frozen.record.folder / MODEL_FILE)

    with h5py.File(WEIGHTS) as file:
        first = file["conv1/conv1_3/kernel:0"][()]
        last = file["fire9/expand3x3/fire9/expand3x3_1/kernel:0"][()]
    assert np.array_equal(np.asarray(model.get_layer("conv1").weights[0]), first[:, :, ::-1])
    assert np.array_equal(np.asarray(model.get_layer("fire9_expand3x3").weights[0]), last)
