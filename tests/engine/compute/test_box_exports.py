"""Exported models for boxes give the boxes of their run, in every format."""

from __future__ import annotations

import json
import runpy
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from helpers.box_datasets import NAMES, SIDE, import_shapes
from helpers.digits import do_here
from helpers.exports import STUDIO, Exports, exported, snippet_answer
from helpers.processes import run_without
from studio.engine.compute.exporters import script
from studio.engine.compute.exporters.source import ExportSource
from studio.engine.compute.model_files import load_model
from studio.engine.compute.tasks import learning_of
from studio.engine.compute.train import NETWORK_FILE
from studio.engine.datasets.store import Store
from studio.engine.exporting.formats import FORMATS
from studio.engine.inference.models import ModelCard
from studio.engine.jobs.states import State
from studio.engine.networks.library import read_network
from studio.engine.tasks import decoding
from studio.engine.tasks.boxes import CROWD, DIFFICULT, FLAGS
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

LEAST = {"float32": 0.999, "float16": 0.98, "dynamic": 0.9, "int8": 0.75}
"""Share of the boxes that file and model both give."""


def boxes_of(exports: Exports) -> list[list[Any]]:
    """Return the boxes that the run's model gives for the pictures, as JSON data."""
    documents: list[Any] = [each.document() for each in exports.answers()]
    return [each["boxes"] for each in documents]


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Exports:
    folder = tmp_path_factory.mktemp("boxes")
    workspace = Workspace.open(folder / "workspace")
    dataset = import_shapes(workspace, folder / "in", 120)
    plan = TrainingPlan(
        dataset=dataset.record.id,
        network="small_detector:filters=8",
        epochs=12,
        batch_size=8,
        learning_rate=0.01,
    )
    run = do_here(workspace, plan, "run")
    assert run.history.state == State.COMPLETED, run.history.detail
    files = exported(workspace, run, folder / "out", ["bundle:int8", "bioimage:float32"])
    plain = exported(workspace, run, folder / "plain", variants=["onnx"], decodes=False)
    files |= {f"{name} outputs": file for name, file in plain.items()}
    large = folder / "large.png"
    pictures = sorted((folder / "in" / "images").iterdir())[:2]
    with Image.open(pictures[0]) as picture:
        picture.resize((150, 90), Image.Resampling.BICUBIC).save(large)
    paths = list(map(str, [*pictures, large]))
    return Exports(workspace, paths, Store.open(dataset.record.folder), run, files)


def test_every_format_is_certified_by_its_boxes(exports: Exports) -> None:
    for name, file in exports.files.items():
        made = file.certificate
        assert made is not None, name
        assert made.script_checked, name
        assert made.count == len(exports.store.rows("test"))
        assert made.box_agreement is not None, name
        assert made.box_agreement >= LEAST[made.precision], name
        assert made.metrics.keys() >= {"map", "ap50"}
        if made.precision == "float32":
            assert made.largest_difference < 1e-3
            assert made.metrics["map"] == pytest.approx(made.model_metrics["map"], abs=1e-3)
            assert made.metrics["ap50"] > 0.5


def test_predict_py_of_every_format_gives_the_boxes_of_the_run(
    exports: Exports, tmp_path: Path
) -> None:
    ours = boxes_of(exports)
    assert sum(map(len, ours)) >= 3
    for name, file in exports.files.items():
        folder, to = exports.folder(name, tmp_path), tmp_path / name.replace(":", "-")
        words = (*exports.pictures, "--json", "--to", str(to))

        out = run_without(STUDIO, folder / "predict.py", *words, cwd=folder)
        tested = run_without(STUDIO, folder / "predict.py", "--self-test", cwd=folder)

        assert "Self-test passed" in tested, name
        for answer, expected in zip(json.loads(out.splitlines()[-1]), ours, strict=True):
            assert Path(answer["picture"]).is_file()
            assert {each["class"] for each in answer["boxes"]} <= set(NAMES)
            if file.precision != "float32":
                continue
            assert len(answer["boxes"]) == len(expected), name
            for their, our in zip(answer["boxes"], expected, strict=True):
                assert their["class"] == our["class"]
                assert their["score"] == pytest.approx(our["score"], abs=1e-3)
                assert their["box"] == pytest.approx(our["box"], abs=0.05)


