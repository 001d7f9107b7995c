"""Heat maps, layers and nearest images of a network that learned something known to us."""

from __future__ import annotations

import importlib.util
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from helpers.open_files import open_files
from helpers.pictures import picture_folder, small_recipe
from studio.engine.baselines.cache import FeatureCache
from studio.engine.compute.explain import Explainer
from studio.engine.compute.features import ModelFeatures
from studio.engine.compute.forward import Outliner, forward, outline
from studio.engine.compute.layer_views import MAX_COUNTED, LayerViewer, weight_figures
from studio.engine.compute.models import score
from studio.engine.compute.nearest import NeighborFinder
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.importer import import_dataset
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.datasets.store import Store
from studio.engine.errors import BadDataError, StudioError
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import (
    ExplainReply,
    ExplainRequest,
    ImportanceMap,
    LayersRequest,
    NeighborsRequest,
    OutlineRequest,
    overlay,
    png_bytes,
)
from studio.engine.progress import SilentProgress

SIDE, SIZE = 32, 8
COLORS = ((220, 40, 40), (40, 40, 220))


def _picture(color: int, top: int, left: int, seed: int = 0) -> NDArray[np.uint8]:
    """Gray noise with one colored square: its color alone is the class."""
    random = np.random.default_rng(seed)
    pixels = random.integers(90, 150, (SIDE, SIDE, 1), np.uint8).repeat(3, axis=2)
    pixels[top : top + SIZE, left : left + SIZE] = COLORS[color]
    return pixels


@pytest.fixture(scope="module")
def nested() -> keras.Model:
    """Red or blue: a small network with a backbone inside of it, trained in seconds."""
    keras.utils.set_random_seed(1)
    inner = keras.Input((SIDE, SIDE, 3))
    x = keras.layers.Conv2D(8, 3, padding="same", name="first")(inner)
    x = keras.layers.BatchNormalization(name="norm")(x)
    x = keras.layers.Activation("relu", name="relu")(x)
    x = keras.layers.MaxPooling2D(2, name="pool")(x)
    x = keras.layers.Conv2D(16, 3, padding="same", activation="relu", name="last")(x)
    backbone = keras.Model(inner, x, name="backbone")
    images = keras.Input((SIDE, SIDE, 3))
    x = keras.layers.Rescaling(1 / 255, name="rescaling")(images)
    x = backbone(x)
    x = keras.layers.GlobalAveragePooling2D(name="average")(x)
    x = keras.layers.Dropout(0.2, name="drop")(x)
    model = keras.Model(images, keras.layers.Dense(2, activation="softmax", name="head")(x))
    random = np.random.default_rng(3)
    labels = np.arange(256) % 2
    corners = random.integers(0, SIDE - SIZE, (256, 2)).tolist()
    pixels = np.stack([_picture(at % 2, top, left, at) for at, (top, left) in enumerate(corners)])
    loss = "sparse_categorical_crossentropy"
    model.compile(keras.optimizers.Adam(0.02), loss, metrics=["accuracy"])
    model.fit(pixels, labels, epochs=8, batch_size=32, verbose=0)
    assert model.evaluate(pixels, labels, verbose=0)[1] > 0.97
    return model


@pytest.fixture(scope="module")
def source(nested: keras.Model, tmp_path_factory: pytest.TempPathFactory) -> ModelSource:
    file = tmp_path_factory.mktemp("model") / "colors.keras"
    nested.save(file)
    recipe = DatasetRecipe(source="", width=SIDE, height=SIDE, resize="crop")
    return ModelSource(file=str(file), name="colors", classes=("red", "blue"), recipe=recipe)


@pytest.fixture(scope="module")
def models() -> WarmModels:
    return WarmModels()


@pytest.fixture(scope="module")
def explainer(models: WarmModels) -> Explainer:
    return Explainer(models, Outliner(models))


