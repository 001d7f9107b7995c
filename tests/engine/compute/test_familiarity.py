"""A trained model says that images differ from its training images, and how often by mistake."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import keras
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from helpers.digits import Digits
from helpers.sampling import sample
from studio.engine.compute import familiarity, train
from studio.engine.compute.build import build
from studio.engine.compute.forward import Passed, forward, outline, pooled
from studio.engine.compute.model_files import load_model
from studio.engine.compute.models import outputs_of, score
from studio.engine.compute.predict import PicturePredictor
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError, StudioError
from studio.engine.inference.models import ModelSource, model_of_run
from studio.engine.inference.requests import ImagePrediction, PredictRequest
from studio.engine.inference.unlike.reference import (
    FEATURES_NAME,
    REFERENCE_NAME,
    read_reference,
    remove_reference,
)
from studio.engine.networks.zoo import ZOO
from studio.engine.progress import SilentProgress
from studio.engine.training.plan import TrainingPlan

COUNT = 40


@pytest.fixture(scope="module")
def source(digits: Digits) -> ModelSource:
    return model_of_run(digits.workspace, digits.run.record)


@pytest.fixture(scope="module")
def predictor() -> PicturePredictor:
    return PicturePredictor(WarmModels())


@pytest.fixture(scope="module")
def held_out(digits: Digits) -> NDArray[np.uint8]:
    """Digits that were neither trained on nor used for a threshold."""
    store = Store.open(digits.dataset.record.folder)
    rows = store.rows("test") if len(store.rows("test")) else store.rows("val")
    return store.images[rows[:COUNT]]


def _predicted(
    predictor: PicturePredictor, source: ModelSource, images: NDArray[np.uint8], folder: Path
) -> list[ImagePrediction]:
    paths = [folder / f"{number}.png" for number in range(len(images))]
    for path, image in zip(paths, images, strict=True):
        Image.fromarray(image[:, :, 0] if image.shape[2] == 1 else image).save(path)
    request = PredictRequest(model=source, images=tuple(map(str, paths)))
    return list(predictor.predict(request).predictions)


def _kinds(prediction: ImagePrediction) -> set[str]:
    assert prediction.familiarity is not None
    return {each.kind for each in prediction.familiarity.differences}


def test_a_run_knows_its_training_images(source: ModelSource) -> None:
    reference = source.reference

    assert reference is not None
    assert reference.layer
    assert reference.threshold > 0
    assert reference.false_alarm_rate is not None
    assert reference.false_alarm_rate < 0.1
    assert Path(source.features).is_file()


def test_digits_like_the_training_images_are_familiar(
    predictor: PicturePredictor, source: ModelSource, held_out: NDArray[np.uint8], tmp_path: Path
) -> None:
    found = [_kinds(each) for each in _predicted(predictor, source, held_out, tmp_path)]

    assert sum(map(bool, found)) <= COUNT // 10


def test_inverted_digits_are_recognized_whether_alone_or_together(
    predictor: PicturePredictor, source: ModelSource, held_out: NDArray[np.uint8], tmp_path: Path
) -> None:
    together = _predicted(predictor, source, 255 - held_out[:9], tmp_path)
    (alone,) = _predicted(predictor, source, 255 - held_out[:1], tmp_path)

    assert all("inverted" in _kinds(each) for each in together)
    assert _kinds(alone) == _kinds(together[0])
    assert alone.familiarity is not None
    assert alone.familiarity.remedies == ("invert",)
    assert alone.familiarity.false_alarm_rate == source.reference.false_alarm_rate  # type: ignore[union-attr]


def test_features_recognize_what_pixels_do_not(
    predictor: PicturePredictor, source: ModelSource, held_out: NDArray[np.uint8], tmp_path: Path
) -> None:
    """Mixed up blocks of digits have their gray levels, but are no digits."""
    generator = np.random.default_rng(0)
    mixed = held_out.copy()
    for image in mixed:
        generator.shuffle(image.reshape(-1))

    found = [_kinds(each) for each in _predicted(predictor, source, mixed, tmp_path)]

    assert sum("features" in kinds for kinds in found) > COUNT // 2


def test_without_stored_features_pixels_are_compared(own_run: Digits, source: ModelSource) -> None:
    (own_run.run.record.folder / FEATURES_NAME).unlink()

    found = model_of_run(own_run.workspace, own_run.run.record)

    assert found.features == ""
    assert found.reference is not None
    assert source.reference is not None
    assert found.reference == source.reference.without_features()


def test_without_a_reference_nothing_is_compared(
    predictor: PicturePredictor, source: ModelSource, held_out: NDArray[np.uint8], tmp_path: Path
) -> None:
    old = source.model_copy(update={"reference": None, "features": ""})

    (prediction,) = _predicted(predictor, old, held_out[:1], tmp_path)

    assert prediction.familiarity is None


def _table(path: Path, features: NDArray[np.generic]) -> bytes:
    np.savez(path, features=features)
    return path.read_bytes()


def test_damaged_features_are_refused(source: ModelSource, tmp_path: Path) -> None:
    whole = Path(source.features).read_bytes()
    path = tmp_path / "features.npz"
    half = np.float16
    tables = (
        np.zeros((4, 9), half),
        np.zeros((0, 8), half),
        np.zeros((999, 8), half),
        np.full((4, 8), np.nan, half),
        np.zeros((4, 8), np.float64),
        np.zeros(8, half),
    )
    contents = [b"", b"PK\x03\x04", whole[:99], whole[:-50]]
    contents += [_table(path, features) for features in tables]
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(BadDataError, match="features of the training images"):
            familiarity.read_features(path, 8)


def test_few_validation_images_give_no_threshold(
    digits: Digits, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(familiarity, "MIN_VALIDATION", 10_000)
    store = Store.open(digits.dataset.record.folder)

    reference = familiarity.measure_training_images(
        tmp_path, store, pytest.fail, 8, SilentProgress()
    )

    assert reference is not None
    assert reference.layer == ""
    assert reference.false_alarm_rate == reference.statistics_false_alarm_rate
    assert read_reference(tmp_path) == reference
    assert not (tmp_path / FEATURES_NAME).exists()


def test_a_deep_model_is_compiled_and_gives_the_same_features(
    digits: Digits, source: ModelSource, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Layer by layer, 512 images take a deep network half a minute."""
    store = Store.open(digits.dataset.record.folder)
    calls: list[int] = []
    whole = familiarity._layer_output

    def counted(model: keras.Model, layer: str, images: NDArray[np.uint8]) -> NDArray[np.float32]:
        calls.append(len(images))
        return whole(model, layer, images)

    monkeypatch.setattr(familiarity, "_layer_output", counted)
    references = []
    for seconds in (np.inf, -1.0):
        monkeypatch.setattr(familiarity, "_COMPILING_SECONDS", seconds)
        calls.clear()
        model = partial(load_model, Path(source.file))
        references.append(
            familiarity.measure_training_images(tmp_path, store, model, 32, SilentProgress())
        )
    assert calls == [32]
    by_layer, compiled = references
    assert by_layer is not None
    assert compiled is not None
    assert compiled.threshold == pytest.approx(by_layer.threshold, rel=1e-3)
    assert compiled.false_alarm_rate == by_layer.false_alarm_rate


