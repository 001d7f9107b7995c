"""The packages of BioImage.IO are valid, and their test output is that of the model."""

from __future__ import annotations

from pathlib import Path

import keras
import numpy as np
import pytest
from keras import layers

from studio.engine.compute.tasks.star_decoding import decoding_model
from studio.engine.datasets.recipe import DatasetRecipe
from studio.engine.exporting.formats import FORMATS
from studio.engine.inference.models import ImageCard, ModelCard
from studio.engine.tasks import TASKS

for _name in FORMATS["bioimage"].packages:
    pytest.importorskip(_name)

from bioimageio.spec import load_description  # noqa: E402
from bioimageio.spec.model import v0_5 as spec  # noqa: E402

from studio.engine.compute.exporters import onnx_file  # noqa: E402
from studio.engine.compute.exporters.bioimage_package import (  # noqa: E402
    TEST_INPUT,
    TEST_OUTPUT,
    describe,
)

SIZE = (32, 48)


def package(folder: Path, task: str, model: keras.Model, *, decoded: bool) -> spec.ModelDescr:
    """Write a package of a model, and return what the validator reads of it."""
    recipe = DatasetRecipe(source="", width=SIZE[1], height=SIZE[0], color="gray")
    card = ModelCard(
        made_by="test",
        run="Zellen, lebend: 1",
        model="model.onnx",
        format="bioimage",
        precision="float32",
        input_type="float32",
        task=task,
        answers=TASKS[task].answers,
        output=TASKS[task].output.name,
        decoded=decoded,
        classes=("living cell", "2nd", "class"),
        image=ImageCard.of(recipe),
    )
    onnx_file._export(model, folder / "model.onnx")
    for name in ("README.md", "labels.json"):
        (folder / name).write_text("text", encoding="utf-8")
    image = np.random.default_rng(0).integers(0, 256, (*SIZE, 1)).astype(np.uint8)

    describe(folder, card, image)

    found = load_description(folder / "rdf.yaml")
    assert found.validation_summary.status in {"valid-format", "passed"}
    assert isinstance(found, spec.ModelDescr)
    inputs, outputs = (np.load(folder / each) for each in (TEST_INPUT, TEST_OUTPUT))
    assert inputs.shape == (1, *SIZE, 1)
    np.testing.assert_array_equal(inputs[0], image)
    np.testing.assert_allclose(outputs, np.asarray(model(inputs)), atol=1e-3)
    return found


def test_a_package_for_masks_has_maps_of_the_classes(tmp_path: Path) -> None:
    inputs = keras.Input((*SIZE, 1))
    model = keras.Model(inputs, layers.Conv2D(3, 1, activation="softmax")(inputs / 255))

    found = package(tmp_path, "segmentation", model, decoded=False)

    batch, y, x, channel = found.outputs[0].axes
    assert [each.type for each in (batch, y, x, channel)] == ["batch", "space", "space", "channel"]
    assert isinstance(channel, spec.ChannelAxis)
    assert channel.channel_names == ["living_cell", "channel_2nd", "channel_class"]


@pytest.mark.thorough
def test_a_package_for_objects_has_rows_with_named_columns(tmp_path: Path) -> None:
    inputs = keras.Input((*SIZE, 1))
    outputs = layers.Conv2D(3 + 32, 1, strides=2, activation="sigmoid")(inputs / 255)
    model = keras.Model(inputs, decoding_model(outputs.shape[1:], SIZE)(outputs))

    found = package(tmp_path, "instances", model, decoded=True)

    _, rows, columns = found.outputs[0].axes
    assert isinstance(rows, spec.IndexOutputAxis)
    assert rows.size == 1000
    assert isinstance(columns, spec.ChannelAxis)
    assert len(columns.channel_names) == 40
    assert columns.channel_names[5:9] == ["score", "x", "y", "distance_0"]
