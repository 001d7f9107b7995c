"""Exported files that cannot be run are refused with their reason."""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

import keras
import numpy as np
import pytest

from studio.engine.compute.explain import Explainer
from studio.engine.compute.exported_models import open_exported
from studio.engine.compute.exporters import writer_of
from studio.engine.compute.exporters.source import ExportSource
from studio.engine.compute.forward import Outliner
from studio.engine.compute.warm_models import WarmModels
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.errors import BadDataError, StudioError
from studio.engine.exporting.formats import FORMATS
from studio.engine.inference.models import ModelSource
from studio.engine.inference.requests import ExplainRequest

SIDE = 6
RECIPE = DatasetRecipe(source="", width=SIDE, height=SIDE)
PIXELS = np.random.default_rng(0).integers(0, 256, (3, SIDE, SIDE, 3), np.uint8)


@pytest.fixture(scope="module")
def model() -> keras.Model:
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((SIDE, SIDE, 3)),
            layers.Rescaling(1 / 255),
            layers.Flatten(),
            layers.Dense(4, activation="softmax"),
        ]
    )


@pytest.fixture
def source(model: keras.Model, tmp_path: Path) -> ModelSource:
    """The model as a LiteRT file."""
    path = tmp_path / "model.tflite"
    writer_of("tflite")(ExportSource(model, None, None, None, "net"), path, "float32")
    return ModelSource(
        file=str(path), name="net", format="tflite", classes=tuple("abcd"), recipe=RECIPE
    )


def _packed(path: Path, names: dict[str, Path]) -> str:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in names.items():
            archive.write(file, name)
    return str(path)


def test_a_file_answers_as_the_model_also_if_it_is_packed(
    model: keras.Model, source: ModelSource, tmp_path: Path
) -> None:
    packed = _packed(
        tmp_path / "a.zip", {"labels.json": Path(source.file), "m": Path(source.file)}
    )
    expected = model.predict(PIXELS, verbose=0)

    for each in (source, source.model_copy(update={"file": packed, "member": "m"})):
        warm = WarmModels().get(each, needs_layers=False)
        np.testing.assert_allclose(warm.model.predict_on_batch(PIXELS), expected, atol=1e-6)
        assert warm.model.output_shape == (None, 4)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"classes": tuple("abc")}, "of shape"),
        ({"task": "segmentation"}, "of shape"),
        ({"decoded": True, "task": "detection"}, "of shape"),
        ({"recipe": RECIPE.changed(width=SIDE + 1)}, "cannot be run"),
        ({"format": "savedmodel"}, "cannot predict with the format SavedModel"),
        ({"format": "torch"}, "cannot predict with the format PyTorch"),
        ({"format": "nothing"}, "no export format"),
        ({"file": "gone.tflite"}, "no model at"),
    ],
)
def test_a_file_that_does_not_match_its_description_is_refused(
    source: ModelSource, change: dict[str, object], reason: str
) -> None:
    with pytest.raises(StudioError, match=reason):
        WarmModels().get(source.model_copy(update=change), needs_layers=False)


@pytest.mark.parametrize("name", ["tflite", "onnx", "openvino"])
def test_a_damaged_file_is_refused(source: ModelSource, name: str, tmp_path: Path) -> None:
    for package in FORMATS[name].packages:
        pytest.importorskip(package)
    path = tmp_path / "damaged"
    path.write_bytes(b"nothing" * 9)
    if name == "openvino":
        path.rename(tmp_path / "model.xml")
        path.mkdir()
        shutil.move(tmp_path / "model.xml", path)
    with pytest.raises(BadDataError, match="damaged cannot be run: "):
        open_exported(source.model_copy(update={"format": name}), path)


def test_a_packed_export_without_its_model_is_damaged(source: ModelSource, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb"
    with bomb.open("wb") as file:
        file.truncate(2**27)
    for names in ({"other": Path(source.file)}, {"m": bomb}):
        packed = _packed(tmp_path / "a.zip", names)
        with pytest.raises(BadDataError, match=r"packed export .* is damaged"):
            WarmModels().get(
                source.model_copy(update={"file": packed, "member": "m"}), needs_layers=False
            )


def test_a_missing_runtime_is_named(source: ModelSource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    onnx = source.model_copy(update={"format": "onnx"})
    with pytest.raises(StudioError, match=r"needs onnxruntime.*pip install onnxruntime"):
        open_exported(onnx, Path(source.file))


def test_layers_of_an_exported_file_are_not_shown(source: ModelSource) -> None:
    models = WarmModels()
    question = ExplainRequest(model=source, image="x.png", method="grad_cam")
    with pytest.raises(StudioError, match="layers of net cannot be examined"):
        Explainer(models, Outliner(models)).answer(question)