def _share_on(heat: ImportanceMap, top: int, left: int) -> float:
    """Which part of all heat lies on the square, with a quarter of its side around it."""
    values = np.asarray(Image.fromarray(heat.values()).resize((SIDE, SIDE)))
    low, size = SIZE // 4, SIZE + SIZE // 2
    rows = slice(max(0, top - low), top - low + size)
    columns = slice(max(0, left - low), left - low + size)
    return float(values[rows, columns].sum() / values.sum())


def _finished(explainer: Explainer, request: ExplainRequest) -> tuple[ExplainReply, int]:
    asked = 1
    while not (answer := explainer.answer(request)).is_complete:
        asked += 1
    return answer, asked


@pytest.mark.parametrize("method", ["grad_cam", "occlusion"])
def test_the_heat_lies_on_what_decides(
    explainer: Explainer, source: ModelSource, tmp_path: Path, method: Any
) -> None:
    for color, top, left in ((0, 2, 20), (1, 21, 4)):
        path = tmp_path / f"{color}.png"
        Image.fromarray(_picture(color, top, left, 99)).save(path)
        request = ExplainRequest(model=source, image=str(path), method=method)
        answer, _ = _finished(explainer, request)

        assert answer.label == ("red", "blue")[color]
        assert answer.score > 0.8
        assert answer.heat.peak > 0
        assert answer.heat.values().max() == pytest.approx(1)
        # The square with its margin is a seventh of the picture.
        assert _share_on(answer.heat, top, left) > 0.6
        assert list(answer.covers) == [0, 0, 1, 1]
        seen = np.asarray(Image.open(io.BytesIO(png_bytes(answer.picture))))
        assert (seen == _picture(color, top, left, 99)).all()
        over = Image.open(io.BytesIO(overlay(answer)))
        assert over.size == (256, 256)


def test_the_layer_and_the_class_may_be_chosen(
    explainer: Explainer, source: ModelSource, tmp_path: Path
) -> None:
    path = tmp_path / "wide.png"
    Image.fromarray(_picture(0, 8, 8, 5)).resize((2 * SIDE, SIDE)).save(path)
    answer = explainer.answer(
        ExplainRequest(model=source, image=str(path), label="blue", layer="backbone/first")
    )

    assert (answer.label, answer.layer) == ("blue", "backbone/first")
    assert (answer.heat.width, answer.heat.height) == (SIDE, SIDE)
    assert list(answer.covers) == [0.25, 0, 0.75, 1]  # a crop
    with pytest.raises(StudioError, match="not a feature map"):
        explainer.answer(ExplainRequest(model=source, image=str(path), layer="average"))
    with pytest.raises(StudioError, match="not a feature map"):
        explainer.answer(ExplainRequest(model=source, image=str(path), layer="none"))
    with pytest.raises(StudioError, match='no output "green"'):
        explainer.answer(ExplainRequest(model=source, image=str(path), label="green"))
    with pytest.raises(BadDataError, match="cannot be read"):
        explainer.answer(ExplainRequest(model=source, image=str(tmp_path / "gone.png")))