@pytest.mark.parametrize("name", ["onnx:float32", "savedmodel:float32"])
def test_the_boxes_are_inside_the_file(exports: Exports, name: str, tmp_path: Path) -> None:
    """The file alone gives the rows that Studio decodes, and its card and README say so."""
    if name not in exports.files:
        pytest.skip(f"{name} cannot be written here")
    folder = exports.folder(name, tmp_path)
    images = np.asarray(exports.store.images[exports.store.rows("test")])
    np.save(tmp_path / "images.npy", images)
    program = tmp_path / "run.py"
    program.write_text(
        "import sys\nfrom pathlib import Path\nsys.path.insert(0, '.')\n"
        "import numpy as np\nimport runtime\n"
        "model = runtime.load(Path(sys.argv[1]))\n"
        "np.save(sys.argv[3], model(np.load(sys.argv[2])))\n",
        encoding="utf-8",
    )
    card = ModelCard.model_validate_json((folder / "labels.json").read_text("utf-8"))

    run_without(
        STUDIO,
        program,
        str(folder / card.model),
        str(tmp_path / "images.npy"),
        str(tmp_path / "rows.npy"),
        cwd=folder,
    )

    assert card.decoded
    model = load_model(exports.run.record.folder / "model.keras")
    outputs = np.asarray(model.predict(images.astype(np.float32), verbose=0))
    expected = decoding.decoded(outputs, (SIDE, SIDE))
    found = np.load(tmp_path / "rows.npy")
    assert found.shape == (len(images), decoding.MOST, 6)
    sure = expected[..., decoding.SCORE] > 0.05
    np.testing.assert_allclose(found[sure], expected[sure], atol=0.05)
    assert "n x 100 x 6" in (folder / "README.md").read_text("utf-8")


def test_only_files_that_hold_boxes_say_so(exports: Exports, tmp_path: Path) -> None:
    for name, file in exports.files.items():
        folder = exports.folder(name, tmp_path)
        card = ModelCard.model_validate_json((folder / "labels.json").read_text("utf-8"))
        assert card.decoded == (
            FORMATS[file.format].holds_decoding and not name.endswith("outputs")
        )


def test_the_snippet_of_the_readme_answers_as_the_script(exports: Exports, tmp_path: Path) -> None:
    folder = exports.folder("keras:float32", tmp_path)

    answer = snippet_answer(folder, exports.pictures[0], tmp_path)

    ours = boxes_of(exports)[0]
    assert [each["class"] for each in answer["boxes"]] == [each["class"] for each in ours]


@pytest.fixture(scope="module")
def script_folder(exports: Exports, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training script with weights of classes and a focusing parameter."""
    store, run = exports.store, exports.run
    plan = run.plan(TrainingPlan).changed(class_balancing="class_weights", focal_gamma=2.0)
    model = load_model(run.record.folder / "model.keras")
    spec = read_network(run.record.folder / NETWORK_FILE)
    folder = tmp_path_factory.mktemp("script")
    source = ExportSource(model, store, spec, plan, "r")
    script.write(source, folder / "model.weights.h5", "float32")
    return folder


def test_loss_and_metrics_of_a_training_script_are_those_of_the_run(
    exports: Exports, script_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, run = exports.store, exports.run
    plan = run.plan(TrainingPlan).changed(class_balancing="class_weights", focal_gamma=2.0)
    monkeypatch.chdir(script_folder)
    rows = store.rows("test")
    boxes = store.required_regions[rows].copy()
    boxes[::3, 0, FLAGS] = DIFFICULT
    boxes[1::3, 0, FLAGS] = CROWD
    model = load_model(run.record.folder / "model.keras")
    outputs = model(np.asarray(store.images[rows], np.float32))
    theirs = runpy.run_path("train.py")
    learning = learning_of(store)

    ours = learning.loss(plan, mixed=False).call(boxes, outputs)

    np.testing.assert_allclose(
        np.asarray(theirs["loss"](boxes, outputs)), np.asarray(ours), rtol=1e-4
    )
    counted, at_50, *_ = learning.metrics(mixed=False)
    counted.update_state(boxes, outputs)
    metric = theirs["MeanPrecision"](len(NAMES))
    metric.update_state(boxes, outputs)
    found = metric.result()
    assert float(found["map"]) == pytest.approx(float(counted.result()), abs=1e-5)
    assert float(found["ap50"]) == pytest.approx(float(at_50.result()), abs=1e-5)


def test_a_training_script_runs_to_its_end_without_studio(
    script_folder: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(script_folder, tmp_path / "script")

    out = run_without({"studio", "PIL"}, Path("train.py"), "--epochs", "2", cwd=folder)

    assert (folder / "trained.keras").is_file()
    for split in ("val", "test"):
        (line,) = [line for line in out.splitlines() if line.startswith(f"{split}: ")]
        assert "map" in line