def test_a_training_removes_what_its_weights_no_longer_fit(digits: Digits, tmp_path: Path) -> None:
    for name in (REFERENCE_NAME, FEATURES_NAME):
        shutil.copy(digits.run.record.folder / name, tmp_path)

    remove_reference(tmp_path)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "error", [StudioError("The disk is full."), RuntimeError("CUDA out of memory")], ids=str
)
def test_a_finished_run_stays_complete_if_it_cannot_be_measured(
    digits: Digits, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    said: list[str] = []
    context = SimpleNamespace(job=digits.run, folder=digits.run.record.folder, warn=said.append)
    monkeypatch.setattr(familiarity, "measure_training_images", Mock(side_effect=error))

    train._measure_training_images(context, digits.run.plan(TrainingPlan), None)  # type: ignore[arg-type]

    assert len(said) == 1
    assert str(error) in said[0]


@pytest.mark.parametrize("network", sample(["lenet", "small_unet", "small_detector"]))
def test_networks_of_every_kind_give_features(network: str) -> None:
    model = build(ZOO[network].build((64, 64, 3), 3), seed=0)
    layer = outline(model).features
    images = np.random.default_rng(0).integers(0, 256, (2, 64, 64, 3), np.uint8)
    found: list[NDArray[np.float32]] = []

    def visited(passed: Passed) -> object:
        if passed.path == layer:
            found.append(np.asarray(pooled(passed.output)))
        return passed.output

    outputs, features = outputs_of(familiarity.observing(model, layer), images)
    forward(model, images, visited)

    np.testing.assert_allclose(outputs, score(model, images), atol=1e-5)
    assert features.shape == (2, found[0].shape[1])
    np.testing.assert_allclose(features, found[0], rtol=1e-3, atol=1e-4)