def test_an_occlusion_is_done_in_parts(
    models: WarmModels, source: ModelSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.engine.compute.explain.SLICE_SECONDS", 0.0)
    path = tmp_path / "red.png"
    Image.fromarray(_picture(0, 4, 4)).save(path)
    explainer = Explainer(models, Outliner(models))
    request = ExplainRequest(model=source, image=str(path), method="occlusion")
    first = explainer.answer(request)
    answer, asked = _finished(explainer, request)

    assert 0 < first.done < first.total == answer.total
    assert 1 + asked == -(-answer.total // 16)
    assert explainer.answer(request).done < answer.total  # a new question starts over


def test_the_run_layer_by_layer_is_the_model(nested: keras.Model) -> None:
    pixels = np.stack([_picture(0, 3, 3, 7), _picture(1, 9, 9, 8)])
    seen: list[str] = []

    def note(passed: Any) -> Any:
        seen.append(passed.path)
        return passed.output

    scores = np.asarray(forward(nested, pixels, note))
    raw = np.asarray(forward(nested, pixels, lambda passed: passed.output, raw=True))

    assert scores == pytest.approx(nested.predict(pixels, verbose=0), abs=1e-5)
    assert np.asarray(keras.ops.softmax(raw)) == pytest.approx(scores, abs=1e-5)
    assert nested.get_layer("head").activation is keras.activations.softmax
    inside = [f"backbone/{each}" for each in ("first", "norm", "relu", "pool", "last")]
    assert seen == ["rescaling", *inside, "average", "drop", "head"]
    found = outline(nested)
    assert found.explained == "backbone/last"
    assert found.features == "drop"
    assert found.parameters == nested.count_params()
    assert sum(each.parameters for each in found.layers) == found.parameters


def test_what_is_explained_in_other_networks() -> None:
    images = keras.Input((8, 8, 1))
    flat = keras.layers.Dense(3, activation="softmax")(keras.layers.Flatten(name="flat")(images))
    found = outline(keras.Model(images, flat))
    assert (found.explained, found.features) == ("", "flat")

    x = keras.layers.Conv2D(2, 3, padding="same", name="conv")(images)
    around = keras.layers.Add(name="sum")([x, keras.layers.BatchNormalization()(x)])
    pooled = keras.layers.MaxPooling2D(name="pool")(around)
    one = keras.layers.Conv2D(3, 1, name="classes")(pooled)
    end = keras.layers.Softmax()(keras.layers.GlobalAveragePooling2D()(one))
    assert outline(keras.Model(images, end)).features == "pool"
    dense = keras.layers.Dense(3, activation="softmax")(keras.layers.Flatten()(pooled))
    assert outline(keras.Model(images, dense)).explained == "sum"


def test_a_network_without_convolution_says_so_and_can_be_occluded(tmp_path: Path) -> None:
    images = keras.Input((8, 8, 1))
    flat = keras.layers.Dense(3, activation="softmax")(keras.layers.Flatten()(images))
    keras.Model(images, flat).save(tmp_path / "flat.keras")
    path = tmp_path / "picture.png"
    Image.fromarray(np.eye(8, dtype=np.uint8) * 255).save(path)
    models = WarmModels()
    explainer = Explainer(models, Outliner(models))
    source = ModelSource(file=str(tmp_path / "flat.keras"), name="flat")

    with pytest.raises(StudioError, match="needs a convolution") as refused:
        explainer.answer(ExplainRequest(model=source, image=str(path)))
    assert "occlusion" in refused.value.hint
    request = ExplainRequest(model=source, image=str(path), method="occlusion")
    assert _finished(explainer, request)[0].heat.width == 8


def test_layers_at_work(models: WarmModels, source: ModelSource, tmp_path: Path) -> None:
    path = tmp_path / "red.png"
    pixels = _picture(0, 4, 4)
    Image.fromarray(pixels).save(path)
    paths = ("rescaling", "backbone/first", "average", "head")
    request = LayersRequest(model=source, image=str(path), layers=paths, tiles=5)
    answer = LayerViewer(models).answer(request)

    assert tuple(view.path for view in answer.layers) == paths
    rescaled, first, average, head = answer.layers
    scaled = pixels / 255
    assert rescaled.output.shape == (SIDE, SIDE, 3)
    assert rescaled.output.mean == pytest.approx(scaled.mean(), abs=1e-5)
    assert rescaled.output.deviation == pytest.approx(scaled.std(), abs=1e-5)
    exact = pixels.astype(np.float32) * np.float32(1 / 255)
    expected, _ = np.histogram(exact, 20, (float(exact.min()), float(exact.max())))
    assert rescaled.output.histogram == tuple(expected.tolist())
    assert rescaled.output.tiles is not None
    sheet = np.asarray(Image.open(io.BytesIO(png_bytes(rescaled.output.tiles.data))))
    low, high = scaled.min(), scaled.max()
    red = (scaled[..., 0] - low) / (high - low) * 255
    assert np.abs(sheet[:SIDE, :SIDE].astype(float) - red).max() < 1.5
    assert first.output.tiles is not None
    assert (first.output.tiles.shown, first.output.tiles.there) == (5, 8)
    kernel, bias = first.weights
    assert (kernel.name, kernel.shape, bias.name) == ("kernel", (3, 3, 3, 8), "bias")
    assert kernel.tiles is not None
    assert (kernel.tiles.width, kernel.tiles.height, kernel.tiles.there) == (3, 3, 24)
    assert bias.tiles is None
    assert average.output.shape == (16,)
    assert head.output.high > 0.8
    with pytest.raises(StudioError, match='no layer "none"'):
        LayerViewer(models).answer(request.model_copy(update={"layers": ("none",)}))
    with pytest.raises(StudioError, match="at once"):
        LayerViewer(models).answer(request.model_copy(update={"layers": ("head",) * 65}))
    listed = Outliner(models).answer(OutlineRequest(model=source))
    assert [each.has_map for each in listed.layers][-3:] == [False, False, False]


def test_figures_of_hostile_numbers() -> None:
    bad = np.array([[np.nan, np.inf], [-np.inf, 2.0]], np.float32)
    found = weight_figures("kernel", bad, tiles=9)
    assert (found.not_finite, found.low, found.high, found.mean) == (3, 2.0, 2.0, 2.0)
    assert sum(found.histogram) == 1
    nothing = weight_figures("kernel", np.full((3, 3, 2, 2), np.nan, np.float32), tiles=9)
    assert (nothing.not_finite, nothing.mean, sum(nothing.histogram)) == (36, 0.0, 0)
    large = weight_figures("kernel", np.zeros((3000, 2000), np.float32), tiles=9)
    assert large.counted <= MAX_COUNTED
    assert large.tiles is not None
    assert max(large.tiles.width, large.tiles.height) <= 256
    many = weight_figures("kernel", np.ones((3, 3, 64, 64), np.float32), tiles=10**9)
    assert many.tiles is not None
    assert (many.tiles.shown, many.tiles.there) == (256, 4096)


@pytest.fixture
def dataset(tmp_path: Path) -> Store:
    """Squares as training images: at 12 places in both colors."""
    for color, name in enumerate(("red", "blue")):
        (tmp_path / "pictures" / name).mkdir(parents=True)
        for number in range(40):
            offset = number % 5 * 5, number % 4 * 6
            image = Image.fromarray(_picture(color, *offset, number))
            image.save(tmp_path / "pictures" / name / f"{number:02}.png")
    folder = tmp_path / "dataset"
    folder.mkdir()
    recipe = small_recipe(tmp_path / "pictures", width=SIDE, height=SIDE, color="rgb")
    import_dataset(recipe, folder, SilentProgress())
    return Store.open(folder)


def _network_calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    calls: list[int] = []

    def counted(network: Any, pixels: Any) -> Any:
        calls.append(len(pixels))
        return score(network, pixels)

    monkeypatch.setattr("studio.engine.compute.nearest.score", counted)
    return calls


@pytest.mark.thorough
def test_the_nearest_training_images_are_found_in_parts_and_kept(
    models: WarmModels,
    source: ModelSource,
    dataset: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("studio.engine.compute.nearest.SLICE_SECONDS", 1e-6)
    train = dataset.rows("train")
    row = int(train[3])
    path = tmp_path / "asked.png"
    Image.fromarray(dataset.images[row]).save(path)
    request = NeighborsRequest(
        model=source,
        dataset=str(dataset.path.parent),
        cache=str(tmp_path / "cache"),
        image=str(path),
        count=5,
    )
    finder = NeighborFinder(models, Outliner(models))
    parts = [finder.answer(request)]
    while not parts[-1].is_complete:
        parts.append(finder.answer(request))

    assert [each.done for each in parts] == [32, 64]
    assert len(train) == parts[-1].total == 64
    found = parts[-1].neighbors
    # To the network others may be the same as the picture, so it need not be among the first five.
    assert found[0].distance == pytest.approx(0, abs=1e-5)
    assert found[0].label == dataset.classes[int(dataset.labels[row])]
    assert found[0].path == dataset.paths[found[0].row]
    assert {each.label for each in found} == {found[0].label} == {found[0].prediction}
    assert [each.distance for each in found] == sorted(each.distance for each in found)
    shown = np.asarray(Image.open(io.BytesIO(png_bytes(found[0].picture))))
    assert (shown == dataset.images[found[0].row]).all()
    features = ModelFeatures(models.get(source), "drop").network.predict(
        dataset.images[train], verbose=0
    )[:, :-2]
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    alike = 1 - unit @ unit[3]
    assert [each.distance for each in found] == pytest.approx(np.sort(alike)[:5], abs=1e-5)

    calls = _network_calls(monkeypatch)
    again = NeighborFinder(models, Outliner(models)).answer(request)  # another process, later
    assert again.is_complete
    assert again.neighbors == found
    assert calls == [1]  # the picture alone

    # Nothing of the dataset, the model or the cache stays open: Windows can delete them.
    assert not open_files(dataset.path.parent)
    assert not open_files(Path(source.file).parent)
    assert not open_files(tmp_path)
    assert finder.answer(request).is_complete
    FeatureCache(tmp_path / "cache").clear()
    assert not finder.answer(request).is_complete
    while not finder.answer(request).is_complete:
        pass
    assert finder.answer(request).neighbors == found


def test_a_dataset_that_does_not_fit_is_refused(
    models: WarmModels, source: ModelSource, tmp_path: Path
) -> None:
    folder = tmp_path / "dataset"
    folder.mkdir()
    import_dataset(small_recipe(picture_folder(tmp_path / "p", 3)), folder, SilentProgress())
    path = tmp_path / "red.png"
    Image.fromarray(_picture(0, 4, 4)).save(path)
    request = NeighborsRequest(
        model=source, dataset=str(folder), cache=str(tmp_path / "cache"), image=str(path)
    )
    with pytest.raises(StudioError, match="8x8x1; the model expects 32x32x3"):
        NeighborFinder(models, Outliner(models)).answer(request)


_ELSEWHERE = """
import json, sys
import numpy as np
from pathlib import Path
from studio.engine.compute.backends.prepare import prepare_backend
prepare_backend(sys.argv[1], deterministic=False, seed=0, threads=None)
from studio.engine.compute.explain import Explainer
from studio.engine.compute.forward import Outliner
from studio.engine.compute.warm_models import WarmModels
from studio.engine.inference.requests import ExplainRequest
models = WarmModels()
request = ExplainRequest.model_validate_json(sys.argv[2])
print(Explainer(models, Outliner(models)).answer(request).model_dump_json())
"""


@pytest.mark.thorough
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_other_backends_find_the_same_gradient(
    explainer: Explainer, source: ModelSource, tmp_path: Path, backend: str
) -> None:
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    path = tmp_path / "red.png"
    Image.fromarray(_picture(0, 12, 6)).save(path)
    request = ExplainRequest(model=source, image=str(path))
    command = [sys.executable, "-c", _ELSEWHERE, backend, request.model_dump_json()]
    environment = {**os.environ, "KERAS_BACKEND": backend}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    there = ExplainReply.model_validate_json(said.stdout.splitlines()[-1])
    here = explainer.answer(request)

    assert there.layer == here.layer == "backbone/last"
    assert there.heat.peak == pytest.approx(here.heat.peak, rel=1e-3)
    assert np.abs(there.heat.values() - here.heat.values()).max() < 1e-3
