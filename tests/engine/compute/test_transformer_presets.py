"""Vision transformers from presets: values in their places, other sizes of images, all tasks."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import h5py
import numpy as np
import pytest

from studio.engine.compute.build import build
from studio.engine.compute.exporters import onnx_file
from studio.engine.compute.exporters.source import ExportSource, ModelParts
from studio.engine.compute.resampling import resampled_grid
from studio.engine.compute.weights import load_weights
from studio.engine.errors import StudioError
from studio.engine.networks.backbones import (
    BACKBONES,
    Backbone,
    TransformerSizes,
    WindowTransformer,
)
from studio.engine.networks.code import keras_code
from studio.engine.networks.zoo import ZOO
from studio.engine.progress import SilentProgress
from studio.engine.training.transformer_files import transformer_file
from studio.engine.workspace import Workspace

NAMES = {
    "dinov2": "dinov2_small_registers",
    "vit": "vit_base_16",
    "siglip": "siglip_base",
    "clip": "clip_base_32",
    "dinov3": "dinov3_small",
    "swin": "swin_tiny",
}
PATCH = {"dinov2": 14, "vit": 16, "siglip": 16, "clip": 16, "dinov3": 16}


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> dict[str, Backbone]:
    """Small versions of the published backbones, under their names."""
    made = {}
    for family, name in NAMES.items():
        usual = BACKBONES[name]
        made[family] = replace(usual, transformer=_tiny(usual.transformer, family))
        monkeypatch.setitem(BACKBONES._ours, name, made[family])
    return made


def _tiny(sizes: TransformerSizes | None, family: str) -> TransformerSizes:
    assert sizes is not None
    if isinstance(sizes, WindowTransformer):
        # Two stages more, each of one block, so that the last map has the usual stride.
        return replace(sizes, width=8, depths=(2, 2, 1, 1), heads=(2, 2, 2, 2))
    return replace(sizes, width=32, depth=2, heads=2, hidden=64, patch=PATCH[family])


def _write_dino(folder: Path) -> None:
    """Write a preset of random values as KerasHub lays it out."""
    random = np.random.default_rng(0)
    folder.mkdir()
    with h5py.File(folder / "model.weights.h5", "w") as file:

        def put(path: str, *shapes: tuple[int, ...]) -> None:
            for number, shape in enumerate(shapes):
                file[f"layers/{path}/vars/{number}"] = random.normal(0, 0.1, shape).astype("f4")

        put("dinov2_embedding/patch_embeddings/projection", (14, 14, 3, 32), (32,))
        # Positions for images of 2 x 3 patches, which are trained, then those of the publishers.
        put("dinov2_embedding", (1, 1, 32), (1, 32), (1, 4, 32), (1, 7, 32), (1, 26, 32))
        put("layer_normalization", (32,), (32,))
        for name in ("dinov2_layer", "dinov2_layer_1"):
            at = f"dinov2_encoder/layers/{name}"
            for part in ("key", "query", "value"):
                put(f"{at}/attention/attention/{part}_dense", (32, 2, 16), (2, 16))
            put(f"{at}/attention/attention/output_dense", (2, 16, 32), (32,))
            put(f"{at}/mlp/fc1", (32, 64), (64,))
            put(f"{at}/mlp/fc2", (64, 32), (32,))
            for part in ("norm1", "norm2"):
                put(f"{at}/{part}", (32,), (32,))
            for part in ("layer_scale1", "layer_scale2"):
                put(f"{at}/{part}", (32,))


@pytest.fixture
def dino(tmp_path: Path) -> Path:
    folder = tmp_path / "dino"
    _write_dino(folder)
    return folder / "model.weights.h5"


def test_every_layer_gets_its_values_also_for_other_images(
    dino: Path, workspace: Workspace
) -> None:
    spec = ZOO[NAMES["dinov2"]].build((42, 56, 3), 3)
    model = build(spec, seed=1)
    loaded = load_weights(model, spec, str(dino), workspace, SilentProgress())
    assert not loaded.random
    positions = model.get_layer("backbone_1-positions")
    assert positions.output.shape[1:] == (3, 4, 32)
    with h5py.File(dino) as file:
        stored = np.asarray(file["layers/dinov2_embedding/vars/4"])[0, 1:].reshape(5, 5, 32)
    expected = resampled_grid(stored, (3, 4), is_antialiased=True)
    np.testing.assert_allclose(positions.bias, expected, atol=1e-6)


@pytest.mark.parametrize(
    "name",
    [
        "layers/dinov2_embedding/patch_embeddings/projection/vars/0",
        "layers/dinov2_encoder/layers/dinov2_layer/mlp/fc1",
    ],
)
def test_a_link_to_another_file_is_not_followed(dino: Path, tmp_path: Path, name: str) -> None:
    assert transformer_file(dino) is not None
    other = tmp_path / "other.h5"
    shutil.copyfile(dino, other)
    with h5py.File(dino, "r+") as file:
        del file[name]
        file[name] = h5py.ExternalLink(str(other), name)
    assert transformer_file(dino) is None


def test_weights_of_a_run_fit_images_of_another_size(
    dino: Path, workspace: Workspace, tmp_path: Path
) -> None:
    zoo = ZOO[NAMES["dinov2"]]
    small = build(zoo.build((70, 70, 3), 3), seed=1)
    load_weights(small, zoo.build((70, 70, 3), 3), str(dino), workspace, SilentProgress())
    small.save(tmp_path / "model.keras")
    spec = zoo.build((140, 140, 3), 3)
    large = build(spec, seed=2)
    path = str(tmp_path / "model.keras")
    loaded = load_weights(large, spec, path, workspace, SilentProgress())
    assert not loaded.random
    before = np.asarray(small.get_layer("backbone_1-positions").bias)
    np.testing.assert_allclose(
        large.get_layer("backbone_1-positions").bias, resampled_grid(before, (10, 10)), atol=1e-6
    )


def test_a_preset_of_another_network_is_refused(dino: Path, workspace: Workspace) -> None:
    spec = ZOO[NAMES["siglip"]].build((64, 64, 3), 3)
    with pytest.raises(StudioError, match="belong to DINOv2 small, registers, not to SigLIP base"):
        load_weights(build(spec, seed=0), spec, str(dino), workspace, SilentProgress())
    with h5py.File(dino, "r+") as file:
        file["layers/layer_normalization/vars/0"][0] = np.nan
    spec = ZOO[NAMES["dinov2"]].build((70, 70, 3), 3)
    with pytest.raises(StudioError, match="cannot be used"):
        load_weights(build(spec, seed=0), spec, str(dino), workspace, SilentProgress())


@pytest.mark.parametrize("family", NAMES)
def test_code_builds_the_same_network(family: str) -> None:
    spec = ZOO[NAMES[family]].build((64, 64, 3), 3)
    model = build(spec, seed=0)
    made: dict[str, Any] = {}
    exec(keras_code(spec), made)
    made["model"].set_weights(model.get_weights())
    pixels = np.random.default_rng(0).uniform(0, 255, (1, 64, 64, 3)).astype("f4")
    np.testing.assert_allclose(made["model"](pixels), model(pixels), atol=1e-5)


HEADS = ("pretrained_unet", "detector", "star_backbone", "padim")


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("family", ["dinov2", "dinov3", "swin"])
def test_maps_serve_every_task(name: str, family: str) -> None:
    zoo = ZOO[f"{name}:backbone={NAMES[family]}"]
    model = build(zoo.build((70, 98, 3), 2), seed=0)
    assert all(size for size in model.output.shape[1:])


@pytest.mark.parametrize("family", ["dinov3", "swin"])
def test_without_learned_positions_weights_of_a_run_fit_any_size(
    family: str, workspace: Workspace, tmp_path: Path
) -> None:
    zoo = ZOO[NAMES[family]]
    small = build(zoo.build((64, 64, 3), 3), seed=1)
    path = str(tmp_path / "model.keras")
    small.save(path)
    spec = zoo.build((128, 96, 3), 3)
    large = build(spec, seed=2)
    loaded = load_weights(large, spec, path, workspace, SilentProgress())
    assert not loaded.random
    for each in small.layers:
        if each.weights and "backbone" in each.name:
            for ours, theirs in zip(large.get_layer(each.name).weights, each.weights, strict=True):
                np.testing.assert_array_equal(ours, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["dinov3", pytest.param("swin", marks=pytest.mark.thorough)])
def test_products_of_attention_are_exported(family: str, tmp_path: Path) -> None:
    """To ONNX and SavedModel, without code of Studio in either."""
    import onnxruntime
    import tensorflow as tf

    model = build(ZOO[NAMES[family]].build((64, 96, 3), 3), seed=0)
    for weight in model.weights:
        weight.assign(weight + 0.01)
    pixels = np.random.default_rng(0).uniform(0, 255, (1, 64, 96, 3)).astype("f4")
    expected = np.asarray(model(pixels))
    made = SimpleNamespace(
        model=model, parts=lambda _: ModelParts(None, model, None), decoder=lambda: None
    )
    path = tmp_path / "model.onnx"
    onnx_file.write(cast("ExportSource", made), path, "float32")
    onnx_file.check(path)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    [outputs] = session.run(None, {session.get_inputs()[0].name: pixels})
    np.testing.assert_allclose(outputs, expected, atol=1e-4)
    model.export(tmp_path / "saved", format="tf_saved_model", verbose=False)
    saved = tf.saved_model.load(str(tmp_path / "saved"))
    np.testing.assert_allclose(saved.serve(pixels), expected, atol=1e-4)


@pytest.mark.slow
def test_exports_give_the_same_outputs(tmp_path: Path) -> None:
    """LiteRT, the strictest format; the first token and resized images are part of it."""
    import tensorflow as tf

    model = build(ZOO[NAMES["dinov2"]].build((64, 64, 3), 3), seed=0)
    for weight in model.weights:
        weight.assign(weight + 0.01)
    pixels = np.random.default_rng(0).uniform(0, 255, (1, 64, 64, 3)).astype("f4")
    content = tf.lite.TFLiteConverter.from_keras_model(model).convert()
    found = tf.lite.Interpreter(model_content=content)
    found.allocate_tensors()
    found.set_tensor(found.get_input_details()[0]["index"], pixels)
    found.invoke()
    outputs = found.get_tensor(found.get_output_details()[0]["index"])
    np.testing.assert_allclose(outputs, model(pixels), atol=1e-5)
