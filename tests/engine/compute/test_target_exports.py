"""Exported models for labels and numbers answer as their run, in every format."""

from __future__ import annotations

import importlib.util
import json
import runpy
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from helpers.digits import do_here
from helpers.exports import Exports, exported, script_answers, snippet_answer
from helpers.processes import clean_environment, run_without
from helpers.sampling import sample
from helpers.target_datasets import squares, target_recipe
from studio.engine.compute import exporters
from studio.engine.compute.build import build
from studio.engine.compute.exporters import script
from studio.engine.compute.exporters.source import ExportSource
from studio.engine.compute.model_files import load_model
from studio.engine.compute.tasks import learning_of
from studio.engine.compute.train import NETWORK_FILE
from studio.engine.compute.weights import load_weights
from studio.engine.datasets.store import Store
from studio.engine.exporting.formats import Variant, every_variant
from studio.engine.inference.models import find_model
from studio.engine.jobs.states import State
from studio.engine.networks.library import read_export, read_network
from studio.engine.progress import SilentProgress
from studio.engine.tasks import TASKS
from studio.engine.tasks.parts.prediction import Prediction
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace

pytestmark = pytest.mark.slow

FAR = {"float32": 1e-4, "float16": 0.02, "dynamic": 0.15, "int8": 0.5}
"""Largest difference of an output, in standard deviations of the targets."""


UNITS = np.array([1e5, 1e-9, 1.0])
MEANS = np.array([5e5, 5e-9, 1000.0])


