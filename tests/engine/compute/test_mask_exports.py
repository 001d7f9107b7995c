"""Exported models for masks give the masks of their run, in every format."""

from __future__ import annotations

import json
import runpy
import shutil
from pathlib import Path

import keras
import numpy as np
import pytest
from PIL import Image

from helpers.digits import do_here
from helpers.exports import STUDIO, Exports, exported
from helpers.mask_datasets import NAMES, SIDE, import_shapes
from helpers.processes import run_without
from studio.engine.compute.build import build
from studio.engine.compute.exporters import script
from studio.engine.compute.exporters.source import ExportSource
from studio.engine.compute.model_files import load_model
from studio.engine.compute.tasks import learning_of
from studio.engine.compute.train import NETWORK_FILE
from studio.engine.compute.weights import load_weights
from studio.engine.datasets.store import Store
from studio.engine.jobs.states import State
from studio.engine.networks.library import read_export, read_network
from studio.engine.progress import SilentProgress
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

LEAST = {"float32": 0.9999, "float16": 0.995, "dynamic": 0.97, "int8": 0.9}
"""Share of pixels with the class that the run gives."""


@pytest.fixture(scope="module", params=["small_unet:filters=8,depth=2", "lr_aspp"])
def exports(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exports:
    folder = tmp_path_factory.mktemp("masks")
    workspace = Workspace.open(folder / "workspace")
    dataset = import_shapes(workspace, folder / "in", 120, ignored=0.05)
    plan = TrainingPlan(
        dataset=dataset.record.id,
        network=request.param,
        epochs=6,
        batch_size=8,
        learning_rate=0.01,
    )
    run = do_here(workspace, plan, "run")
    assert run.history.state == State.COMPLETED, run.history.detail
    files = exported(workspace, run, folder / "out", ["bundle:int8", "script"])
    pictures = sorted(map(str, (folder / "in" / "images").iterdir()))[:2]
    return Exports(workspace, pictures, Store.open(dataset.record.folder), run, files)


def test_every_format_is_certified_by_its_masks(exports: Exports) -> None:
    for name, file in exports.files.items():
        made = file.certificate
        assert made is not None, name
        assert made.script_checked, name
        assert made.count == len(exports.store.rows("test"))
        assert made.pixel_agreement is not None, name
        assert made.pixel_agreement >= LEAST[made.precision], name
        assert made.metrics.keys() >= {"mean_iou", "pixel_accuracy"}
        if made.precision == "float32":
            assert made.metrics["mean_iou"] == pytest.approx(
                made.model_metrics["mean_iou"], abs=1e-3
            )


def test_predict_py_of_every_format_writes_the_masks_of_the_run(
    exports: Exports, tmp_path: Path
) -> None:
    model = load_model(exports.run.record.folder / "model.keras")
    pixels = np.stack([np.asarray(Image.open(path)) for path in exports.pictures])
    ours = np.asarray(model.predict(pixels.astype(np.float32), verbose=0)).argmax(axis=-1)
    for name in exports.files.keys() - {"script:float32"}:
        folder, to = exports.folder(name, tmp_path), tmp_path / name.replace(":", "-")
        words = (*exports.pictures, "--json", "--to", str(to))

        out = run_without(STUDIO, folder / "predict.py", *words, cwd=folder)

        precision = json.loads((folder / "labels.json").read_text("utf-8"))["precision"]
        for answer, labels in zip(json.loads(out.splitlines()[-1]), ours, strict=True):
            with Image.open(answer["mask"]) as image:
                theirs = np.array(image)
            assert theirs.shape == (SIDE, SIDE)
            assert (theirs == labels).mean() >= LEAST[precision] - 0.01, name
            counts = [int((theirs == place).sum()) for place in range(len(NAMES))]
            assert [each["pixels"] for each in answer["classes"]] == counts


def test_the_loss_of_a_training_script_is_that_of_the_run(
    exports: Exports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, run = exports.store, exports.run
    changes = {"class_balancing": "class_weights", "label_smoothing": 0.1, "focal_gamma": 2.0}
    plan = run.plan(TrainingPlan).changed(**changes, dice_weight=0.3)
    model = load_model(run.record.folder / "model.keras")
    source = ExportSource(model, store, read_network(run.record.folder / NETWORK_FILE), plan, "r")
    script.write(source, tmp_path / "model.weights.h5", "float32")
    monkeypatch.chdir(tmp_path)
    masks, scores = store.required_regions[store.rows("test")], exports.outputs()

    theirs = runpy.run_path("train.py")["loss"](masks, keras.ops.array(scores))

    ours = learning_of(store).loss(plan, mixed=False).call(masks, keras.ops.array(scores))
    np.testing.assert_allclose(np.asarray(theirs), np.asarray(ours), rtol=1e-4)


def test_a_training_script_runs_to_its_end_without_studio(
    exports: Exports, tmp_path: Path
) -> None:
    folder = shutil.copytree(exports.files["script:float32"].path, tmp_path / "script")

    out = run_without({"studio", "PIL"}, Path("train.py"), "--epochs", "1", cwd=folder)

    assert (folder / "trained.keras").is_file()
    for split in ("val", "test"):
        (line,) = [line for line in out.splitlines() if line.startswith(f"{split}: ")]
        assert "mean_iou" in line


def test_a_network_from_an_export_answers_as_the_run(exports: Exports) -> None:
    read = read_export(Path(exports.files["bundle:int8"].path))
    assert read.spec.task == exports.store.task.name
    model = build(read.spec, seed=1)
    progress = SilentProgress()
    load_weights(model, read.spec, read.weights, exports.workspace, progress, with_head=True)

    images = np.asarray(exports.store.images[exports.store.rows("test")], np.float32)
    found = np.asarray(model.predict(images, verbose=0))

    np.testing.assert_allclose(found, exports.outputs(), rtol=1e-3, atol=1e-4)
