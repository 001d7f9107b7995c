"""Pixels of 16 bits, fractions and many channels, from files to exported models."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import tifffile
from numpy.typing import NDArray
from PIL import Image

from helpers.digits import Digits, do_here
from helpers.exports import STUDIO, Exports, exported, script_answers
from helpers.other_backends import OTHER_BACKENDS
from helpers.processes import run_without
from helpers.serving import post, serving_run
from helpers.train_plans import train_plans
from studio.engine.arrays import Pixels
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.evaluation.report import EvaluationPlan
from studio.engine.inference.foreign_models import ModelOptions
from studio.engine.inference.models import find_model, model_of_run
from studio.engine.inference.picture_values import pictures_of
from studio.engine.jobs.job import Job
from studio.engine.jobs.states import State
from studio.engine.pixel_format import PixelFormat
from studio.engine.training.history import RunJob
from studio.engine.training.plan import TrainingPlan
from studio.engine.workspace import RecordKind, Workspace

pytestmark = pytest.mark.slow
SIDE = 12
VARIANTS = (
    *("keras:float32", "savedmodel:float32", "openvino:float32"),
    *("tflite:float32", "tflite:int8", "onnx:float32", "onnx:int8"),
)


@dataclass(frozen=True)
class Case:
    """A kind of images: how they are made, and the format that is found."""

    name: str
    format: PixelFormat
    recipe: dict[str, object]
    variants: tuple[str, ...] = VARIANTS

    def images(self, count: int) -> tuple[Pixels, NDArray[np.int64]]:
        """Images of two classes that differ in brightness, and their classes."""
        random = np.random.default_rng(1)
        classes = np.arange(count) % 2
        shape = (count, SIDE + 4, SIDE, self.format.channels)
        part = random.uniform(0, 0.5, shape) + 0.4 * classes[:, None, None, None]
        part[:, 0, 0], part[:, 0, 1] = 0, 1
        low, high = np.array(self.format.low), np.array(self.format.high)
        values = low + part * (high - low)
        if self.format.dtype != "float32":
            values = np.rint(values)
        return values.astype(self.format.numpy_dtype), classes


CAMERA = Case(
    "camera", PixelFormat.uniform("uint16", 1, 0, 4095), {"color": "gray"}, VARIANTS[3:4]
)
MANY = Case("many", PixelFormat.uniform("uint16", 5, 0, 1023), {"color": "all"})
FRACTIONS = Case("fractions", PixelFormat.uniform("float32", 2, -1, 1), {"color": "all"})
EXPOSURES = Case(
    "exposures",
    PixelFormat.uniform("uint16", 1, 0, 4095).model_copy(update={"per_image": True}),
    {"color": "gray", "value_range": "per_image"},
)
CASES = [
    CAMERA,
    pytest.param(MANY, marks=pytest.mark.thorough),
    pytest.param(FRACTIONS, marks=pytest.mark.thorough),
    pytest.param(EXPOSURES, marks=pytest.mark.thorough),
]


def write(folder: Path, case: Case, count: int = 60) -> list[Path]:
    """Write images: 16 bit gray as PNG, many channels as TIFF, fractions as arrays."""
    images, classes = case.images(count)
    files = []
    for at, (image, number) in enumerate(zip(images, classes, strict=True)):
        ending = {1: "png", 2: "npy"}.get(image.shape[2], "tif")
        path = folder / "ab"[number] / f"{at:03}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if image.shape[2] == 1:
            Image.fromarray(image[..., 0]).save(path)
        elif ending == "npy":
            np.save(path, image)
        else:
            tifffile.imwrite(path, image, photometric="minisblack", planarconfig="contig")
        files.append(path)
    return files


def import_images(workspace: Workspace, folder: Path, case: Case) -> Job:
    values = {"source": str(folder), "width": SIDE, "height": SIDE, "resize": "fill"}
    recipe = DatasetRecipe.parse({**values, "test_percent": 30, **case.recipe})
    job = do_here(workspace, recipe, case.name)
    assert job.history.state == State.COMPLETED, job.history.detail
    return job


def train(workspace: Workspace, dataset: Job, **values: object) -> RunJob:
    plan = {"dataset": dataset.record.id, "network": "small_cnn", "epochs": 2, "batch_size": 16}
    run = do_here(workspace, TrainingPlan.parse(plan | values), f"run {len(values)}")
    assert run.history.state == State.COMPLETED, run.history.detail
    return run


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.name)
def exports(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Exports:
    """A trained run of each case, exported."""
    case: Case = request.param
    root = tmp_path_factory.mktemp(case.name)
    workspace = Workspace.open(root / "workspace")
    files = write(root / "images", case)
    dataset = import_images(workspace, root / "images", case)
    store = Store.open(dataset.record.folder)
    assert store.pixel_format.model_copy(update={"names": ()}) == case.format
    run = train(workspace, dataset, augmentation={"subtract_mean": "pixel"})
    made = exported(workspace, run, root / "out", variants=list(case.variants))
    return Exports(workspace, list(map(str, files[:6])), store, run, made)


def test_exported_files_answer_as_the_run(exports: Exports, tmp_path: Path) -> None:
    for name in exports.files:
        _require_same_answers(exports, name, tmp_path)


def _require_same_answers(exports: Exports, name: str, tmp_path: Path) -> None:
    folder = exports.folder(name, tmp_path)
    card = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    expected = {
        each.image: {score.label: score.score for score in each.scores.classes}
        for each in exports.answers()
        if each.scores is not None
    }

    answers = script_answers(folder, exports.pictures)
    output = run_without(STUDIO, folder / "predict.py", "--self-test", cwd=folder)

    assert "passed" in output
    assert card["input_type"] == "float32"
    certificate = exports.files[name].certificate
    assert certificate is not None
    assert certificate.script_checked
    tolerance = 0.1 if "int8" in name else 1e-4
    for answer in answers:
        for each in answer["predictions"]:
            assert each["score"] == pytest.approx(
                expected[answer["image"]][each["class"]], abs=tolerance
            )
        assert answer["familiarity"] is not None
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert exports.store.pixel_format.dtype in readme


def test_served_and_exported_models_take_the_original_files(exports: Exports) -> None:
    picture = exports.pictures[0]
    expected = exports.answers()[0]
    assert expected.scores is not None
    scores = {each.label: each.score for each in expected.scores.classes}
    name = next(name for name in exports.files if "float32" in name)
    of_file = find_model(exports.workspace, exports.files[name].path, ModelOptions())

    with serving_run(exports.workspace, exports.run.record.name) as address:
        served = json.loads(post(f"{address}/predict", Path(picture).read_bytes()))
    (exported_answer, *_) = exports.answers(of_file)

    assert {each["class"] for each in served["predictions"]} == set(scores)
    for each in served["predictions"]:
        assert each["score"] == pytest.approx(scores[each["class"]], abs=1e-4)
    assert exported_answer.scores is not None
    for score in exported_answer.scores.classes:
        assert score.score == pytest.approx(scores[score.label], abs=1e-4)


def _values_of(path: Path) -> Pixels:
    if path.suffix == ".npy":
        return np.asarray(np.load(path))
    found = tifffile.imread(path) if path.suffix == ".tif" else Image.open(path)
    return np.asarray(found)


def test_arrays_are_predicted_as_files(exports: Exports, tmp_path: Path) -> None:
    path = Path(exports.pictures[0])
    array = _values_of(path)
    (picture,) = pictures_of(array, tmp_path)
    expected = exports.answers()[0]

    (answer,) = Exports(
        exports.workspace, [str(picture.path)], exports.store, exports.run, {}
    ).answers()

    assert answer.error == ""
    assert answer.scores is not None
    assert expected.scores is not None
    found, known = answer.scores.classes[0], expected.scores.classes[0]
    assert found.label == known.label
    assert found.score == pytest.approx(known.score, abs=1e-5)


def test_a_picture_of_another_type_is_refused(exports: Exports, tmp_path: Path) -> None:
    path = tmp_path / "bytes.png"
    Image.new("L", (SIDE, SIDE), 90).save(path)
    folder = exports.folder(next(iter(exports.files)), tmp_path)

    (answer,) = Exports(exports.workspace, [str(path)], exports.store, exports.run, {}).answers()
    with pytest.raises(AssertionError, match="brightness cannot be compared"):
        script_answers(folder, [str(path)])

    assert "their brightness cannot be compared" in answer.error


def test_no_change_is_offered_that_would_be_refused(exports: Exports, tmp_path: Path) -> None:
    path = Path(exports.pictures[0])
    array = _values_of(path)
    wide = np.tile(array.reshape(*array.shape[:2], -1), (1, 9, 1))
    (picture,) = pictures_of(wide, tmp_path)

    (answer,) = Exports(
        exports.workspace, [str(picture.path)], exports.store, exports.run, {}
    ).answers()

    assert answer.familiarity is not None
    assert "aspect" in {each.kind for each in answer.familiarity.differences}
    assert answer.familiarity.remedies == ()


def test_robustness_is_measured_on_the_scale_of_the_dataset(exports: Exports) -> None:
    plan = {"run": exports.run.record.id, "split": "test", "robustness": True, "resamples": 0}

    job = do_here(exports.workspace, EvaluationPlan.parse(plan), "evaluation")

    assert job.history.state == State.COMPLETED, job.history.detail


def test_levels_reach_the_model(exports: Exports) -> None:
    source = model_of_run(exports.workspace, exports.run.record)

    assert source.recipe is not None
    assert source.recipe.pixel_format == exports.store.pixel_format
    assert source.recipe.pixels == exports.store.recipe.pixels
    assert exports.store.images.dtype == exports.store.pixel_format.numpy_dtype


@pytest.mark.thorough
@pytest.mark.parametrize("backend", OTHER_BACKENDS)
@pytest.mark.parametrize("case", [MANY, FRACTIONS, EXPOSURES], ids=lambda case: case.name)
def test_other_backends_train_on_the_same_values(case: Case, backend: str, tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "workspace")
    files = write(tmp_path / "images", case)
    dataset = import_images(workspace, tmp_path / "images", case)
    plan = {
        "network": "small_cnn",
        "epochs": 20,
        "batch_size": 16,
        "seed": 1,
        "backend": backend,
        "optimizer": "sgd",
        "learning_rate": 0.05,
        "keep": "last",
        "augmentation": {"subtract_mean": "pixel", "noise": 2.0, "horizontal_flip": True},
    }

    runs, _ = train_plans(workspace.root, [(case.name, plan)])
    (trained,) = workspace.records(RecordKind.RUN)
    there = Job(trained)
    here = do_here(
        workspace,
        TrainingPlan.parse(plan | {"dataset": dataset.record.id, "backend": "tensorflow"}),
        "here",
    )
    answers = [
        Exports(
            workspace, list(map(str, files)), Store.open(dataset.record.folder), run, {}
        ).answers()
        for run in (there, here)
    ]

    assert runs[case.name].state == "completed", runs[case.name].reason
    for found in answers:
        best = [each.scores.classes[0].label for each in found if each.scores is not None]
        right = sum(map(str.__eq__, best, (file.parent.name for file in files)))
        assert right >= 0.9 * len(files)


@pytest.mark.thorough
def test_digits_of_12_bits_are_learned_as_those_of_8(digits: Digits, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    for path in sorted(digits.pictures.rglob("*.png")):
        image = np.asarray(Image.open(path).convert("L"), np.uint16)
        deep = np.minimum(image * 16 + random.integers(0, 16, image.shape), 4095)
        target = tmp_path / "deep" / path.parent.name / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(deep.astype(np.uint16)).save(target)
    workspace = digits.workspace
    recipe = digits.dataset.plan(DatasetRecipe).changed(source=str(tmp_path / "deep"))
    dataset = do_here(workspace, recipe, "deep")
    store = Store.open(dataset.record.folder)
    plan = digits.run.plan(TrainingPlan).changed(dataset=dataset.record.id)
    run = do_here(workspace, plan, "deep")

    def accuracy(job: RunJob) -> tuple[float, tuple[float, float]]:
        values = {"run": job.record.id, "split": "val"}
        done = do_here(workspace, EvaluationPlan.parse(values), f"of {job.record.id}")
        found = done.history.result
        return found["accuracy"], tuple(found["intervals"]["accuracy"])

    assert store.pixel_format == PixelFormat.uniform("uint16", 1, 0, 4095)
    assert len(np.unique(np.asarray(store.images[:]))) > 4000
    (deep, _), (_, interval) = accuracy(run), accuracy(digits.run)
    assert deep >= interval[0]


SHARED = Path(__file__).resolve().parents[4] / "shared" / "models"
WEIGHTS = (
    Path(os.environ.get("STUDIO_WEIGHTS", SHARED)) / "mobilenet_v2_1.0_224_imagenet.weights.h5"
)


@pytest.mark.thorough
@pytest.mark.skipif(not WEIGHTS.is_file(), reason="the weights of MobileNetV2 are not here")
def test_five_channels_learn_more_from_weights_of_color_images(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    rows, columns = np.mgrid[:64, :64]
    for number in range(90):
        kind, step = "abc"[number % 3], random.uniform(4, 6)
        place = {"a": rows, "b": columns, "c": np.hypot(rows - 32, columns - 32)}[kind]
        wave = 400 + 300 * np.sin(place / step + random.uniform(0, 6))
        image = wave[..., None] * random.uniform(0.5, 1, 5) + random.normal(0, 60, (64, 64, 5))
        path = tmp_path / "images" / kind / f"{number}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, np.clip(image, 0, 1023).astype(np.uint16))
    workspace = Workspace.open(tmp_path / "workspace")
    values = {"source": str(tmp_path / "images"), "color": "all", "width": 64, "height": 64}
    dataset = do_here(workspace, DatasetRecipe.parse(values), "five")
    plan = {"network": "mobilenet_v2", "epochs": 3, "learning_rate": 1e-3}

    pretrained = train(workspace, dataset, **plan, weights=str(WEIGHTS))
    scratch = train(workspace, dataset, **plan)

    losses = [run.history.epochs[-1].value("val_loss") for run in (pretrained, scratch)]
    assert losses[0] < losses[1]
    assert pretrained.history.weights is not None
    assert pretrained.history.weights.averaged_channels == 5
    notes = [str(note.message) for note in pretrained.history.notes]
    assert any("times 3/5" in note for note in notes)