@pytest.mark.parametrize(
    "variant",
    sample([each for each in every_variant(installed=True) if each.precision != "float32"], 1),
    ids=lambda variant: str(variant.name),
)
def test_units_of_any_size_survive_precisions_of_fewer_bits(
    variant: Variant, tmp_path: Path
) -> None:
    keras.utils.set_random_seed(1)
    layers = keras.layers
    model = keras.Sequential(
        [
            layers.Input((12, 12, 1)),
            layers.Rescaling(1 / 255),
            layers.Conv2D(8, 3, activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(3),
            layers.Rescaling(UNITS.tolist(), MEANS.tolist()),
        ]
    )
    images = np.random.default_rng(2).integers(0, 256, (5, 12, 12, 1), np.uint8)
    path = tmp_path / variant.format.file

    source = ExportSource(model, None, None, None, "units")
    exporters.writer_of(variant.format.name)(source, path, variant.precision)

    runtime = variant.format.script
    outputs = runpy.run_path(str(runtime))["load"](path)(images)
    expected = model.predict(images, verbose=0)
    assert outputs.shape == expected.shape
    assert (np.abs(outputs - expected) / UNITS).max() < 0.02


def assert_near(exports: Exports, folder: Path, theirs: Any, ours: Prediction) -> None:
    """Compare the answer of a script with that of the run, in scales of the model card."""
    card = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    scales = card["scales"] or [1.0] * len(card["classes"])
    document = ours.document()
    for name, scale in zip(card["classes"], scales, strict=True):
        far = FAR[card["precision"]] * scale
        assert _by_output(theirs)[name] == pytest.approx(
            _by_output(document)[name], rel=0, abs=far
        ), folder.name
    assert theirs.keys() - {"image"} == document.keys(), folder.name
    assert theirs.get("units") == document.get("units")


@pytest.fixture(scope="module", params=["multi_label", "regression"])
def exports(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exports:
    folder = tmp_path_factory.mktemp(request.param)
    tables = squares(folder / "squares", 240)
    workspace = Workspace.open(folder / "workspace")
    dataset = do_here(workspace, target_recipe(tables, request.param), "squares")
    plan = TrainingPlan(dataset=dataset.record.id, network="lenet", epochs=6, batch_size=16)
    run = do_here(workspace, plan, "run")
    assert run.history.state == State.COMPLETED, run.history.detail
    files = exported(workspace, run, folder / "out", ["bundle:int8", "script"])
    pictures = sorted(map(str, (folder / "squares" / "pictures").iterdir()))[:3]
    return Exports(workspace, pictures, Store.open(dataset.record.folder), run, files)


@pytest.mark.thorough
def test_every_format_answers_as_the_run(exports: Exports) -> None:
    tried = {name.partition(":")[0] for name in exports.files}
    assert {
        "keras",
        "savedmodel",
        "tflite",
        "onnx",
        "openvino",
        "weights",
        "bundle",
        "script",
    } <= tried
    assert ("torch" in tried) == (importlib.util.find_spec("torch") is not None)
    for name, file in exports.files.items():
        made = file.certificate
        assert made is not None, name
        assert made.script_checked, name
        assert made.largest_difference < FAR[made.precision], name
        assert made.count == len(exports.store.rows("test"))
        assert made.main is not None
        assert abs(made.main.lost) < {"float32": 0.01, "float16": 1}.get(made.precision, 20), name
        if made.precision == "float32":
            assert made.disagreements == 0, name
            assert made.agreement == 1


@pytest.mark.thorough
def test_int8_answers_for_the_same_images_as_the_run(exports: Exports) -> None:
    """The file is run here, not by the code that certifies it."""
    from ai_edge_litert.interpreter import Interpreter

    path = Path(exports.files["tflite:int8"].path) / "model.tflite"
    interpreter = Interpreter(model_path=str(path))
    interpreter.allocate_tensors()
    (before,), (after,) = interpreter.get_input_details(), interpreter.get_output_details()
    found = []
    for row in exports.store.rows("test"):
        interpreter.set_tensor(before["index"], np.asarray(exports.store.images[row])[None])
        interpreter.invoke()
        found.append(interpreter.get_tensor(after["index"])[0])
    given = np.array(found)
    if after["quantization"][0]:
        given = (given.astype(np.float32) - after["quantization"][1]) * after["quantization"][0]

    scales = json.loads((path.parent / "labels.json").read_text())["scales"] or 1.0

    assert (np.abs(given - exports.outputs()) / scales).max() < FAR["int8"]


@pytest.mark.thorough
def test_predict_py_of_every_format_answers_as_the_run(exports: Exports, tmp_path: Path) -> None:
    ours = exports.answers()
    names = exports.files.keys() - {"script:float32"}  # the runtime of weights
    folders = [exports.folder(name, tmp_path) for name in names]
    with ThreadPoolExecutor(4) as pool:
        given = pool.map(lambda folder: script_answers(folder, exports.pictures), folders)
    for folder, theirs in zip(folders, given, strict=True):
        for their, our, picture in zip(theirs, ours, exports.pictures, strict=True):
            assert their["image"] == picture
            assert_near(exports, folder, their, our)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["keras:float32", "onnx:float16", "tflite:int8"])
def test_the_snippet_of_the_readme_answers_as_the_run(
    exports: Exports, tmp_path: Path, name: str
) -> None:
    folder = exports.folder(name, tmp_path)

    theirs = snippet_answer(folder, exports.pictures[0], tmp_path)

    assert_near(exports, folder, theirs, exports.answers()[0])


@pytest.mark.thorough
def test_the_readme_names_all_outputs(exports: Exports) -> None:
    folder = Path(exports.files["onnx:float32"].path)
    text = (folder / "README.md").read_text(encoding="utf-8")
    card = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    if exports.store.task.name == "regression":
        margins = card["calibration"]["margins"]
        expected = [
            f"| `{name}` | {unit} | ± {margin:.3g} |"
            for name, unit, margin in zip(card["classes"], ("%", "–"), margins, strict=True)
        ]
    else:
        thresholds = card["calibration"]["thresholds"]
        expected = [
            f"| `{name}` | {threshold:.3g} |"
            for name, threshold in zip(card["classes"], thresholds, strict=True)
        ]
    assert len(expected) == len(exports.store.classes)
    assert all(line in text for line in expected)


def _by_output(document: Any) -> dict[str, float]:
    """Return the outputs of an answer by their names."""
    if "values" in document:
        return dict(document["values"])
    return {each["class"]: each["score"] for each in document["predictions"]}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["savedmodel:float32", "onnx:float32", "tflite:int8"])
