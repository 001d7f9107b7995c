"""Pixels of models of other programs: prepared as they were trained, or with a warning."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from PIL import Image

from studio.engine.compute.backends.prepare import prepare_backend
from studio.engine.errors import StudioError
from studio.engine.inference.foreign_models import (
    SCALED_TWICE,
    UNKNOWN_SCALE,
    UNNAMED,
    ModelOptions,
    Preprocessing,
)
from studio.engine.inference.models import read_source
from studio.engine.inference.requests import PredictRequest

prepare_backend("tensorflow", deterministic=False, seed=0, threads=None)

import keras  # noqa: E402 - after its backend is chosen
from keras import layers  # noqa: E402

from studio.engine.compute.foreign_models import load_classifier  # noqa: E402
from studio.engine.compute.forward import Outliner  # noqa: E402
from studio.engine.compute.graph import calls_of  # noqa: E402
from studio.engine.compute.models import score  # noqa: E402
from studio.engine.compute.pixel_range import scales_pixels  # noqa: E402
from studio.engine.compute.predict import PicturePredictor  # noqa: E402
from studio.engine.compute.warm_models import WarmModels, load_warm  # noqa: E402

IMAGES = np.random.default_rng(0).integers(0, 256, (2, 8, 8, 3), np.uint8)


def _saved(path: Path, *first: keras.Layer, channels: int = 3, scale: float = 1e-2) -> Path:
    model = keras.Sequential(
        [keras.Input((8, 8, channels)), *first, layers.Flatten(), layers.Dense(3, "softmax")]
    )
    kernel, bias = model.layers[-1].get_weights()
    values = np.random.default_rng(1).normal(0, scale, kernel.shape)
    model.layers[-1].set_weights([values, bias])
    model.save(path)
    return path


def _as_trained(pixels: np.ndarray[Any, Any], preprocessing: Preprocessing) -> Any:
    inputs = pixels.astype("float32")
    mode = {"-1..1": "tf", "imagenet-caffe": "caffe", "imagenet-torch": "torch"}.get(preprocessing)
    if mode is None:
        return inputs / 255 if preprocessing == "0..1" else inputs
    return keras.applications.imagenet_utils.preprocess_input(inputs, mode=mode)


def _labels(reply: Any) -> list[str]:
    """Return the labels of the first prediction."""
    return [each.label for each in reply.predictions[0].scores.classes]


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
@pytest.mark.parametrize("preprocessing", get_args(Preprocessing))
def test_pixels_are_prepared_as_keras_prepares_them(
    tmp_path: Path, preprocessing: Preprocessing, suffix: str
) -> None:
    path = _saved(tmp_path / f"net{suffix}")
    original = keras.saving.load_model(path)
    expected = original.predict(_as_trained(IMAGES, preprocessing), verbose=0)

    found, warnings = load_classifier(path, preprocessing)

    np.testing.assert_allclose(score(found, IMAGES), expected, atol=1e-5)
    assert warnings == ()


def test_unknown_pixels_and_classes_are_a_warning_of_each_prediction(tmp_path: Path) -> None:
    path = _saved(tmp_path / "net.keras")
    pictures = []
    for number, pixels in enumerate(IMAGES):
        Image.fromarray(pixels).save(tmp_path / f"{number}.png")
        pictures.append(str(tmp_path / f"{number}.png"))
    predictor = PicturePredictor(WarmModels())

    def predictions(options: ModelOptions) -> Any:
        source = read_source(path, options=options)
        return predictor.predict(PredictRequest(model=source, images=tuple(pictures)))

    unknown = predictions(ModelOptions())
    assert [each.warnings for each in unknown.predictions] == [(UNKNOWN_SCALE, UNNAMED)] * 2
    assert unknown.warnings == (UNKNOWN_SCALE, UNNAMED)
    assert set(_labels(unknown)) == {"0", "1", "2"}
    (tmp_path / "labels.txt").write_text("0 cat\n1 dog\n2 fox\n")
    named = predictions(ModelOptions(preprocessing="0..1"))
    assert [each.warnings for each in named.predictions] == [(), ()]
    assert set(_labels(named)) == {"cat", "dog", "fox"}
    outline = Outliner(WarmModels()).of(load_warm(read_source(path)))
    assert outline.layers


def test_the_number_of_names_must_be_that_of_the_outputs(tmp_path: Path) -> None:
    path = _saved(tmp_path / "net.keras")
    (tmp_path / "labels.txt").write_text("cat\ndog")
    with pytest.raises(StudioError, match=r"net\.keras has 3 classes, but labels\.txt names 2"):
        load_warm(read_source(path))
    with pytest.raises(StudioError, match="3 classes, but the list of class names names 4"):
        load_warm(read_source(path, options=ModelOptions(classes=("a", "b", "c", "d"))))


def test_layers_of_a_prepared_model_can_still_be_examined(tmp_path: Path) -> None:
    path = _saved(tmp_path / "net.keras", layers.Conv2D(4, 3))
    source = read_source(path, options=ModelOptions(preprocessing="imagenet-caffe"))

    outline = Outliner(WarmModels()).of(load_warm(source))

    assert any(each.path.endswith("conv2d") or "conv2d" in each.path for each in outline.layers)
    assert outline.explained


def test_gray_models_take_no_color_preprocessing(tmp_path: Path) -> None:
    path = _saved(tmp_path / "net.keras", channels=1)
    load_classifier(path, "-1..1")
    with pytest.raises(StudioError, match="imagenet-torch is for color images"):
        load_classifier(path, "imagenet-torch")


def _adapted(mean: float, variance: float) -> keras.Layer:
    return layers.Normalization(mean=[mean] * 3, variance=[variance] * 3)


def _trained_norm(mean: float, variance: float) -> keras.Layer:
    layer = layers.BatchNormalization()
    layer.build((None, 8, 8, 3))
    layer.set_weights([np.ones(3), np.zeros(3), np.full(3, mean), np.full(3, variance)])
    return layer


@pytest.mark.parametrize(
    ("first", "scales"),
    [
        (lambda: [layers.Rescaling(1 / 255)], True),
        (lambda: [layers.Rescaling(1 / 127.5, -1)], True),
        (lambda: [layers.Rescaling(1.0, [-103.9, -116.8, -123.7])], True),
        (lambda: [layers.Rescaling(1 / 255), _adapted(0.485, 0.05)], True),
        (lambda: [_adapted(120.0, 3600.0)], True),
        (lambda: [_trained_norm(120.0, 3600.0)], True),
        (lambda: [layers.LayerNormalization()], True),
        (list, False),
        (lambda: [layers.Rescaling(1.0)], False),
        # These expect pixels from 0 to 1, though they have the names of layers that scale.
        (lambda: [layers.Rescaling(2.0, -1)], False),
        (lambda: [_adapted(0.485, 0.05)], False),
        (lambda: [_trained_norm(0.485, 0.05)], False),
    ],
)
def test_models_that_scale_raw_pixels_are_recognized_by_their_numbers(
    tmp_path: Path, first: Callable[[], list[keras.Layer]], scales: bool
) -> None:
    path = _saved(tmp_path / "net.keras", *first())

    _, warnings = load_classifier(path)
    _, chosen = load_classifier(path, "0..1")
    _, none = load_classifier(path, "none")

    assert warnings == (() if scales else (UNKNOWN_SCALE,))
    assert chosen == ((SCALED_TWICE,) if scales else ())
    assert none == ()


@pytest.mark.parametrize(
    ("scaled", "expected"),
    [
        (lambda x: x / 255.0, True),
        (lambda x: x - np.array([103.9, 116.8, 123.7], np.float32), True),
        (lambda x: 1.0 - x / 255.0, True),
        (lambda x: x * 2.0 - 1.0, False),
    ],
)
def test_arithmetic_before_the_first_layer_counts(
    scaled: Callable[[Any], Any], expected: bool
) -> None:
    images = keras.Input((8, 8, 3))
    scores = layers.Dense(2, "softmax")(layers.Flatten()(scaled(images)))
    calls, _ = calls_of([images], [scores])
    assert scales_pixels(calls) == expected