def test_the_script_tests_itself_in_standard_deviations(exports: Exports, name: str) -> None:
    folder = Path(exports.files[name].path)
    done = subprocess.run(
        [sys.executable, str(folder / "predict.py"), "--self-test"],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Self-test passed" in done.stdout
    assert ("standard deviations" in done.stdout) == (exports.store.task.name == "regression")


@pytest.mark.thorough
def test_the_script_names_every_label_above_its_threshold(
    exports: Exports, tmp_path: Path
) -> None:
    source = Path(exports.files["onnx:float32"].path)
    shutil.copytree(source, tmp_path, dirs_exist_ok=True)
    card = json.loads((tmp_path / "labels.json").read_text(encoding="utf-8"))
    if card["answers"] == "numbers":
        return
    card["calibration"]["thresholds"] = [0.0] * len(card["classes"])
    (tmp_path / "labels.json").write_text(json.dumps(card), encoding="utf-8")
    command = [sys.executable, "predict.py", "example.png", "--top", "1", "--json"]
    done = subprocess.run(
        command, cwd=tmp_path, env=clean_environment(), capture_output=True, check=True
    )

    (answer,) = json.loads(done.stdout)
    assert answer["labels"] == card["classes"]
    assert {each["class"] for each in answer["predictions"]} == set(card["classes"])


@pytest.mark.thorough
def test_a_self_test_fails_where_numbers_are_far_off(exports: Exports, tmp_path: Path) -> None:
    source = Path(exports.files["onnx:float32"].path)
    shutil.copytree(source, tmp_path, dirs_exist_ok=True)
    card = json.loads((tmp_path / "labels.json").read_text(encoding="utf-8"))
    scale = (card["scales"] or [1.0])[0]
    card["self_test"]["scores"][0] += 0.02 * scale
    (tmp_path / "labels.json").write_text(json.dumps(card), encoding="utf-8")

    done = subprocess.run(
        [sys.executable, str(tmp_path / "predict.py"), "--self-test"],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "FAILED" in done.stdout


@pytest.mark.thorough
def test_the_loss_of_a_training_script_is_that_of_the_run(
    exports: Exports, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, run = exports.store, exports.run
    changes = {"class_balancing": "class_weights", "label_smoothing": 0.1, "focal_gamma": 2.0}
    plan = run.plan(TrainingPlan).changed(
        **{name: value for name, value in changes.items() if name not in store.task.refused}
    )
    model = load_model(run.record.folder / "model.keras")
    source = ExportSource(model, store, read_network(run.record.folder / NETWORK_FILE), plan, "r")
    script.write(source, tmp_path / "model.weights.h5", "float32")
    monkeypatch.chdir(tmp_path)
    targets = store.targets[store.rows("test")].astype(np.float32)
    outputs = exports.outputs()

    theirs = runpy.run_path("train.py")["loss"](targets, outputs)

    ours = learning_of(store).loss(plan, mixed=False).call(targets, keras.ops.array(outputs))
    np.testing.assert_allclose(np.asarray(theirs), np.asarray(ours), rtol=1e-4)


@pytest.mark.thorough
def test_a_training_script_learns_a_constant_target_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("data.npz", train_targets=np.array([[5, 1], [5, 3]], np.float32))
    parts = TASKS["regression"].script
    assert parts is not None
    names: dict[str, Any] = {"np": np, "keras": keras}
    exec(parts.loss, names)

    loss = names["loss"](np.array([[5.0, 2.0]]), keras.ops.array([[7.0, 4.0]]))

    assert np.asarray(loss).tolist() == [(2.0**2 + 2.0**2) / 2]


@pytest.mark.thorough
def test_an_export_opened_in_another_workspace_answers_as_the_run(
    exports: Exports, workspace: Workspace, tmp_path: Path
) -> None:
    for name in ("keras:float32", "bundle:int8"):
        source = find_model(workspace, str(exports.folder(name, tmp_path)))
        assert source.task == exports.store.task.name
        theirs = exports.answers(source)
        for their, our in zip(theirs, exports.answers(), strict=True):
            assert their.document().keys() == our.document().keys()
            assert _by_output(their.document()) == pytest.approx(
                _by_output(our.document()), rel=1e-5
            )


@pytest.mark.thorough
def test_a_training_script_runs_to_its_end_without_studio(
    exports: Exports, tmp_path: Path
) -> None:
    folder = shutil.copytree(exports.files["script:float32"].path, tmp_path / "script")

    out = run_without({"studio", "PIL"}, Path("train.py"), "--epochs", "2", cwd=folder)

    assert (folder / "trained.keras").is_file()
    for split in ("val", "test"):
        (line,) = [line for line in out.splitlines() if line.startswith(f"{split}: ")]
        figures = dict(part.split() for part in line.partition(": ")[2].split(", "))
        task = exports.store.task
        assert figures.keys() <= {spec.name for spec in task.metrics}
        assert {"loss", task.metrics[0].name} <= figures.keys()
        assert all(np.isfinite(float(value)) for value in figures.values())


@pytest.mark.thorough
def test_a_network_from_an_export_answers_as_the_run(exports: Exports) -> None:
    archive = Path(exports.files["bundle:int8"].path)
    read = read_export(archive)
    assert read.spec.task == exports.store.task.name
    model = build(read.spec, seed=1)
    progress = SilentProgress()
    load_weights(model, read.spec, read.weights, exports.workspace, progress, with_head=True)

    images = np.asarray(exports.store.images[exports.store.rows("test")], np.float32)
    found = np.asarray(model.predict(images, verbose=0))

    np.testing.assert_allclose(found, exports.outputs(), rtol=1e-4, atol=1e-5)
